"""The layout of examples whose features are small integer multiples of one unit, such as pixels: bytes."""

from itertools import chain

import numpy as np

from svmbench.kernels.layouts._layout import parts

from libc.stdint cimport int8_t, uint8_t, uint32_t
from libc.string cimport memset

from svmbench.kernels.layouts._layout cimport TILE
from svmbench.simd.targets cimport isa_level
from svmbench.kernels.layouts._tiled cimport TiledLayout, block_fn


cdef extern from "bytes.h" nogil:
    ctypedef struct bytes_store:
        const int8_t *tiles
        const uint32_t *squared
        ptrdiff_t quads
        float unit_squared
    block_fn svmbench_bytes_block(int level)

cdef extern from "whole.h" nogil:
    ctypedef struct whole_loops:
        int (*range)(const float *x, ptrdiff_t n, float *top, float *least) noexcept nogil
        int (*whole)(const float *x, ptrdiff_t n, float unit, float slack, uint8_t *out) noexcept nogil
        void (*sums)(const uint8_t *x, ptrdiff_t n, uint32_t *sum, uint32_t *squares) noexcept nogil
    const whole_loops *svmbench_whole_loops(int level)

cdef const whole_loops *loops = svmbench_whole_loops(isa_level())

# Largest distance of a value from its multiple, relative to the largest value. And the largest change of
# kernel values due to this, which leaves the rest of their tolerance of 1e-6 for rounding.
_SLACK = 1e-7
_MOVED = 8e-7

#: Most features. With more, an inner product of bytes might not fit into 31 bits.
MOST_FEATURES = (2**31 - 1) // 255**2


def common_unit(X):
    """Return the unit of which every value of X is an integer multiple, 0 to 255 times, or None.

    Pixels divided by 255 have such a unit, and so do indicators and counts. Values may differ from multiples
    only by rounding in float32.

    Parameters
    ----------
    X : ndarray of float32, shape (n, d)
        Examples.
    """
    cdef const float[::1] values
    cdef float most = 0.0, low = 0.0
    top, least = 0.0, np.inf
    for part in parts(X):
        values = part.reshape(-1)
        if values.shape[0]:
            if not loops.range(&values[0], values.shape[0], &most, &low):
                return None
            top, least = max(top, most), min(least, low)
    if not np.isfinite(top):
        return None
    if top == 0.0:
        return 1.0
    for steps in range(round(min(top / least, 256.0)), 256):
        unit = top / steps
        # Check a few rows first: they almost always suffice to reject a wrong unit.
        if all(_whole(part, unit, top) for part in chain(parts(X[:64]), parts(X))):
            return unit
    return None


def holds(X, unit, kernel):
    """Return whether kernel values of the integer multiples are within the stated tolerance of those of X.

    See `Kernel.slope` for the changes of values if the arguments move.

    Parameters
    ----------
    X : ndarray of float32, shape (n, d)
        Examples, each value close to a multiple.
    unit : float
        From `common_unit`.
    kernel : ScalarKernel
        The kernel.
    """
    slope = 2.0 * kernel.slope
    top = float(X.max(initial=0.0))
    if kernel.radial and slope * _SLACK * top * X.shape[1] ** 0.5 <= _MOVED:
        return True
    for part in parts(X):
        exact = part.astype(np.float64)
        miss = np.linalg.norm(exact - np.round(exact / unit) * unit, axis=1)
        if np.any(slope * miss > _MOVED * (1.0 if kernel.radial else np.linalg.norm(exact, axis=1))):
            return False
    return True


def _whole(X, unit, top):
    cdef const float[::1] values = X.reshape(-1)
    return loops.whole(&values[0], values.shape[0], unit, _SLACK * top, NULL) != 0


cdef class BytesLayout(TiledLayout):
    """Examples as integer multiples of a unit; products and squared distances are exact until scaled.

    Parameters
    ----------
    X, kernel, threads
        See `Layout`.
    unit : float, optional
        From `common_unit` by default.
    records : ndarray of uint8, shape (n, query_bytes), optional
        The examples as queries of a layout of the same unit, which are stored instead of X.
    """

    name = "bytes"
    exact_price = 1.0   # double precision computes the same integers; measured: 1.0 to 1.2
    needs = f"at most {MOST_FEATURES} features, all of them whole multiples, 0 to 255, of one number"
    cdef bytes_store store
    cdef uint32_t[::1] squared
    cdef readonly double unit

    def __cinit__(self, X, kernel, threads=1, unit=None, const uint8_t[:, ::1] records=None):
        cdef Py_ssize_t j = 0
        unit = common_unit(X) if unit is None else unit
        self.unit = unit if unit and self.d <= MOST_FEATURES else 0.0
        self.store.quads = (self.d + 3) // 4
        self.unit_squared = self.unit * self.unit
        self.store.unit_squared = self.unit_squared
        self.reserve(svmbench_bytes_block(self.level), &self.store, TILE * self.store.quads * 4,
                     (self.store.quads + 2) * 4)
        memset(self.tiles, 128, <size_t>self.job.n_tiles * self.job.tile_bytes)
        self.store.tiles = <const int8_t *>self.tiles
        self.squared = np.zeros(self.stride, dtype=np.uint32)
        if self.stride:
            self.store.squared = &self.squared[0]
        if records is None:
            self.fill(X)
            return
        for j in range(self.n):
            self.pack(j, <const char *>&records[j, 0])

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

    def distance_error(self, X=None):
        """See `Layout`. An exact integer and the unit are each rounded, and so is their product."""
        return 3.0 * 2.0 ** -24, 0.0

    def encode(self, X):
        """Return the integers and their sums, or None unless every value is a multiple, 0 to 255 times."""
        if not self.unit:
            return None
        cdef const float[:, ::1] rows = X
        records = np.zeros((len(X), self.job.query_bytes), dtype=np.uint8)
        cdef uint8_t[:, ::1] out = records
        cdef uint32_t *sums = NULL
        cdef Py_ssize_t i = 0
        if self.d == 0:
            return records
        for i in range(rows.shape[0]):
            if not loops.whole(&rows[i, 0], self.d, self.unit, 255e-7 * self.unit, &out[i, 0]):
                return None
            sums = <uint32_t *>(&out[i, 0] + 4 * self.store.quads)
            loops.sums(&out[i, 0], self.d, sums, sums + 1)
            sums[0] *= 128
        return records

    def decode(self, records):
        """Return the queries as rows of float32."""
        return (records[:, : self.d] * self.unit).astype(np.float32)

    def gather_double(self, indices):
        """Return the multiples of the unit in float64; the loaded values are these, rounded."""
        return self.records(indices)[:, : self.d] * self.unit

    def in_double(self, X):
        """Return rows in float64: multiples of the unit where all values of a row are, up to rounding."""
        rows = TiledLayout.in_double(self, X)
        if not self.unit:
            return rows
        whole = np.rint(rows / self.unit)
        fits = (whole >= 0.0) & (whole <= 255.0) & (np.abs(rows - whole * self.unit) <= 255e-7 * self.unit)
        return np.where(fits.all(axis=1, keepdims=True), whole * self.unit, rows)

    def options(self):
        """Return the unit."""
        return {"unit": self.unit}

    def select(self, indices):
        """See `Layout`; whole numbers stay as they are."""
        records = self.records(indices)
        return BytesLayout(records[:, : self.d], self.kernel, self.threads, records=records, **self.options())
