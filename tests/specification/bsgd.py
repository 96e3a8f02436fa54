"""Budgeted stochastic gradient descent (Wang, Crammer and Vucetic 2012; Glasmachers and Qaadan 2018)."""

from functools import cache

import numpy as np
import scipy.optimize

from tests.specification.expansion import Maintained

VARIANTS = [
    {"budget": 6},
    {"budget": 6, "search": "golden"},
    {"budget": 9, "together": 4},
    {"budget": 6, "maintenance": "removal"},
    {"budget": 6, "maintenance": "projection"},
    {"budget": 1},
]
APPROXIMATE = VARIANTS
ON_DEMAND = True
POINTS = True
GRID = 400


def merged(m, kappa, h):
    """The best coefficient of h u + (1 - h) v for m Φ(u) + (1 - m) Φ(v)."""
    return m * kappa ** (1.0 - h) ** 2 + (1.0 - m) * kappa**h**2


def loss_at(m, kappa, h):
    return m**2 + (1.0 - m) ** 2 + 2.0 * m * (1.0 - m) * kappa - merged(m, kappa, h) ** 2


@cache
def node(i, j):
    """The best position, the zero of the derivative on the side of the larger coefficient, and its loss."""
    m, kappa = 0.5 + 0.5 * i / (GRID - 1), j / (GRID - 1)
    if kappa == 0.0:
        return 1.0, loss_at(m, kappa, 1.0)

    def slope(h):
        return m * (1.0 - h) * kappa ** (1.0 - h) ** 2 - (1.0 - m) * h * kappa**h**2

    scan = np.linspace(0.5, 1.0, 2001)
    positive = np.flatnonzero([slope(h) > 1e-15 for h in scan])
    h = 0.5
    if positive.size and positive[-1] < 2000:
        h = scipy.optimize.brentq(slope, scan[positive[-1]], scan[positive[-1] + 1], xtol=1e-14)
    return h, loss_at(m, kappa, h)


def looked_up(m, kappa):
    x, y = (2.0 * m - 1.0) * (GRID - 1), kappa * (GRID - 1)
    i, j = min(int(x), GRID - 2), min(int(y), GRID - 2)
    u, v = x - i, y - j
    corners = np.array([[node(i, j), node(i, j + 1)], [node(i + 1, j), node(i + 1, j + 1)]])
    h, loss = np.einsum("a,b,abc->c", [1.0 - u, u], [1.0 - v, v], corners)
    return h, loss


def golden(m, kappa):
    low, high, ratio = 0.5, 1.0, (np.sqrt(5.0) - 1.0) / 2.0
    while high - low > 0.01:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if merged(m, kappa, left) > merged(m, kappa, right):
            high = right
        else:
            low = left
    h = max(1.0, (low + high) / 2.0, key=lambda h: merged(m, kappa, h))
    return h, loss_at(m, kappa, h)


class Expansion:
    """v = Σ a_k Φ(b_k), oldest points first, in the form of ``w``."""

    def __init__(self, w):
        self.oracle, self.maintained = w.oracle, isinstance(w, Maintained)
        self.points = []
        self.a = []
        self.source = []
        self.values = np.zeros(0)

    def score(self, i):
        """<v, Φ(x_i)>; under the form that maintains responses it costs nothing."""
        noted = len(self.oracle.pairs), self.oracle.beside
        self.values = self.oracle.between(self.oracle.X[i], self.points)
        if self.maintained:
            del self.oracle.pairs[noted[0] :]
            self.oracle.beside = noted[1]
        return float(self.values @ self.a)

    def changed(self, count):
        """So many coefficients changed, came or went."""
        if self.maintained:
            self.oracle.pairs.extend((-1, j) for _ in range(count) for j in range(self.oracle.n))

    def add(self, point, a, source):
        self.points.append(point)
        self.a.append(a)
        self.source.append(source)

    def remove(self, k):
        for values in (self.points, self.a, self.source):
            del values[k]

    def merge(self, best=looked_up, together=2):
        """Merge the smallest point with its partners and return the number of evaluations."""

        def pair(a, b, kappa):
            """Of a merge of coefficients a and b: the part of the first point, the coefficient, the loss."""
            m = max(abs(a), abs(b)) / abs(a + b)
            h, loss = best(m, kappa)
            part = h if abs(a) >= abs(b) else 1.0 - h
            return part, (a + b) * merged(m, kappa, h), (a + b) ** 2 * (loss if loss > 1e-13 else 0.0)

        p = int(np.argmin(np.abs(self.a)))
        others = [k for k in range(len(self.a)) if k != p and self.a[k] * self.a[p] > 0.0]
        values = self.oracle.between(self.points[p], [self.points[k] for k in others])
        kappas = dict(zip(others, values, strict=True))
        losses = {k: pair(self.a[p], self.a[k], kappas[k])[2] for k in others}
        partners = sorted(others, key=losses.__getitem__)[: together - 1]
        z, a, evaluations = self.points[p], self.a[p], len(others)
        for rank, k in enumerate(partners):
            kappa = kappas[k]
            if rank:
                kappa = self.oracle.between(z, [self.points[k]])[0]
                evaluations += 1
            part, a, _ = pair(a, self.a[k], kappa)
            z = part * z + (1.0 - part) * self.points[k]
        for k in sorted([p, *partners], reverse=True):
            self.remove(k)
        if partners:
            self.add(z, a, -1)
        self.changed(len(partners) + (2 if partners else 1))
        return evaluations

    def responses(self, y):
        """y_i <v, Φ(x_i)>, which nobody is charged for."""
        return y * np.array([self.kernel(x) @ self.a for x in self.oracle.X])

    def kernel(self, b):
        """The values of b with the points, not charged: those at hand, or those of an observer."""
        return np.exp(-self.oracle.kernel["gamma"] * np.square(np.array(self.points) - b).sum(axis=1))


def run(problem, w, rng, iterations, *, budget=500, maintenance="merging", search="lookup", together=2):
    y, n, oracle = problem.y, problem.n, w.oracle
    v = Expansion(w)
    best = looked_up if search == "lookup" else golden
    searched = 0

    def gram():
        """Values that are at hand: each was evaluated for the response of the later point of the two."""
        return np.array([v.kernel(b) for b in v.points])

    def project():
        K = gram()
        losses = np.square(v.a) / np.diagonal(np.linalg.inv(K))
        p = int(np.argmin(losses))
        others = [k for k in range(len(v.a)) if k != p]
        onto = np.linalg.solve(K[np.ix_(others, others)], K[others, p]) if others else np.zeros(0)
        for k, part in zip(others, onto, strict=True):
            v.a[k] += v.a[p] * part
        v.remove(p)
        v.changed(len(others) + 1)

    def learn(i):
        """Add an example; return the evaluations for maintenance."""
        if i in v.source:
            v.a[v.source.index(i)] += y[i]
            v.changed(1)
            return 0
        if maintenance == "projection" and v.points:
            onto = np.linalg.solve(gram(), v.values)
            if 1.0 - v.values @ onto <= 1e-6:
                v.a = list(np.asarray(v.a) + y[i] * onto)
                v.changed(len(v.a))
                return 0
        v.add(oracle.X[i], y[i], i)
        v.changed(1)
        if len(v.a) <= budget:
            return 0
        if maintenance == "merging":
            return v.merge(best, together)
        if maintenance == "projection":
            project()
        else:
            v.remove(int(np.argmin(np.abs(v.a))))
            v.changed(1)
        return 0

    for t in range(1, iterations + 1):
        i = rng.integers(n)
        response = y[i] * v.score(i)
        if t > 1:
            response /= problem.lam * (t - 1)
        if response < 1.0:
            searched += learn(i)
    oracle.iterated = n * iterations + searched
    return v.responses(y) / (problem.lam * iterations)
