"""RandSVM around SMO, one coordinate or pairs by the bias.

K. Krishnan, C. Bhattacharyya, R. Hariharan, A Randomized Algorithm for Large Scale Support Vector Learning,
NIPS 2007.
"""

from functools import partial

import numpy as np

from svmbench.problem import Problem, dual_objective
from tests.specification import smo, smo_pair
from tests.specification.expansion import Maintained
from tests.specification.slow_oracle import SlowOracle

VARIANTS = [
    {"k": 8, "separable": False},
    {"k": 30, "c": 1.0},
    {"k": 20, "c": 1.2, "eps": 0.01},
]
APPROXIMATE = VARIANTS
ENDLESS = {"k": 1_000, "c": 1.0, "eps": 1e-300}
MAINTAINS = True


def run(
    problem,
    w,
    rng,
    iterations,
    *,
    k,
    c=2.0,
    eps=1e-3,
    separable=True,  # a part of the formula for k, which is given here
):
    y, n, C = problem.y, problem.n, problem.C
    w.oracle.diagonal()
    inner = smo if problem.bias == "none" else smo_pair
    given = (
        {"selection": "gain"} if problem.bias == "none" else {"selection": "second_order", "shrinking": True}
    )
    size = min(n, round(c * k))
    support, candidates = np.zeros(0, dtype=int), np.arange(n)
    left, last = iterations, None
    answer = np.zeros(n)
    while True:
        drawn = rng.permutation(candidates.size)[: size - support.size]
        chosen = np.concatenate([support, candidates[drawn]])
        others = np.flatnonzero(y != y[chosen[0]])
        if problem.bias != "none" and others.size and not np.any(y[chosen] != y[chosen[0]]):
            chosen = np.append(chosen[: max(chosen.size - 1, 1)], others[rng.integers(others.size)])
        sample = np.sort(chosen)
        part = Problem.build(y[sample], C=C, bias=problem.bias)
        solve = partial(inner.run, part, eps=eps, **given)
        rows = partial(rows_of, solve, w.oracle, sample, part.y, rng)
        low, high = 0, left + 1  # the inner solver ends after `low` iterations, or goes on after `left`
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if rows(middle) > rows(middle - 1) else (low, middle)
        alpha = np.zeros(n)
        alpha[sample] = solve(Maintained(w.oracle.subset(sample), part.y), rng, low)
        left -= low
        if left == 0 or size == n:
            answer = alpha if last is None else answer
            break
        answer = alpha
        left -= 1
        support = np.flatnonzero(alpha)
        K = np.float32(w.oracle._values).astype(float)
        w.oracle.pairs.extend((i, j) for i in support for j in range(n))
        w.oracle.beside += support.size * n
        f = K[:, support] @ (alpha * y)[support]
        margins = y * (f + bias(alpha[sample], (y - f)[sample], part))
        margins[sample] = np.inf
        candidates = np.flatnonzero(margins < 1.0 - eps)
        state = support, dual_objective(problem.lam, alpha, float((alpha * y) @ f))
        stuck = (
            last is not None
            and np.array_equal(support, last[0])
            and state[1] <= last[1] + 1e-12 * abs(last[1])
        )
        if candidates.size == 0 or support.size >= k or stuck:
            break
        last = state
    w.oracle.iterated = len(w.oracle.pairs) - w.oracle.setup
    return answer


def rows_of(solve, oracle, sample, y, rng, iterations):
    """How many rows the inner solver takes, noted nowhere."""
    trial = SlowOracle.__new__(SlowOracle)
    trial.__dict__.update(vars(oracle), pairs=[], subsets=[])
    part = trial.subset(sample)
    solve(Maintained(part, y), rng, iterations)
    return len(part.rows)


def bias(alpha, v, problem):
    if problem.bias == "none":
        return 0.0
    free = (alpha > 0) & (alpha < problem.C)
    if free.any():
        return float(v[free].mean())
    up = np.where(problem.y > 0, alpha < problem.C, alpha > 0)
    ends = [*([v[up].max()] if up.any() else []), *([v[~up].min()] if not up.all() else [])]
    return sum(ends) / len(ends)
