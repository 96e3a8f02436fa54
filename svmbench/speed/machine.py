"""What one core of this machine can do: the limits that rates are held against."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from svmbench.simd import isa
from svmbench.speed._limits import KINDS, aligned, read, work
from svmbench.speed.timing import Timings, repeat

#: Sizes in bytes at which the reading of memory is timed: from the first-level cache to the main memory.
SIZES = (16 << 10, 256 << 10, 2 << 20, 8 << 20, 24 << 20, 64 << 20, 256 << 20)

_SGEMM = 1536  # rows and columns of the matrices
_ROUNDS = 2000  # of each kind of work: some milliseconds


@dataclass(frozen=True)
class Limits:
    """Rates of one core, made when asked for from the shortest times: a limit is what the core can do.

    Attributes
    ----------
    isa : str
        Instruction set of the loops.
    amounts : dict of str to float
        What one call of each kind of work does: bytes read, by ``read <size>``; 32-bit words counted
        (``popcount``), products of bytes added (``bytes``), products of float32 added (``fma``) and
        exponentials of float32 (``exponential``), each in registers; floating-point operations of the product
        of two float32 matrices by numpy's BLAS (``sgemm``).
    timings : dict of str to Timings
        Its times.
    """

    isa: str
    amounts: dict[str, float]
    timings: dict[str, Timings]

    def rate(self, kind: str) -> float:
        """Return what is done of one kind in a second."""
        return self.amounts[kind] / self.timings[kind].least

    def read_rate(self, size: float) -> float:
        """Return the bytes a second at which so many bytes are read repeatedly, interpolated by size."""
        rates = [self.rate(f"read {each}") for each in SIZES]
        return float(np.interp(np.log(max(size, 1)), np.log(SIZES), rates))

    def as_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Limits:
        """Return the limits that `as_dict` gave, read from JSON."""
        timings = {kind: Timings.from_dict(each) for kind, each in stored["timings"].items()}
        return cls(stored["isa"], stored["amounts"], timings)

    def lines(self) -> list[tuple[str, float, str]]:
        """Return what was measured, its rate and its unit, for a table."""
        named = {
            **{f"read {size}": (f"read {_size(size)}", "GB/s") for size in SIZES},
            "popcount": ("popcount of 32-bit words", "G/s"),
            "bytes": ("products of bytes, added", "G/s"),
            "fma": ("products of float32, added", "G/s"),
            "exponential": ("exp of float32", "G/s"),
            "sgemm": (f"sgemm, {_SGEMM}³", "GFLOP/s"),
        }
        return [(name, self.rate(kind) / 1e9, unit) for kind, (name, unit) in named.items()]


def measure(budget: float = 0.2) -> Limits:
    """Time every limit on one thread.

    Parameters
    ----------
    budget : float
        Seconds for each; there are a dozen.
    """
    name = isa()
    amounts: dict[str, float] = {}
    timings: dict[str, Timings] = {}
    for size in SIZES:
        words = aligned(size)
        passes = max(1, (4 << 20) // size)
        amounts[f"read {size}"] = float(passes * size)
        timings[f"read {size}"] = repeat(partial(read, words, name, passes), budget)
    for kind in KINDS:
        amounts[kind] = float(work(kind, name, _ROUNDS))
        timings[kind] = repeat(partial(work, kind, name, _ROUNDS), budget)
    amounts["sgemm"] = 2.0 * _SGEMM**3
    timings["sgemm"] = _sgemm(budget)
    return Limits(name, amounts, timings)


def _sgemm(budget: float) -> Timings:
    from threadpoolctl import threadpool_limits

    A = np.ones((_SGEMM, _SGEMM), dtype=np.float32)
    out = np.empty_like(A)
    with threadpool_limits(1):
        return repeat(partial(np.matmul, A, A, out=out), budget)


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
