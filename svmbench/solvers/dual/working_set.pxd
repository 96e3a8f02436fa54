"""C-level interface of the dual in the variables of a working set."""

from libc.stdint cimport int64_t


ctypedef void (*make_row)(void* maker, ptrdiff_t k) noexcept nogil

cdef extern from "svmbench/solvers/dual/csrc/working_set.h" nogil:
    enum: WORKING_SET_PAD
    ctypedef struct working_set:
        ptrdiff_t size
        ptrdiff_t stride
        const float* kernel
        const double* diagonal
        const double* least
        const double* most
        double* beta
        double* values
        double* up
        double* down
        make_row make
        void* maker
        unsigned char* made


cdef inline void bind(working_set* set, double* vectors, ptrdiff_t stride) noexcept nogil:
    """Give a set its seven vectors, which lie one after the other, `stride` apart."""
    set.diagonal = vectors
    set.least = vectors + stride
    set.most = vectors + 2 * stride
    set.beta = vectors + 3 * stride
    set.values = vectors + 4 * stride
    set.up = vectors + 5 * stride
    set.down = vectors + 6 * stride


# Change beta until the violation is at most eps, in at most `steps` steps; return the number of steps.
cdef int64_t solve(int level, working_set* set, bint balanced, double eps, int64_t steps) noexcept nogil


# Write `count` symmetric rows of the set's kernel matrix, each as row and column of its place.
cdef void put(
    float* matrix, ptrdiff_t stride, ptrdiff_t size, const float* rows, const int64_t* places,
    ptrdiff_t count, int threads
) noexcept nogil


# The `capacity` largest keys of those offered, and their owners; of equal keys those offered first.
cdef struct Top:
    Py_ssize_t capacity
    Py_ssize_t size
    double* keys
    int64_t* owners

cdef void offer(Top* top, double key, int64_t owner) noexcept nogil


# The indices of the k largest of n keys above the floor, in descending order, the first of equals first;
# return their number.
cdef Py_ssize_t leading(
    const double* keys, Py_ssize_t n, double floor, Py_ssize_t k, int64_t* places
) noexcept nogil
