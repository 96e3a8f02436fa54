"""Passes over vectors of responses, on the instruction set that the kernel loops use.

One value never depends on how many are handled at a time, and sums are added in one stated order, so that the
results are the same bits on every instruction set: eight interleaved partial sums, closed every 512 values.
Only the sum of `collect` may round differently.
"""

from svmbench.kernels._layout cimport isa_level

cdef extern from "passes.h" nogil:
    void svmbench_survey(
        int isa, const double* x, Py_ssize_t n, double level, double* sum, Py_ssize_t* count
    )
    void svmbench_collect(
        int isa, const double* x, const float* signs, Py_ssize_t n, float sign, double floor, double ceiling,
        double* band, Py_ssize_t* count, double* sum, Py_ssize_t* below
    )
    void svmbench_add_row(
        int isa, double* x, const float* signs, const float* row, Py_ssize_t n, double factor
    )
    void svmbench_move(
        int isa, double* x, double* total, const float* signs, const float* row, Py_ssize_t n, double step,
        double scale, double level, double* sum, Py_ssize_t* count
    )
    void svmbench_scale(int isa, double* x, double* total, Py_ssize_t n, double scale)

cdef int isa = isa_level()


cdef void survey(const double* x, Py_ssize_t n, double level, double* sum, Py_ssize_t* count) noexcept nogil:
    svmbench_survey(isa, x, n, level, sum, count)


cdef void collect(
    const double* x, const float* signs, Py_ssize_t n, float sign, double floor, double ceiling, double* band,
    Py_ssize_t* count, double* sum, Py_ssize_t* below
) noexcept nogil:
    svmbench_collect(isa, x, signs, n, sign, floor, ceiling, band, count, sum, below)


cdef void add_signed(
    double* x, const float* signs, const float* row, Py_ssize_t n, double factor
) noexcept nogil:
    svmbench_add_row(isa, x, signs, row, n, factor)


cdef void move(
    double* x, double* total, const float* signs, const float* row, Py_ssize_t n, double step, double scale,
    double level, double* sum, Py_ssize_t* count
) noexcept nogil:
    svmbench_move(isa, x, total, signs, row, n, step, scale, level, sum, count)


cdef void rescale(double* x, double* total, Py_ssize_t n, double scale) noexcept nogil:
    svmbench_scale(isa, x, total, n, scale)
