"""C-level interface of the storage layouts."""

from libc.stdint cimport int64_t


cdef extern from "svmbench/kernels/layouts/csrc/kernels.h" nogil:
    enum: ROW_GROUP
    enum: TILE
    enum: KERNEL_GAUSSIAN
    enum: WHOLE_DISTANCE
    enum: WHOLE_PRODUCT
    ctypedef struct kernel_params:
        int kind
        int degree
        double gamma
        double coef0
    ctypedef struct kernel_block
    ctypedef void (*block_fn)(
        const void *store, const kernel_params *kernel, const kernel_block *block
    ) noexcept nogil


cdef extern from "svmbench/kernels/layouts/csrc/tiled.h" nogil:
    ctypedef struct tiled_job:
        block_fn block
        const void *store
        kernel_params kernel
        ptrdiff_t n
        ptrdiff_t n_tiles
        ptrdiff_t tile_bytes
        ptrdiff_t query_bytes
        int level
        int threads


cdef class Layout:
    """Stored examples of one kernel; see _layout.pyx."""

    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t d
    # Length of an output row: n, padded to whole tiles where the layout has tiles.
    cdef readonly Py_ssize_t stride
    cdef readonly object kernel
    cdef readonly int threads
    cdef kernel_params params
    cdef int level          # isa_level()
    # Number of rows that are much faster to compute as one block than one by one; 1: there is no gain.
    cdef readonly Py_ssize_t ahead
    # Square of the unit in a layout that computes exactly in integers; 0 in others.
    cdef readonly double unit_squared
    # Whether reading a row back from memory is faster than computing it again.
    cdef readonly bint kept
    # The error that a kernel raised in `rows`, whose values are then NaN; or None.
    cdef readonly object failure

    # Methods that a layout may override, described in _layout.pyx.
    cdef Py_ssize_t group(self) noexcept nogil
    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil
    cdef int pairs(self, const int64_t *rows, Py_ssize_t count, const int64_t *cols, Py_ssize_t width,
                   float *out, Py_ssize_t stride) except -1
    cdef bint can_cross(self) noexcept nogil
    cdef Py_ssize_t query_size(self) noexcept nogil
    cdef void cross(self, Layout other, const int64_t *examples, Py_ssize_t count, char *queries,
                    float *out, Py_ssize_t apart) noexcept nogil
    cdef Layout over(self, Layout whole, const int64_t *examples, Py_ssize_t count)
    cdef bint can_place(self) noexcept nogil
    cdef void place(self, Layout whole, Py_ssize_t p, int64_t example) noexcept nogil
    cdef void resize(self, Py_ssize_t count) noexcept nogil
    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      const float **held, float **kept, double *sums) except -1 nogil
    cdef double pair_work(self) noexcept nogil
    cdef Py_ssize_t queries_together(self, double points) noexcept nogil
    cdef bint worth_keeping(self) noexcept nogil
