"""Sparse kernel SVM by cutting planes on points of its own.

T. Joachims, C.-N. J. Yu, Sparse Kernel SVMs via Cutting-Plane Training, Machine Learning 76, 2009.
"""

from types import SimpleNamespace

import numpy as np

from tests.specification.one_slack import Cuts

# An example on which two cuts differ lies at margin 1 exactly once both are in the solution: with a small eps
# rounding decides.
VARIANTS = [{"k": 12, "eps": 0.01}, {"k": 30, "eps": 0.02, "gain": 0.5}]
MAINTAINS = True
APPROXIMATE = VARIANTS
POINTS = True


def run(problem, w, rng, iterations, *, k, eps=1e-3, gain=1e-6):
    y, n, oracle = problem.y, problem.n, w.oracle
    everyone = list(range(n))
    oracle.iterated = 0
    points = []
    rows = []
    own = []
    usual = []
    sets = []
    weights, nearest = np.zeros(0), np.inf
    turn = in_vain = 0
    cuts = Cuts(problem, SimpleNamespace(X=np.zeros((n, 0))))

    def factor():
        G = np.eye(len(points))
        for r, values in enumerate(own):
            G[r, :r] = G[:r, r] = values
        return np.linalg.cholesky(G)

    def features():
        return np.linalg.solve(factor(), np.array(rows)) if points else np.zeros((0, n))

    def gradient(below):
        return features() @ (y * below) / n

    def pre_image(below):
        at = list(np.flatnonzero(below))
        q = y[at] / n
        if points:
            q = np.concatenate([q, -np.linalg.solve(factor().T, gradient(below))])
        Z = np.array([*oracle.X[at], *points])

        def shares(b):
            return q * np.concatenate([oracle.foreign(b, at), oracle.between(b, points)])

        for _ in range(4):
            b = Z[np.searchsorted(np.cumsum(np.abs(q)), rng.random() * np.abs(q).sum(), side="right")]
            share = shares(b)
            if abs(share.sum()) > 1e-12 * np.abs(share).sum():
                break
        else:
            return b, share.sum() ** 2
        step = share @ Z / share.sum() - b
        for _ in range(1000):
            if np.linalg.norm(step) < 1e-6:
                break
            ahead = shares(b + step)
            if abs(ahead.sum()) > abs(share.sum()):
                b, share = b + step, ahead
                step = share @ Z / share.sum() - b
            else:
                step = step / 2.0
        return b, share.sum() ** 2

    def extend(below):
        b, gained = pre_image(below)
        usual.append(0.9 * usual[-1] + 0.1 * gained if usual else gained)
        if gained <= gain * usual[-1]:
            return False
        row, values = oracle.foreign(b, everyone), oracle.between(b, points)
        z = np.linalg.solve(factor(), values) if points else np.zeros(0)
        if 1.0 - z @ z <= 1e-6:
            return False
        points.append(b)
        rows.append(row)
        own.append(list(values))
        return True

    for _ in range(iterations):
        evaluations = len(oracle.pairs)
        Z = features()
        weights = np.pad(weights, (0, len(points) - len(weights)))
        below = y * (weights @ Z) < 1.0
        missing = below.mean() - weights @ gradient(below) - cuts.slack
        near = missing <= eps
        if not near:
            sets.append(below)
            turn = len(sets) - 1
            cuts.offset = np.append(cuts.offset, below.mean())
            cuts.a, cuts.idle = np.append(cuts.a, 0.0), np.append(cuts.idle, 0)
            nearest = min(nearest, missing)
        elif len(points) == k or in_vain == len(sets):
            oracle.iterated += n
            break
        found = len(points) < k and extend(sets[turn % len(sets)])
        turn += 1
        oracle.iterated += n + len(oracle.pairs) - evaluations
        if near and not found:
            in_vain += 1
            continue
        in_vain = 0
        cuts.g = np.array([np.zeros(len(points)), *(gradient(V) for V in sets)])
        cuts.G = cuts.g @ cuts.g.T
        weights = cuts.solve(absolute=0.25 * nearest * problem.C * n)
        sets = [V for V, count in zip(sets, cuts.idle[1:], strict=True) if count < 5]
        cuts.drop(5)
    Z = features()
    return y * (np.pad(weights, (0, len(points) - len(weights))) @ Z)
