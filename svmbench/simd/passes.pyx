"""Passes over vectors of responses, on the instruction set that the kernel loops use.

One value never depends on how many are handled at a time, and sums are added in one stated order, so that the
results are the same bits on every instruction set and any number of threads: eight interleaved partial sums,
closed every 512 values.
"""

from svmbench.simd.targets cimport isa_level

cdef extern from "passes.h" nogil:
    void svmbench_sum_below(
        int isa, const double* x, Py_ssize_t n, double level, double* sum, Py_ssize_t* count
    )
    void svmbench_sample(
        int isa, const double* x, const float* signs, const float* row, Py_ssize_t n, double level,
        double* sum, Py_ssize_t* count
    )
    void svmbench_collect(int isa, const double* x, const float* signs, Py_ssize_t n, Band* band)
    void svmbench_add_row(
        int isa, double* x, const float* signs, const float* row, Py_ssize_t n, double factor
    )
    void svmbench_move(
        int isa, int threads, double* x, double* total, const float* signs, const float* row, Py_ssize_t n,
        double step, double scale, Band* band
    )
    void svmbench_scale(int isa, double* x, double* total, Py_ssize_t n, double scale)

cdef int isa = isa_level()


cdef void sum_below(
    const double* x, Py_ssize_t n, double level, double* sum, Py_ssize_t* count
) noexcept nogil:
    svmbench_sum_below(isa, x, n, level, sum, count)


cdef void sample(
    const double* x, const float* signs, const float* row, Py_ssize_t n, double level, double* sum,
    Py_ssize_t* count
) noexcept nogil:
    svmbench_sample(isa, x, signs, row, n, level, sum, count)


cdef void collect(const double* x, const float* signs, Py_ssize_t n, Band* band) noexcept nogil:
    svmbench_collect(isa, x, signs, n, band)


cdef void add_signed(
    double* x, const float* signs, const float* row, Py_ssize_t n, double factor
) noexcept nogil:
    svmbench_add_row(isa, x, signs, row, n, factor)


cdef void move(
    int threads, double* x, double* total, const float* signs, const float* row, Py_ssize_t n, double step,
    double scale, Band* band
) noexcept nogil:
    svmbench_move(isa, threads, x, total, signs, row, n, step, scale, band)


cdef void rescale(double* x, double* total, Py_ssize_t n, double scale) noexcept nogil:
    svmbench_scale(isa, x, total, n, scale)
