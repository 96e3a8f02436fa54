"""Cuts of the mean hinge loss and the quadratic program over them, by pair steps.

T. Joachims, Training Linear SVMs in Linear Time, KDD 2006: the problem and the cuts of Algorithm 1.
"""

import numpy as np


class Cuts:
    """Cuts, the first of which is empty: its coefficient is what the others leave of 1/λ."""

    def __init__(self, problem, x):
        self.x = x
        self.n = problem.n
        self.g = np.zeros((1, x.X.shape[1]))
        self.offset = np.zeros(1)
        self.G = np.zeros((1, 1))
        self.a = np.array([1.0 / problem.lam])
        self.idle = np.zeros(1, dtype=int)
        self.slack = self.dual = self.gap = 0.0

    @property
    def count(self):
        return len(self.a) - 1

    def add(self, V):
        """Add the cut of the examples for which V is true."""
        g = self.x.y[V] @ self.x.X[V] / self.n
        self.g = np.vstack([self.g, g])
        self.offset = np.append(self.offset, np.count_nonzero(V) / self.n)
        self.G = np.pad(self.G, (0, 1))
        products = [self.x.between(other, g) for other in self.g[1:]]
        self.G[-1, 1:] = self.G[1:, -1] = products
        self.a = np.append(self.a, 0.0)
        self.idle = np.append(self.idle, 0)

    def solve(self, absolute=0.0, relative=0.0):
        """Pair steps to the highest cut from the one that gains most; return w."""
        sizes = self.a @ (np.abs(self.offset) + np.abs(self.G) @ self.a)
        noise = 4.0 * np.finfo(float).eps * sizes
        h = self.offset - self.G @ self.a
        while True:
            up = int(np.argmax(h))
            self.slack = h[up]
            self.gap = gap = float(self.a @ (h[up] - h))
            self.dual = 0.5 * float(self.a @ (self.offset + h))
            if gap <= max(absolute, relative * (self.dual + gap), noise):
                break
            steps, gains = self.steps(up, h)
            down = int(np.argmax(gains))
            self.a[up] += steps[down]
            self.a[down] -= steps[down]
            h -= steps[down] * (self.G[up] - self.G[down])
            if self.a[down] > 0.0:  # the step has levelled the two
                h[down] = h[up] = 0.0 if 0 in (up, down) else h[up]
        self.idle = np.where(self.a > 0.0, 0, self.idle + 1)
        return self.a @ self.g

    def steps(self, up, h):
        """The best step to a cut from each other one, and what it gains."""
        below, curvature = h[up] - h, self.G[up, up] + np.diag(self.G) - 2.0 * self.G[up]
        steps = np.where(curvature > 0.0, below / np.where(curvature > 0.0, curvature, 1.0), np.inf)
        steps = np.minimum(steps, self.a)
        gains = steps * (below - 0.5 * steps * np.maximum(curvature, 0.0))
        return steps, np.where((self.a > 0.0) & (below > 0.0), gains, -1.0)

    def drop(self, limit):
        stay = self.idle < limit
        stay[0] = True
        self.g, self.offset, self.a, self.idle = (
            part[stay] for part in (self.g, self.offset, self.a, self.idle)
        )
        self.G = self.G[np.ix_(stay, stay)]
