"""SMO as Platt describes it: examinations, an error cache, three choices of a partner.

J. Platt, Fast Training of Support Vector Machines using Sequential Minimal Optimization, in Advances in
Kernel Methods, MIT Press, 1999, chapter 12.
"""

import numpy as np

from tests.specification.expansion import Maintained

VARIANTS = [{}, {"eps": 0.05}, {"change": 0.1}]
#: They end before the optimum.
APPROXIMATE = [VARIANTS[2]]
ENDLESS = {"eps": 1e-300}

TIE = 1e-12  # errors nearer than this are equal
SNAP = 1e-8  # of the larger one of a pair: coefficients nearer to the end of their segment are put onto it
ROUNDING = 1e-14  # of C


class Machine:
    """Coefficients, bias, and all errors E = f - y, of which the paper keeps those of the free coefficients.

    On demand the error of a bound example is evaluated where it is needed, and its values are known for the
    rest of the examination; else the values come from rows, each taken once in an examination. The errors are
    the same numbers in both forms, because examples that are there twice are told apart by the last bits.
    """

    def __init__(self, problem, w, rng, eps, change):
        self.y, self.C, self.n, self.rng = problem.y, problem.C, problem.n, rng
        self.eps, self.change, self.least = eps, change, min(change, problem.C)
        self.oracle = w.oracle
        self.by_rows = isinstance(w, Maintained)
        w.oracle.diagonal()
        self.K = np.float32(w.oracle._values).astype(float)
        self.a = np.zeros(self.n)
        self.b = 0.0
        self.E = -problem.y
        self.known = set()  # values evaluated in this examination
        self.rows = set()  # rows taken in it

    def free(self, i):
        return 0.0 < self.a[i] < self.C

    def value(self, i, j):
        if not self.by_rows and (i, j) not in self.known:
            self.oracle.value(i, j)
        self.known |= {(i, j), (j, i)}

    def look(self, i):
        if not self.by_rows and not self.free(i):
            at = np.flatnonzero(self.a)
            f = self.b + sum(self.a[j] * self.y[j] * self.oracle.value(j, i) for j in at)
            assert abs(f - self.y[i] - self.E[i]) < 1e-9 * max(1.0, abs(self.K[i, at] * self.a[at]).sum())
            self.known |= {(i, j) for j in at} | {(j, i) for j in at}

    def violates(self, i):
        r = self.E[i] * self.y[i]
        return (r < -self.eps and self.a[i] < self.C) or (r > self.eps and self.a[i] > 0.0)

    def examine(self, second):
        self.known, self.rows = set(), set()
        self.look(second)
        if not self.violates(second):
            return False
        free = [i for i in range(self.n) if self.free(i)]
        first = -1
        if len(free) > 1:
            sign = 1.0 if self.E[second] > 0.0 else -1.0
            first = free[0]
            for i in free:
                first = i if sign * self.E[i] < sign * self.E[first] - TIE else first
            if self.step(first, second):
                return True
        for among in (True, False):  # what has been tried fails again
            start = self.rng.integers(self.n)
            for i in [*range(start, self.n), *range(start)]:
                if (i in free) == among and i != first and self.step(i, second):
                    return True
        return False

    def step(self, i, j):
        ai, aj, s = self.a[i], self.a[j], self.y[i] * self.y[j]
        low, high = max(0.0, aj - ai), min(self.C, self.C + aj - ai)
        if s > 0.0:
            low, high = max(0.0, ai + aj - self.C), min(self.C, ai + aj)
        if i == j or low >= high:
            return False
        self.look(i)
        if self.by_rows and j not in self.rows:
            self.rows.add(j)
            self.oracle.row(j)
        self.value(i, j)
        kappa = self.K[i, i] + self.K[j, j] - 2.0 * self.K[i, j]
        slope = self.y[j] * (self.E[i] - self.E[j])
        if kappa > 0.0:
            new = min(max(aj + slope / kappa, low), high)
        else:
            at_low, at_high = ((end - aj) * (slope - 0.5 * kappa * (end - aj)) for end in (low, high))
            new = aj
            if abs(at_high - at_low) > self.least:
                new = high if at_high > at_low else low
        if new - low < SNAP * max(ai, aj):
            new = low
        elif high - new < SNAP * max(ai, aj):
            new = high
        if abs(new - aj) < self.change * (new + aj + self.least):
            return False
        self.put(i, j, self.rounded(ai + s * (aj - new)), self.rounded(new))
        return True

    def rounded(self, value):
        if value < ROUNDING * self.C:
            return 0.0
        return self.C if value > self.C - ROUNDING * self.C else value

    def put(self, i, j, ai, aj):
        for k in range(self.n):
            if self.free(k) and k not in (i, j):
                self.value(i, k)
                self.value(j, k)
        if self.by_rows:
            self.oracle.row(i)
        di, dj = self.y[i] * (ai - self.a[i]), self.y[j] * (aj - self.a[j])
        bi = self.b - self.E[i] - di * self.K[i, i] - dj * self.K[i, j]
        bj = self.b - self.E[j] - di * self.K[i, j] - dj * self.K[j, j]
        self.a[i], self.a[j] = ai, aj
        b = bi if self.free(i) else bj if self.free(j) else 0.5 * (bi + bj)
        self.E += di * self.K[i] + dj * self.K[j] + (b - self.b)
        self.b = b

    def extremes(self, change):
        """The least error where a coefficient can be raised and the largest where it can be lowered.

        By a step that the rule of smallest changes allows.
        """
        grows = (self.a < self.C) & (self.C - self.a >= change * (self.C + self.a + self.least))
        falls = (self.a > 0.0) & (self.a >= change * (self.a + self.least))
        up, down = np.where(self.y > 0.0, (grows, falls), (falls, grows))
        return np.min(self.E[up], initial=np.inf), np.max(self.E[down], initial=-np.inf)

    def settle(self):
        """Whether the method ends after a pass over all that changed nothing; b may be mended."""
        least, most = self.extremes(0.0)
        if least >= -self.eps and most <= self.eps:
            return True
        without = self.extremes(self.change)
        least, most = without if np.isfinite(without).all() else (least, most)
        finite = [end for end in (least, most) if np.isfinite(end)]
        bias = sum(finite) / len(finite)
        before = self.b
        self.b -= bias
        self.E -= bias
        return self.b == before or most - least <= 2.0 * self.eps


def run(problem, w, rng, iterations, *, eps=1e-3, change=None):
    machine = Machine(problem, w, rng, eps, eps if change is None else change)
    made, w.oracle.iterated = 0, 0
    everything, changed = True, 0
    while True:
        for i in range(problem.n):
            if everything or machine.free(i):
                if made == iterations:
                    return machine.a
                made += 1
                w.oracle.iterated += problem.n
                changed += machine.examine(i)
        if everything and changed == 0 and machine.settle():
            return machine.a
        everything = changed == 0
        changed = 0
