"""What one core of this machine can do: the limits that rates are held against."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from svmbench.kernels import isa
from svmbench.speed._limits import KINDS, aligned, read, work
from svmbench.speed.timing import best_seconds

#: Sizes in bytes at which the reading of memory is timed: from the first-level cache to the main memory.
SIZES = (16 << 10, 256 << 10, 2 << 20, 8 << 20, 24 << 20, 64 << 20, 256 << 20)

_SGEMM = 1536  # rows and columns of the matrices
_ROUNDS = 2000  # of each kind of work: some milliseconds


@dataclass(frozen=True)
class Limits:
    """Rates of one core.

    Attributes
    ----------
    isa : str
        Instruction set of the loops.
    read : dict of int to float
        Bytes a second by the size of what is read again and again.
    popcount, bytes, fma, exponential : float
        32-bit words counted, products of bytes added, products of float32 added, exponentials of float32, a
        second, each in registers.
    sgemm : float
        Floating-point operations a second of the product of two float32 matrices by numpy's BLAS.
    """

    isa: str
    read: dict[int, float]
    popcount: float
    bytes: float
    fma: float
    exponential: float
    sgemm: float

    def read_rate(self, size: float) -> float:
        """Return the bytes a second at which so many bytes are read repeatedly, interpolated by size."""
        sizes = sorted(self.read)
        return float(np.interp(np.log(max(size, 1)), np.log(sizes), [self.read[each] for each in sizes]))

    def as_dict(self) -> dict[str, Any]:
        """Return the rates for JSON."""
        return {**asdict(self), "read": {str(size): rate for size, rate in self.read.items()}}

    def lines(self) -> list[tuple[str, float, str]]:
        """Return what was measured, its rate and its unit, for a table."""
        return [
            *((f"read {_size(size)}", rate / 1e9, "GB/s") for size, rate in self.read.items()),
            ("popcount of 32-bit words", self.popcount / 1e9, "G/s"),
            ("products of bytes, added", self.bytes / 1e9, "G/s"),
            ("products of float32, added", self.fma / 1e9, "G/s"),
            ("exp of float32", self.exponential / 1e9, "G/s"),
            (f"sgemm, {_SGEMM}³", self.sgemm / 1e9, "GFLOP/s"),
        ]


def measure(budget: float = 0.2) -> Limits:
    """Time every limit on one thread.

    Parameters
    ----------
    budget : float
        Seconds for each; there are a dozen.
    """
    name = isa()
    rates_of_reading = {}
    for size in SIZES:
        words = aligned(size)
        passes = max(1, (4 << 20) // size)
        seconds = best_seconds(partial(read, words, name, passes), budget)
        rates_of_reading[size] = passes * size / seconds
    rates = {}
    for kind in KINDS:
        operations = work(kind, name, _ROUNDS)
        rates[kind] = operations / best_seconds(partial(work, kind, name, _ROUNDS), budget)
    return Limits(isa=name, read=rates_of_reading, sgemm=_sgemm(budget), **rates)


def _sgemm(budget: float) -> float:
    from threadpoolctl import threadpool_limits

    A = np.ones((_SGEMM, _SGEMM), dtype=np.float32)
    out = np.empty_like(A)
    with threadpool_limits(1):
        return 2.0 * _SGEMM**3 / best_seconds(partial(np.matmul, A, A, out=out), budget)


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
