r"""Steps of the dual along conjugate directions.

A. Torres-Barrán, C. M. Alaíz and J. R. Dorronsoro, Faster SVM Training via Conjugate SMO, Pattern Recognition
111, 2021 (arXiv 2003.08719).

SMO moves the signed coefficients α y along d = e_i - e_j. With the direction p of the last step, its kernel
combination u = K p and p^T u, the direction

.. math:: p' = d + \gamma p, \quad \gamma = - \frac{u_i - u_j}{p^T u}

is conjugate to p, p^T K p' = 0, so a step along it does not undo the last one. With the slope s = v^T p', the
step δ = s / p'^T K p', clipped to the box, gains s δ - δ² p'^T K p' / 2. As u' = (row_i - row_j) + γ u, it
needs the same two rows as SMO and one more pass over a vector.

After the last step v^T p = 0, unless the box has clipped it. If it was clipped, the next step is along d
again. So is a step if, within the box, the conjugate direction gains no more than d, or p' has no curvature
due to rounding.
"""

import numpy as np

from libc.math cimport INFINITY, fabs

from svmbench.solvers.dual.working_pair cimport curvature

#: Part of the curvature of d below which that of the conjugate direction is rounding.
cdef double FLAT = 1e-10


cdef class ConjugateDirection:
    """The direction of the last step, empty before the first one.

    Parameters
    ----------
    dual : ActiveDual
        The point, all of whose coefficients are active.
    """

    def __init__(self, ActiveDual dual not None):
        self.dual = dual
        self.direction, self.combined = np.zeros((2, dual.n))
        self.listed = np.zeros(dual.n, dtype=np.int64)
        self.is_listed = np.zeros(dual.n, dtype=np.int8)

    cdef Pair improve(self, bint second_order) noexcept nogil:
        cdef Pair pair = self.dual.choose_pair(second_order)
        cdef Py_ssize_t i = pair.i, j = pair.j
        cdef int64_t blocking = -1, blocking_bent = -1
        cdef double own = curvature(pair.row_i[i], pair.row_j[j], pair.row_i[j])
        cdef double slope = self.dual.v[i] - self.dual.v[j]
        cdef double share = 0.0, bent = 0.0, bent_slope = slope, bent_delta = 0.0
        cdef double delta = self.reach(slope, own, 0.0, i, j, &blocking)
        cdef Py_ssize_t k = 0
        if self.count > 0:
            share = -(self.combined[i] - self.combined[j]) / self.bend
            bent = own + share * (self.combined[i] - self.combined[j])
            for k in range(self.count):
                bent_slope += share * self.direction[self.listed[k]] * self.dual.v[self.listed[k]]
        if bent > FLAT * own:
            bent_delta = self.reach(bent_slope, bent, share, i, j, &blocking_bent)
        if bent_delta * (bent_slope - 0.5 * bent * bent_delta) > delta * (slope - 0.5 * own * delta):
            for k in range(self.count):
                self.direction[self.listed[k]] *= share
            self.bend, delta, blocking = bent, bent_delta, blocking_bent
        else:
            self.restart()
            self.bend, share = own, 0.0
        self.add(i, 1.0)
        self.add(j, -1.0)
        self.move(pair.row_i, pair.row_j, share, delta, blocking)
        if blocking >= 0:
            self.restart()
        return pair

    cdef double reach(
        self, double slope, double bend, double share, Py_ssize_t i, Py_ssize_t j, int64_t* blocking
    ) noexcept nogil:
        """Return the step along share times the direction plus e_i - e_j, and what clips it; -1: nothing."""
        cdef double room = self.room(share, i, j, blocking)
        cdef double delta = slope / bend
        if delta < room:
            blocking[0] = -1
            return delta if delta > 0.0 else 0.0
        return room

    cdef double room(self, double share, Py_ssize_t i, Py_ssize_t j, int64_t* blocking) noexcept nogil:
        cdef double least = INFINITY
        cdef double step = 0.0
        cdef double found = 0.0
        cdef int64_t at = 0
        cdef Py_ssize_t k = 0
        for k in range(-2, self.count if share != 0.0 else 0):
            if k < 0:
                at = i if k == -2 else j
                step = (1.0 if k == -2 else -1.0) + share * self.direction[at]
            else:
                at = self.listed[k]
                if at == i or at == j:
                    continue
                step = share * self.direction[at]
            if step != 0.0:
                found = self.dual.slack(at, 1.0 if step > 0.0 else -1.0) / fabs(step)
                if found < least:
                    least = found
                    blocking[0] = at
        return least

    cdef void restart(self) noexcept nogil:
        cdef Py_ssize_t k = 0
        for k in range(self.count):
            self.direction[self.listed[k]] = 0.0
            self.is_listed[self.listed[k]] = 0
        self.count = 0

    cdef void add(self, Py_ssize_t i, double step) noexcept nogil:
        """Add to the component of the direction for the signed coefficient of an example."""
        self.direction[i] += step
        if not self.is_listed[i]:
            self.is_listed[i] = 1
            self.listed[self.count] = i
            self.count += 1

    cdef void move(
        self, const float* row_i, const float* row_j, double share, double delta, int64_t blocking
    ) noexcept nogil:
        """Step along the direction, and compute its kernel combination from `share` times the last one."""
        cdef double* combined = &self.combined[0]
        cdef double* v = &self.dual.v[0]
        cdef double step = 0.0
        cdef int64_t at = 0
        cdef Py_ssize_t k = 0
        for k in range(self.count):
            at = self.listed[k]
            step = delta * self.direction[at]
            if at == blocking:  # exactly onto its bound
                step = self.dual.slack(at, 1.0) if step > 0.0 else -self.dual.slack(at, -1.0)
            self.dual.change(at, at, step)
        for k in range(self.dual.n):
            combined[k] = (<double> row_i[k] - <double> row_j[k]) + share * combined[k]
            v[k] -= delta * combined[k]
        self.dual.find_extrema()

    def keep(self, kept):
        """Name the direction to a `Kept`."""
        kept.vectors(
            direction=self.direction, combined=self.combined, listed=self.listed, is_listed=self.is_listed
        )
        self.count = kept.number("count", self.count)
        self.bend = kept.number("bend", self.bend)
