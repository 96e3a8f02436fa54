r"""Warm start of decomposition on many examples: doubling subsets, each started from the previous solution.

Most support vectors of large noisy problems are at the bound, on the wrong side of the margin, and a subset
already shows which: the dual over m of n random examples, with the bound C n/m instead of C, has nearly the
same predictor as the whole problem. Starting from 0, half of the time would be spent loading them, one set
after another. The coefficients over a subset are stored as :math:`\tilde\alpha = \alpha m / n`, within the
box of the
whole problem. With :math:`s_t = \sum_i \tilde\alpha_i y_i K(x_i, x_t)`, the values of the subset are y - s
n/m::

    solve the dual over the subset, to a violation of TOLERANCE, in at most MOST_ROUNDS rounds
    for the new examples of the next subset, which is twice as large: s_t, and the values y - s n/m
        some of these start at C: with a bias the k with the highest value and the label 1 and the k with the
            lowest and the label -1, with k such that each pair violates the conditions; without bias all that
            violate them; of each class at most CROWD times the fraction that is at C in the subset
    s_t += the same over those, for all t of the next subset

so that each kernel value between a support vector and an example is computed once, in blocks, except for
coefficients that the solution over the subset changes. If most of the support vectors of a subset are free,
this is of little use, and the whole problem starts at 0. The order of the examples, of which each subset has
the first ones, is random and the same for every run.

An iteration is a round, or a part of the values of s (`partial_level`). Charges of the rounds are defined in
`nested_sets`; values of s are charged one by one.
"""

import numpy as np

from svmbench.problem import Problem
from svmbench.rng import Generator

from svmbench.solvers.dual.nested_sets cimport Level, Nested
from svmbench.solvers.dual.partial_level cimport PartialLevel

cdef enum:
    FEWEST = 2              # least size of the smallest subset, in sets that are solved at a time
    MOST_ROUNDS = 64

cdef double TOLERANCE = 0.1
cdef double CROWD = 2.0


cdef class Growth(PartialLevel):
    """The warm start, before the smallest subset.

    Parameters
    ----------
    oracle, problem, least
        As in `PartialLevel`.
    diagonal : ndarray of float64, shape (n,)
        K(x, x).
    whole : Nested
        The level over all examples, at α = 0, to which the coefficients are passed.
    """

    cdef object diagonal
    cdef object bounds              # upper bounds of the coefficients of the whole problem
    cdef object order               # of the examples: each subset consists of the first ones
    cdef object sizes               # of the remaining subsets, ascending; the last is all examples
    cdef object members             # of the current subset, ascending
    cdef object after               # of the next subset
    cdef object fresh               # the new examples among these
    # For all examples: coefficients in the box of the whole problem, their scores if known, and the iterate
    # that is reported meanwhile.
    cdef object alpha
    cdef object scores
    cdef object iterate
    cdef double iterate_bias
    cdef bint first                 # no subset has been solved
    cdef bint warm_started          # the new examples have their initial coefficients

    def __init__(self, oracle, problem, diagonal, Nested whole not None, least):
        n = problem.n
        super().__init__(oracle, problem, whole, least)
        self.diagonal, self.bounds = diagonal, problem.bounds
        self.order = np.asarray(Generator(0).permutation(n))
        self.sizes = [n]
        while self.sizes[0] // 2 >= FEWEST * whole.most:
            self.sizes.insert(0, self.sizes[0] // 2)
        self.alpha, self.scores = np.zeros((2, n))
        self.first = True
        self.solve_next(np.sort(self.order[: self.sizes.pop(0)]))

    def keep(self, kept):
        """Declare the state of the start, between two rounds or two parts of reconstructed values."""
        cdef Py_ssize_t done = 0
        left, solving = kept.number("left", len(self.sizes)), kept.number("solving", self.solving)
        done = kept.number("done", self.done)
        self.first = kept.number("first", self.first)
        self.warm_started = kept.number("warm_started", self.warm_started)
        kept.vectors(alpha=self.alpha, scores=self.scores)
        if not self.first:
            self.iterate = np.zeros(self.problem.n) if kept.taking_back else self.iterate
            kept.vectors(iterate=self.iterate)
            self.iterate_bias = kept.number("iterate_bias", self.iterate_bias)
        if kept.taking_back:
            self.stand_at(left, solving, done)
        if solving:
            self.level.keep(kept.part("level"))

    cdef int stand_at(self, Py_ssize_t left, bint solving, Py_ssize_t done) except -1:
        """Move from the smallest subset to the one with `left` subsets after it and `done` values made."""
        members = self.members
        while len(self.sizes) > left:
            self.members, members = members, np.sort(self.order[: self.sizes.pop(0)])
        if solving:
            return self.solve_next(members)
        self.after = members
        self.fresh = np.setdiff1d(self.after, self.members, assume_unique=True)
        if self.warm_started:
            self.reconstruct_scores(self.fresh[self.alpha[self.fresh] > 0.0], self.after)
        else:
            self.reconstruct_scores(np.flatnonzero(self.alpha), self.fresh)
        self.done = done
        return 0

    cdef bint solved(self) noexcept nogil:
        return self.level.violation() < TOLERANCE or self.level.rounds >= MOST_ROUNDS

    cdef int end_rounds(self) except -1:
        """Store the solution, and request the scores of the new examples."""
        alpha, share = np.asarray(self.level.alpha), len(self.members) / self.problem.n
        if np.count_nonzero(alpha) > 2 * np.count_nonzero(alpha == np.asarray(self.level.bound)):
            self.finished = True        # `whole` is still at 0
            return 0
        self.record_iterate()
        self.first = False
        self.alpha = self.iterate.copy()
        self.scores[self.members] = (self.problem.y[self.members] - np.asarray(self.level.v)) * share
        self.after = np.sort(self.order[: self.sizes.pop(0)])
        self.fresh = np.setdiff1d(self.after, self.members, assume_unique=True)
        self.warm_started = False
        self.reconstruct_scores(np.flatnonzero(self.alpha), self.fresh)
        return 0

    cdef int record_iterate(self) except -1:
        """Record the coefficients over the current subset as the iterate."""
        alpha, share = np.asarray(self.level.alpha), len(self.members) / self.problem.n
        self.iterate = np.zeros(self.problem.n)
        self.iterate[self.members] = np.where(
            alpha == np.asarray(self.level.bound), self.bounds[self.members], alpha * share
        )
        self.iterate_bias = self.level.bias() * share
        return 0

    def point(self):
        """Return coefficients in the box of the whole problem, float64, shape (n,), and a bias.

        They are those of the last subset that was solved, or the current ones of the smallest subset.
        """
        if self.first:
            self.record_iterate()
        return self.iterate.copy(), self.iterate_bias

    cdef int reconstruct_scores(self, indices, at) except -1:
        return self.reconstruct(indices, (self.alpha * self.problem.y)[indices], at)

    cdef int take(self, part, values) except -1:
        self.scores[part] += values
        return 0

    cdef int end_values(self) except -1:
        return self.solve_next(self.after) if self.warm_started else self.warm_start()

    cdef int warm_start(self) except -1:
        """Set the coefficients of new examples that violate the conditions to C; request their scores."""
        y, members = self.problem.y, self.members
        v = y - self.scores * (self.problem.n / len(members))
        chosen, room = [], []
        for label in (1.0, -1.0):
            new = self.fresh[y[self.fresh] == label]
            chosen.append(new[np.argsort(-label * v[new], kind="stable")])
            seen = members[y[members] == label]
            held = self.alpha[seen]
            share = np.count_nonzero(held == self.bounds[seen]) / max(held.size, 1)
            room.append(int(CROWD * share * new.size))
        if self.whole.balanced:
            most = min(*room, *(new.size for new in chosen))
            rising, falling = (new[:most] for new in chosen)
            chosen = [new[: np.count_nonzero(v[rising] > v[falling])] for new in (rising, falling)]
        else:
            chosen = [
                new[: min(most, np.count_nonzero(y[new] * v[new] > 0.0))]
                for new, most in zip(chosen, room, strict=True)
            ]
        begun = np.sort(np.concatenate(chosen))
        self.alpha[begun] = self.bounds[begun]
        self.warm_started = True
        self.reconstruct_scores(begun, self.after)
        return 0

    cdef int solve_next(self, members) except -1:
        """Begin with the next subset at its coefficients and scores."""
        cdef Level level = self.whole
        y, alpha, bounds = self.problem.y[members], self.alpha[members], self.bounds[members]
        growth = self.problem.n / len(members)
        self.members, self.terms, self.solving = members, None, True
        self.finished = len(members) == self.problem.n
        if not self.finished:
            weights = None if self.problem.weights is None else self.problem.weights[members]
            problem = Problem.build(y, lam=self.problem.lam, bias=self.problem.bias, weights=weights)
            level = Nested(
                self.oracle.subset(members), problem, y, self.diagonal[members], self.whole.most, self.least
            )
        self.level = level
        np.asarray(level.alpha)[:] = np.where(alpha == bounds, np.asarray(level.bound), alpha * growth)
        np.asarray(level.v)[:] = y - self.scores[members] * growth
        level.untouched = not alpha.any()
        level.mark_all()
        return 0
