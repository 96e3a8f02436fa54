"""Divide and conquer (Hsieh, Si and Dhillon 2014) with the rounds of decomposition, without bias."""

import numpy as np

from tests.specification.decomposition import Level, flat, nested

#: In the first the set around the working set has not room for all examples.
VARIANTS = [
    {"levels": 2, "sample": 20, "working_set": 4},
    {"levels": 1, "sample": 9, "working_set": 8, "eps": 1e-5},
    {"levels": 2, "early": 1, "sample": 37, "working_set": 5},
    {"sample": 28},  # with 30, rounding decides between two equal examples
]
APPROXIMATE = [VARIANTS[2]]
MAINTAINS = True
#: As in decomposition.
TIES = True
ROWS_PER_ITERATION = 2
ADDS_ROWS = True
ENDLESS = {"levels": 1, "sample": 10, "working_set": 4, "eps": 1e-12}


def run(problem, w, rng, iterations, **given):
    alpha = np.zeros(problem.n)
    for _ in zip(range(iterations), steps(problem, w.oracle, rng, alpha, **given), strict=False):
        pass
    return alpha


def steps(problem, oracle, rng, alpha, *, eps=1e-3, levels=3, sample=1000, early=0, working_set=1024):
    """Yield after each iteration, with its coefficients in `alpha`."""
    y, n, own = problem.y, problem.n, oracle.diagonal()

    def dual(members, v, most_rounds):
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

    def values(members):
        support = [i for i in members if alpha[i] > 0.0]
        return y[members] - (alpha * y)[support] @ oracle.block(support, list(members))

    def solve(members, most_rounds=64.0):
        v = y[members]
        if alpha[members].any():
            v = values(members)
            yield
        yield from dual(members, v, most_rounds)

    for level in range(levels, max(early, 1) - 1, -1):
        k = min(4**level, n)
        pool = np.flatnonzero(alpha) if np.count_nonzero(alpha) >= k else np.arange(n)
        S = sorted(pool[rng.permutation(pool.size)[:sample]])
        oracle.inner_products(len(S) ** 2)
        centres = k_means(oracle.X[S], k, rng)
        yield
        nearest = np.zeros(n, dtype=int)
        if len(centres) > 1:
            oracle.inner_products(n * len(centres))
            nearest = closest(oracle.X, centres, oracle.X[S].mean(axis=0))
            yield
        for c in range(len(centres)):
            if np.any(nearest == c):
                yield from solve(np.flatnonzero(nearest == c))
    if not early:
        if alpha.any():
            yield from solve(np.flatnonzero(alpha))
        yield from solve(np.arange(n), np.inf)


def k_means(points, k, rng):
    """The means of the groups of some points."""
    middle = points.mean(axis=0)
    centres, before = points[rng.permutation(len(points))[:k]], None
    for _ in range(101):
        nearest = closest(points, centres, middle)
        centres = np.array([points[nearest == c].mean(axis=0) for c in np.unique(nearest)])
        if np.array_equal(nearest, before):
            break
        before = np.searchsorted(np.unique(nearest), nearest)
    return centres


def closest(points, centres, middle):
    """The nearest centre of each point; of distances that are equal but for rounding, the first."""
    far = np.square(points[:, None] - centres).sum(axis=2)
    slack = 1e-6 * np.square(centres - middle).sum(axis=1).max()
    return np.array([int(np.flatnonzero(row <= row.min() + slack)[0]) for row in far])
