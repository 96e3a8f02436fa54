r"""Shrinking in decomposition on many examples: rounds over those whose coefficients may still change.

Near the optimum most coefficients stay at a bound, and values far from moving them need not be known
(T. Joachims, Making Large-Scale SVM Learning Practical, 1999, section 11.4; C.-C. Chang and C.-J. Lin,
LIBSVM, ACM Trans. Intell. Syst. Technol. 2, 2011, section 5.1). After a round over all n examples, those are
active whose coefficient is free, or could move in a direction in which its value is within the current
violation
of violating the conditions. If they are at most PART of all::

    rounds over the active examples only, until their violation is below FALL of that of all, or below eps,
        or for as long as each of them may have changed TIMES
    v_t -= Σ over the changed α_i of their change y_i K(x_i, x_t), for the t that were not active
    a round over all

Thereby a change of a coefficient takes as many kernel values as there are active examples, and the others are
updated once for all changes. Shrinking is not final: the conditions are checked for all examples before the
method ends.

An iteration is a round over the active examples, charged as in `nested_sets`, or a part of the values of the
others (`partial_level`).
"""

import numpy as np

from libc.math cimport fmax
from libc.stdint cimport int64_t

from svmbench.solvers.dual.nested_sets cimport Nested
from svmbench.solvers.dual.partial_level cimport PartialLevel

cdef enum:
    TIMES = 100

cdef double PART = 0.5
cdef double FALL = 0.1


def active(Nested whole):
    """Return the examples of a level whose coefficients may still change, ascending."""
    v, up, down = np.asarray(whole.v), np.asarray(whole.up) == 0.0, np.asarray(whole.down) == 0.0
    margin = whole.violation()
    low, high = (whole.extrema.M_low, whole.extrema.m_up) if whole.balanced else (0.0, 0.0)
    return np.flatnonzero((up & down) | (up & (v > low - margin)) | (down & (v < high + margin)))


def shrunk(oracle, problem, Nested whole, least, eps):
    """Return a `Shrunk` of a level's active examples; None if there are too many or too few.

    Parameters as for `PartialLevel`, and the tolerance of the optimality conditions.
    """
    members = active(whole)
    if not whole.most < len(members) <= PART * whole.n:
        return None
    return Shrunk(oracle, problem, whole, least, members, fmax(FALL * whole.violation(), eps))


cdef class Shrunk(PartialLevel):
    """The level over the active examples, at the coefficients of the whole problem; see `shrunk`.

    Parameters as for `PartialLevel`, the active examples, ascending, and the violation to reach.
    """

    cdef int64_t[::1] members       # the active examples, ascending
    cdef double[::1] before         # their initial coefficients
    cdef double enough              # violation to reach
    cdef int64_t most_rounds

    def __init__(self, oracle, problem, Nested whole not None, least, members, enough):
        super().__init__(oracle, problem, whole, least)
        self.members = members
        self.before = np.asarray(whole.alpha)[members]
        self.enough = enough
        self.solving = True
        self.begin()

    cdef int begin(self) except -1:
        members, whole = np.asarray(self.members), self.whole
        self.level = Nested(
            self.oracle.subset(members, cached=False), self.problem, np.asarray(whole.y)[members],
            np.asarray(whole.diagonal)[members], whole.most, self.least, np.asarray(whole.bound)[members],
        )
        np.asarray(self.level.alpha)[:] = np.asarray(whole.alpha)[members]
        np.asarray(self.level.v)[:] = np.asarray(whole.v)[members]
        self.level.untouched = False
        self.level.mark_all()
        self.most_rounds = TIMES * self.level.n // self.level.most
        return 0

    def keep(self, kept):
        """Name the active examples and their level to a `Kept`, between two rounds over them."""
        kept.vectors(members=self.members, before=self.before)
        self.enough = kept.number("enough", self.enough)
        if kept.taking_back:
            self.begin()
        self.level.keep(kept.part("level"))

    cdef bint solved(self) noexcept nogil:
        cdef Py_ssize_t p = 0
        for p in range(self.level.n):
            self.whole.alpha[self.members[p]] = self.level.alpha[p]
        return self.level.violation() < self.enough or self.level.rounds >= self.most_rounds

    cdef int end_rounds(self) except -1:
        """Request the changes of the values of the other examples."""
        members, v = np.asarray(self.members), np.asarray(self.whole.v)
        moved = np.asarray(self.level.alpha) - np.asarray(self.before)
        changed = np.flatnonzero(moved)
        signed = (moved * np.asarray(self.level.y))[changed]
        v[members] = self.level.v
        return self.reconstruct(
            members[changed], signed, np.setdiff1d(np.arange(self.whole.n), members, assume_unique=True)
        )

    cdef int take(self, part, values) except -1:
        np.asarray(self.whole.v)[part] -= values
        return 0

    cdef int end_values(self) except -1:
        self.whole.mark_all()
        self.finished = True
        return 0
