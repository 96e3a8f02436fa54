"""C-level interface of the storage layouts."""

from libc.stdint cimport int32_t, int64_t


cdef extern from "svmbench/kernels/csrc/_layouts.h" nogil:
    enum: TILE
    enum: SPARSE_GROUP
    ctypedef struct kernel_params:
        int kind
        int degree
        float gamma
        float coef0
    ctypedef struct dense_store:
        const void *tiles
        ptrdiff_t n_tiles
        ptrdiff_t d
        int narrow
        float unit_squared
    ctypedef struct sparse_store:
        const float *values
        const int32_t *indices
        const int64_t *indptr
        const double *squared
        ptrdiff_t n
    ctypedef struct kernel_table:
        const char *name
    const kernel_table *svmbench_select(const char *forced)
    void svmbench_dense(const kernel_table *, const dense_store *, const kernel_params *,
                        const float *const *queries, ptrdiff_t n_queries, float *out, ptrdiff_t stride,
                        int threads)
    void svmbench_sparse(const kernel_table *, const sparse_store *, const kernel_params *,
                         const double *work, const double *query_squared, int group, float *out,
                         ptrdiff_t stride, int threads)
    int svmbench_dense_scores(const kernel_table *, const dense_store *, const kernel_params *,
                              const float *queries, ptrdiff_t n_queries, const double *coefficients,
                              ptrdiff_t n, double *scores, int threads)


cdef class Layout:
    """Stored examples of one kernel; see _layouts.pyx."""

    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t d
    # Length of an output row: n, padded to whole tiles in the dense layout.
    cdef readonly Py_ssize_t stride
    cdef readonly object kernel
    cdef int threads
    cdef kernel_params params
    cdef const kernel_table *table

    # The largest number of rows that one call of `rows` may make.
    cdef Py_ssize_t group(self) noexcept nogil
    # Kernel rows of `count` stored examples; out holds count rows of `stride` values.
    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil
