"""C-level interface of the layouts in tiles."""

from libc.stdint cimport int64_t

from svmbench.kernels.layouts._layout cimport Layout, kernel_params


cdef extern from "svmbench/kernels/layouts/csrc/tiled.h" nogil:
    ctypedef struct kernel_block
    ctypedef void (*block_fn)(
        const void *store, const kernel_params *kernel, const kernel_block *block
    ) noexcept nogil
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


cdef class TiledLayout(Layout):
    """Examples in tiles; see _tiled.pyx."""

    cdef tiled_job job
    # [n_tiles][tile_bytes]
    cdef char *tiles
    # [ROW_GROUP][query_bytes]
    cdef char *queries
    # A layout for the examples of a few columns, refilled for each use; None before the first.
    cdef TiledLayout columns

    # Allocate the tiles, zeroed, and the queries, once their sizes are known.
    cdef int reserve(self, block_fn block, const void *store, Py_ssize_t tile_bytes,
                     Py_ssize_t query_bytes) except -1
    cdef int fill(self, X) except -1
    # Which example of another layout each place holds, where that is known, or -1.
    cdef int64_t[::1] sources
    # Stored example j from and to its form as a query.
    cdef void pack(self, Py_ssize_t j, const char *query) noexcept nogil
    cdef void unpack(self, Py_ssize_t j, char *query) noexcept nogil
