"""Random degenerate problems: is every number and end that is stored of a run the truth?

    python -m tests.truth.degenerate COUNT [--first N] [--solver NAME]

plays COUNT problems, one run each, through all of the runner and the store, and prints what does not hold: a
primal objective that is not that of the stored model, a dual objective above that of the stored dual point or
above the optimum, a run that failed, a method that converged far from the optimum without a word. A problem
follows from its number alone, so that ``1 --first N`` repeats it. Examples are few and far from zero, there
many times, of both labels, constant in some features, or nearly all of one class; C lies between 1e-12 and
1e12, γ between 1e-12 and 1e6.

The truth is made of the stored model alone: in rational numbers for the linear kernel, for the Gaussian one
in 80-bit numbers (64 bits of mantissa). What is known of the optimum beside it comes from an interior-point
method of a dozen lines.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svmbench.data.dataset import Dataset, Part
from svmbench.errors import UserError
from svmbench.files import sha256
from svmbench.run_config import RunConfig
from svmbench.runner.ends import FLAG
from svmbench.runner.execute import execute
from svmbench.solvers import registry
from svmbench.store.model import StoredModel
from tests.runner.fakes import Silent

Floats = NDArray[np.float64]
#: A number of the truth: a Fraction, or an 80-bit number.
Exact = Any

#: What a stored objective may be off by, relative to the true one; in single precision; and a bound above it.
AGREES, ROUGH, ABOVE = 1e-6, 1e-3, 2e-9
#: Relative gap that a converged run has to mention.
FAR = 0.011
#: Limits of a run.
ITERATIONS, SECONDS = 3000, 2.0

KINDS = (
    "plain",
    "offset",
    "copies",
    "both labels",
    "constant",
    "rare",
    "single class",
    "tiny",
    "huge",
    "grid",
)
ENDS = {"converged", "stalled", "budget", "timeout", "diverged", "refused"}


@dataclass(frozen=True)
class Case:
    """One problem for one solver."""

    number: int
    kind: str
    solver: str
    X: NDArray[np.float32]
    y: Floats
    kernel: dict[str, Any]
    C: float
    bias: str
    parameters: dict[str, Any]

    def __str__(self) -> str:
        n, d = self.X.shape
        return (
            f"{self.number}: {self.solver}, {self.kind} {n}x{d}, {self.kernel}, C={self.C:.3g}, {self.bias}"
        )


def examples(rng: np.random.Generator, kind: str) -> tuple[NDArray[np.float32], Floats]:
    """Return few examples of a kind, and labels."""
    n, d = int(rng.integers(1, 41)), int(rng.integers(1, 6))
    y = np.where(rng.random(n) < rng.choice([0.5, 0.3, 0.1]), 1.0, -1.0)
    X = rng.normal(size=(n, d)) + rng.choice([0.0, 0.6, 4.0]) * y[:, None]
    if kind == "offset":
        X = 10.0 ** rng.uniform(2.0, 7.0) + rng.choice([1.0, 5.0]) * np.round(X)
    elif kind in ("copies", "both labels"):
        at = rng.integers(max(1, n // 4), size=n)
        X, y = X[at], y if kind == "both labels" else y[at]
    elif kind == "constant":
        X[:, rng.random(d) < 0.7] = 10.0 ** rng.uniform(-3.0, 4.0)
    elif kind in ("rare", "single class"):
        y[:] = -1.0
        y[0] = 1.0 if kind == "rare" else -1.0
    elif kind in ("tiny", "huge"):
        X *= 1e-6 if kind == "tiny" else 1e6
    elif kind == "grid":
        X = np.round(X)
    return X.astype(np.float32), y


def case(number: int, solver: str | None = None) -> Case:
    """Return the problem of a number, for the solver that it draws or another one."""
    rng = np.random.default_rng([number, 33])
    kind = str(rng.choice(KINDS))
    X, y = examples(rng, kind)
    names = [name for name in registry.names() if registry.get(name).access != "data"]
    drawn = str(rng.choice(names))
    method = registry.get(solver or drawn)
    gamma = float(10.0 ** rng.uniform(-12.0, 6.0))
    linear = rng.random() < 0.4 or method.access == "linear"
    linear = linear and (method.kernels is None or "linear" in method.kernels)
    kernel = {"name": "linear"} if linear else {"name": "gaussian", "gamma": gamma}
    parameters = dataclasses.asdict(method.Params())
    parameters |= {"nu": float(10.0 ** rng.uniform(-3.0, 0.0))} if "nu" in parameters else {}
    parameters |= {"R": float(10.0 ** rng.uniform(-2.0, 3.0))} if "R" in parameters else {}
    C, bias = float(10.0 ** rng.uniform(-12.0, 12.0)), str(rng.choice(method.biases))
    return Case(number, kind, method.name, X, y, kernel, C, bias, parameters)


def play(given: Case, folder: Path) -> tuple[str, dict[str, Any] | None, StoredModel | None]:
    """Make the run of a problem; return its end, the last row and the model that are stored of it."""
    data = Dataset("degenerate", Part(given.X, given.y), None, None, sha256(str(given).encode()), {})
    counter = "iterations" if registry.get(given.solver).access == "linear" else "kev_iter"
    config = RunConfig.of(
        {
            "solver": {"name": given.solver, **given.parameters},
            "dataset": {"name": "degenerate"},
            "kernel": given.kernel,
            "problem": {"lam": None, "C": given.C, "bias": given.bias},
            "budget": {"counter": counter, "iterations": ITERATIONS, "seconds": SECONDS},
            "observe": {"points": 1},
            "seed": given.number,
            "threads": 1,
            "results": str(folder),
        }
    )
    outcome = execute(config, progress=Silent(), load=lambda *_, **__: data)
    assert outcome.run is not None, outcome.reason
    run = outcome.run
    rows = run.trace()
    if run.status == "failed" or rows.empty:
        return f"{run.status}: {run.reason}", None, None
    last = {key: value for key, value in rows.iloc[-1].items() if pd.notna(value)}
    return f"{run.status}: {run.reason}", last, run.model()


class Truth:
    """The objectives of one problem, exactly or nearly so."""

    def __init__(self, given: Case) -> None:
        self.y, self.C, self.n = given.y, given.C, given.y.size
        self.biased = given.bias != "none"
        self.linear = given.kernel["name"] == "linear"
        self.gamma = given.kernel.get("gamma", 0.0)
        if self.linear:
            self.X: Any = fractions(given.X)
            self.lam: Exact = 1 / (Fraction(given.C) * self.n)
        else:
            self.X = given.X.astype(np.longdouble)
            self.lam = 1 / (np.longdouble(given.C) * self.n)

    def number(self, values: Any) -> Any:
        """Return float64 values in the arithmetic of the truth."""
        return fractions(values) if self.linear else np.asarray(values).astype(np.longdouble)

    def gram(self, points: Any) -> Any:
        """Return the kernel values of all examples with points, shape (n, m), in 80-bit numbers."""
        squared = np.zeros((self.n, len(points)), dtype=np.longdouble)
        for k in range(self.X.shape[1]):
            squared += np.square(self.X[:, k, None] - points[None, :, k])
        return np.exp(-np.longdouble(self.gamma) * squared)

    def responses(self, model: StoredModel) -> tuple[Any, Exact, float]:
        """Return the scores without bias of a stored model, |w|², and the largest sum of sizes in a score."""
        sizes = np.abs(self.X.astype(float))
        if model.weights is not None:
            w = self.number(model.weights)
            return self.X @ w, w @ w, float((sizes @ np.abs(model.weights)).max())
        assert model.coefficients is not None
        beta = self.number(model.coefficients)
        points = self.X[model.indices] if model.points is None else self.number(model.points)
        if self.linear:
            w = points.T @ beta if beta.size else fractions(np.zeros(self.X.shape[1]))
            size = sizes @ (sizes[model.indices].T @ np.abs(model.coefficients)) if beta.size else np.zeros(1)
            return self.X @ w, w @ w, float(size.max())
        f = self.gram(points) @ beta
        if model.points is None:
            return f, beta @ f[model.indices], float(np.abs(beta).sum())
        other = Truth.__new__(Truth)
        other.__dict__ |= {**self.__dict__, "X": points, "n": len(points)}
        return f, beta @ (other.gram(points) @ beta), float(np.abs(beta).sum())

    def primal(self, scores: Any, norm2: Exact, bias: float | None) -> Exact:
        """Return the primal objective, at the best bias where none is given."""
        if bias is None:
            bends = np.sort(self.y * (1 - self.y * scores).astype(float)) if self.biased else np.zeros(1)
            return min(self.primal(scores, norm2, float(b)) for b in bends)
        b = self.number(np.array([bias]))[0]
        margins = self.number(self.y) * (scores + b)
        return self.lam * norm2 / 2 + sum(max(0, 1 - margin) for margin in margins) / self.n

    def dual(self, alpha: Floats) -> Exact | None:
        """Return the dual objective of the feasible point next to α; None if no such point was found."""
        a = self.number(np.clip(alpha, 0.0, self.C))
        excess = sum(a * self.number(self.y)) if self.biased else 0
        if excess != 0:
            heavier = np.flatnonzero(self.y * np.sign(float(excess)) > 0.0)
            i = heavier[np.argmax(a[heavier])]
            if a[i] < abs(excess):
                return None
            a[i] -= abs(excess)
        beta = a * self.number(self.y)
        if self.linear:
            w = self.X.T @ beta
            return self.lam * (sum(a) - w @ w / 2)
        return self.lam * (a.sum() - beta @ self.gram(self.X) @ beta / 2)

    def rounding(self, size: float, unit: float) -> float:
        """Return what an objective may be off by whose coefficients have this sum, in such an arithmetic."""
        return unit * size * (1.0 + float(self.lam) * size)


def fractions(values: Any) -> Any:
    """Return float64 values as an array of Fractions."""
    wide = np.asarray(values, dtype=np.float64)
    made = np.empty(wide.shape, dtype=object)
    made.flat = [Fraction(float(value)) for value in wide.flat]
    return made


def solved(K: Floats, y: Floats, C: float, biased: bool) -> Floats:
    """Return about the best α, by an interior-point method on a = α/C.

    J. Nocedal and S. Wright, Numerical Optimization, 2nd ed., 2006, section 16.6.
    """
    n = y.size
    scale = max(1.0, float(np.abs(C * K).max()))
    Q, e = C * K * np.outer(y, y) / scale, np.ones(n) / scale
    a, u, s, t, b = np.full(n, 0.5), np.full(n, 0.5), np.ones(n), np.ones(n), 0.0  # u = 1 - a
    for _ in range(60):
        mu = float(a @ s + u @ t) / (2 * n)
        if mu < 1e-17:
            break
        stationary = Q @ a - e - s + t - (b * y if biased else 0.0)
        rhs = -stationary - s + 0.1 * mu / a + t - 0.1 * mu / u
        M = Q + np.diag(s / a + t / u)
        if biased:
            M = np.block([[M, -y[:, None]], [y[None, :], np.zeros((1, 1))]])
            rhs = np.append(rhs, -float(y @ a))
        try:
            step = np.linalg.solve(M, rhs)
        except np.linalg.LinAlgError:
            break
        da = step[:n]
        ds, dt = (0.1 * mu - s * da) / a - s, (0.1 * mu + t * da) / u - t
        size = 1.0
        for value, change in ((a, da), (u, -da), (s, ds), (t, dt)):
            falls = change < 0.0
            size = min([size, *(-0.99 * value[falls] / change[falls])])
        if not np.isfinite([size, *da, *ds, *dt]).all():
            break
        a, u, s, t = a + size * da, u - size * da, s + size * ds, t + size * dt
        b += size * float(step[n]) if biased else 0.0
    return C * np.where(a < 1e-9, 0.0, np.where(u < 1e-9, 1.0, a))


def complaints(given: Case, end: str, row: dict[str, Any] | None, model: StoredModel | None) -> list[str]:
    """Return what is not true of a run."""
    status = end.split(":")[0]
    if status not in ENDS:
        return [f"ended as {end}"]
    if row is None or model is None or status == "diverged" or "primal_objective" not in row:
        return []
    truth = Truth(given)
    scores, norm2, size = truth.responses(model)
    true = truth.primal(scores, norm2, model.bias)
    P, found = float(true), []
    agrees = ROUGH if row.get("precision") == "float32" else AGREES
    slack = truth.rounding(size, 8e-16)
    if not abs(row["primal_objective"] - P) <= agrees * P + slack:
        found.append(f"primal {row['primal_objective']:.12g} is stored, the model has {P:.12g}")
    upper, lower = best(truth, given)
    alpha = dual_point(given, model)
    small = truth.rounding(given.C * given.y.size, 1e-18) + ABOVE * P
    if row.get("dual_source") == "solver":
        D = truth.dual(alpha) if alpha is not None and model.loss == "hinge" else min(upper, true)
        if D is not None and not row["dual_objective"] <= float(D) + small:
            found.append(f"dual {row['dual_objective']:.12g} is stored, true is {float(D):.12g}")
        lower = max(lower, D) if alpha is not None and D is not None else lower
    claims = status == "converged" and registry.get(given.solver).form == "regularised" and FLAG not in end
    if claims and model.loss == "hinge" and P - float(upper) > FAR * P:
        found.append(f"{end}, but it is {(P - float(upper)) / P:.2g} above the optimum")
    return found


def best(truth: Truth, given: Case) -> tuple[Exact, Exact]:
    """Return an upper and a lower bound of the optimum from a solution of its own."""
    X = given.X.astype(np.float64)
    if truth.linear:
        X = X - X.mean(axis=0) if truth.biased else X
        K = X @ X.T
    else:
        K = truth.gram(truth.X).astype(np.float64)
    alpha = solved(K, given.y, given.C, truth.biased)
    at = np.flatnonzero(alpha)
    fields = {"kernel": given.kernel, "checksum": "", "bias": 0.0, "iterations": 0}
    model = StoredModel(**fields, indices=at, coefficients=(alpha * given.y)[at])
    scores, norm2, _ = truth.responses(model)
    one = given.y[0] if truth.biased else 0.0  # with w = 0, the best bias is the label of most
    trivial = truth.primal(
        truth.number(np.zeros(truth.n)), truth.number(np.zeros(1))[0], None if one else 0.0
    )
    dual = truth.dual(alpha)
    return min(trivial, truth.primal(scores, norm2, None if truth.biased else 0.0)), max(dual or 0, 0)


def dual_point(given: Case, model: StoredModel) -> Floats | None:
    """Return the stored α, or None."""
    alpha = np.zeros(given.y.size)
    if model.dual == "own":
        alpha[model.dual_indices] = model.dual_values
    elif model.dual == "coefficients":
        alpha[model.indices] = given.y[model.indices] * np.asarray(model.coefficients)
    else:
        return None
    return alpha


def checked(number: int, solver: str | None = None) -> tuple[Case, str, list[str]]:
    """Play one problem; return it, its end and what is wrong."""
    given = case(number, solver)
    folder = Path(tempfile.mkdtemp(prefix="degenerate-"))
    try:
        end, row, model = play(given, folder)
        return given, end, complaints(given, end, row, model)
    except UserError as refusal:
        return given, f"refused: {refusal}", []
    finally:
        shutil.rmtree(folder)


def main() -> int:
    """Play problems; print what does not hold, and how the runs ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--solver", choices=registry.names())
    asked = parser.parse_args()
    ends: Counter[str] = Counter()
    wrong, began = 0, time.process_time()
    for number in range(asked.first, asked.first + asked.count):
        try:
            given, end, found = checked(number, asked.solver)
        except Exception as error:
            given, end, found = case(number, asked.solver), "traceback", [f"{type(error).__name__}: {error}"]
        ends[end.split(":")[0]] += 1
        wrong += bool(found)
        for line in found:
            print(f"{given}: {line}", flush=True)
    spent = time.process_time() - began
    print(json.dumps({"problems": asked.count, "wrong": wrong, "ends": ends, "cpu_seconds": round(spent)}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
