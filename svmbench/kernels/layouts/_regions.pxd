"""C-level interface of the regions of a layout."""

from libc.stdint cimport int64_t

from svmbench.kernels.layouts._layout cimport tiled_job


cdef extern from "svmbench/kernels/layouts/csrc/regions.h" nogil:
    enum: REGION
    enum: REGION_QUERIES
    ctypedef struct region_set:
        ptrdiff_t count
        ptrdiff_t columns
        ptrdiff_t stride
        const float *low
        const float *high
        const int64_t *words
        const int64_t *examples
        float farthest


cdef class Regions:
    """The order in which examples are stored, and bounds of regions of them; see _regions.pyx."""

    cdef region_set set
    # Bounds of the columns in each region, [columns][stride].
    cdef float[:, ::1] low
    cdef float[:, ::1] high
    cdef const int64_t[::1] words
    # The features of these columns.
    cdef readonly object features
    # The example in each place, and the place of each example.
    cdef readonly object examples
    cdef const int64_t[::1] example_at
    cdef int64_t[::1] places

    # Most rows that one call of `add` may add.
    cdef Py_ssize_t together(self, const tiled_job *job) noexcept nogil
    cdef void rows(self, const tiled_job *job, const char *queries, Py_ssize_t count, float *out,
                   Py_ssize_t stride) noexcept nogil
    cdef int add(self, const tiled_job *job, const char *queries, Py_ssize_t count,
                 const double *coefficients, double *sums) noexcept nogil
    cdef int scores(self, const tiled_job *job, const char *queries, Py_ssize_t count,
                    const double *coefficients, double *scores) noexcept nogil
