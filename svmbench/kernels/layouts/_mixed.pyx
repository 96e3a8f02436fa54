"""The layout of a few numeric features and groups of indicators, such as those of covtype."""

import numpy as np

from svmbench.kernels.layouts._layout import parts

from libc.stdint cimport uint32_t

from svmbench.kernels.layouts._layout cimport TILE
from svmbench.kernels.layouts._tiled cimport TiledLayout, block_fn


cdef extern from "mixed.h" nogil:
    ctypedef struct mixed_store:
        const uint32_t *tiles
        ptrdiff_t numeric
        ptrdiff_t lanes
        ptrdiff_t groups
    block_fn svmbench_mixed_block(int level)

#: Most numeric features. They are summed in one chunk, which would round too coarsely if there were more.
MOST_NUMERIC = 64


def indicator_groups(X):
    """Return the groups of consecutive columns in which every row of X has exactly one 1, and otherwise 0.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Examples.

    Returns
    -------
    list of (int, int)
        First column of each group, and the one after its last. Groups have 2 to 256 columns.
    """
    binary = np.ones(X.shape[1], dtype=bool)
    for part in parts(X):
        binary &= ((part == 0.0) | (part == 1.0)).all(axis=0)
        if not binary.any():
            return []
    groups, begin = [], 0
    seen = np.zeros(X.shape[0], dtype=bool)
    for k in range(X.shape[1]):
        one = X[:, k] == 1.0
        if not binary[k] or np.any(one & seen):
            # The columns so far are not a group. Another group may begin with this column, or after it.
            begin, seen = (k, one) if binary[k] else (k + 1, np.zeros_like(seen))
        else:
            seen = seen | one
        if binary[k] and seen.all():
            if 2 <= k + 1 - begin <= 256:
                groups.append((begin, k + 1))
            begin, seen = k + 1, np.zeros_like(seen)
    return groups


cdef class MixedLayout(TiledLayout):
    """Numeric features as float32, and groups of indicators as codes that are compared.

    Parameters
    ----------
    X, kernel, threads
        See `Layout`.
    groups : list of (int, int), optional
        From `indicator_groups` by default.
    """

    name = "mixed"
    needs = f"indicator features in runs that have exactly one 1 each, beside at most {MOST_NUMERIC} others"
    cdef mixed_store store
    cdef readonly object groups
    cdef object numeric

    def __cinit__(self, X, kernel, threads=1, groups=None):
        self.groups = indicator_groups(X) if groups is None else groups
        inside = [k for begin, end in self.groups for k in range(begin, end)]
        self.numeric = np.setdiff1d(np.arange(self.d), inside)
        self.store.numeric = len(self.numeric)
        self.store.groups = len(self.groups)
        self.store.lanes = (self.store.groups + 3) // 4
        width = (self.store.numeric + self.store.lanes) * 4
        self.arrange(X, self.numeric)
        self.reserve(svmbench_mixed_block(self.level), &self.store, TILE * width, width)
        self.store.tiles = <const uint32_t *>self.tiles
        self.fill(X)

    cdef void pack(self, Py_ssize_t j, const char *query) noexcept nogil:
        cdef Py_ssize_t width = self.store.numeric + self.store.lanes, k = 0
        cdef uint32_t *lane = <uint32_t *>self.tiles + (j // TILE) * width * TILE + j % TILE
        for k in range(width):
            lane[k * TILE] = (<const uint32_t *>query)[k]

    cdef void unpack(self, Py_ssize_t j, char *query) noexcept nogil:
        cdef Py_ssize_t width = self.store.numeric + self.store.lanes, k = 0
        cdef const uint32_t *lane = <const uint32_t *>self.tiles + (j // TILE) * width * TILE + j % TILE
        for k in range(width):
            (<uint32_t *>query)[k] = lane[k * TILE]

    def distance_error(self, X=None):
        """See `Layout`: roundings of a squared difference, and one per addition of a number or a group."""
        cdef double roundings = 4 + self.store.numeric + self.store.groups
        return roundings * 2.0 ** -24, self.d * self.params.gamma * 2.0 ** -149

    def encode(self, X):
        """Return numbers and codes, or None unless each group of each row has one 1 and otherwise zeros."""
        if not self.groups or len(self.numeric) > MOST_NUMERIC:
            return None
        records = np.zeros((len(X), self.job.query_bytes), dtype=np.uint8)
        records[:, : 4 * len(self.numeric)] = np.ascontiguousarray(X[:, self.numeric]).view(np.uint8)
        codes = records[:, 4 * len(self.numeric) :]
        for g, (begin, end) in enumerate(self.groups):
            indicators = X[:, begin:end]
            ones = indicators == 1.0
            if np.any(ones.sum(axis=1) != 1) or not np.all(ones | (indicators == 0.0)):
                return None
            codes[:, g] = ones.argmax(axis=1)
        return records

    def decode(self, records):
        """Return the queries as rows of float32."""
        X = np.zeros((len(records), self.d), dtype=np.float32)
        width = 4 * len(self.numeric)
        X[:, self.numeric] = np.ascontiguousarray(records[:, :width]).view(np.float32)
        for g, (begin, _) in enumerate(self.groups):
            X[np.arange(len(X)), begin + records[:, width + g].astype(np.intp)] = 1.0
        return X

    @property
    def codes(self):
        """Number of groups if their features come last, so that double precision compares codes; else 0."""
        return self.store.groups if np.array_equal(self.numeric, np.arange(len(self.numeric))) else 0

    def gather_coded(self, indices):
        """Return stored examples in float64, with the codes of groups instead of their features."""
        records = self.records(indices)
        width = 4 * self.store.numeric
        numbers = np.ascontiguousarray(records[:, :width]).view(np.float32)
        return np.hstack([numbers, records[:, width : width + self.store.groups]]).astype(np.float64)

    @property
    def exact_price(self):
        """See `Layout`. Measured: 3.4 if codes are compared. Otherwise, indicators are summed one by one."""
        return 3.4 if self.codes else 2.0 * self.d / (self.store.numeric + self.store.lanes)

    def options(self):
        """Return the groups."""
        return {"groups": self.groups}
