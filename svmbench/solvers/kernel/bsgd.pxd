"""C-level interface of BSGD, from which `bsca` derives."""

from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.merging cimport MergeTable
from svmbench.solvers.run cimport SteppedRun


cdef class Run(SteppedRun):
    """A started BSGD; see bsgd.pyx."""

    cdef Generator rng
    cdef double lam
    cdef double gamma
    cdef bint merges
    cdef bint projects
    cdef bint far                       # squared distances are made of differences
    cdef Py_ssize_t d
    cdef Py_ssize_t most                # the budget
    cdef Py_ssize_t together
    cdef MergeTable table               # None: golden section search
    # The examples, compressed rows.
    cdef const int64_t[::1] starts
    cdef const int64_t[::1] columns
    cdef const double[::1] values
    cdef double[::1] norms              # squared
    # The points: positive ones first where they are merged, the others in no order.
    cdef Py_ssize_t count
    cdef Py_ssize_t positive            # of them
    cdef int64_t serial                 # points so far
    cdef double[:, ::1] points          # (d, budget + 1)
    cdef double[::1] squared
    cdef double[::1] a                  # signed coefficients of v
    cdef int64_t[::1] born              # serial numbers
    cdef int64_t[::1] source            # the example of the point; -1 for a merged point
    cdef int64_t[::1] place             # place of each example among the points, or -1
    cdef double[::1] kernel             # between the points and one more
    # One point: as it is, and its non-zero values.
    cdef double[::1] point
    cdef int64_t[::1] point_columns
    cdef double[::1] point_values
    # Partners of a merge.
    cdef double[::1] losses
    cdef int64_t[::1] partners
    # Kernel matrix of the points and its inverse, of a projection.
    cdef object gram
    cdef object inverse
    cdef int64_t since                  # points taken from the inverse since it was made

    # <v, Φ(x_i)>, charged as an iteration; `kernel` then has the values.
    cdef double score(self, Py_ssize_t i) noexcept nogil
    cdef int learn(self, Py_ssize_t i) except -1 nogil
    # Make an example a point with that coefficient and maintain the budget.
    cdef void add(self, Py_ssize_t i, double a) noexcept nogil
    cdef void example(self, Py_ssize_t i) noexcept nogil
    cdef void compare(
        self, const int64_t* columns, const double* values, int64_t size, double squared, Py_ssize_t begin,
        Py_ssize_t end,
    ) noexcept nogil
    cdef void scatter(self, Py_ssize_t i) noexcept nogil
    cdef void insert(self, double a, double squared, int64_t source) noexcept nogil
    # Remove a point; later points may move to its place.
    cdef void remove(self, Py_ssize_t k) noexcept nogil
    cdef void move(self, Py_ssize_t k, Py_ssize_t to) noexcept nogil
    cdef Py_ssize_t smallest(self) noexcept nogil
    cdef void evaluated(self, int64_t evaluations) noexcept nogil
    cdef void merge(self) noexcept nogil
    cdef Py_ssize_t gather(self, Py_ssize_t k) noexcept nogil
    cdef Py_ssize_t choose(self, Py_ssize_t p, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    cdef double loss(self, double a, double b, double kappa) noexcept nogil
    cdef double value_at(self, Py_ssize_t k) noexcept nogil
    cdef double join(self, double a, Py_ssize_t k, double kappa) noexcept nogil
    cdef void take_out(self, Py_ssize_t p, Py_ssize_t chosen) noexcept nogil
    cdef learn_by_projection(self, Py_ssize_t i)
    cdef project(self)
    # v, divided, as a snapshot.
    cdef answer(self, double divisor)
