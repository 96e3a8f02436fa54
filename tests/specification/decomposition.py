"""Decomposition with a large working set (papers, B18 and B25 for the scheme), with and without bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmbench.problem import Problem
from svmbench.solvers.parts.random import Generator
from tests.specification.expansion import Maintained

VARIANTS = [{"working_set": 8}, {"working_set": 11, "eps": 1e-6}, {"working_set": 16}, {"eps": 1e-7}]
MAINTAINS = True
ROWS_PER_ITERATION = 2
#: Rows are only added up: where making one is as quick as reading it, none is kept.
ADDS_ROWS = True


def run(
    problem: Problem,
    w: Maintained,
    rng: Generator,
    iterations: int,
    *,
    working_set: int = 1024,
    eps: float = 1e-3,
) -> NDArray:
    y, C, n = problem.y, problem.C, problem.n
    balanced = problem.bias == "unregularised"
    most = min(working_set, n)
    diagonal = w.oracle.diagonal()
    v = y.copy()
    K = np.zeros((most, most))
    B: list[int] = []
    since = np.zeros(n, dtype=int)

    for t in range(iterations):
        up = np.where(y > 0, w.a < C, w.a > 0)
        down = np.where(y > 0, w.a > 0, w.a < C)
        highest = max(np.flatnonzero(up), key=lambda i: v[i], default=None)
        lowest = min(np.flatnonzero(down), key=lambda i: v[i], default=None)
        high = v[highest] if up.any() else -np.inf
        low = v[lowest] if down.any() else np.inf
        violation = high - low if balanced else max(high, -low)
        if violation < eps:
            break

        each = max(1, most // 4 if B else most // 2)
        outside = np.setdiff1d(np.arange(n), B)
        rising = [i for i in outside if up[i] and v[i] > (low if balanced else 0.0)]
        falling = [i for i in outside if down[i] and v[i] < (high if balanced else 0.0)]
        newcomers = {*sorted(rising, key=lambda i: -v[i])[:each], *sorted(falling, key=lambda i: v[i])[:each]}

        at_bound = np.where(up & down, 0, np.where(w.a == 0.0, 1, 2))
        ranks = [(at_bound[i], t - since[i], -s) for s, i in enumerate(B) if i not in (highest, lowest)]
        by_rank = [-s for _, _, s in sorted(ranks, reverse=True)]
        places = sorted(by_rank[: max(0, len(B) + len(newcomers) - most)])
        places += range(len(B), len(B) + len(newcomers) - len(places))
        for s, i in zip(places, sorted(newcomers), strict=True):
            B[s : s + 1] = [i]
            since[i] = t
        values = w.oracle.block(sorted(newcomers), B)
        K[: len(B), places] = values.T
        K[places, : len(B)] = values

        signed = (w.a * y)[B]
        beta, box = signed.copy(), (np.where(y > 0, 0.0, -C)[B], np.where(y > 0, C, 0.0)[B])
        solve = pairs if balanced else singles
        solve(K[: len(B), : len(B)], diagonal[B], *box, beta, v[B], 0.1 * violation, 100 * most)
        for i, before, after in zip(B, signed, beta, strict=True):
            if after != before:
                w.a[i] = abs(after)
                v += (before - after) * w.oracle.row(i)
    return w.a


def pairs(
    K: NDArray,
    own: NDArray,
    least: NDArray,
    most: NDArray,
    beta: NDArray,
    v: NDArray,
    eps: float,
    steps: int,
) -> None:
    for _ in range(steps):
        up, down = np.where(beta < most, 0.0, -np.inf), np.where(beta > least, 0.0, np.inf)
        # Without its last bits: of a pair that was made equal, rounding must not choose.
        coarse = (v.view(np.int64) & ~0xFFFFF).view(np.float64)
        i = int(np.argmax(coarse + up))
        high, low = v[i] + up[i], (v + down).min()
        if not high - low >= eps:
            return
        below = np.maximum(high - (v + down), 0.0)
        j = int(np.argmax(below * below / positive(own[i] + own - 2.0 * K[i])))
        room_i, room_j = most[i] - beta[i], beta[j] - least[j]
        step = min((high - v[j]) / positive(own[i] + own[j] - 2.0 * K[i, j]), room_i, room_j)
        beta[i] = most[i] if step == room_i else beta[i] + step
        beta[j] = least[j] if step == room_j else beta[j] - step
        v -= step * (K[i] - K[j])


def singles(
    K: NDArray,
    own: NDArray,
    least: NDArray,
    most: NDArray,
    beta: NDArray,
    v: NDArray,
    eps: float,
    steps: int,
) -> None:
    for _ in range(steps):
        rising, falling = np.where(beta < most, v, 0.0).max(), np.where(beta > least, -v, 0.0).max()
        if not max(rising, falling) >= eps:
            return
        step = np.clip(beta + v / positive(own), least, most) - beta
        i = int(np.argmax(step * (v - 0.5 * own * step)))
        after = np.clip(beta[i] + v[i] / positive(own[i]), least[i], most[i])
        change = after - beta[i]
        beta[i] = after
        v -= change * K[i]


def positive(curvature: NDArray) -> NDArray:
    return np.where(curvature > 0.0, curvature, 1e-12)
