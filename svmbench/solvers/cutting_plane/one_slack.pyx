r"""The quadratic program over cutting planes with one common slack variable.

A cut is a lower bound :math:`\delta_k - \langle w, g_k \rangle` of the loss, an affine function of w that is
tight at some w. The reduced problem over the cuts, and its dual:

.. math:: \min_{w, \xi} \frac12 |w|^2 + B \xi, \quad \xi \ge 0, \ \xi \ge \delta_k - \langle w, g_k \rangle;
   \qquad \max_a \delta^\top a - \frac12 a^\top G a, \quad a \ge 0, \ \sum_k a_k \le B,

with :math:`G_{kl} = \langle g_k, g_l \rangle` and :math:`w = \sum_k a_k g_k` (T. Joachims, Training Linear
SVMs in Linear Time, KDD 2006).

Method: the difference between B and the sum of the coefficients is the coefficient of an empty cut with δ = 0
and g = 0, so that all coefficients lie on a simplex. A step transfers the most profitable amount between two
cuts: to the cut of the largest height :math:`h_k = \delta_k - (Ga)_k`, from the cut with a positive
coefficient for which the step gains most within its slack to the bound (the second-order choice of SMO). With
:math:`\xi = \max(0, \max_k h_k)`, primal minus dual objective is :math:`\sum_k a_k (\xi - h_k)` over all
cuts, including the empty one, without computing an inner product. The steps end at the tolerance, or when the
gap is as small as the rounding errors of the heights. They also end if in 3000 steps neither the dual
objective has risen nor the gap fallen, according to heights recomputed every 1000 steps, and after a fraction
of a second; the solution is then feasible, with its true gap.

The coefficients are kept for the next solution, in which a new cut starts with 0.
"""

import numpy as np

from svmbench.solvers.run import Uninterrupted

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, fabs, fmax, fmin
from libc.stdint cimport int64_t

from svmbench.solvers.stall cimport Record, stuck

cdef enum:
    EMPTY = -1              # index of the empty cut
    FIRST_ROOM = 16         # initial capacity for cuts; doubled when it is exhausted
    REFRESH = 1000          # steps after which the heights are recomputed
    PATIENCE = 3            # consecutive recomputations without a gain after which the steps end
    MOST_WORK = 30_000_000      # limit of steps times cuts in one solution: a fraction of a second
    STEP_WORK = 8               # work of a step besides its cuts


cdef class OneSlack:
    """A set of cuts and the solution of the reduced problem.

    Parameters
    ----------
    bound : float
        B, positive and finite.

    Attributes
    ----------
    count : int
        Number of cuts.
    primal, dual : float
        Objectives of the last solution; the optimum over the cuts lies between them.
    slack : float
        ξ of the last solution.
    """

    def __init__(self, double bound):
        if not 0.0 < bound < float("inf"):
            raise ValueError(f"bound={bound} is not allowed: give a positive number")
        self.bound = bound
        self.spare = bound
        self.gram = np.zeros((FIRST_ROOM, FIRST_ROOM))
        self.offset = np.zeros(FIRST_ROOM)
        self.alpha = np.zeros(FIRST_ROOM)
        self.height = np.zeros(FIRST_ROOM)
        self.idle = np.zeros(FIRST_ROOM, dtype=np.int64)

    cdef int grow(self) except -1:
        """Double the capacity."""
        cdef Py_ssize_t m = self.alpha.shape[0]
        self.gram = np.pad(self.gram, (0, m))
        self.offset = np.pad(self.offset, (0, m))
        self.height = np.pad(self.height, (0, m))
        self.idle = np.pad(self.idle, (0, m))
        # Its length defines the capacity: last, so that after a failure no other array is shorter.
        self.alpha = np.pad(self.alpha, (0, m))
        return 0

    cdef int add(self, double offset, const double* products) except -1 nogil:
        cdef Py_ssize_t k = 0, last = self.count
        if last == self.alpha.shape[0]:
            with gil:
                with Uninterrupted():
                    self.grow()
        for k in range(last + 1):
            self.gram[last, k] = products[k]
            self.gram[k, last] = products[k]
        self.offset[last] = offset
        self.alpha[last] = 0.0
        self.idle[last] = 0
        self.count += 1
        return 0

    cdef void solve(self, double absolute, double relative) noexcept nogil:
        cdef double noise = self.refresh()
        cdef Record risen = Record(-INFINITY, 0), fallen = Record(-INFINITY, 0)
        cdef int64_t steps = 0
        cdef Py_ssize_t k = 0
        cdef bint low = False
        cdef Step step
        while self.choose(absolute, relative, noise, &step):
            if steps % REFRESH == 0:
                low = stuck(&risen, self.dual, 0.0, PATIENCE)
                if stuck(&fallen, self.dual - self.primal, 0.0, PATIENCE) and low:
                    break
                if steps * (self.count + STEP_WORK) > MOST_WORK:
                    break
            self.move(step)
            steps += 1
            if steps % REFRESH == 0:
                noise = self.refresh()
        for k in range(self.count):
            self.idle[k] = 0 if self.alpha[k] > 0.0 else self.idle[k] + 1

    cdef double refresh(self) noexcept nogil:
        """Recompute the heights from the coefficients; return the change of the gap due to rounding."""
        cdef double size = 0.0, sizes = 0.0, product = 0.0
        cdef Py_ssize_t k = 0, j = 0
        for k in range(self.count):
            self.height[k] = self.offset[k]
            size = fabs(self.offset[k])
            for j in range(self.count):
                product = self.gram[k, j] * self.alpha[j]
                self.height[k] -= product
                size += fabs(product)
            sizes += self.alpha[k] * size
        return 4.0 * DBL_EPSILON * sizes

    cdef bint choose(self, double absolute, double relative, double noise, Step* step) noexcept nogil:
        """Choose the step that gains most, and compute the objectives; return False if none is needed."""
        cdef double high = 0.0, own = 0.0, curvature = 0.0, below = 0.0, length = 0.0, gain = 0.0
        cdef double gap = 0.0, height = 0.0, offset = 0.0, best = 0.0
        cdef Py_ssize_t up = EMPTY, k = 0
        for k in range(self.count):
            if self.height[k] > high:
                high = self.height[k]
                up = k
        step[0] = Step(up, EMPTY, 0.0)
        if up != EMPTY:
            own = self.gram[up, up]
            step.length = longest(high, own, self.spare)
            best = step.length * (high - 0.5 * step.length * own)
        gap = self.spare * high
        for k in range(self.count):
            if self.alpha[k] == 0.0:
                continue
            below = high - self.height[k]
            gap += self.alpha[k] * below
            height += self.alpha[k] * self.height[k]
            offset += self.alpha[k] * self.offset[k]
            if below > 0.0:
                curvature = own + self.gram[k, k]
                if up != EMPTY:
                    curvature -= 2.0 * self.gram[up, k]
                length = longest(below, curvature, self.alpha[k])
                gain = length * (below - 0.5 * length * fmax(curvature, 0.0))
                if gain > best:
                    best = gain
                    step.length = length
                    step.down = k
        # a'Ga = δ'a - h'a.
        self.dual = 0.5 * (offset + height)
        self.primal = self.dual + gap
        self.slack = high
        return gap > fmax(fmax(absolute, relative * self.primal), noise) and best > 0.0

    cdef void move(self, Step chosen) noexcept nogil:
        """Transfer a part of a coefficient between two cuts."""
        cdef Py_ssize_t up = chosen.up, down = chosen.down, k = 0
        cdef double step = chosen.length
        cdef double slack = (self.spare if down == EMPTY else self.alpha[down]) - step
        if up == EMPTY:
            self.spare += step
        else:
            self.alpha[up] += step
            for k in range(self.count):
                self.height[k] -= step * self.gram[up, k]
        if down == EMPTY:
            self.spare -= step
        else:
            self.alpha[down] -= step
            for k in range(self.count):
                self.height[k] += step * self.gram[down, k]
        if slack > 0.0:
            # A step within the bounds makes both heights equal: rounding must not decide which is larger.
            if down == EMPTY:
                self.height[up] = 0.0
            else:
                self.height[down] = 0.0 if up == EMPTY else self.height[up]

    cdef Py_ssize_t drop(self, int64_t limit, int64_t* kept) noexcept nogil:
        cdef Py_ssize_t k = 0, j = 0, stay = 0
        for k in range(self.count):
            if self.idle[k] < limit:
                kept[stay] = k
                stay += 1
        if stay < self.count:
            for k in range(stay):
                for j in range(stay):
                    self.gram[k, j] = self.gram[kept[k], kept[j]]
                self.offset[k] = self.offset[kept[k]]
                self.alpha[k] = self.alpha[kept[k]]
                self.idle[k] = self.idle[kept[k]]
            self.count = stay
        return stay

    def add_cut(self, double offset, products):
        """Add a cut.

        Parameters
        ----------
        offset : float
            δ.
        products : array_like of float64, shape (count + 1,)
            Inner products of its g with those of the cuts so far and, last, with itself.
        """
        cdef const double[::1] values = np.ascontiguousarray(products, dtype=np.float64)
        if values.shape[0] != self.count + 1:
            raise ValueError(f"{values.shape[0]} products do not fit {self.count} cuts: give one more")
        self.add(offset, &values[0])

    def extend(self, coordinates):
        """Add a coordinate to the g of each cut.

        Parameters
        ----------
        coordinates : array_like of float64, shape (count,)
            The coordinate of each cut.
        """
        cdef const double[::1] values = np.ascontiguousarray(coordinates, dtype=np.float64)
        cdef Py_ssize_t k = 0, j = 0
        if values.shape[0] != self.count:
            raise ValueError(f"{values.shape[0]} coordinates do not fit {self.count} cuts: give as many")
        for k in range(self.count):
            for j in range(self.count):
                self.gram[k, j] += values[k] * values[j]

    def solution(self, *, double absolute=0.0, double relative=0.0):
        """Solve the reduced problem and return a, float64, shape (count,).

        Parameters
        ----------
        absolute, relative : float, default 0
            Stop when primal minus dual objective is at most ``absolute``, or ``relative`` times the primal
            one; with neither, as far as rounding allows.
        """
        self.solve(absolute, relative)
        return np.array(self.alpha[: self.count])

    def drop_idle(self, int64_t limit):
        """Remove the cuts with a coefficient of 0 in the last ``limit`` solutions; return the others.

        Parameters
        ----------
        limit : int
            At least 1.

        Returns
        -------
        ndarray of int64
            The old indices of the remaining cuts, ascending.
        """
        cdef int64_t[::1] kept = np.empty(max(self.count, 1), dtype=np.int64)
        return np.array(kept[: self.drop(limit, &kept[0])])


cdef inline double longest(double below, double curvature, double slack) noexcept nogil:
    """Return the best step between two cuts whose heights differ by ``below``."""
    return fmin(below / curvature, slack) if curvature > 0.0 else slack
