"""The layout of examples whose features are small whole multiples of one unit, such as pixels: bytes."""

import numpy as np

from svmbench.kernels._tiled import parts

from libc.stdint cimport int8_t, uint8_t, uint32_t
from libc.string cimport memset

from svmbench.kernels._layout cimport TILE
from svmbench.kernels._tiled cimport TiledLayout, block_fn


cdef extern from "bytes.h" nogil:
    ctypedef struct bytes_store:
        const int8_t *tiles
        const uint32_t *squared
        ptrdiff_t quads
        float unit_squared
    block_fn svmbench_bytes_block(int level)

#: Features beyond which an inner product of bytes might not fit 31 bits.
MOST_FEATURES = (2**31 - 1) // 255**2


def common_unit(X):
    """Return the unit of which every value of X is a whole multiple from 0 to 255, or None.

    Pixels divided by 255 are such values, indicators and counts too. A value may miss its multiple by the
    rounding of float32 only.

    Parameters
    ----------
    X : ndarray of float32, shape (n, d)
        Examples.
    """
    top = float(X.max(initial=0.0))
    if not np.isfinite(top) or float(X.min(initial=0.0)) < 0.0:
        return None
    if top == 0.0:
        return 1.0
    least = min((float(part[part > 0].min(initial=np.inf)) for part in parts(X)), default=np.inf)
    for steps in range(round(min(top / least, 256.0)), 256):
        unit = top / steps
        # A few rows first: with the wrong unit they all but always suffice.
        if _whole(X[:64], unit, top) and all(_whole(part, unit, top) for part in parts(X)):
            return unit
    return None


def _whole(X, unit, top):
    return np.abs(np.rint(X / unit) * unit - X).max(initial=0.0) <= 1e-7 * top


cdef class BytesLayout(TiledLayout):
    """Examples as whole numbers of a unit; products and squared distances are exact until they are scaled.

    Parameters
    ----------
    X, kernel, threads
        See `Layout`.
    unit : float, optional
        From `common_unit` by default.
    """

    name = "bytes"
    needs = f"at most {MOST_FEATURES} features, all of them whole multiples, 0 to 255, of one number"
    cdef bytes_store store
    cdef uint32_t[::1] squared
    cdef readonly double unit

    def __cinit__(self, X, kernel, threads=1, unit=None):
        unit = common_unit(X) if unit is None else unit
        self.unit = unit if unit and self.d <= MOST_FEATURES else 0.0
        self.store.quads = (self.d + 3) // 4
        self.store.unit_squared = self.unit * self.unit
        self.reserve(svmbench_bytes_block(self.level), &self.store, TILE * self.store.quads * 4,
                     (self.store.quads + 2) * 4)
        memset(self.tiles, 128, <size_t>self.job.n_tiles * self.job.tile_bytes)
        self.store.tiles = <const int8_t *>self.tiles
        self.squared = np.zeros(self.stride, dtype=np.uint32)
        if self.stride:
            self.store.squared = &self.squared[0]
        self.fill(X)

    cdef void pack(self, Py_ssize_t j, const char *query) noexcept nogil:
        cdef Py_ssize_t quads = self.store.quads, k = 0
        cdef uint32_t *lane = <uint32_t *>self.tiles + (j // TILE) * quads * TILE + j % TILE
        cdef const uint32_t *whole = <const uint32_t *>query
        for k in range(quads):
            lane[k * TILE] = whole[k] ^ <uint32_t>0x80808080
        self.squared[j] = whole[quads + 1]

    cdef void unpack(self, Py_ssize_t j, char *query) noexcept nogil:
        cdef Py_ssize_t quads = self.store.quads, k = 0
        cdef const uint32_t *lane = <const uint32_t *>self.tiles + (j // TILE) * quads * TILE + j % TILE
        cdef uint32_t *whole = <uint32_t *>query
        cdef uint32_t total = 0
        for k in range(quads):
            whole[k] = lane[k * TILE] ^ <uint32_t>0x80808080
        for k in range(4 * quads):
            total += (<const uint8_t *>query)[k]
        whole[quads] = 128 * total
        whole[quads + 1] = self.squared[j]

    def encode(self, X):
        """Return the whole numbers and their sums; None unless every value is one, from 0 to 255."""
        if not self.unit:
            return None
        whole = np.rint(X / self.unit)
        fits = (whole >= 0.0) & (whole <= 255.0) & (np.abs(whole * self.unit - X) <= 255e-7 * self.unit)
        if not np.all(fits):
            return None
        records = np.zeros((len(X), self.job.query_bytes), dtype=np.uint8)
        records[:, : self.d] = whole
        sums = records[:, 4 * self.store.quads :].view(np.uint32)
        sums[:, 0] = 128 * whole.sum(axis=1, dtype=np.float64)
        sums[:, 1] = np.einsum("ij,ij->i", whole, whole, dtype=np.float64)
        return records

    def decode(self, records):
        """Return the queries as rows of float32."""
        return (records[:, : self.d] * self.unit).astype(np.float32)

    def options(self):
        """Return the unit."""
        return {"unit": self.unit}
