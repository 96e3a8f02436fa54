"""The layout of dense examples whose kernel values need float64: each is computed in it and rounded once."""

import numpy as np

from svmbench.kernels.layouts._layout cimport TILE
from svmbench.kernels.layouts._tiled cimport TiledLayout, block_fn


cdef extern from "dense_double.h" nogil:
    ctypedef struct dense_double_store:
        const double *tiles
        ptrdiff_t d
    block_fn svmbench_dense_double_block(int level)


cdef class DoubleLayout(TiledLayout):
    """float64 examples, feature by feature within a tile. Values are computed in float64 and rounded once.

    Parameters
    ----------
    X, kernel, threads
        See `Layout`.
    """

    name = "double"
    exact_price = 1.0   # rows compute the same sums; measured: 0.7
    cdef dense_double_store store

    def __cinit__(self, X, kernel, threads=1):
        self.reserve(svmbench_dense_double_block(self.level), &self.store, TILE * self.d * 8, self.d * 8)
        self.store.tiles = <const double *>self.tiles
        self.store.d = self.d
        self.fill(X)

    cdef void pack(self, Py_ssize_t j, const char *query) noexcept nogil:
        cdef double *lane = <double *>self.tiles + (j // TILE) * self.d * TILE + j % TILE
        cdef Py_ssize_t k = 0
        for k in range(self.d):
            lane[k * TILE] = (<const double *>query)[k]

    cdef void unpack(self, Py_ssize_t j, char *query) noexcept nogil:
        cdef const double *lane = <const double *>self.tiles + (j // TILE) * self.d * TILE + j % TILE
        cdef Py_ssize_t k = 0
        for k in range(self.d):
            (<double *>query)[k] = lane[k * TILE]

    def value_error(self, X=None):
        """See `Layout`. Values are computed by the formula in float64, and rounded once."""
        if not self.kernel.radial:
            return None
        return 1.01 * (self.d + 6) * 2.0 ** -53, 1.01 * 2.0 ** -24

    def encode(self, X):
        """Return the bytes of the values in float64; every row can be stored."""
        return X.astype(np.float64).view(np.uint8).reshape(len(X), 8 * self.d)

    def decode(self, records):
        """Return the queries as rows of float32, the type of the original examples."""
        return records.view(np.float64).reshape(len(records), self.d).astype(np.float32)
