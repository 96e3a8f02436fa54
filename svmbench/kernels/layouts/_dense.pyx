"""The layout of any dense examples: float32."""

import numpy as np

from svmbench.kernels.layouts._layout cimport TILE
from svmbench.kernels.layouts._tiled cimport TiledLayout, block_fn


cdef extern from "dense.h" nogil:
    enum: DENSE_CHUNK
    ctypedef struct dense_store:
        const float *tiles
        ptrdiff_t d
    block_fn svmbench_dense_block(int level)


cdef class DenseLayout(TiledLayout):
    """float32 examples, feature by feature within a tile; squared distances from squared differences.

    Parameters
    ----------
    X, kernel, threads
        See `Layout`.
    """

    name = "dense"
    cdef dense_store store

    def __cinit__(self, X, kernel, threads=1):
        self.arrange(X, np.arange(self.d))
        self.reserve(svmbench_dense_block(self.level), &self.store, TILE * self.d * 4, self.d * 4)
        self.store.tiles = <const float *>self.tiles
        self.store.d = self.d
        self.fill(X)

    cdef void pack(self, Py_ssize_t j, const char *query) noexcept nogil:
        cdef float *lane = <float *>self.tiles + (j // TILE) * self.d * TILE + j % TILE
        cdef Py_ssize_t k = 0
        for k in range(self.d):
            lane[k * TILE] = (<const float *>query)[k]

    cdef void unpack(self, Py_ssize_t j, char *query) noexcept nogil:
        cdef const float *lane = <const float *>self.tiles + (j // TILE) * self.d * TILE + j % TILE
        cdef Py_ssize_t k = 0
        for k in range(self.d):
            (<float *>query)[k] = lane[k * TILE]

    def distance_error(self, X=None):
        """See `Layout`: 3 roundings of a squared difference, one per addition within and between chunks."""
        cdef double roundings = 3 + min(self.d, DENSE_CHUNK) + -(-self.d // DENSE_CHUNK)
        return roundings * 2.0 ** -24, self.d * self.params.gamma * 2.0 ** -149

    def encode(self, X):
        """Return the bytes of the values; every row can be stored."""
        return X.view(np.uint8).reshape(len(X), 4 * self.d)

    def decode(self, records):
        """Return the queries as rows of float32."""
        return records.view(np.float32).reshape(len(records), self.d)
