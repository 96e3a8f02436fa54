"""Limits of one core of this machine, to which rates are compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from svmbench.simd import isa
from svmbench.speed._limits import KINDS, aligned, read, work
from svmbench.speed.timing import Timings, repeat

#: Sizes in bytes for timing memory reads: from the first-level cache to main memory.
SIZES = (16 << 10, 256 << 10, 2 << 20, 8 << 20, 24 << 20, 64 << 20, 256 << 20)

_SGEMM = 1536  # rows and columns of the matrices
_ROUNDS = 2000  # rounds of each kind of work, which take a few milliseconds


@dataclass(frozen=True)
class Limits:
    """Rates of one core, computed on access.

    Rates follow from the shortest times, since a limit is what the core can do undisturbed.

    Attributes
    ----------
    isa : str
        Instruction set of the loops.
    amounts : dict of str to float
        Amount of work that one call of each kind does. ``read <size>``: bytes read from an array of this
        size. In registers, ``popcount``: 32-bit words whose bits are counted; ``bytes``: products of bytes
        added; ``fma``: products of float32 added; ``exponential``: exponentials of float32. ``sgemm``:
        floating-point operations of a product of two float32 matrices by numpy's BLAS.
    timings : dict of str to Timings
        Times of each kind.
    """

    isa: str
    amounts: dict[str, float]
    timings: dict[str, Timings]

    def rate(self, kind: str) -> float:
        """Return the rate of one kind per second."""
        return self.amounts[kind] / self.timings[kind].least

    def read_rate(self, size: float) -> float:
        """Return the bytes per second of repeated reads of this many bytes, interpolated between sizes."""
        rates = [self.rate(f"read {each}") for each in SIZES]
        return float(np.interp(np.log(max(size, 1)), np.log(SIZES), rates))

    def lines(self) -> list[tuple[str, float, str]]:
        """Return the name, rate and unit of each measurement, for a table."""
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
    """Measure all limits on one thread.

    Parameters
    ----------
    budget : float
        Seconds per limit; there are a dozen limits.
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
    ones = np.ones((_SGEMM, _SGEMM), dtype=np.float32)
    timings["sgemm"] = sgemm(ones, ones, budget)
    return Limits(name, amounts, timings)


def sgemm(A: np.ndarray, B: np.ndarray, budget: float) -> Timings:
    """Time the product of two float32 matrices by numpy's BLAS on one thread."""
    from threadpoolctl import threadpool_limits

    out = np.empty((len(A), B.shape[1]), dtype=np.float32)
    with threadpool_limits(1):
        return repeat(partial(np.matmul, A, B, out=out), budget)


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
