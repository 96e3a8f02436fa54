"""Kernel rows in each storage layout: values per second, against the machine's limit, BLAS and one thread."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from svmbench import data
from svmbench.data import catalogue
from svmbench.data.folders import mirror_folders
from svmbench.kernels.layouts.choice import Layout, make_layout
from svmbench.run_config import KernelDocument
from svmbench.speed.machine import Limits, sgemm
from svmbench.speed.timing import Timings, repeat

#: Data set for each layout, the papers' kernel width for it, and the most rows used.
CASES = (
    ("adult", "bits", 0.05, None),
    ("mnist", "bytes", 0.02, None),
    ("covtype", "mixed", 1.0, None),
    ("ijcnn1", "dense", 1.0, None),
    ("mnist", "dense", 0.02, 20_000),
    ("rcv1_subset", "sparse", 1.0, None),
)

#: Rows computed in one call.
BLOCKS = (1, 16, 64)

HEADER = (
    "data", "layout", "rows", "columns", "block", "threads", "million values/s", "±", "limit", "of the limit",
    "of sgemm", "× one thread",
)  # fmt: skip

_BLOCKS = 64  # number of different blocks


@dataclasses.dataclass(frozen=True)
class Rate:
    """One line of the table: values per second of a layout for a block size.

    Attributes
    ----------
    data, layout : str
        Name of the examples, and their layout.
    n, d, block, threads : int
        Examples, features, rows per call, and threads that share a call.
    timings : Timings
        Wall time of one block.
    limit : float or None
        Values per second that one core of the machine allows; None for several threads.
    sgemm : Timings or None
        Time that BLAS takes for the same inner products of dense float32 rows on one thread; None for other
        layouts and for single rows.
    one_thread : float or None
        Values per second on one thread, for comparison if there are several.
    """

    data: str
    layout: str
    n: int
    d: int
    block: int
    threads: int
    timings: Timings
    limit: float | None = None
    sgemm: Timings | None = None
    one_thread: float | None = None

    @property
    def values_per_second(self) -> float:
        """Number of values in a block, divided by its median time."""
        return self.block * self.n / self.timings.median

    @property
    def fraction(self) -> float | None:
        """The fraction of the limit that is reached."""
        return self.values_per_second / self.limit if self.limit else None

    def line(self) -> tuple[object, ...]:
        """Return the cells for `HEADER`."""
        return (
            *(self.data, self.layout, self.n, self.d, self.block, self.threads, self.values_per_second / 1e6),
            f"{100 * self.timings.spread:.1f} %",
            self.limit and self.limit / 1e6,
            self.fraction and f"{100 * self.fraction:.0f} %",
            self.sgemm and f"{100 * self.sgemm.median / self.timings.median:.0f} %",
            self.one_thread and self.values_per_second / self.one_thread,
        )


def measure(
    limits: Limits,
    say: Callable[[str], None],
    budget: float = 0.5,
    scale: float = 1.0,
    cores: int | None = None,
) -> list[Rate]:
    """Time single rows and blocks of the Gaussian kernel in all layouts; the largest also on more threads.

    Parameters
    ----------
    limits : Limits
        Limits to which the rates are compared.
    say : callable
        Receives a line per set that is prepared or generated.
    budget : float
        Seconds per measurement.
    scale : float
        Fraction of each set's rows to use.
    cores : int, optional
        Most threads. Default: all cores.
    """
    rates: list[Rate] = []
    for name, layout, gamma, most in CASES:
        X, label = examples(name, layout, say)
        X = X[: max(2, int(min(X.shape[0], most or X.shape[0]) * scale))]
        kernel: KernelDocument = {"name": "gaussian", "gamma": gamma}
        stored = make_layout(X, kernel, layout=layout)
        for block in BLOCKS:
            made = _rate(stored, label, block, budget)
            dots = sgemm(X[:block].copy(), X.T, budget) if layout == "dense" and block > 1 else None
            rates.append(dataclasses.replace(made, limit=limit_of(stored, X, block, limits), sgemm=dots))
        one = rates[-1].values_per_second
        for threads in thread_counts(cores or os.cpu_count() or 1):
            shared = type(stored)(X, kernel, threads, **stored.options())
            rates.append(dataclasses.replace(_rate(shared, label, BLOCKS[-1], budget), one_thread=one))
    return rates


def thread_counts(cores: int) -> list[int]:
    """Return 2, 4, 8, ... up to the number of cores, which is always the last."""
    return sorted({cores, *(2**k for k in range(1, cores.bit_length()))} - {1})


def _rate(stored: Layout, label: str, block: int, budget: float) -> Rate:
    order = np.random.default_rng(0).permutation(stored.n)
    blocks = _blocks(stored, order, block)
    return Rate(label, stored.name, stored.n, stored.d, block, stored.threads, repeat(blocks, budget))


def _blocks(stored: Layout, order: np.ndarray, block: int) -> Callable[[], object]:
    """Return a function that computes a different block of rows at each call."""
    count = max(1, min(_BLOCKS, len(order) // block))
    rows = itertools.cycle(order[np.arange(k * block, (k + 1) * block) % len(order)] for k in range(count))
    out = np.empty((block, stored.stride), dtype=np.float32)
    return lambda: stored.block(next(rows), out=out)


def examples(name: str, layout: str, say: Callable[[str], None]) -> tuple[Any, str]:
    """Return a set's training examples and its name; if it is not stored, generated examples of its shape.

    Files of the store or of a mirror are read; nothing is downloaded.

    Parameters
    ----------
    name, layout : str
        From `CASES`.
    say : callable
        Receives a line about each step.
    """
    files = catalogue.entry(name).files.values()
    mirrored = any((folder / file.folder).is_dir() for folder in mirror_folders() for file in files)
    if mirrored or any(each["name"] == name and each["present"] for each in catalogue.list_sets()):
        defaults = {field.name: field.default for field in dataclasses.fields(data.schema(name))}
        return data.load({"name": name, **defaults}, say=say).train.X, name
    say(f"{name} is not stored: examples like it are generated (svmbench datasets fetch {name} brings it)")
    return generated(layout), f"like {name}"


def generated(layout: str) -> Any:
    """Return random examples with the shape of the data set for a layout."""
    rng = np.random.default_rng(0)
    if layout == "bits":
        return (rng.random((32_561, 123), dtype=np.float32) < 0.11).astype(np.float32)
    if layout == "bytes":
        return _pixels(rng, 60_000)
    if layout == "mixed":
        numbers = rng.random((522_911, 10), dtype=np.float32)
        codes = [np.eye(k, dtype=np.float32)[rng.integers(0, k, len(numbers))] for k in (4, 40)]
        return np.hstack([numbers, *codes])
    if layout == "dense":
        return rng.random((49_990, 22), dtype=np.float32)
    return scipy.sparse.random_array(
        (22_613, 47_236), density=78 / 47_236, format="csr", dtype=np.float32, rng=rng
    )


def _pixels(rng: np.random.Generator, n: int) -> np.ndarray:
    lit = rng.random((n, 784), dtype=np.float32) < 0.19
    return (rng.integers(0, 256, (n, 784), dtype=np.uint8) * lit) / np.float32(255)


def limit_of(stored: Layout, X: Any, block: int, limits: Limits) -> float:
    """Return the values per second that memory and arithmetic allow for the examples X, shape (n, d).

    Each value is written once, and each stored example is read once per block. The arithmetic of the layout
    runs at the rates measured in registers. The slower of memory and arithmetic is the limit. For bits it is
    memory alone, the words or the columns of a row's ones: no way to count them is known to be the fastest.
    """
    n, d = X.shape
    exponential = 1.0 / limits.rate("exponential")
    if stored.name == "bits":
        size, seconds = min(4.0 * -(-d // 32), float(X.sum()) / n / 8.0), 0.0
    elif stored.name == "bytes":
        size, seconds = float(d), d / limits.rate("bytes") + exponential
    elif stored.name == "mixed":
        groups = stored.options()["groups"]
        columns = d - sum(end - begin for begin, end in groups)
        size = 4.0 * (columns + -(-len(groups) // 4))
        seconds = (columns + len(groups)) / limits.rate("fma") + exponential
    elif stored.name == "dense":
        size, seconds = 4.0 * d, d / limits.rate("fma") + exponential
    else:
        entries = X.nnz / n
        size, seconds = 8.0 * entries, entries / limits.rate("fma") + exponential
    traffic = size / block + 4.0
    return 1.0 / max(traffic / limits.read_rate(n * (size + 4.0)), seconds)
