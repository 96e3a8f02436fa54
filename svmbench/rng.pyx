"""The random generator of a run: small, portable, the same stream on every machine.

xoshiro256++ 1.0 (Blackman and Vigna, Scrambled linear pseudorandom number generators, ACM Trans. Math. Softw.
47, 2021), its state filled by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). Bounded integers by
multiplication with rejection (Lemire, ACM Trans. Model. Comput. Simul. 29, 2019), so that each value is
exactly equally likely.
"""

import numpy as np

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy


cdef inline uint64_t rotate(uint64_t x, int bits) noexcept nogil:
    return (x << bits) | (x >> (64 - bits))


cdef class Generator:
    """A stream of random numbers.

    Parameters
    ----------
    seed : int
        Any integer in [0, 2^64). Equal seeds give equal streams.

    Raises
    ------
    OverflowError
        If the seed is negative or does not fit into 64 bits.
    """

    def __init__(self, seed: int):
        cdef uint64_t x = seed
        cdef uint64_t z = 0
        cdef int k = 0
        for k in range(4):
            x += <uint64_t> 0x9E3779B97F4A7C15
            z = x
            z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
            z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
            self.state[k] = z ^ (z >> 31)

    cdef void follow(self, Generator other) noexcept nogil:
        memcpy(self.state, other.state, sizeof(self.state))

    cdef uint64_t next64(self) noexcept nogil:
        cdef uint64_t result = rotate(self.state[0] + self.state[3], 23) + self.state[0]
        cdef uint64_t shifted = self.state[1] << 17
        self.state[2] ^= self.state[0]
        self.state[3] ^= self.state[1]
        self.state[1] ^= self.state[2]
        self.state[0] ^= self.state[3]
        self.state[2] ^= shifted
        self.state[3] = rotate(self.state[3], 45)
        return result

    cdef uint32_t below(self, uint32_t n) noexcept nogil:
        cdef uint64_t product = (self.next64() >> 32) * n
        cdef uint32_t threshold = 0
        if <uint32_t> product < n:
            # 2^32 mod n low parts belong to values that would come once too often.
            threshold = (<uint32_t> 0 - n) % n
            while <uint32_t> product < threshold:
                product = (self.next64() >> 32) * n
        return product >> 32

    cdef double uniform(self) noexcept nogil:
        return (self.next64() >> 11) * (1.0 / 9007199254740992.0)

    cdef void shuffle(self, int64_t* items, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t i = 0
        cdef Py_ssize_t j = 0
        for i in range(n - 1, 0, -1):
            j = self.below(<uint32_t> (i + 1))
            items[i], items[j] = items[j], items[i]

    def words(self):
        """Return the state, uint64 (4,): where the stream is."""
        return np.array([self.state[0], self.state[1], self.state[2], self.state[3]], dtype=np.uint64)

    def stand_at(self, words) -> None:
        """Go on from a state that `words` returned."""
        for k in range(4):
            self.state[k] = int(words[k])

    def bits(self) -> int:
        """Return the next 64 random bits as an integer; for tests."""
        return self.next64()

    def integers(self, n: int) -> int:
        """Return a uniform integer in [0, n), for 1 <= n < 2^32."""
        if not 1 <= n < 1 << 32:
            raise ValueError(f"n={n} is not allowed: give an integer of at least 1 and below 2^32")
        return self.below(n)

    def random(self) -> float:
        """Return a uniform number in [0, 1)."""
        return self.uniform()

    def permutation(self, n: int):
        """Return 0..n-1 in uniformly random order, as ndarray of int64, shape (n,)."""
        if not 0 <= n < 1 << 32:
            raise ValueError(f"n={n} is not allowed: give an integer of at least 0 and below 2^32")
        cdef int64_t[::1] items = np.arange(n, dtype=np.int64)
        if n > 1:
            self.shuffle(&items[0], n)
        return np.asarray(items)

    def uniforms(self, count: int):
        """Return uniform numbers in [0, 1), ndarray of float64, shape (count,)."""
        cdef double[::1] out = np.empty(count)
        cdef Py_ssize_t k = 0
        with nogil:
            for k in range(out.shape[0]):
                out[k] = self.uniform()
        return np.asarray(out)

    def normals(self, count: int):
        """Return standard normal numbers, ndarray of float64, shape (count,).

        By the method of Box and Muller (Annals of Mathematical Statistics 29, 1958).
        """
        pairs = (count + 1) // 2
        radius = np.sqrt(-2.0 * np.log1p(-self.uniforms(pairs)))
        angle = 2.0 * np.pi * self.uniforms(pairs)
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]
