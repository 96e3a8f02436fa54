"""Decomposition with a large working set, with and without bias.

Scheme: T. Joachims, Making Large-Scale SVM Learning Practical, 1999. Large sets: G. Zanghirati, L. Zanni, A
Parallel Solver for Large Quadratic Programs in Training Support Vector Machines, Parallel Computing 29, 2003.
"""

import numpy as np

#: In the first two the set around the working set has not room for all examples.
VARIANTS = [
    {"working_set": 4},
    {"working_set": 5},
    {"working_set": 8},
    {"working_set": 11, "eps": 1e-6},
    {"eps": 1e-5},
]
MAINTAINS = True
#: Values that one set has made equal are told apart by their last bits when the next is chosen.
TIES = True
ROWS_PER_ITERATION = 2
#: Rows are only added up: where making one is as quick as reading it, none is kept.
ADDS_ROWS = True


class Level:
    """The dual over the examples of an oracle, and the set of them that ``solve(level)`` solves next."""

    def __init__(self, oracle, problem, y, own, most, solve):
        self.oracle, self.problem, self.y, self.own = oracle, problem, y, own
        self.most, self.solve = most, solve
        self.balanced = problem.bias == "unregularised"
        self.a, self.v = np.zeros(y.size), y.copy()
        self.B = []
        self.since = np.zeros(y.size, dtype=int)
        self.t = 0
        self.untouched = True

    def look(self):
        """Find which coefficients can move and the ends of the values; return the violation."""
        C = self.problem.C
        self.up = np.where(self.y > 0, self.a < C, self.a > 0)
        self.down = np.where(self.y > 0, self.a > 0, self.a < C)
        self.highest = max(np.flatnonzero(self.up), key=lambda i: self.v[i], default=None)
        self.lowest = min(np.flatnonzero(self.down), key=lambda i: self.v[i], default=None)
        self.high = self.v[self.highest] if self.up.any() else -np.inf
        self.low = self.v[self.lowest] if self.down.any() else np.inf
        return self.high - self.low if self.balanced else max(self.high, -self.low)

    def round(self):
        self.look()
        self.take_in(sorted(self.entering()))
        signed = (self.a * self.y)[self.B]
        beta = self.solve(self)
        for i, before, after in zip(self.B, signed, beta, strict=True):
            if after != before:
                self.a[i] = abs(after)
                self.v += (before - after) * self.oracle.row(i)
                self.untouched = False
        self.t += 1

    def entering(self):
        each = max(1, self.most // 4 if self.B else self.most // 2)
        if self.untouched:
            return {i for label in (1.0, -1.0) for i in spread(np.flatnonzero(self.y == label), each)}
        outside = np.setdiff1d(np.arange(self.y.size), self.B)
        low, high = (self.low, self.high) if self.balanced else (0.0, 0.0)
        rising = [i for i in outside if self.up[i] and self.v[i] > low]
        falling = [i for i in outside if self.down[i] and self.v[i] < high]
        return {
            *sorted(rising, key=lambda i: -self.v[i])[:each],
            *sorted(falling, key=lambda i: self.v[i])[:each],
        }

    def take_in(self, coming):
        kinds = np.where(self.up & self.down, 0, np.where(self.a == 0.0, 1, 2))
        ends = (self.highest, self.lowest)
        ranks = [(kinds[i], self.t - self.since[i], -s) for s, i in enumerate(self.B) if i not in ends]
        by_rank = [-s for _, _, s in sorted(ranks, reverse=True)]
        places = sorted(by_rank[: max(0, len(self.B) + len(coming) - self.most)])
        places += range(len(self.B), len(self.B) + len(coming) - len(places))
        for s, i in zip(places, coming, strict=True):
            self.B[s : s + 1] = [i]
            self.since[i] = self.t
        self.places, self.coming = places, coming


def spread(examples, most):
    """As many of the examples, evenly spaced."""
    count = min(most, examples.size)
    return examples[np.arange(count) * examples.size // count] if count else examples


def flat():
    """By SMO on the kernel matrix of the set, which gets the entering variables' rows and columns."""
    K = np.zeros((0, 0))

    def solve(level):
        nonlocal K
        B, C = level.B, level.problem.C
        if not level.t:
            K = np.zeros((level.most, level.most))
        values = level.oracle.block(level.coming, B)
        K[: len(B), level.places] = values.T
        K[level.places, : len(B)] = values
        y, v, beta = level.y[B], level.v[B], (level.a * level.y)[B]
        middle = 0.5 * (level.high + level.low)
        if level.balanced and level.high - level.low < 2.0**-20 * abs(middle):
            v = v - middle
        steps = pairs if level.balanced else free
        box = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
        tolerance = 0.1 * level.look()
        steps(K[: len(B), : len(B)], level.own[B], *box, beta, v, tolerance, 100 * level.most)
        return beta

    return solve


def nested(least):
    """By decomposition over the examples of the set alone."""

    def solve(level):
        B = np.array(level.B)
        part = level.oracle.part(B)
        inner = Level(part, level.problem, level.y[B], level.own[B], least, flat())
        inner.a, inner.v, inner.untouched = level.a[B], level.v[B], level.untouched
        tolerance = np.clip(0.5 * len(level.coming) / level.most, 0.01, 0.2) * level.look()
        while inner.look() >= tolerance and inner.t < 64:
            inner.round()
        return inner.a * inner.y

    return solve


def run(problem, w, rng, iterations, *, working_set=1024, eps=1e-3):
    n, own = problem.n, w.oracle.diagonal()
    if n > 8 * working_set and w.oracle.X.shape[1] <= 128:
        level = Level(w.oracle, problem, problem.y, own, 8 * working_set, nested(working_set))
    else:
        level = Level(w.oracle, problem, problem.y, own, min(working_set, n), flat())
    while level.t < iterations and not level.look() < eps:
        level.round()
    return level.a


def pairs(K, own, least, most, beta, v, eps, steps):
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


def free(K, own, least, most, beta, v, eps, steps):
    for _ in range(steps):
        rising, falling = np.where(beta < most, v, 0.0).max(), np.where(beta > least, -v, 0.0).max()
        if not max(rising, falling) >= eps:
            return
        step = np.clip(beta + v / positive(own), least, most) - beta
        alone = step * (v - 0.5 * own * step)
        i = int(np.argmax(alone))
        k = K[i]
        step = np.clip(beta + (own[i] * v - v[i] * k) / positive(own[i] * own - k * k), least, most) - beta
        wanted = (v[i] - k * step) * (1.0 / positive(own[i]))
        step_i = np.clip(wanted, least[i] - beta[i], most[i] - beta[i])
        gain = (step_i * (v[i] - 0.5 * own[i] * step_i) + step * (v - 0.5 * own * step)) - k * (step_i * step)
        gain[i] = 0.0
        j = int(np.argmax(gain))
        both, step_j = 0.0, 0.0
        if gain[j] > alone[i]:
            both, step_j = K[i, j], step[j]
        step_i = np.clip(beta[i] + (v[i] - both * step_j) / positive(own[i]), least[i], most[i]) - beta[i]
        for one, change in ((i, step_i), (j, step_j)):
            if change:
                beta[one] = np.clip(beta[one] + change, least[one], most[one])
                v -= change * K[one]


def positive(curvature):
    return np.where(curvature > 0.0, curvature, 1e-12)
