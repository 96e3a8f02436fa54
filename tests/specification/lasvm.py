"""LASVM with its three selections and its finishing, with and without bias.

A. Bordes, S. Ertekin, J. Weston, L. Bottou, Fast Kernel Classifiers with Online and Active Learning, JMLR 6,
2005: sections 3 and 4.
"""

import numpy as np

from tests.specification.expansion import Maintained

VARIANTS = [
    {},
    {"epochs": 2, "eps": 0.1},
    {"selection": "gradient", "candidates": 6, "finishing": "expansion"},
    {"selection": "margin", "candidates": 50},
    {"finishing": "none", "epochs": 3},
]
#: They end before the optimum of all examples.
APPROXIMATE = [VARIANTS[2], VARIANTS[4]]
ENDLESS = {"epochs": 10**9}

TIE = 1e-12  # gradients nearer than this are equal
GAIN_TIE = 1e-9  # and gains, of the larger one


class Machine:
    """Signed coefficients, gradients, and the expansion set S, of which the first one of equals is taken.

    On demand, gradients are needed of S alone, and kernel values are evaluated wherever they are needed, but
    for an example just looked at; else they come from rows. The gradients are the same numbers in both forms,
    made by the same steps.

    ``over_S`` lists what a program that keeps the gradients of S alone makes: rows over S, each with its
    length, and None where the rows made so far no longer hold; ``beside`` are values made outside of rows.
    """

    def __init__(self, problem, w, eps):
        self.y, self.C, self.biased, self.eps = problem.y, problem.C, problem.bias != "none", eps
        self.oracle = w.oracle
        self.by_rows = isinstance(w, Maintained)
        w.oracle.diagonal()
        self.K = np.float32(w.oracle._values).astype(float)
        self.a = np.zeros(problem.n)
        self.g = problem.y.copy()
        self.S = []
        self.b, self.gap = 0.0, np.inf
        self.over_S = []
        self.beside = 0
        self.known = np.zeros(problem.n)  # the coefficients when all examples were looked at last
        self.seen = set()  # examples outside S whose values over S are known

    def look(self, k):
        if not self.by_rows and k not in self.S and k not in self.seen:
            f = sum(self.oracle.value(s, k) * self.a[s] for s in self.S)
            assert abs(self.y[k] - f - self.g[k]) < 1e-9
            self.seen.add(k)
        return self.g[k]

    def made(self, slots):
        """Evaluations of that program, with a least-recently-used cache of so many rows."""
        kept = []
        evaluated = 0
        for request in self.over_S:
            if request is None:
                kept = []
                continue
            row, length = request
            evaluated += length * (row not in kept)
            kept = [*(k for k in kept if k != row), row][-slots:]
        return evaluated + self.beside

    def room(self, i, direction):
        return self.C - abs(self.a[i]) if direction == self.y[i] else abs(self.a[i])

    def end(self, sign):
        found = None
        for s in sorted(self.S):
            if self.room(s, sign) > 0 and (found is None or sign * (self.g[s] - self.g[found]) > TIE):
                found = s
        return found

    def row_over_S(self, k):
        self.over_S.append((k, len(self.S)))

    def ends(self):
        i, j = self.end(1.0), self.end(-1.0)
        high, low = -np.inf if i is None else self.g[i], np.inf if j is None else self.g[j]
        if not self.biased:
            if max(high, 0.0) >= -min(low, 0.0) - TIE:
                return i, None, max(high, 0.0), 0.0
            return None, j, 0.0, low
        return i, j, high, low

    def move(self, i, j, fresh=None):
        pair = [(k, sign) for k, sign in ((i, 1.0), (j, -1.0)) if k is not None]
        for k, _ in pair:
            self.row_over_S(k)
            if self.by_rows:
                self.oracle.row(k)
            elif k != fresh:
                for s in self.S:
                    self.oracle.value(k, s)
        curvature = sum(self.K[k, k] for k, _ in pair)
        if len(pair) == 2:
            curvature -= 2.0 * self.K[i, j]
        rise = sum(sign * self.g[k] for k, sign in pair)
        step = rise / (curvature if curvature > 0.0 else 1e-12)
        step = min([step, *(self.room(k, sign) for k, sign in pair)])
        for k, sign in pair:
            at_bound = step == self.room(k, sign)
            bound = self.y[k] * self.C if sign == self.y[k] else 0.0
            self.a[k] = bound if at_bound else self.a[k] + sign * step
        self.g -= step * (self.K[i] - self.K[j]) if len(pair) == 2 else sign * step * self.K[k]

    def process(self, k):
        if k in self.S:
            return
        y, g = self.y[k], self.look(k)
        self.over_S += [None, (k, len(self.S) + 1)]
        i, j, high, low = self.ends()
        if self.biased:
            if low < high and y * (g - (low if y > 0 else high)) < -TIE:
                return
        elif y * g < -TIE:
            return
        self.S.append(k)
        partner = None
        if self.biased:
            partner = j if y > 0 else i
            if partner is None or y * (g - self.g[partner]) <= TIE:
                return
        self.move(*((k, partner) if y > 0 else (partner, k)), fresh=k)

    def best_partner(self, i):
        """The one of a pair with i whose step gains most, to second order and without the box."""

        def gain(s):
            curvature = self.K[i, i] + self.K[s, s] - 2.0 * self.K[i, s]
            return (self.g[i] - self.g[s]) ** 2 / (curvature if curvature > 0.0 else 1e-12)

        self.row_over_S(i)
        gains = {s: gain(s) for s in sorted(self.S) if self.room(s, -1.0) > 0 and self.g[s] < self.g[i]}
        return next(s for s in gains if gains[s] >= (1.0 - GAIN_TIE) * max(gains.values()))

    def reprocess(self, second_order=False):
        i, j, high, low = self.ends()
        if high - low > self.eps:
            if second_order and self.biased:
                j = self.best_partner(i)
            self.move(i, j)
            i, j, high, low = self.ends()
        self.gap = high - low
        ceiling, floor = (high, low) if self.biased else (0.0, 0.0)
        before = len(self.S)
        self.S = [
            s
            for s in self.S
            if self.a[s] != 0.0 or (self.g[s] > floor + TIE if self.y[s] > 0 else self.g[s] < ceiling - TIE)
        ]
        self.over_S += [None] * (len(self.S) < before)
        finite = [end for end in (high, low) if np.isfinite(end)]
        if self.biased and finite:
            self.b = sum(finite) / len(finite)

    def look_at_all(self):
        """Take those outside S in that violate the conditions; return the largest violation of all."""
        outside = [k for k in range(self.y.size) if k not in self.S]
        for k in outside:
            self.look(k)
        high, low = self.ends()[2:]
        worst = high - low
        if self.biased:
            high = max([high, *(self.g[k] for k in outside if self.y[k] > 0)])
            low = min([low, *(self.g[k] for k in outside if self.y[k] < 0)])
        else:
            high, low = 0.0, 0.0
        violations = {k: self.g[k] - low if self.y[k] > 0 else high - self.g[k] for k in outside}
        entering = [k for k, violation in violations.items() if violation > self.eps]
        self.S += entering
        self.over_S += [None] * bool(entering)
        self.beside += np.count_nonzero(self.a != self.known) * self.y.size
        self.known = self.a.copy()
        self.gap = np.inf
        return max([worst, *violations.values()])


def run(
    problem, w, rng, iterations, *, selection="random", candidates=50, epochs=1, finishing="all", eps=1e-3
):
    y, n = problem.y, problem.n
    machine = Machine(problem, w, eps)
    coordinates = 2 if machine.biased else 1
    order = rng.permutation(n)
    seeds = [*order[y[order] > 0][:5], *order[y[order] < 0][:5]]
    pool = list(order)
    done, enough = False, np.inf if finishing == "all" else eps
    for t in range(iterations):
        machine.seen = set()
        presented = t - len(seeds)
        rows = coordinates
        if presented < 0:
            machine.process(int(seeds[t]))
        elif presented < epochs * n:
            left = n - presented % n
            count = min(candidates, left) if selection != "random" else 1
            for q in range(count):
                p = q + rng.integers(left - q)
                pool[q], pool[p] = pool[p], pool[q]
            best = 0
            if selection != "random":
                f = [y[k] - machine.look(k) + machine.b for k in pool[:count]]
                scores = np.array(f) * y[pool[:count]] if selection == "gradient" else np.abs(f)
                for q in range(1, count):
                    best = q if scores[q] < scores[best] - TIE else best
            pool[best], pool[left - 1] = pool[left - 1], pool[best]
            machine.process(int(pool[left - 1]))
            machine.reprocess()
            rows *= 2
        elif machine.gap > enough:
            machine.reprocess(second_order=finishing == "all")
        else:
            worst = machine.look_at_all()
            done, enough = worst <= eps, max(eps, 0.1 * worst)
        w.oracle.iterated = (w.oracle.iterated or 0) + rows * n
        over = presented + 1 >= epochs * n
        if done or (over and (finishing == "none" or (finishing == "expansion" and machine.gap <= eps))):
            break
    if selection == "random":
        w.oracle.on_request = machine.made
    return np.abs(machine.a)
