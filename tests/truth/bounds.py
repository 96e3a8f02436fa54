"""Bounds of duality gaps against extended precision: is any of them below the truth?

    python -m tests.truth.bounds COUNT [--seed N]

makes bounds of each kind (`svmbench.certify.gap_bounds`) until there are COUNT of each, on random problems,
and says how many pass the truth. A problem is a few dozen examples of a random kind (indicators, whole
numbers, indicators beside numbers, plain, sparse, far from 0, with copies of each other), a random width of
the Gaussian kernel and C, in a third of the cases with random weights of the losses, and a dual point of it:
what an exact solver has after a random number of iterations, or a random one whose responses are moved along
rows of single precision from where they are exact. The truth is made of the coefficients alone by numpy in
80-bit numbers (64 bits of mantissa), features taken as float64.
"""

import argparse
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svmbench.certify import gap_bounds
from svmbench.certify.gap_bounds import GapBound, GapBounds, Point
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry

Floats = NDArray[np.float64]

#: Points of a problem that follow each other.
POINTS = 8

#: What sums of float64 may be off by, relative to the numbers that are added up.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Case:
    """A problem, a point, and what is true of it."""

    oracle: Oracle
    problem: Problem
    point: Point
    bias: float | None
    gram: NDArray[np.longdouble]

    @property
    def sampled(self) -> bool:
        """Whether errors of kernel values can be sampled."""
        return self.oracle.layout_name in ("dense", "mixed")

    def truth(self, b: float) -> tuple[float, float, float]:
        """Return primal objective at α's w and b, dual objective, and what float64 may make of either."""
        y, alpha, n = self.problem.y, self.point.alpha, self.problem.n
        wide = alpha.astype(np.longdouble)
        lam = np.longdouble(1.0) / (np.longdouble(self.problem.C) * n)
        responses = y * (self.gram @ (wide * y))
        weights = np.ones(n) if self.problem.weights is None else self.problem.weights
        loss = (weights * np.maximum(np.longdouble(0.0), 1.0 - responses - y * np.longdouble(b))).mean()
        norm2 = wide @ responses
        size = float(weights.mean()) + float(lam * wide.sum())
        slack = ROUNDING * (1.0 + abs(b) + float(alpha.sum())) * size
        return float(0.5 * lam * norm2 + loss), float(lam * (wide.sum() - 0.5 * norm2)), slack


def examples(rng: np.random.Generator) -> tuple[Any, str]:
    """Return random examples and what they are."""
    n, d = int(rng.integers(60, 300)), int(rng.integers(1, 40))
    kind = str(rng.choice(["bits", "bytes", "mixed", "mixed", "dense", "sparse", "far", "copies"]))
    X = rng.normal(size=(n, d)).astype(np.float32)
    if kind == "bits":
        X = (X > 0.3).astype(np.float32)
    elif kind == "bytes":
        X = rng.integers(0, 256, (n, d)).astype(np.float32) / np.float32(255.0)
    elif kind == "mixed":
        X = np.hstack([X[:, :3], np.eye(7, dtype=np.float32)[rng.integers(0, 7, n)]])
    elif kind == "sparse":
        return sp.csr_array(np.where(rng.random((n, d)) < 0.2, X, 0.0).astype(np.float32)), kind
    elif kind == "far":
        X = (X + 10.0 ** rng.uniform(0.0, 6.0)).astype(np.float32)
    elif kind == "copies":
        X = X[rng.integers(0, max(n // 3, 1), n)]
    return X, kind


def gram(X: Any, oracle: Oracle, gamma: float) -> NDArray[np.longdouble]:
    """Return the kernel matrix in extended precision."""
    rows = oracle.exact_rows(np.arange(oracle.n))
    rows = (rows.toarray() if sp.issparse(rows) else np.asarray(rows)).astype(np.longdouble)
    squared = np.zeros((len(rows), len(rows)), dtype=np.longdouble)
    for column in rows.T:
        squared += np.square(column[:, None] - column)
    return np.exp(-np.longdouble(gamma) * squared)


def dual_point(rng: np.random.Generator, K: Floats, y: Floats, C: Floats, biased: bool) -> Floats:
    """Return a random dual point, or one some coordinate steps nearer to the optimum."""
    alpha = np.where(rng.random(y.size) < 0.4, C, 0.0)
    some = rng.random(y.size) < rng.choice([0.0, 0.05, 0.3])
    alpha[some] = rng.uniform(0.0, C[some])
    for _ in range(int(rng.choice([0, 3, 30]))):
        gradient = 1.0 - y * (K @ (alpha * y))
        alpha = np.clip(alpha + gradient / max(1.0, float(np.abs(K).sum(axis=1).max())), 0.0, C)
    if biased:
        weights = [float(alpha[y == sign].sum()) for sign in (1.0, -1.0)]
        for sign, weight in zip((1.0, -1.0), weights, strict=True):
            if weight > 0.0:
                alpha[y == sign] *= min(weights) / weight
    return alpha


def solver_point(rng: np.random.Generator, problem: Problem, oracle: Oracle) -> Point | None:
    """Return what an exact solver has after some iterations; None where its responses are not known."""
    names = ("decomposition", "svm_light", "gpdt", "smo" if problem.bias == "none" else "smo_pair")
    solver = registry.get(str(rng.choice(names)))
    if problem.weights is not None and not solver.weighted:
        return None
    run = solver(solver.Params(eps=10.0 ** rng.uniform(-9.0, -2.0))).start(problem, oracle, Generator(0))
    run.advance("iterations", int(10.0 ** rng.uniform(1.0, 4.0)))
    found = run.snapshot()
    if found.responses is None or found.exact_at is None:
        return None
    return Point(found.alpha, found.responses, found.exact_at)


def random_point(
    rng: np.random.Generator, problem: Problem, oracle: Oracle, K: NDArray[np.longdouble]
) -> Point:
    """Return a random dual point with responses from a random one where they are exact."""
    y = problem.y
    alpha = dual_point(rng, K.astype(np.float64), y, problem.bounds, problem.bias != "none")
    before = alpha * rng.choice([0.0, 0.5, 1.0, 1.0 + 1e-6])
    rows = oracle.block(np.arange(problem.n)).astype(np.float64)
    exact = (K @ (before * y).astype(np.longdouble)).astype(np.float64)
    return Point(alpha, y * (exact + rows @ ((alpha - before) * y)), before)


@lru_cache(maxsize=4)
def posed(number: int) -> tuple[Problem, Oracle, NDArray[np.longdouble]]:
    """Return a random problem, its examples and their kernel matrix in extended precision."""
    rng = np.random.default_rng(number)
    X, _ = examples(rng)
    n = X.shape[0]
    rows = X.toarray() if sp.issparse(X) else X
    side = rows @ rng.normal(size=rows.shape[1])
    y = np.where((side > np.median(side)) ^ (rng.random(n) < rng.choice([0.0, 0.1, 0.4])), 1.0, -1.0)
    y[:2] = 1.0, -1.0
    gamma, C = 10.0 ** rng.uniform(-3.0, 1.0) / X.shape[1], 10.0 ** rng.uniform(-1.0, rng.choice([2.0, 6.0]))
    biased = bool(rng.random() < 0.5)
    oracle = Oracle(
        X, {"name": "gaussian", "gamma": gamma}, precision=str(rng.choice(["auto", "auto", "double"]))
    )
    kind = np.random.default_rng([number, 2])
    weights = 10.0 ** kind.uniform(-1.5, 1.5, n) if kind.random() < 1.0 / 3.0 else None
    problem = Problem.build(y, C=C, bias="unregularised" if biased else "none", weights=weights)
    return problem, oracle, gram(X, oracle, gamma)


def case(number: int) -> Case | None:
    """Return a random problem with one of several points; None if there is no dual point."""
    rng = np.random.default_rng([number, 1])
    problem, oracle, K = posed(number // POINTS)
    found = rng.random() < 0.8
    point = solver_point(rng, problem, oracle) if found else random_point(rng, problem, oracle, K)
    bias = None if problem.bias == "none" or rng.random() < 0.9 else float(rng.normal())
    if point is None or not GapBounds(problem, oracle).feasible(point.alpha):
        return None
    return Case(oracle, problem, point, bias, K)


def complaints(case: Case, bound: GapBound) -> list[str]:
    """Return what is wrong with a bound."""
    primal, dual, slack = case.truth(bound.bias)
    found = []
    if bound.gap < primal - dual - 2.0 * slack:
        found.append(f"gap {bound.gap!r} is below {primal - dual!r}")
    if bound.relative_gap < (primal - dual) / primal - 4.0 * slack / primal:
        found.append(f"relative gap {bound.relative_gap!r} is below {(primal - dual) / primal!r}")
    if not abs(bound.primal - primal) <= bound.error + 2.0 * slack:
        found.append(f"primal objective {bound.primal!r} is not within {bound.error:.1e} of {primal!r}")
    if bound.dual - bound.error > dual + 2.0 * slack:
        found.append(f"dual objective {bound.dual!r} less {bound.error:.1e} is above {dual!r}")
    return found


def bounds(case: Case) -> list[GapBound]:
    """Return bounds of every kind at a point, some as if kernel values had larger errors than they have."""
    made, effort = GapBounds(case.problem, case.oracle), gap_bounds._EFFORT
    found = [made.quick(case.point, case.bias), made.confirmed(case.point, case.bias)]
    try:
        gap_bounds._EFFORT = 1e9
        for error in coarse(case) if case.sampled else coarse(case)[:1]:
            doubtful = GapBounds(case.problem, _Doubtful(case.oracle, error))
            found.append(doubtful.confirmed(case.point, case.bias))
    finally:
        gap_bounds._EFFORT = effort
    return found


class _Doubtful:
    """An oracle that claims larger errors than it has, so that kernel sums are bounded by samples."""

    def __init__(self, oracle: Oracle, error: float) -> None:
        self._oracle = oracle
        r, s = oracle.value_error
        self.value_error = (r, s + error)
        self.exact_price = 1e6

    def __getattr__(self, name: str) -> Any:
        return getattr(self._oracle, name)


def coarse(given: Case) -> list[float]:
    """Return errors of kernel values at which some examples, and not all, may be on either side."""
    size = 1.0 + float(given.point.alpha.sum())
    return [10.0**-exponent / size for exponent in (0.25, 0.5, 1.0, 1.5, 2.0)]


def survey(count: int, seed: int = 0, say: Any = None) -> tuple[Counter[str], list[str]]:
    """Make bounds until there are `count` of each kind; return how many there are, and what is wrong."""
    made: Counter[str] = Counter()
    wrong, number = [], seed
    while min(made[kind] for kind in ("rounding", "confidence", "float64")) < count:
        number += 1
        given = case(number)
        enough = min(made["rounding"], made["float64"]) >= count
        if given is None or (enough and not given.sampled):
            continue
        for bound in bounds(given):
            made[bound.kind] += 1
            made[f"weighted {bound.kind}"] += given.problem.weights is not None
            wrong += [f"{number}: {bound.kind}: {text}" for text in complaints(given, bound)]
        if say is not None and number % 1000 == 0:
            say(f"{number} problems, {dict(made)}, {len(wrong)} wrong")
    return made, wrong


def main() -> None:
    """Make the survey of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    made, wrong = survey(asked.count, asked.seed, print)
    print(*wrong, sep="\n")
    print(f"{dict(made)}: {len(wrong)} below the truth")


if __name__ == "__main__":
    main()
