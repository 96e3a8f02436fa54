"""The row cache: kernel rows kept within a byte budget; the least recently used one is evicted first.

It affects how many values are computed (``kev_computed``), but neither published counts nor results.
"""

import numpy as np

from libc.stdint cimport int64_t
from libc.stdlib cimport free

from svmbench.simd.targets cimport allocate

#: Least number of cached rows, since pair methods use two at once.
LEAST = 2


cdef class RowCache:
    """Least-recently-used cache of rows of float32.

    Parameters
    ----------
    rows : int
        Number of rows of the kernel matrix, n.
    stride : int
        Values per row.
    size : int
        Byte budget; there is always room for two rows. The operating system commits memory only as it is
        filled.

    Raises
    ------
    MemoryError
        If the budget cannot be reserved.
    """

    def __cinit__(self, Py_ssize_t rows, Py_ssize_t stride, Py_ssize_t size):
        cdef Py_ssize_t row_bytes = (stride * <Py_ssize_t>sizeof(float) + 63) // 64 * 64
        self.slots = max(<Py_ssize_t>LEAST, min(rows, size // max(row_bytes, 1)))
        self.stride = row_bytes // <Py_ssize_t>sizeof(float)
        try:
            self.memory = <float *>allocate(<size_t>(self.slots * row_bytes))
        except MemoryError:
            raise MemoryError(
                f"a row cache of {size / 2**20:.0f} MiB: give it a smaller budget"
            ) from None
        self.slot_of_row = np.full(rows, -1, dtype=np.int64)
        self.row_of_slot = np.full(self.slots, -1, dtype=np.int64)
        self.newer = np.full(self.slots, -1, dtype=np.int64)
        self.older = np.full(self.slots, -1, dtype=np.int64)
        self.early = np.zeros(self.slots, dtype=np.uint8)
        self.used = 0
        self.newest = self.oldest = -1

    def __dealloc__(self):
        free(self.memory)

    cdef void unlink(self, int64_t slot) noexcept nogil:
        cdef int64_t newer = self.newer[slot], older = self.older[slot]
        if newer >= 0:
            self.older[newer] = older
        else:
            self.newest = older
        if older >= 0:
            self.newer[older] = newer
        else:
            self.oldest = newer

    cdef void push(self, int64_t slot) noexcept nogil:
        self.newer[slot] = -1
        self.older[slot] = self.newest
        if self.newest >= 0:
            self.newer[self.newest] = slot
        else:
            self.oldest = slot
        self.newest = slot

    cdef bint holds_row(self, Py_ssize_t row) noexcept nogil:
        return self.slot_of_row[row] >= 0

    cdef const float *seen(self, Py_ssize_t row) noexcept nogil:
        cdef int64_t slot = self.slot_of_row[row]
        return NULL if slot < 0 else self.memory + slot * self.stride

    cdef void clear(self) noexcept nogil:
        cdef Py_ssize_t slot = 0
        for slot in range(self.used):
            self.slot_of_row[self.row_of_slot[slot]] = -1
        self.used = 0
        self.newest = self.oldest = -1

    cdef float *find(self, Py_ssize_t row) noexcept nogil:
        cdef int64_t slot = self.slot_of_row[row]
        if slot < 0:
            return NULL
        if slot != self.newest:
            self.unlink(slot)
            self.push(slot)
        return self.memory + slot * self.stride

    cdef float *insert(self, Py_ssize_t row) noexcept nogil:
        cdef int64_t slot = self.used
        if self.used < self.slots:
            self.used += 1
        else:
            slot = self.oldest
            self.slot_of_row[self.row_of_slot[slot]] = -1
            self.unlink(slot)
        self.slot_of_row[row] = slot
        self.row_of_slot[slot] = row
        self.early[slot] = 0
        self.push(slot)
        return self.memory + slot * self.stride
