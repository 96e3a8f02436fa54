"""C-level interface of the solver of pairs of groups."""

from libc.stdint cimport int32_t, int64_t

from svmbench.kernels.layouts._layout cimport Layout
from svmbench.solvers.dual.working_set cimport make_row, working_set

cdef extern from "svmbench/solvers/dual/csrc/two_groups.h" nogil:
    enum: TWO_GROUPS_PAD
    ctypedef struct two_groups:
        ptrdiff_t stride
        const float* kernel
        int32_t* slots
        const float* diagonal
        const double* least
        const double* most
        double* beta
        float* rising
        float* falling
        float high
        float low
        double dual
        make_row make
        void* maker
        unsigned char* made
    void svmbench_two_groups_mark(two_groups*)
    int64_t svmbench_two_groups_make(int level, two_groups*, double eps, int64_t steps)
    void svmbench_two_groups_sum(int level, const two_groups*, double* sums)
    void svmbench_two_groups_read(int level, const two_groups*, double center, double* values)
    bint svmbench_two_groups_may_change(const two_groups*, Py_ssize_t k, float reach)
    ptrdiff_t svmbench_two_groups_count(int level, const two_groups*, float reach)
    double svmbench_two_groups_dual(int level, const working_set*, const double* gains)
    double svmbench_two_groups_gap(int level, const working_set*, double dual, int balanced)
    enum: PICKED
    ctypedef struct picks:
        ptrdiff_t count
        ptrdiff_t stride
        int32_t* from_ "from"
        int32_t* to
        int32_t* lanes
    void svmbench_two_groups_arrange(picks*, const int64_t* places)
    void svmbench_two_groups_pick(int level, const picks*, const float* row, float* packed)


cdef class TwoGroups:
    """The problems of pairs of groups, one after the other; see two_groups.pyx."""

    cdef readonly int64_t steps             # of the last problem
    cdef readonly int64_t evaluations       # kernel values made for it
    cdef bint balanced
    cdef double eps                         # of the values: below, the optimality conditions hold
    # Of all groups: their layouts, where their examples begin, and K(x, x); values within them, where these
    # begin, and which rows are there. Nothing is kept if there is a single problem.
    cdef list layouts
    cdef int64_t[::1] starts
    cdef const double[::1] diagonal
    cdef float[::1] within
    cdef int64_t[::1] blocks
    cdef unsigned char[::1] held
    # Of the two groups: layouts, where their examples begin and how many there are, what is kept of them.
    cdef Py_ssize_t[2] pair
    cdef Layout first
    cdef Layout second
    cdef Py_ssize_t[2] begin
    cdef Py_ssize_t[2] size
    cdef float *kept[2]
    cdef unsigned char *there[2]
    # By place: examples of a group stand together, padded to whole tiles.
    cdef working_set inner
    cdef float[::1] matrix
    cdef unsigned char[::1] made            # rows that were read
    cdef int32_t[::1] slots                 # where the row is in the matrix, negative where there is none
    cdef Py_ssize_t filled                  # rows of the matrix
    cdef double[:, ::1] vectors
    cdef double[::1] gains                  # the values where all coefficients are 0
    cdef double[::1] sums                   # scratch
    cdef double[::1] excess                 # of values from rows, at the point of `refine`
    # The variables in which steps with a bias are made, all or packed ones: their number and their places.
    cdef working_set few
    cdef Py_ssize_t count
    cdef int64_t[::1] places
    cdef picks packed                       # the same places in the layout of a copy of a row
    cdef int32_t[:, ::1] runs
    cdef float[::1] few_matrix
    cdef unsigned char[::1] few_made
    cdef int32_t[::1] few_slots
    cdef Py_ssize_t few_filled
    cdef double[:, ::1] few_vectors
    # The same for steps in single precision, with values from which `center` is subtracted.
    cdef two_groups single
    cdef float[:, ::1] singles
    cdef double center
    cdef char[::1] query
    # Rows that are made together: most of them, and how many now; how many of the last ones were guessed, and
    # how many of these were read; examples of a group whose rows are made.
    cdef Py_ssize_t most
    cdef Py_ssize_t window
    cdef Py_ssize_t guessed
    cdef Py_ssize_t right
    cdef int64_t[::1] planned

    # `start`, `advance` and `point` on pointers; `alpha` and `gains` may be NULL.
    cdef void begin_pair(self, Py_ssize_t i, Py_ssize_t j, const double* bounds, bint balanced, double eps,
                         const double* alpha, const double* gains) noexcept
    cdef bint step_to(self, double goal, int64_t most) noexcept nogil
    cdef void write(self, double* alpha, double* responses) noexcept nogil

    cdef int64_t between(self, Py_ssize_t stride) noexcept nogil
    cdef void make_double(self, double goal, int64_t end) noexcept nogil
    cdef void make_single(self, double goal, int64_t end, double enough) noexcept nogil
    cdef void take_all(self) noexcept nogil
    cdef void step_in_few(self) noexcept nogil
    cdef void pack(self) noexcept nogil
    cdef bint can_pack(self) noexcept nogil
    cdef Py_ssize_t plan(self, Py_ssize_t k) noexcept nogil
    cdef void fill_group(self, Py_ssize_t own, Py_ssize_t count) noexcept nogil
    cdef void fill(self, Layout mine, Layout other, Py_ssize_t own, Py_ssize_t count) noexcept nogil
    cdef bint known(self, Layout mine, Layout other, Py_ssize_t own, int64_t example) noexcept nogil
    cdef void compute(self, Layout mine, Layout columns, Py_ssize_t count, float* out) noexcept nogil
    cdef float* row(self, Py_ssize_t place) noexcept nogil
    cdef void sum_up(self) noexcept nogil
    cdef double violation(self) noexcept nogil
    cdef double dual(self) noexcept nogil
    cdef double relative_gap(self, const working_set* part, double dual) noexcept nogil
