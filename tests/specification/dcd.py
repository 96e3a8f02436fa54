"""Dual coordinate descent on linear problems.

C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, A Dual Coordinate Descent Method for
Large-scale Linear SVM, ICML 2008: Algorithm 3.
"""

import numpy as np

VARIANTS = [
    {"loss": "hinge", "order": "permutation", "shrinking": True},
    {"loss": "hinge", "order": "permutation", "shrinking": False},
    {"loss": "hinge", "order": "permutation", "shrinking": "gap_safe"},
    {"loss": "hinge", "order": "with_replacement"},
    {"loss": "squared_hinge", "order": "permutation", "shrinking": True},
    {"loss": "squared_hinge", "order": "permutation", "shrinking": False},
    {"loss": "squared_hinge", "order": "permutation", "shrinking": "gap_safe"},
    {"loss": "squared_hinge", "order": "with_replacement"},
]
ENDLESS = {"order": "with_replacement"}
#: Passes from one gap-safe check to the next.
SCREEN_EVERY = 10
#: What rounding may add to a margin, relative to the sizes in it; far above what it does add here.
SLIP = 1e-13


class Dual:
    """The box, the coefficients and w."""

    def __init__(self, problem, x, loss):
        self.x = x
        self.D = 0.5 / problem.C if loss == "squared_hinge" else 0.0
        self.U = np.inf if loss == "squared_hinge" else problem.C
        self.Q = x.squared_norms() + self.D
        self.a = np.where(self.Q > 0.0, 0.0, problem.C)
        self.w = np.zeros(x.X.shape[1])

    def gradient(self, i):
        return self.x.response(i, self.w) - 1.0 + self.D * self.a[i]

    def projected(self, i, G):
        if self.a[i] == 0.0:
            return min(G, 0.0)
        return max(G, 0.0) if self.a[i] == self.U else G

    def settled(self, i, G, highest, lowest):
        at_zero, at_bound = self.a[i] == 0.0, self.a[i] == self.U
        return bool((at_zero and highest < G) or (at_bound and lowest > G))

    def minimise(self, i, G):
        if self.projected(i, G) != 0.0:
            new = min(max(self.a[i] - G / self.Q[i], 0.0), self.U)
            self.x.add(i, new - self.a[i], self.w)
            self.a[i] = new

    def left_by_gap(self, active):
        """Set the coefficients of which the gap proves the value; return the examples of the others.

        The removed examples have no loss (α = 0) or a linear one (α = U): neither adds to the gap.
        """
        self.w[:] = self.x.X.T @ (self.a * self.x.y)
        margins = np.array([1.0 - self.x.response(i, self.w) for i in active])
        a, slacks = self.a[active], np.maximum(margins, 0.0)
        losses = self.U * slacks if self.D == 0.0 else slacks**2 / (2.0 * self.D)
        gap = np.sum(losses - a * margins + 0.5 * self.D * a**2)
        norms = np.sqrt(self.x.X[active] ** 2 @ np.ones(self.w.size))
        reach = np.sqrt(max(gap, 0.0)) * norms + SLIP * (1.0 + np.abs(self.w).sum() * norms)
        left = list(active)
        for k in reversed(range(len(active))):
            i = left[k]
            if margins[k] < -reach[k]:
                value = 0.0
            elif self.D == 0.0 and margins[k] > reach[k]:
                value = self.U
            else:
                continue
            self.x.add(i, value - self.a[i], self.w)
            self.a[i] = value
            left[k] = left[-1]
            left.pop()
        return left


def run(problem, x, rng, iterations, *, loss, order, shrinking=False, eps=1e-3):
    dual = Dual(problem, x, loss)
    if order == "with_replacement":
        for _ in range(iterations):
            i = rng.integers(problem.n)
            dual.minimise(i, dual.gradient(i))
        return dual.w
    active, shrunk = list(np.flatnonzero(dual.Q)), []
    highest, lowest = np.inf, -np.inf
    visits = passes = 0
    while visits < iterations and active:
        active = [active[k] for k in rng.permutation(len(active))]
        seen, at = [0.0, 0.0], 0
        while at < len(active) and visits < iterations:
            i = active[at]
            G = dual.gradient(i)
            visits += 1
            if shrinking is True and dual.settled(i, G, highest, lowest):
                active[at], active[-1] = active[-1], active[at]
                shrunk.append(active.pop())
                continue
            seen = [max(seen[0], dual.projected(i, G)), min(seen[1], dual.projected(i, G))]
            dual.minimise(i, G)
            at += 1
        if at < len(active):
            break
        highest = seen[0] if seen[0] > 0.0 else np.inf
        lowest = seen[1] if seen[1] < 0.0 else -np.inf
        if seen[0] - seen[1] < eps:
            if not shrunk:
                break
            active, shrunk = active + shrunk[::-1], []
            highest, lowest = np.inf, -np.inf
        passes += 1
        if shrinking == "gap_safe" and passes % SCREEN_EVERY == 0:
            active = dual.left_by_gap(active)
    return dual.w
