"""Divide and conquer (Hsieh, Si and Dhillon 2014) with the rounds of decomposition, without bias."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from svmbench.problem import Problem
from svmbench.rng import Generator
from tests.specification.decomposition import Level, flat, nested
from tests.specification.expansion import Maintained
from tests.specification.slow_oracle import SlowOracle

#: In the first the set around the working set has not room for all examples.
VARIANTS = [
    {"levels": 2, "sample": 20, "working_set": 4},
    {"levels": 1, "sample": 9, "working_set": 8, "eps": 1e-5},
    {"levels": 2, "early": 1, "sample": 37, "working_set": 5},
    {"sample": 30},
]
APPROXIMATE = [VARIANTS[2]]
MAINTAINS = True
#: As in decomposition.
TIES = True
ROWS_PER_ITERATION = 2
ADDS_ROWS = True
ENDLESS = {"levels": 1, "sample": 10, "working_set": 4, "eps": 1e-12}


def run(
    problem: Problem,
    w: Maintained,
    rng: Generator,
    iterations: int,
    **given: int,
) -> NDArray:
    alpha = np.zeros(problem.n)
    for _ in zip(range(iterations), steps(problem, w.oracle, rng, alpha, **given), strict=False):
        pass
    return alpha


def steps(
    problem: Problem,
    oracle: SlowOracle,
    rng: Generator,
    alpha: NDArray,
    *,
    eps: float = 1e-3,
    levels: int = 3,
    sample: int = 1000,
    early: int = 0,
    working_set: int = 1024,
) -> Iterator[None]:
    """Yield after each iteration, with its coefficients in `alpha`."""
    y, n, own = problem.y, problem.n, oracle.diagonal()

    def dual(members: NDArray, v: NDArray, most_rounds: float) -> Iterator[None]:
        size, part = members.size, oracle if members.size == n else oracle.subset(members)
        if size > 8 * working_set:
            level = Level(part, problem, y[members], own[members], 8 * working_set, nested(working_set))
        else:
            level = Level(part, problem, y[members], own[members], min(working_set, size), flat())
        level.a, level.v = alpha[members], v
        level.untouched = not level.a.any()
        while level.look() >= eps and level.t < most_rounds + 100 * size // level.most:
            level.round()
            alpha[members] = level.a
            yield

    def values(members: NDArray) -> NDArray:
        support = [i for i in members if alpha[i] > 0.0]
        return y[members] - (alpha * y)[support] @ oracle.block(support, list(members))

    def solve(members: NDArray, most_rounds: float = 64.0) -> Iterator[None]:
        v = y[members]
        if alpha[members].any():
            v = values(members)
            yield
        yield from dual(members, v, most_rounds)

    for level in range(levels, max(early, 1) - 1, -1):
        k = min(4**level, n)
        pool = np.flatnonzero(alpha) if np.count_nonzero(alpha) >= k else np.arange(n)
        S = sorted(pool[rng.permutation(pool.size)[:sample]])
        groups = k_means(oracle.block(S, S), k, rng)
        yield
        nearest, least = np.zeros(n, dtype=int), np.full(n, np.inf)
        slack = 1e-6 * max(norm for _, norm in groups)
        for c, (group, norm) in enumerate(groups if len(groups) > 1 else []):
            distance = norm - 2.0 * oracle.block([S[i] for i in group], list(range(n))).mean(axis=0)
            nearest[distance < least - slack] = c
            least = np.minimum(least, distance)
            yield
        for c in range(len(groups)):
            if np.any(nearest == c):
                yield from solve(np.flatnonzero(nearest == c))
    if not early:
        if alpha.any():
            yield from solve(np.flatnonzero(alpha))
        yield from solve(np.arange(n), np.inf)


def k_means(K: NDArray, k: int, rng: Generator) -> list[tuple[list[int], float]]:
    """The groups of the points with that kernel matrix, and the squared norms of their means."""
    points = range(len(K))
    groups = [[i] for i in rng.permutation(len(K))[:k]]
    before = None
    for _ in range(101):
        norms = [K[np.ix_(g, g)].mean() for g in groups]
        far = np.array([[norm - 2.0 * K[i, g].mean() for norm, g in zip(norms, groups)] for i in points])
        # Of distances that are equal but for rounding, the first.
        nearest = [int(np.flatnonzero(row <= row.min() + 1e-6 * max(norms))[0]) for row in far]
        groups = [[i for i in points if nearest[i] == c] for c in range(len(groups))]
        groups = [g for g in groups if g]
        if groups == before:
            break
        before = groups
    return [(g, K[np.ix_(g, g)].mean()) for g in groups]
