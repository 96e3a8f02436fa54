r"""Merge of two points of an expansion with a Gaussian kernel into one.

Two terms of the same sign, a Φ(u) + b Φ(v) with |a| ≥ |b|, are replaced by c Φ(z) with z = h u + (1 - h) v,
with the smallest squared distance (Z. Wang, K. Crammer and S. Vucetic, Breaking the Curse of Kernelization:
Budgeted Stochastic Gradient Descent for Large-Scale SVM Training, JMLR 13, 2012). Divided by a + b, the
problem depends on two numbers only: the ``share`` m = a / (a + b) in [1/2, 1] and ``kappa`` κ = K(u, v). With
:math:`K(u, z) = κ^{(1 - h)^2}` and :math:`K(v, z) = κ^{h^2}` the best coefficient and the loss are

.. math:: c(h) = m κ^{(1 - h)^2} + (1 - m) κ^{h^2}, \quad m^2 + (1 - m)^2 + 2 m (1 - m) κ - c(h)^2 .

c has two maxima for κ < exp(-2) and shares near 1/2. As c(h) - c(1 - h) = (2m - 1) (κ^{(1-h)²} - κ^{h²}), the
larger one lies in [1/2, 1], and c has one maximum there. So the search is over [1/2, 1].

`MergeTable` has the best h and its loss on a grid over (m, κ) and interpolates bilinearly (T. Glasmachers and
S. Qaadan, Speeding Up Budgeted Stochastic Gradient Descent SVM Training with Precomputed Golden Section
Search, CIARP 2018). That the first argument is the larger coefficient keeps the jump of h at m = 1/2 off the
grid. Its entries are zeros of c', which are found more exactly than maxima: near m = 1/2, κ = exp(-2) those
are flat.
"""

import functools

import numpy as np

from libc.math cimport exp, log

cdef double GOLDEN = 0.6180339887498949  # (sqrt(5) - 1) / 2

#: Losses below this part of (a + b)² are those of equal points, but for rounding.
cdef double ROUNDING = 1e-13

#: Grid points along both axes, as published.
GRID = 400

#: Halvings of [1/2, 1] for an entry of the table.
cdef int HALVINGS = 45


cdef double merged_coefficient(double share, double kappa, double h) noexcept nogil:
    if kappa <= 0.0:
        return share if h == 1.0 else 0.0
    cdef double exponent = log(kappa)
    return share * exp(exponent * (1.0 - h) * (1.0 - h)) + (1.0 - share) * exp(exponent * h * h)


cdef double merge_loss(double share, double kappa, double h) noexcept nogil:
    cdef double rest = 1.0 - share
    cdef double merged = merged_coefficient(share, kappa, h)
    cdef double loss = share * share + rest * rest + 2.0 * share * rest * kappa - merged * merged
    return loss if loss > ROUNDING else 0.0


cdef double golden_section(double share, double kappa, double width) noexcept nogil:
    cdef double low = 0.5
    cdef double high = 1.0
    cdef double left = high - GOLDEN * (high - low)
    cdef double right = low + GOLDEN * (high - low)
    cdef double at_left = merged_coefficient(share, kappa, left)
    cdef double at_right = merged_coefficient(share, kappa, right)
    while high - low > width:
        # Equal values: both are 0 where kappa is tiny, and the maximum is at 1.
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = merged_coefficient(share, kappa, left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = merged_coefficient(share, kappa, right)
    cdef double middle = 0.5 * (low + high)
    if merged_coefficient(share, kappa, 1.0) >= merged_coefficient(share, kappa, middle):
        return 1.0
    return middle


cdef double stationary(double share, double kappa) noexcept nogil:
    """Return the best h as the zero of c' in [1/2, 1]: there c' goes from positive to negative once."""
    cdef double low = 0.5
    cdef double high = 1.0
    cdef double h = 1.0
    cdef double exponent = log(kappa) if kappa > 0.0 else 0.0
    cdef double rising = 0.0
    cdef double falling = 0.0
    cdef int _
    if kappa <= 0.0:
        return 1.0
    for _ in range(HALVINGS):
        h = 0.5 * (low + high)
        rising = share * (1.0 - h) * exp(exponent * (1.0 - h) * (1.0 - h))
        falling = (1.0 - share) * h * exp(exponent * h * h)
        if rising > falling:
            low = h
        else:
            high = h
    return 0.5 * (low + high)


cdef class MergeTable:
    """Best positions and losses on a grid over shares in [1/2, 1] and kernel values in [0, 1].

    Parameters
    ----------
    size : int
        Grid points along both axes.
    """

    def __init__(self, Py_ssize_t size):
        cdef Py_ssize_t i = 0
        cdef Py_ssize_t j = 0
        cdef double share = 0.0
        cdef double kappa = 0.0
        self.size = size
        self.positions = np.empty((size, size))
        self.losses = np.empty((size, size))
        for i in range(size):
            share = 0.5 + 0.5 * <double> i / <double> (size - 1)
            for j in range(size):
                kappa = <double> j / <double> (size - 1)
                self.positions[i, j] = stationary(share, kappa)
                self.losses[i, j] = merge_loss(share, kappa, self.positions[i, j])

    cdef double position(self, double share, double kappa) noexcept nogil:
        return interpolated(self.positions, self.size, share, kappa)

    cdef double loss(self, double share, double kappa) noexcept nogil:
        cdef double loss = interpolated(self.losses, self.size, share, kappa)
        return loss if loss > ROUNDING else 0.0

    def looked_up(self, share: float, kappa: float):
        """Return the best h and the loss there, as interpolated."""
        return self.position(share, kappa), self.loss(share, kappa)


@functools.cache
def merge_table():
    """Return the table of the published size, made once in a process."""
    return MergeTable(GRID)


def searched(share: float, kappa: float, width: float):
    """Return the best h by golden section search to that width, and the loss there."""
    cdef double h = golden_section(share, kappa, width)
    return h, merge_loss(share, kappa, h)


cdef double interpolated(double[:, ::1] table, Py_ssize_t size, double share, double kappa) noexcept nogil:
    cdef double x = min(max(2.0 * share - 1.0, 0.0), 1.0) * <double> (size - 1)
    cdef double y = min(max(kappa, 0.0), 1.0) * <double> (size - 1)
    cdef Py_ssize_t i = min(<Py_ssize_t> x, size - 2)
    cdef Py_ssize_t j = min(<Py_ssize_t> y, size - 2)
    cdef double u = x - <double> i
    cdef double v = y - <double> j
    return (
        (1.0 - u) * ((1.0 - v) * table[i, j] + v * table[i, j + 1])
        + u * ((1.0 - v) * table[i + 1, j] + v * table[i + 1, j + 1])
    )
