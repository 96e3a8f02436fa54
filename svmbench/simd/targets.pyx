"""The instruction set of all vector loops, chosen once at import, and memory for them.

The environment variable ``SVMBENCH_ISA`` forces one of ``base`` (portable C), ``avx2`` (AVX2 and FMA),
``avx512`` (AVX-512 F, VL, DQ and BW) and ``avx512_icl`` (also VNNI and VPOPCNTDQ).
"""

import math
import os

import numpy as np

from svmbench.errors import UserError


cdef extern from "isa.h" nogil:
    int svmbench_isa_level(const char *forced)
    const char *svmbench_isa_name(int level)

cdef extern from "memory.h" nogil:
    void *svmbench_allocate(size_t size)

cdef enum:
    LINE = 64               # bytes of a cache line


cdef int _level = svmbench_isa_level(os.environ.get("SVMBENCH_ISA", "").encode())
if _level < 0:
    raise UserError(
        f"SVMBENCH_ISA={os.environ['SVMBENCH_ISA']} cannot run here: give base, avx2 (needs AVX2 and FMA), "
        "avx512 (needs AVX-512 F, VL, DQ and BW) or avx512_icl (needs also VNNI and VPOPCNTDQ), or unset it"
    )


def isa():
    """Return the name of the instruction set in use: ``base``, ``avx2``, ``avx512`` or ``avx512_icl``."""
    return svmbench_isa_name(_level).decode()


def aligned_zeros(shape, dtype=np.float64):
    """Return zeros, float64 or float32, aligned to a cache line: a register across two loads slower."""
    size = (math.prod(shape) if isinstance(shape, tuple) else shape) * (4 if dtype is np.float32 else 8)
    memory = np.zeros(size + LINE, dtype=np.uint8)
    cdef unsigned char[::1] first = memory
    cdef Py_ssize_t shift = -<size_t> &first[0] % LINE
    return memory[shift : shift + size].view(dtype).reshape(shape)


cdef int isa_level() noexcept nogil:
    return _level


cdef void *allocate(size_t size) except NULL nogil:
    cdef void *memory = svmbench_allocate(size)
    if memory == NULL:
        with gil:
            raise MemoryError(f"no memory for {size} bytes of kernel storage")
    return memory
