"""Random small problems, hard corners included, and what every solver must do with each of them.

    python -m tests.conformance.hard NAME FIRST COUNT [--cpu SECONDS]

plays so many problems with a solver and writes two lines of JSON for each, what it is and how it ended. A
problem follows from the name and its number alone, so that `NAME NUMBER 1` repeats it. A call that does not
return ends the process with the stack on standard error once ``--cpu`` seconds of its own time are spent on
one problem.
"""

import argparse
import contextlib
import dataclasses
import faulthandler
import json
import math
import os
import resource
import signal
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from svmbench.data.dataset import Dataset, Part
from svmbench.errors import UserError
from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.problem import (
    Problem,
    balanced,
    dual_objective,
    mean_hinge,
    mean_squared_hinge,
    primal_objective,
    squared_hinge_dual_objective,
)
from svmbench.rng import Generator
from svmbench.runner.end_states import NEAR
from svmbench.runner.observe import Observer
from svmbench.solvers import registry
from svmbench.solvers.base import KernelExpansion, LinearModel, Run, Snapshot
from tests.conformance.cases import declared
from tests.kernels.reference import kernel_matrix

#: Seconds of work after which a call must have returned, and Ctrl-C must have been heard.
PATIENCE = 1.0
#: Seconds of training that a problem gets.
BUDGET = 0.04
#: How far the objective that is reported may be from that of the stored model, as a part of it.
AGREES = 1e-6
#: The part of the objective that the true gap of a run may be that claims to have converged, beside its eps.
CLOSE = 0.01

#: Every so many numbers the examples are letters.
LETTERS = 12

#: Values tried for parameters whose range says too little.
VALUES: dict[str, tuple] = {
    "nu": (0.0, 1e-6, 0.05, 1.0, 100.0),
    "R": (1e-6, 0.1, 1.0, 1e3, 1e6),
    "T": (1, 300, 100_000),
    "eps": (0.1, 1e-3, 1e-6, 1e-12),
    "epochs": (1, 3, None),
    "change": (None, 1e-2, 1e-12),
    "inner": (None,),
    "k": (1, 3, 500),
    "q": (2, 4, 30, 500),
    "entering": (1, 2, 10),
    "first": (1, 2, 30, 500),
    "average": (1, 7, 100),
}


@dataclass(frozen=True)
class Case:
    """One problem for one solver."""

    name: str
    number: int
    kind: str
    X: Any
    y: NDArray[np.float64]
    kernel: dict[str, Any]
    C: float
    bias: str
    parameters: dict[str, Any]

    def __str__(self) -> str:
        n, d = self.X.shape
        given = " ".join(f"{key}={value}" for key, value in self.parameters.items())
        kernel = " ".join(
            f"{value:g}" if isinstance(value, float) else str(value) for value in self.kernel.values()
        )
        return f"{self.kind} {n}x{d}, {kernel}, C={self.C:.2g}, bias={self.bias}, {given}"


def examples(rng: np.random.Generator) -> tuple[str, Any, NDArray[np.float64]]:
    """Draw examples, labels and the word for their kind."""
    n = int(rng.choice([1, 2, 3, 17, 40, 90, 200]))
    d = int(rng.choice([1, 1, 2, 5, 20]))
    kinds = (
        "blobs",
        "repeated",
        "equal",
        "zeros",
        "tiny",
        "huge",
        "offset",
        "bits",
        "bytes",
        "rare",
        "single class",
    )
    kind = str(rng.choice(kinds))
    if kind == "rare" and rng.random() < 0.2:
        n, d = 5000, 2
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    if kind == "rare":
        y[:] = -1.0
        y[int(rng.integers(n))] = 1.0
    if kind == "single class":
        y[:] = y[0]
    X = rng.normal(size=(n, d)) + rng.choice([0.0, 0.6, 5.0]) * y[:, None]
    if kind == "repeated":
        X = X[rng.integers(max(1, n // 5), size=n)]  # so that most rows have both labels
    elif kind == "equal":
        X[:] = X[0]
    elif kind == "zeros":
        X[rng.random(n) < rng.choice([0.3, 1.0])] = 0.0
    elif kind in ("tiny", "huge"):
        X *= 1e-6 if kind == "tiny" else 1e6
    elif kind == "offset":
        X = X * 5.0 + 1e6
    elif kind == "bits":
        X = (X > 0.0).astype(float)
    elif kind == "bytes":
        X = np.clip(np.round(40.0 * X + 100.0), 0.0, 255.0)
    X = X.astype(np.float32)
    return kind, scipy.sparse.csr_array(X) if rng.random() < 0.25 else X, y


def letters(
    rng: np.random.Generator, n: int, columns: int, *, one_hot: bool
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return rows of four letters, coded 1 to 4 or one-hot, and labels by a noisy rule of some columns.

    The codes lie on one side of zero, so that their inner products differ little: dual methods pass over such
    rows many thousand times. They are made as those of the splice junctions are (UCI Machine Learning
    Repository), 60 letters each.
    """
    codes = rng.integers(4, size=(n, columns))
    weights = rng.normal(size=(columns, 4)) * (np.arange(columns)[:, None] < columns / 5)
    score = weights[np.arange(columns), codes].sum(axis=1)
    y = np.where(score + score.std() * rng.normal(size=n) > np.median(score), 1.0, -1.0)
    if not one_hot:
        return (codes + 1).astype(np.float32), y
    return np.eye(4, dtype=np.float32)[codes].reshape(n, -1), y


def kernel_for(rng: np.random.Generator, allowed: tuple[str, ...] | None) -> dict[str, Any]:
    """Draw a kernel, near constant or near the identity among them."""
    name = str(rng.choice(allowed or ("gaussian", "gaussian", "gaussian", "linear", "polynomial")))
    if name == "gaussian":
        return {"name": name, "gamma": float(10.0 ** rng.uniform(-5.0, 3.0))}
    if name == "polynomial":
        gamma, coef0 = float(10.0 ** rng.uniform(-3.0, 0.0)), float(rng.choice([0.0, 1.0]))
        return {"name": name, "gamma": gamma, "coef0": coef0, "degree": int(rng.integers(2, 5))}
    return {"name": name}


def parameters_for(rng: np.random.Generator, solver: Any) -> dict[str, Any]:
    """Draw each parameter of a solver, half of the time."""
    drawn: dict[str, Any] = {"nu": 0.05} if solver.form == "slack-constrained" else {}
    drawn |= {"R": 1.0} if solver.form == "norm-bounded" else {}
    for item in dataclasses.fields(solver.Params):
        words = item.metadata.get("choices", ())
        if "bool" in str(item.type):
            words = (True, False, *words)
        if item.name in VALUES and "bool" not in str(item.type):
            words = [value for value in VALUES[item.name] if value is not None or item.default is None]
        if words and rng.random() < 0.5:
            value = words[int(rng.integers(len(words)))]
            drawn[item.name] = value
    return drawn


def case(name: str, number: int) -> Case:
    """Return the problem of that number for a solver."""
    rng = np.random.default_rng([number, zlib.crc32(name.encode())])
    solver = registry.get(name)
    kind, X, y = examples(rng)
    if number % LETTERS == LETTERS - 1:
        kind, (X, y) = "letters", letters(rng, 60, 12, one_hot=bool(rng.integers(2)))
    kernel = kernel_for(rng, solver.kernels)
    bias = str(rng.choice(solver.biases))
    C = float(10.0 ** rng.uniform(-4.0, 7.0))
    return Case(name, number, kind, X, y, kernel, C, bias, parameters_for(rng, solver))


def play(given: Case) -> dict[str, Any]:
    """Train on a problem as the training loop does, and return how it ended with all complaints."""
    problem = Problem.build(given.y, C=given.C, bias=given.bias)
    solver = registry.get(given.name)
    reader = LinearData(given.X) if solver.access == "linear" else Oracle(given.X, given.kernel, 1 << 20)
    bad: list[str] = []
    longest, end = 0.0, "budget"
    try:
        run = solver(solver.Params(**given.parameters)).start(problem, reader, Generator(given.number))
        longest = train(run)
        heard = interrupt(run) if given.number % 4 == 0 else 0.0
        if heard > PATIENCE:
            bad.append(f"Ctrl-C heard after {heard:.1f} s")
    except UserError as refusal:
        return {"end": "refused", "why": str(refusal), "bad": bad}
    except FloatingPointError:
        end = "diverged"
    if longest > PATIENCE:
        bad.append(f"one iteration took {longest:.1f} s")
    seen = numbers(given, problem, reader, run.snapshot())
    while solver.exact and run.converged and seen.get("true_gap", 0.0) > NEAR * abs(seen["true"]):
        if not run.tighten(0.1):
            break
        longest = max(longest, train(run))
        seen = numbers(given, problem, reader, run.snapshot())
    end = "converged" if run.converged else "stalled" if run.stalled else end
    if not math.isfinite(seen["reported"]):
        end = "diverged"
    bad += [] if end == "diverged" else complaints(given, seen, end)
    return {"end": end, "iterations": run.iterations, "longest": longest, **seen, "bad": bad}


def train(run: Run) -> float:
    """Advance for the budget; return the time of the longest single iteration."""
    began, longest, most = time.thread_time(), 0.0, 1
    while not (run.converged or run.stalled) and time.thread_time() - began < BUDGET:
        before = time.thread_time()
        run.advance("iterations", sys.maxsize, 1)
        longest = max(longest, time.thread_time() - before)
        run.advance("iterations", sys.maxsize, most)
        most = min(2 * most, 50_000)
    return longest


def interrupt(run: Run) -> float:
    """Press Ctrl-C after 10 ms of work in a call without limit; return the work until it was heard.

    It is pressed again every 250 ms: Python drops an exception that is raised in a callback of its garbage
    collector, and hypothesis has set one wherever it was imported.
    """

    def press(number: int, frame: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGPROF, press)
    before = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, 0.01, 0.25)
    with contextlib.suppress(KeyboardInterrupt):
        run.advance("iterations", sys.maxsize)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    return time.process_time() - before


def numbers(given: Case, problem: Problem, reader: Any, snapshot: Snapshot) -> dict[str, Any]:
    """Return what is reported of an answer, and the same from the stored model alone, in float64."""
    data = Dataset("hard", Part(given.X, given.y), None, None, "", {})
    row = Observer(problem, reader, data)(snapshot)
    squared = snapshot.loss == "squared_hinge"
    key, bound = ("native_objective", "native_bound") if squared else ("primal_objective", "dual_objective")
    y, model, lam = problem.y, snapshot.model, problem.lam
    with np.errstate(all="ignore"):
        f, norm2, size, rounding = evaluated(given, model)
        loss = (mean_squared_hinge if squared else lambda c: mean_hinge(c))(y * (f + model.bias))
        true = primal_objective(lam, norm2, loss)
        result = {
            "reported": row[key],
            "true": true,
            "rounding": lam * rounding + 1e-15 * (size + 1.0),
            "dual": row.get(bound),
            "gap": row.get("duality_gap"),
        }
        alpha = snapshot.alpha
        if alpha is not None and (problem.bias == "none" or balanced(alpha, y)):
            result["feasible"] = bool(np.all(alpha >= 0.0) and (squared or np.all(alpha <= problem.C)))
            _, norm2, _, rounding = evaluated(given, KernelExpansion.from_alpha(alpha, y))
            value = squared_hinge_dual_objective if squared else dual_objective
            result["true_gap"] = true - value(lam, alpha, norm2)
            result["rounding"] += lam * rounding
    return result


def evaluated(given: Case, model: Any) -> tuple[NDArray[np.float64], float, float, float]:
    """Return <w, Φ(x)> of the examples, |w|², the largest sum of sizes behind the first, and the second's."""
    X = (given.X.toarray() if scipy.sparse.issparse(given.X) else given.X).astype(np.float64)
    if isinstance(model, LinearModel):
        size = float((np.abs(X) @ np.abs(model.weights)).max())
        return X @ model.weights, float(model.weights @ model.weights), size, 0.0
    beta = model.coefficients
    points = X[model.indices] if isinstance(model, KernelExpansion) else model.points
    kernel = {"name": "linear"} if registry.get(given.name).access == "linear" else given.kernel
    f, sizes, size = np.zeros(len(X)), np.zeros(len(X)), 0.0
    own = np.zeros(len(points))
    for start in range(0, len(points), 64):
        part = slice(start, start + 64)
        block = kernel_matrix(X, points[part], kernel)
        f += block @ beta[part]
        sizes += np.abs(block) @ np.abs(beta[part])
        block = kernel_matrix(points, points[part], kernel)
        own += block @ beta[part]
        size += float(np.abs(beta) @ np.abs(block) @ np.abs(beta[part]))
    return f, max(0.0, float(beta @ own)), float(sizes.max()), 1e-15 * size


def complaints(given: Case, seen: dict[str, Any], end: str) -> Iterator[str]:
    """Yield what is wrong with the numbers of a run."""
    slack = seen["rounding"] + 1e-300
    if not abs(seen["reported"] - seen["true"]) <= AGREES * abs(seen["true"]) + slack:
        yield f"reported {seen['reported']:.9g}, but the model has {seen['true']:.9g}"
    if seen["gap"] is not None and not seen["gap"] >= -1e-12 * abs(seen["reported"]):
        yield f"gap {seen['gap']:.3g} of {seen['reported']:.3g}"
    if not seen.get("feasible", True):
        yield "a dual point that is not feasible"
    solver = registry.get(given.name)
    parameters = dataclasses.asdict(solver.Params(**given.parameters))
    if any(parameters.items() >= some.items() for some in approximate(given.name)):
        return
    eps = given.parameters.get("eps", 1e-3)
    eps = max(eps, given.parameters.get("change") or eps)
    allowed = CLOSE * abs(seen["true"]) + 3.0 * eps + slack
    if end == "converged" and not seen.get("true_gap", 0.0) <= allowed:
        yield f"converged with a gap of {seen['true_gap']:.3g} of {seen['true']:.3g}"


def approximate(name: str) -> list[dict[str, Any]]:
    """Parameters with which a method ends before the optimum, by its own rule."""
    ends_early = {
        "randsvm": [{"k": 1}, {"k": 3}],
        "lasvm": [{"finishing": "none"}, {"finishing": "expansion"}],
    }
    return [*declared(name, "APPROXIMATE"), *ends_early.get(name, [])]


def main_into(out: Path, err: Path, words: list[str]) -> None:
    """Play problems in a process of its own, and write what it says to files, down to its last stack."""
    for path, stream in ((out, sys.stdout), (err, sys.stderr)):
        with path.open("wb") as file:
            os.dup2(file.fileno(), stream.fileno())
    main(words)


def main(words: list[str] | None = None) -> None:
    """Play problems, two lines each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--cpu", type=int, default=20)
    asked = parser.parse_args(words)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    faulthandler.register(signal.SIGXCPU, chain=True)
    for number in range(asked.first, asked.first + asked.count):
        given = case(asked.name, number)
        print(json.dumps({"name": asked.name, "number": number, "case": str(given)}), flush=True)
        spent = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (spent + asked.cpu, resource.RLIM_INFINITY))
        print(json.dumps(play(given), default=float), flush=True)


if __name__ == "__main__":
    main()
