"""Sets of examples as bit sets, and sums of values over each set.

The values of four examples have 16 possible sums. They are computed once for all sets, so that a sum over a
set of n examples costs n/4 additions and reads n/8 bytes.
"""

import numpy as np

from libc.stdint cimport uint8_t

cdef enum:
    FIRST_ROOM = 16     # initial capacity; doubled when it is exhausted
    BYTES = 64          # processed together for each set: their sums, 16 KiB, stay in the first-level cache
    SUMS = 16           # of four values


cdef class ExampleSets:
    """Sets of the examples 0 to n - 1, in places from 0 on.

    Parameters
    ----------
    n : int
        Number of examples.
    """

    cdef Py_ssize_t n
    cdef Py_ssize_t count
    cdef uint8_t[:, ::1] bits

    def __init__(self, Py_ssize_t n):
        self.n = n
        self.bits = np.empty((FIRST_ROOM, (n + 7) // 8), dtype=np.uint8)

    def __len__(self):
        return self.count

    def add(self, members) -> None:
        """Append a set.

        Parameters
        ----------
        members : ndarray of bool, shape (n,)
            Which examples are in it.
        """
        if members.shape != (self.n,):
            raise ValueError(
                f"marks of shape {members.shape} do not fit {self.n} examples: give one for each"
            )
        if self.count == self.bits.shape[0]:
            self.bits = np.concatenate([self.bits, np.empty_like(self.bits)])
        np.asarray(self.bits)[self.count] = np.packbits(members, bitorder="little")
        self.count += 1

    def members(self, Py_ssize_t k):
        """Return the examples of set k, int64, ascending."""
        if not 0 <= k < self.count:
            raise IndexError(f"there is no set {k}: give a place from 0 to {self.count - 1}")
        marks = np.unpackbits(np.asarray(self.bits)[k], count=self.n, bitorder="little")
        return np.flatnonzero(marks)

    def keep(self, places) -> None:
        """Keep only the sets with these indices, int64, ascending, in order."""
        bits = np.asarray(self.bits)
        if len(places) < self.count:
            bits[: len(places)] = bits[places]
            self.count = len(places)

    def sums(self, values):
        """Return the sum of the values over each set, float64, shape (number of sets,).

        Parameters
        ----------
        values : ndarray of float64, shape (n,)
            One per example, finite.
        """
        cdef Py_ssize_t length = self.bits.shape[1], block = 0, begin = 0, here = 0, k = 0
        cdef double[::1] padded = np.zeros(length * 8)
        cdef double[::1] out = np.zeros(self.count)
        cdef double[::1] table = np.empty(BYTES * 2 * SUMS)
        np.asarray(padded)[: self.n] = values
        with nogil:
            for block in range((length + BYTES - 1) // BYTES):
                begin = block * BYTES
                here = min(<Py_ssize_t> BYTES, length - begin)
                fill(&table[0], &padded[8 * begin], here)
                for k in range(self.count):
                    out[k] += sum_by_table(&table[0], &self.bits[k, begin], here)
        return np.asarray(out)


cdef void fill(double* table, const double* values, Py_ssize_t length) noexcept nogil:
    """Write the 16 sums of each four of the 8 length values."""
    cdef Py_ssize_t _four = 0, bit = 0, s = 0
    for _four in range(2 * length):
        table[0] = 0.0
        for bit in range(4):
            for s in range(1 << bit):
                table[(1 << bit) + s] = table[s] + values[bit]
        table += SUMS
        values += 4


cdef double sum_by_table(const double* table, const uint8_t* bits, Py_ssize_t length) noexcept nogil:
    """Return the sum over a part of a set."""
    cdef double even = 0.0, odd = 0.0
    cdef Py_ssize_t i = 0
    for i in range(length):
        even += table[bits[i] & 15]
        odd += table[SUMS + (bits[i] >> 4)]
        table += 2 * SUMS
    return even + odd
