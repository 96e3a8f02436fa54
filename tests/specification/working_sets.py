"""What the decomposition methods share: selection, update, stopping.

T. Joachims, Making Large-Scale SVM Learning Practical, in Advances in Kernel Methods, MIT Press, 1999,
chapter 11.
"""

from itertools import zip_longest

import numpy as np

from tests.specification.small_qp import movable


class Decomposition:
    """The state of a decomposition method; ``inner(Q, z, g, y)`` solves a working set."""

    def __init__(self, problem, w, eps, q, n_new, inner):
        w.oracle.diagonal()
        self.problem, self.w, self.eps, self.q, self.n_new, self.inner = problem, w, eps, q, n_new, inner
        self.with_bias = problem.bias == "unregularised"
        self.v = problem.y.copy()
        self.active = np.ones(problem.n, dtype=bool)
        self.batch = []
        self.entered = {}
        self.t = 0

    def ends(self):
        up, down = self.movable()
        return self.v[up].max(initial=-np.inf), self.v[down].min(initial=np.inf)

    def movable(self):
        up, down = movable(self.w.a, self.problem.C, self.problem.y)
        return up & self.active, down & self.active

    def b(self):
        if not self.with_bias:
            return 0.0
        free = [i for i in self.batch if 0.0 < self.w.a[i] < self.problem.C]
        if free:
            return float(np.mean(self.v[free]))
        return float(np.mean([end for end in self.ends() if np.isfinite(end)]))

    def violation(self):
        high, low = self.ends()
        return max(high - self.b(), self.b() - low)

    def select(self):
        up, down = self.movable()
        highest = sorted(np.flatnonzero(up), key=lambda i: -self.v[i])
        lowest = sorted(np.flatnonzero(down), key=lambda i: self.v[i])
        if self.with_bias:
            pairs = list(zip(highest, lowest, strict=False))[: self.q // 2]
            groups = [pair for pair in pairs if self.v[pair[0]] - self.v[pair[1]] > self.eps]
        else:
            above = [i for i in highest if self.v[i] > self.eps]
            below = [i for i in lowest if self.v[i] < -self.eps]
            both = zip_longest(above[: self.q], below[: self.q])
            groups = [(i,) for pair in both for i in pair if i is not None]
        chosen = []
        for group in groups:
            more = [*chosen, *(int(i) for i in group)]
            if len(more) > self.q or sum(i not in self.entered for i in more) > self.n_new:
                break
            chosen = more
        rest = [i for i in self.batch if i not in chosen and self.active[i]]
        return (chosen + sorted(rest, key=self.rank))[: self.q]

    def rank(self, i):
        """Free, then at 0, then at C; the youngest first."""
        a = self.w.a[i]
        return (0 if 0.0 < a < self.problem.C else 1 if a <= 0.0 else 2), -self.entered[i]

    def step(self):
        y, oracle = self.problem.y, self.w.oracle
        self.batch = self.select()
        self.entered = {i: self.entered.get(i, self.t) for i in self.batch}
        B = np.array(self.batch)
        K = np.array([oracle.row(i)[B] for i in self.batch])
        z = self.inner(y[B, None] * y[B] * K, self.w.a[B], -y[B] * self.v[B], y[B])
        for i, value in reversed(list(zip(self.batch, z, strict=True))):
            change = value - self.w.a[i]
            if change != 0.0:
                self.w.a[i] = value
                self.v[self.active] -= y[i] * change * oracle.again(i)[self.active]
        self.t += 1
