"""C-level interface of the layouts in tiles."""

from libc.stdint cimport int64_t

from svmbench.kernels.layouts._layout cimport Layout, block_fn, tiled_job
from svmbench.kernels.layouts._regions cimport Regions

cdef class TiledLayout(Layout):
    """Examples in tiles; see _tiled.pyx."""

    cdef tiled_job job
    # [n_tiles][tile_bytes]
    cdef char *tiles
    # [ROW_GROUP][query_bytes]
    cdef char *queries
    # If the examples are stored by regions: the regions, and each example's place. Otherwise None and NULL.
    cdef Regions regions
    cdef const int64_t *places
    # A layout for the examples of a few columns, refilled for each use; None before the first use.
    cdef TiledLayout columns

    # Allocate the tiles, zeroed, and the queries, once their sizes are known.
    cdef int reserve(self, block_fn block, const void *store, Py_ssize_t tile_bytes,
                     Py_ssize_t query_bytes) except -1
    # Find the regions of the examples by the columns that a query begins with, as float32.
    cdef int arrange(self, X, columns) except -1
    cdef int fill(self, X) except -1
    # The place of an example.
    cdef Py_ssize_t at(self, Py_ssize_t j) noexcept nogil
    cdef Py_ssize_t together(self) noexcept nogil
    cdef void make_rows(self, const char *queries, Py_ssize_t count, float *out) noexcept nogil
    # The example of another layout that is stored in each place, or -1 if unknown.
    cdef int64_t[::1] sources
    # Convert the example in place j to and from its form as a query.
    cdef void pack(self, Py_ssize_t j, const char *query) noexcept nogil
    cdef void unpack(self, Py_ssize_t j, char *query) noexcept nogil
