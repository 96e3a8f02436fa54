r"""Gap-safe screening of linear problems: coefficients whose optimal value is proved are fixed permanently.

The sphere is that of O. Fercoq, A. Gramfort and J. Salmon, Mind the Duality Gap: Safer Rules for the Lasso,
ICML 2015, and of E. Ndiaye, O. Fercoq, A. Gramfort and J. Salmon, Gap Safe Screening Rules for Sparsity
Enforcing Penalties, JMLR 18, 2017; the test of examples is that of K. Ogawa, Y. Suzuki and I. Takeuchi, Safe
Screening of Non-Support Vectors in Pathwise SVM Computation, ICML 2013, and of A. Shibagaki, M. Karasuyama,
K. Hatano and I. Takeuchi, Simultaneous Safe Screening of Features and Samples in Doubly Sparse Modeling, ICML
2016.

Problem without bias, in its C-form (`svmbench.problem`), with :math:`m_i = y_i \langle w, x_i \rangle` and
w = w(α): :math:`P(w) = \frac12 |w|^2 + C \sum_i h(m_i)`, :math:`D(\alpha) = \sum_i \alpha_i - \frac12
|w(\alpha)|^2`; with the squared hinge loss :math:`h(m_i)^2`, and :math:`\frac{1}{4C} \sum_i \alpha_i^2` is
subtracted from D.

Sphere. P is 1-strongly convex, so :math:`P(w) - P^* \ge \frac12 |w - w^*|^2`. On the feasible set, D(α) is D*
plus a linear term that is not positive minus at least :math:`\frac12 |w(\alpha) - w^*|^2`. With P* = D* the
sum is

.. math:: |w(\alpha) - w^*| \le r = \sqrt{G}, \qquad G = P(w(\alpha)) - D(\alpha),

where the papers, which do not tie w to α, have :math:`\sqrt{2 G}`.

Test. Every optimal α has :math:`\alpha_i = 0` if :math:`m_i^* > 1`, and, with the hinge loss,
:math:`\alpha_i = C` if :math:`m_i^* < 1`. So it is 0 if :math:`m_i - r |x_i| > 1` and C if :math:`m_i + r
|x_i| < 1`. Such a coefficient gets that value and is removed. The problem that is left has the same w*: its
primal lacks the losses of the examples at 0, and those at C are linear, :math:`C (1 - m_i)`. Its gap is a sum
over the examples left, of terms that are not negative:

.. math:: G = \sum_i C h(m_i) - \alpha_i (1 - m_i); \quad \text{squared: }
          \sum_i C h(m_i)^2 - \alpha_i (1 - m_i) + \alpha_i^2 / (4C).

Rounding. The test is for exact arithmetic. w is recomputed from α, in sums of sums of at most
BLOCK terms, so that w and :math:`m_i` are within

.. math:: |\hat w - w(\alpha)| \le \epsilon (B + b + 4) \sum_j \alpha_j |x_j|, \qquad
          |\hat m_i - m_i| \le (|\hat w - w(\alpha)| + \epsilon (d + 4) |\hat w|) |x_i|,
          \qquad \epsilon = 2^{-52}

of their exact values, with b blocks, twice the standard bounds (N. Higham, Accuracy and Stability of
Numerical Algorithms, 2002, section 3.1). Every term of G is raised by what this error of :math:`m_i` may
change and by its own rounding, :math:`|x_i|` by that of its computation, and an example must pass the test by
more than the error of its :math:`m_i`.

With an unregularised bias the sphere holds too, for a balanced α and any b in P. With f = <w, x> and p
positive labels, every optimal b lies between the p-th smallest of the :math:`y_i - f(x_i) - r |x_i|` and the
next one of the :math:`y_i - f(x_i) + r |x_i|`, which bounds :math:`m_i^*`. `smo_pair` does not use this: its
rows are whole, so that what is left out saves no evaluations, and rounded to single precision, so that each
check would need all scores anew.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t

from svmbench.kernels._linear_data cimport LinearData

cdef enum:
    BLOCK = 256             # terms of a partial sum

cdef double EPSILON = 2.0 ** -52


cdef class Screening:
    """Screening of the examples of a linear problem without bias.

    Parameters
    ----------
    examples : LinearData
        The n examples.
    labels : ndarray of float64, shape (n,)
        Their labels.
    squares : ndarray of float64, shape (n,)
        |x_i|², as the examples compute it.
    alpha : ndarray of float64, shape (n,)
        The solver's own coefficients, possibly with strides; those of removed examples are set.
    U, D : float
        Upper bound of the coefficients, and the curvature that the loss adds: C and 0 with the hinge loss, ∞
        and 1/(2C) with the squared one.
    """

    def __init__(self, LinearData examples not None, labels, squares, alpha, double U, double D):
        self.examples = examples
        self.n = examples.n
        self.y = np.array(labels)
        self.alpha = alpha
        self.U = U
        self.D = D
        self.norms = np.sqrt(squares) * (1.0 + (examples.d + 4) * EPSILON)
        self.margins = np.zeros(self.n)
        self.fixed, self.part = np.zeros((2, max(examples.d, 1)))

    def bounds(self, int64_t[::1] items not None):
        """Return what a check of examples finds, for as many inner products.

        Parameters
        ----------
        items : ndarray of int64, shape (m,)
            The examples, at least one. The others must be removed or have α_i = 0.

        Returns
        -------
        tuple of float, ndarray, ndarray
            An upper bound of the gap, the 1 - m_i, shape (m,), and the most that these may be off by.
        """
        gap = self.gap(items, items.shape[0], np.zeros_like(self.fixed))
        margins = np.array(self.margins[: items.shape[0]])
        return gap, margins, np.array([self.slip(i, margin) for i, margin in zip(items, margins)])

    def keep(self, kept):
        """Declare the part of w that removed examples contribute to a `Kept`."""
        kept.vectors(fixed=self.fixed)
        self.fixed_size = kept.number("fixed_size", self.fixed_size)
        self.fixed_blocks = kept.number("fixed_blocks", self.fixed_blocks)

    cdef Py_ssize_t screen(self, int64_t[::1] items, Py_ssize_t count, double[::1] w) noexcept nogil:
        cdef Py_ssize_t left = count, k = 0
        cdef int64_t i = 0
        cdef double r = (1.0 + 4.0 * EPSILON) * sqrt(self.gap(items, count, w))
        cdef double distance = 0.0, value = 0.0
        for k in range(count - 1, -1, -1):
            i = items[k]
            distance = (1.0 + 4.0 * EPSILON) * (r * self.norms[i] + self.slip(i, self.margins[k]))
            if self.margins[k] < -distance:
                value = 0.0
            elif self.D == 0.0 and self.margins[k] > distance:
                value = self.U
            else:
                continue
            if self.alpha[i] != value:
                self.examples.add(i, (value - self.alpha[i]) * self.y[i], &w[0])
                self.alpha[i] = value
            left -= 1
            items[k], items[left] = items[left], i
        if left < count:
            self.fixed_size += self.add_up(&items[left], count - left, self.fixed)
            self.fixed_blocks += blocks(count - left)
        return left

    cdef double add_up(self, const int64_t* items, Py_ssize_t count, double[::1] w) noexcept nogil:
        """Add Σ α_i y_i x_i to w by blocks; return Σ α_i |x_i|."""
        cdef Py_ssize_t k = 0, j = 0
        cdef int64_t i = 0
        cdef double size = 0.0
        self.part[:] = 0.0
        for k in range(count):
            i = items[k]
            if self.alpha[i] != 0.0:
                self.examples.add(i, self.alpha[i] * self.y[i], &self.part[0])
                size += self.alpha[i] * self.norms[i]
            if (k + 1) % BLOCK == 0 or k + 1 == count:
                for j in range(w.shape[0]):
                    w[j] += self.part[j]
                self.part[:] = 0.0
        return size

    cdef double gap(self, const int64_t[::1] items, Py_ssize_t count, double[::1] w) noexcept nogil:
        """Compute w, the margins 1 - m_i and their error; return an upper bound of the gap."""
        cdef double total = 0.0
        cdef Py_ssize_t k = 0
        cdef int64_t i = 0
        w[:] = self.fixed
        self.find_error(w, self.add_up(&items[0], count, w))
        for k in range(count):
            i = items[k]
            self.margins[k] = 1.0 - self.y[i] * self.examples.dot(i, &w[0])
            total += self.gap_above(self.alpha[i], self.margins[k], self.slip(i, self.margins[k]))
        return total * (1.0 + (count + 4) * EPSILON)

    cdef void find_error(self, const double[::1] w, double size) noexcept nogil:
        """Compute the error of responses over |x_i|, where Σ α_i |x_i| is `size` without removed examples."""
        cdef double square = 0.0
        cdef Py_ssize_t d = w.shape[0], j = 0
        for j in range(d):
            square += w[j] * w[j]
        self.error = 2.0 * EPSILON * (
            (BLOCK + self.fixed_blocks + blocks(self.n) + 4.0) * (self.fixed_size + size)
            + (d + 4.0) * sqrt(square)
        )

    cdef double slip(self, int64_t i, double margin) noexcept nogil:
        """Return the most that a margin may be off by."""
        return self.error * self.norms[i] + EPSILON * fabs(margin)

    cdef double gap_above(self, double alpha, double margin, double slip) noexcept nogil:
        """Return an upper bound of the contribution of an example to the gap."""
        cdef double own = fabs(alpha * margin) + 0.5 * self.D * alpha * alpha
        cdef double steepest = alpha, loss = 0.0
        if self.D > 0.0:
            loss = 0.5 / self.D * max(margin, 0.0) ** 2
            steepest += (max(margin, 0.0) + slip) / self.D
        elif margin > -slip:
            loss = self.U * max(margin, 0.0)
            steepest = self.U
        return (
            gap_of(alpha, margin, self.U, self.D) + steepest * slip + 4.0 * EPSILON * (loss + own)
        )


cdef Py_ssize_t blocks(Py_ssize_t count) noexcept nogil:
    return (count + BLOCK - 1) // BLOCK
