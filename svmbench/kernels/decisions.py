r"""Scores whose signs are those of the model in double precision.

A score is a sum of rows in single precision where that is certain to have the right sign, and otherwise a sum
in double precision. With :math:`A = \sum_j |\beta_j|`, :math:`S = \sum_j |\beta_j| K(x_j, x)` and the bound
:math:`g(k) = k (r \ln(1/k) + s)` of the error of a Gaussian value k
(`svmbench.kernels.layouts._layout.Layout.value_error`), the error of a score is at most
:math:`\sum_j |\beta_j| g(k_j) \le A g(S/A)`, by Jensen's inequality, since g is concave. S is known, because
terms with positive and with negative coefficients are summed separately, to within :math:`A \max g`. g
increases up to its maximum; beyond, the maximum is taken.

A value of the polynomial kernel is within :math:`c (\gamma |x| |x'| + |coef0|)^{deg}` of the exact one, which
is at most :math:`c L(x) L(x')` with :math:`L(x)^2 = (\gamma |x|^2 + |coef0|)^{deg}`, by the inequality of
Cauchy and Schwarz.

With the linear kernel, all scores are in double precision: the weights are computed first, so this is faster
than rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels.layouts._double_expansion import scores as exact_scores
from svmbench.kernels.layouts._layout import PART
from svmbench.sparse import issparse

Floats = NDArray[np.float64]

#: Units of rounding, and a factor for their higher orders.
_SINGLE, _DOUBLE, _HIGHER = 2.0**-24, 2.0**-53, 1.01

#: Rows that are tried first. If the signs of most of them are uncertain, all scores are in double precision.
_TRIED = 64

#: Most products in extended precision.
_LONG = 5e7

#: Values below this may be 0 in rows.
_VANISHES = 2.0**-125


def sides(
    layout: Any,
    indices: NDArray[np.int64],
    coefficients: Floats,
    X: Any,
    positive: NDArray[np.bool_] | None = None,
) -> tuple[Floats, float]:
    """Return the sums of positive terms and of negated negative terms, in single precision, shape (2, m).

    The second number bounds the errors of the sums of both in addition to those of their values.

    Parameters
    ----------
    layout : Layout
        The examples.
    indices, coefficients : arrays of int and float64, shape (s,)
        Examples of the expansion, and their coefficients.
    X : ndarray or scipy.sparse matrix, shape (m, d)
        Rows.
    positive : ndarray of bool, shape (s,), optional
        Which terms belong to the first sum. Default: those with positive coefficients.
    """
    return _summed(layout, _parted(layout, indices, coefficients, positive), X)


def _parted(
    layout: Any, indices: NDArray[np.int64], coefficients: Floats, positive: NDArray[np.bool_] | None = None
) -> list[tuple[Any, Floats]]:
    """Return a layout of the examples of each of the two sums, and their coefficients."""
    first = coefficients > 0.0 if positive is None else positive
    return [(layout.select(indices[own]), coefficients[own]) for own in (first, ~first)]


def _summed(layout: Any, terms: list[tuple[Any, Floats]], X: Any) -> tuple[Floats, float]:
    queries, found, beyond = layout.queries_of(X), [], 0.0
    for chosen, weights in terms:
        quick = chosen.quick_scores(queries, weights)
        some, off = (chosen.scores(queries, weights), 0.0) if quick is None else quick
        found.append(some)
        beyond += off
    return np.stack(found) * [[1.0], [-1.0]], beyond


def errors(
    layout: Any,
    indices: NDArray[np.int64],
    coefficients: Floats,
    X: Any,
    sums: Floats | None = None,
    given: Any = None,
    off: float = 0.0,
) -> Floats:
    """Return bounds of the errors of scores from values in single precision, shape (m,).

    Parameters
    ----------
    layout, indices, coefficients, X
        As in `sides`. If X is None, the scores are those of the examples of the layout.
    sums : ndarray of float64, shape (2, m), optional
        From `sides`. Without, the bound is larger.
    given : ndarray or scipy.sparse matrix of float64, shape (n, d), optional
        The examples before rounding.
    off : float
        Largest change of a Gaussian value due to this rounding.
    """
    total, kernel = float(np.abs(coefficients).sum()), layout.kernel
    additions = _HIGHER * _DOUBLE * (coefficients.size + 4)
    if kernel.radial:
        r, s = layout.value_error(X if issparse(X) else None)
        change = 2.0 * off if X is None else off + kernel.slope * _rounding(X)
        most, m = largest_error((r, s)) + change + additions, layout.n if X is None else X.shape[0]
        sizes = np.full(m, total) if sums is None else np.minimum(sums.sum(axis=0) + total * most, total)
        share = np.minimum(sizes / (total or 1.0), 1.0 if s >= r else math.exp(s / r - 1.0))
        logs = np.log(share, where=share > 0.0, out=np.zeros_like(share))
        return total * (share * (s - r * logs) + change + _VANISHES) + additions * sizes
    relative = layout.relative_error() + _SINGLE * 2.0 * _HIGHER * kernel.slope * (
        (given is not None) + (X is not None and X.dtype != np.float32)
    )
    points = layout.gather_double(indices) if given is None else given[indices]
    with np.errstate(over="ignore", invalid="ignore"):
        size = float(np.abs(coefficients) @ kernel.lengths(points))
        sizes = layout.lengths() if X is None else kernel.lengths(X)
        return (relative + additions) * size * sizes


def scores(
    layout: Any,
    indices: NDArray[np.int64],
    coefficients: Floats,
    bias: float,
    X: Any,
    given: Any = None,
    off: float = 0.0,
    exact: bool = False,
) -> tuple[Floats, int]:
    """Return Σ_k coefficients[k] K(x_indices[k], x) + bias for each row x of X, shape (m,).

    The second number is how many of them are in double precision.

    Parameters
    ----------
    layout, indices, coefficients, X, given, off
        As in `errors`, with any kernel.
    bias : float
        b.
    exact : bool
        Whether all of them are.
    """
    X = X.tocsr() if issparse(X) else X
    m = X.shape[0]
    whole = exact or layout.kernel.linear or layout.kernel.compiled is None
    terms = [] if whole else _parted(layout, indices, coefficients)
    if not whole and m > 4 * _TRIED:
        some = X[:: m // _TRIED]
        sums = _summed(layout, terms, some)
        whole = 2 * unsure(layout, indices, coefficients, bias, some, *sums, given, off).size > some.shape[0]
    if whole:
        return exact_scores(layout, indices, coefficients, X, given) + bias, m
    return settled(layout, indices, coefficients, bias, X, *_summed(layout, terms, X), given, off)


def settled(
    layout: Any,
    indices: NDArray[np.int64],
    coefficients: Floats,
    bias: float,
    X: Any,
    sums: Floats,
    beyond: float,
    given: Any = None,
    off: float = 0.0,
) -> tuple[Floats, int]:
    """Return the same as `scores`, from what `sides` returns."""
    found: Floats = sums[0] - sums[1] + bias
    at = unsure(layout, indices, coefficients, bias, X, sums, beyond, given, off)
    if at.size:
        found[at] = exact_scores(layout, indices, coefficients, X[at], given) + bias
    return found, int(at.size)


def unsure(
    layout: Any,
    indices: NDArray[np.int64],
    coefficients: Floats,
    bias: float,
    X: Any,
    sums: Floats,
    beyond: float,
    given: Any = None,
    off: float = 0.0,
) -> NDArray[np.int64]:
    """Return the rows whose scores, from what `sides` returns, may have the wrong sign."""
    if not coefficients.size:
        return np.zeros(0, dtype=np.int64)
    found = np.abs(sums[0] - sums[1] + bias)
    bounds = errors(layout, indices, coefficients, X, sums + beyond, given, off) + beyond
    return np.flatnonzero(~(found > bounds + 2.0 * _DOUBLE * (found + abs(bias))))


def double_errors(layout: Any, indices: Any, coefficients: Any, given: Any = None) -> Floats:
    """Return bounds of the errors of scores of the examples in double precision, shape (n,).

    The kernel is neither linear nor normalised. Of one that is not compiled, a value is taken to be as exact
    as an inner product.

    Parameters
    ----------
    layout, indices, coefficients, given
        As in `errors`.
    """
    kernel, points = layout.kernel, layout.gather_double(indices) if given is None else given[indices]
    terms = int(np.diff(points.indptr).max(initial=0)) if issparse(points) else layout.d
    factors = kernel.slope or float(kernel.matrix is None)
    off = _HIGHER * _DOUBLE * (factors * (terms + 4.0) + len(indices) + 4.0)
    with np.errstate(over="ignore", invalid="ignore"):
        size = float(np.abs(coefficients) @ kernel.lengths(points))
        return off * size * layout.lengths()


def long_scores(rows: Any, indices: Any, coefficients: Any, kernel: Any) -> tuple[Floats, Floats] | None:
    """Return scores of rows from sums in extended precision, shape (m,), and bounds of their errors.

    None with other kernels than linear and polynomial ones, where numpy has no such numbers, or if it would
    take longer than about 0.1 s.

    Parameters
    ----------
    rows : ndarray or csr_array of float64, shape (m, d)
        Rows.
    indices, coefficients : ndarray of int64 and float64, shape (s,)
        Which of them are points of the expansion, and their coefficients.
    kernel : Kernel
        The kernel.
    """
    if kernel.compiled is None or kernel.radial:
        return None
    (m, d), s, unit = rows.shape, len(indices), float(np.finfo(np.longdouble).eps)
    if unit > 2.0**-60 or m * (d + s + (0 if kernel.linear else d * s)) > _LONG:
        return None
    X, beta = (rows.toarray() if issparse(rows) else rows).astype(np.longdouble), np.asarray(coefficients)
    size = np.sqrt(np.einsum("ij,ij->i", X, X).astype(np.float64))
    if not kernel.linear:
        inner = kernel.gamma * (X @ X[indices].T) + kernel.coef0
        values = inner.copy()
        for _ in range(kernel.degree - 1):
            values *= inner
        found = values @ beta.astype(np.longdouble)
        size = kernel.lengths_of(size**2)
    else:
        found = X @ (beta.astype(np.longdouble) @ X[indices])
    off = _HIGHER * unit * (kernel.degree * (d + 4.0) + s + 4.0) * float(np.abs(beta) @ size[indices])
    scores = found.astype(np.float64)
    return scores, off * size + _DOUBLE * np.abs(scores)


def largest_error(error: tuple[float, float] | None) -> float:
    """Return the maximum of g(k) = k (r ln(1/k) + s) over [0, 1], with `Oracle.value_error` (r, s)."""
    if error is None:
        return math.inf
    r, s = error
    k = math.exp(s / r - 1.0) if 0.0 < s < r else 1.0 if s > 0.0 else math.exp(-1.0)
    return k * (s - r * math.log(k))


def _rounding(X: Any) -> float:
    """Return the largest distance of a row from its rounded form in single precision."""
    if X.dtype == np.float32:
        return 0.0
    blocks = (X[begin : begin + PART] for begin in range(0, X.shape[0], PART))
    return max((longest(rows - rows.astype(np.float32)) for rows in blocks), default=0.0)


def longest(differences: Any) -> float:
    """Return the largest Euclidean norm of a row, of an array or a CSR matrix."""
    if issparse(differences):
        squares = np.asarray(differences.power(2).sum(axis=1))
    else:
        squares = np.einsum("ij,ij->i", differences, differences)
    return math.sqrt(squares.max(initial=0.0))
