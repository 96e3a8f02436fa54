"""Random draws of examples without replacement, which can be undone.

The remaining examples are at the beginning of an array. A draw swaps two entries, so that a solver that has
looked ahead can undo its draws and repeat them later.
"""

import numpy as np


cdef class Pool:
    """A pool of examples.

    Parameters
    ----------
    order : array_like of int64, shape (n,)
        The examples in their initial order.
    capacity : int
        Number of swaps that can be undone: one per draw and one per example taken.
    """

    def __init__(self, order, capacity):
        self.order = np.array(order, dtype=np.int64)
        self.swaps = np.empty((capacity, 2), dtype=np.int64)

    cdef int64_t draw(self, Generator rng, Py_ssize_t place, int64_t left) noexcept nogil:
        self.swap(place, place + rng.below(<unsigned int> (left - place)))
        return self.order[place]

    cdef int64_t take(self, Py_ssize_t place, int64_t left) noexcept nogil:
        self.swap(place, left - 1)
        return self.order[left - 1]

    cdef void remember(self) noexcept nogil:
        self.swapped = 0

    cdef void undo(self) noexcept nogil:
        cdef Py_ssize_t k = 0, q = 0, p = 0
        for k in range(self.swapped - 1, -1, -1):
            q, p = self.swaps[k, 0], self.swaps[k, 1]
            self.order[q], self.order[p] = self.order[p], self.order[q]
        self.swapped = 0

    cdef void swap(self, Py_ssize_t q, Py_ssize_t p) noexcept nogil:
        self.order[q], self.order[p] = self.order[p], self.order[q]
        self.swaps[self.swapped, 0] = q
        self.swaps[self.swapped, 1] = p
        self.swapped += 1
