"""Loops of one kind of work each; timing them gives the limits of the machine."""

import numpy as np

from libc.stdint cimport uint32_t


cdef extern from "peak.h" nogil:
    enum: LIMIT_WORK
    ctypedef double (*limit_fn)(ptrdiff_t rounds) noexcept nogil
    limit_fn svmbench_limit_popcount(int level)
    limit_fn svmbench_limit_bytes(int level)
    limit_fn svmbench_limit_fma(int level)
    limit_fn svmbench_limit_exponential(int level)
    uint32_t svmbench_limit_read(int level, const uint32_t *words, ptrdiff_t count, ptrdiff_t passes)

_LEVELS = ("base", "avx2", "avx512", "avx512_icl")

#: Kinds of work that `work` does.
KINDS = ("popcount", "bytes", "fma", "exponential")


def work(kind, isa, Py_ssize_t rounds):
    """Do work of one kind in registers and return the number of operations.

    Parameters
    ----------
    kind : str
        ``popcount`` (32-bit words counted), ``bytes`` (products of bytes added), ``fma`` (float32 products
        added) or ``exponential`` (float32).
    isa : str
        Instruction set, from `svmbench.simd.isa`.
    rounds : int
        How often to do a few thousand operations.
    """
    cdef int level = _LEVELS.index(isa)
    cdef limit_fn function
    if kind == "popcount":
        function = svmbench_limit_popcount(level)
    elif kind == "bytes":
        function = svmbench_limit_bytes(level)
    elif kind == "fma":
        function = svmbench_limit_fma(level)
    else:
        function = svmbench_limit_exponential(level)
    with nogil:
        function(rounds)
    return rounds * LIMIT_WORK


def read(const uint32_t[::1] words, isa, Py_ssize_t passes=1):
    """Read an array `passes` times, as fast as its place in memory allows; return the bytes read."""
    cdef int level = _LEVELS.index(isa)
    if words.shape[0]:
        with nogil:
            svmbench_limit_read(level, &words[0], words.shape[0], passes)
    return passes * words.shape[0] * 4


def aligned(size):
    """Return an array for `read`: at least `size` bytes of uint32 ones, aligned to 64 bytes."""
    memory = np.ones(size // 4 + 32, dtype=np.uint32)
    begin = -memory.ctypes.data % 64 // 4
    return memory[begin : begin + (size + 63) // 64 * 16]
