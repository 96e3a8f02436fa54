"""Prefetch: rows that a solver will probably need, computed in one block with the row that it needs now."""

import numpy as np

cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from svmbench.kernels._cache cimport RowCache
from svmbench.kernels._ledger cimport Ledger
from svmbench.kernels.layouts._layout cimport Layout

cdef enum:
    FIRST_WINDOW = 4        # rows of the first block; later ones depend on the accuracy of predictions


@cython.final
cdef class Prefetch:
    """The plan of the next block, and how accurate the predictions for the last one were.

    Parameters
    ----------
    layout : Layout
        Computes the rows.
    cache : RowCache
        Holds them.
    ledger : Ledger
        Counts them.
    most : int
        Most rows in a block; 1: none ahead of need.
    """

    def __init__(
        self, Layout layout not None, RowCache cache not None, Ledger ledger not None, Py_ssize_t most
    ):
        self.layout = layout
        self.cache = cache
        self.ledger = ledger
        self.most = most
        self.window = min(most, FIRST_WINDOW)
        if most > 1:
            self.values = np.empty((most, layout.stride), dtype=np.float32)
            self.planned = np.empty(most, dtype=np.int64)

    cdef bint begin(self, Py_ssize_t i) noexcept nogil:
        if self.most == 1 or self.cache.holds_row(i):
            return False
        # Predictions further ahead are less accurate, so the window only grows while half of its rows are
        # used.
        if self.guessed > 0:
            self.window = min(self.most, 2 * self.window) if 2 * self.right >= self.guessed \
                else max(<Py_ssize_t> 2, self.window // 2)
        self.guessed = 0
        self.planned[0] = i
        self.n_planned = 1
        self.n_expected = 1
        return True

    cdef bint request(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t k = 0
        # Look further ahead than one block, since some rows are cached and the block should still be full.
        self.n_expected += 1
        if not self.cache.holds_row(i):
            while k < self.n_planned and self.planned[k] != i:
                k += 1
            if k == self.n_planned:
                self.planned[k] = i
                self.n_planned += 1
        return self.n_planned < self.window and self.n_expected < 2 * self.window

    cdef void make(self) noexcept nogil:
        cdef Py_ssize_t begin = 0, size = 0, k = 0
        cdef int64_t n = self.layout.n
        if self.n_planned == 1:
            return
        while begin < self.n_planned:
            size = min(self.layout.group(), self.n_planned - begin)
            self.layout.rows(&self.planned[begin], size, &self.values[begin, 0])
            begin += size
        for k in range(self.n_planned):
            memcpy(self.cache.insert(self.planned[k]), &self.values[k, 0], n * sizeof(float))
            self.cache.early[self.cache.newest] = k > 0
        self.guessed = self.n_planned - 1
        self.right = 0
        self.ledger.computed(self.n_planned * n)
        self.ledger.kev_discarded += self.guessed * n       # until they are requested

    cdef void found(self) noexcept nogil:
        if self.cache.early[self.cache.newest]:
            self.cache.early[self.cache.newest] = 0
            self.ledger.kev_discarded -= self.layout.n
            self.right += 1
