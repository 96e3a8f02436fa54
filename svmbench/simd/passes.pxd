"""C-level interface of the passes over vectors of responses."""

from libc.stdint cimport int64_t


cdef extern from "svmbench/simd/csrc/passes.h" nogil:
    # Result of a pass near a level: the responses in [floor, ceiling) one by one, those below the floor as
    # their number and sum. Of two classes the first has the positive signs; a single class has all examples.
    ctypedef struct Band "svmbench_band":
        int classes
        double[2] floor
        double[2] ceiling
        double *values[2]           # room for n, in the order of the examples
        int64_t *owners[2]          # their examples, room for n; only with two classes
        Py_ssize_t[2] count
        Py_ssize_t[2] below
        double sum                  # of the responses below the floors


# Number and sum of the values, of n, below the level.
cdef void sum_below(
    const double* x, Py_ssize_t n, double level, double* sum, Py_ssize_t* count
) noexcept nogil

# In a sample of the n values: the number below the level, and the sum of signs[j] row[j] over them.
cdef void sample(
    const double* x, const float* signs, const float* row, Py_ssize_t n, double level, double* sum,
    Py_ssize_t* count
) noexcept nogil

# Fill the band from the n values.
cdef void collect(const double* x, const float* signs, Py_ssize_t n, Band* band) noexcept nogil

# x[j] += factor signs[j] row[j]
cdef void add_signed(
    double* x, const float* signs, const float* row, Py_ssize_t n, double factor
) noexcept nogil

# x[j] = scale (x[j] + step signs[j] row[j]), and fill the band from the new values. If total is not NULL,
# the old x[j] and then the new one are added to total[j], so that only every second move needs to add.
cdef void move(
    int threads, double* x, double* total, const float* signs, const float* row, Py_ssize_t n, double step,
    double scale, Band* band
) noexcept nogil

# x[j] *= scale, total[j] += x[j]
cdef void rescale(double* x, double* total, Py_ssize_t n, double scale) noexcept nogil
