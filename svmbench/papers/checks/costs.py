"""Checks of the cost of single steps: an iteration on sparse examples, a feature map, a classification."""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmbench import features
from svmbench.kernels._linear_data import LinearData
from svmbench.papers.checks import Outcome, log_panel
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry

_ITERATIONS = 20_000


def sparse_time(given: Mapping[str, Any]) -> Outcome:
    """Measure the CPU time of an iteration of linear Pegasos over nonzero features and over all features."""
    width, nonzeros, repetitions = int(given["features"]), given["nonzeros"], int(given["repetitions"])
    widths = given["widths"]
    over_nonzeros = [_iteration(width, int(k), repetitions) for k in nonzeros]
    over_widths = [_iteration(int(d), int(nonzeros[0]), repetitions) for d in widths]
    panels = [
        _panel("nonzero features of an example", f"{width:,} features", nonzeros, over_nonzeros),
        _panel("features", f"{nonzeros[0]} nonzero features of an example", widths, over_widths),
    ]
    measures = {
        "time over nonzeros": {"x": nonzeros, "series": over_nonzeros},
        "time over features": {"x": widths, "series": over_widths},
    }
    return Outcome(measures, panels)


def _iteration(width: int, nonzeros: int, repetitions: int) -> list[float]:
    """Return the CPU seconds of an iteration, the least of three measurements, several times."""
    n = 500
    generator = np.random.default_rng([7301, width, nonzeros])
    columns = np.concatenate(
        [np.sort(generator.choice(width, nonzeros, replace=False)) for _ in range(n)]
    ).astype(np.int32)
    values = generator.standard_normal(n * nonzeros).astype(np.float32) / np.float32(np.sqrt(nonzeros))
    X = sp.csr_array((values, columns, np.arange(0, n * nonzeros + 1, nonzeros, dtype=np.int32)), (n, width))
    y = np.where(generator.uniform(size=n) < 0.5, -1.0, 1.0)
    solver = registry.get("pegasos_linear")
    run = solver(solver.Params()).start(Problem.build(y, lam=1e-3), LinearData(X), Generator(0))
    done = 0

    def more() -> None:
        nonlocal done
        done += _ITERATIONS
        run.advance("iterations", done)

    more()
    return [_least(more) / _ITERATIONS for _ in range(repetitions)]


def map_time(given: Mapping[str, Any]) -> Outcome:
    """Measure the CPU time of Nyström features against the operations s³ + s m (n + d) of ASSET's bound."""
    width, repetitions = int(given["features"]), int(given["repetitions"])
    kind = features.get("nystrom")
    operations, times, evaluations = [], [], []
    for m, s in given["pairs"]:
        X = np.random.default_rng([7302, m]).uniform(0.0, 1.0, (m, width)).astype(np.float32)
        ledgers: list[int] = []

        def make(X: Any = X, s: int = s, ledgers: list[int] = ledgers) -> None:
            made = kind(X, {"name": "gaussian", "gamma": 0.01}, kind.Params(s=s), Generator(0))
            ledgers.append(made.examples().ledger.kev_setup)

        times.append([_least(make) for _ in range(repetitions)])
        operations.append(float(s) ** 3 + float(s) * m * (width + s))
        evaluations.append(ledgers[-1] / (s * m))
    order = np.argsort(operations)
    x, series = [operations[k] for k in order], [times[k] for k in order]
    panel = _panel("s³ + s m (n + d)", f"{width} input features", x, series, "Nyström features", "asset")
    measures = {
        "time": {"x": x, "series": series},
        "greatest evaluations over s m": {"value": max(evaluations)},
    }
    return Outcome(measures, [panel])


def classification_cost(given: Mapping[str, Any]) -> Outcome:
    """Count the kernel evaluations for classifying an example with Nyström features of size d."""
    m, width, tests = int(given["examples"]), 20, 200
    generator = np.random.default_rng(7303)
    X = generator.standard_normal((m, width)).astype(np.float32)
    others = generator.standard_normal((tests, width)).astype(np.float32)
    kind = features.get("nystrom")
    counted = []
    for d in given["samples"]:
        made = kind(X, {"name": "gaussian", "gamma": 0.05}, kind.Params(s=int(d)), Generator(0))
        mapped = made.examples()
        ledger = mapped.ledger
        before = ledger.kev_prediction
        made.scores(np.ones(mapped.d), 0.0, others)
        counted.append((ledger.kev_prediction - before) / tests)
    share = [found / d for found, d in zip(counted, given["samples"], strict=True)]
    panel = log_panel(
        f"{m:,} training examples", "size d of the sample", "kernel evaluations for an example",
        {"label": "with features", "solver": "asset", "x": list(given["samples"]), "y": counted},
        {"label": "over all examples", "x": list(given["samples"]), "y": [m] * len(share)},
    )  # fmt: skip
    return Outcome({"greatest cost over d": {"value": max(share)}}, [panel])


def _least(work: Callable[[], None]) -> float:
    """Return the least CPU seconds of three calls."""
    return min(timeit.repeat(work, timer=time.process_time, repeat=3, number=1))


def _panel(
    x_label: str, title: str, x: Sequence[Any], series: list[list[float]], label: str = "Pegasos",
    solver: str = "pegasos_linear",
) -> Mapping[str, Any]:  # fmt: skip
    """Return a panel of CPU seconds, the median of repetitions."""
    y = [float(np.median(times)) for times in series]
    line = {"label": label, "solver": solver, "x": list(x), "y": y}
    return log_panel(title, x_label, "CPU seconds", line)
