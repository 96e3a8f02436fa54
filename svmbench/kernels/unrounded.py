r"""Examples that float32 would round: rows come from the rounded ones, certificates from the originals.

Rows of kernel values are float32, and so are stored features. Examples that are not exact in float32 are also
kept as given, in float64. These are used for everything in double precision: the certificate of a solution,
and the scores by which a solver refines it. So a solver that refines solves the problem of the examples as
given, although its steps follow rounded rows.

The Gaussian kernel only depends on differences. If features are far from 0 relative to their spread, all
examples are translated towards 0, where float32 is finer, before they are rounded: features of 1e7 ± 1 would
be rounded to integers, but features of ± 1 to multiples of 1e-7.

If both examples are moved by :math:`\delta` in rounding, a value :math:`\exp(-\gamma r^2)` at distance r
changes by at most :math:`2 \delta \sqrt{2 \gamma / e}`, by the largest slope of this function of r.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.decisions import longest
from svmbench.kernels.double_values import DoubleValues
from svmbench.kernels.functions.registry import AnyKernel, kernel_of
from svmbench.sparse import is_exact, issparse

Floats = NDArray[np.float64]

#: A feature is translated if its values are farther from 0 than this multiple of their range.
_FAR = 4.0

#: Stored examples count as equal to those given if they differ by less than this, relative to the largest
#: feature.
_SAME = 1e-15

#: The user is warned if rounding of features changes kernel values by more than this.
COARSE = 1e-3

#: Largest relative error of a kernel value in single precision. And, compared with a margin of 1, the
#: approximate error of a sum of such values above which scores are computed in double precision.
_ROUNDED, _ROUGH = 2.0**-22, 2e-4

#: Largest distance of a value from its multiple, relative to the largest value.
_MISSED = 1e-7

#: Rounding error of a value of which the user is warned, relative to squared distances of so many examples.
_INDISTINCT, _SOME = 0.01, 64

#: Rows compared at a time.
_PART = 1024


def oracle_over(X: Any, kernel: AnyKernel, *args: Any, **options: Any) -> Oracle:
    """Return the oracle over examples, a `GivenOracle` if its layout would round them to float32.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, d)
        Examples, in float32 or float64.
    kernel, *args, **options
        See `Oracle`.
    """
    kernel = kernel_of(kernel)
    exact = kernel.compiled is None or is_exact(X)
    return (Oracle if exact else GivenOracle)(X, kernel, *args, **options)


def oracle_for(X: Any, kernel: AnyKernel, most: float, *args: Any, **options: Any) -> Oracle:
    """Return `oracle_over`, or a `GivenOracle` if examples are too far from the multiples stored for them.

    Examples in float32 whose values are multiples of a unit up to rounding, such as pixels divided by 255,
    are stored as these multiples. This changes kernel values by about 1e-7, which large coefficients amplify.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, d)
        Examples, in float32 or float64.
    kernel : Kernel or dict
        The kernel, or its name and parameters.
    most : float
        The multiples are used if they change values of the Gaussian kernel by at most this. With other
        kernels, they are used only if they equal the examples.
    *args, **options
        Arguments of `Oracle` after the kernel.
    """
    oracle = oracle_over(X, kernel, *args, **options)
    if oracle.layout_name != "bytes" or isinstance(oracle, GivenOracle):
        return oracle
    kernel = kernel_of(kernel)
    farthest = _MISSED * float(X.max(initial=0.0)) * math.sqrt(X.shape[1])
    if kernel.radial and 2.0 * kernel.slope * farthest > most:
        farthest = max(map(longest, _differences(oracle, X)), default=0.0)
    if kernel.radial and 2.0 * kernel.slope * farthest <= most:
        return oracle
    return GivenOracle(X, kernel, *args, **options)


def linear_data_over(X: Any) -> LinearData:
    """Return `LinearData` of examples, a `GivenLinearData` if float32 would round them."""
    return LinearData(X) if is_exact(X) else GivenLinearData(X)


def warning(reader: Any, name: str = "the features") -> str | None:
    """Return a warning if single precision can hardly distinguish the examples, else None.

    Parameters
    ----------
    reader : Oracle or other
        Any object that reads the examples.
    name : str
        Name of the features in the warning.
    """
    error = getattr(reader, "feature_error", 0.0)
    if error <= COARSE:
        return None
    return (
        f"rounding {name} to single precision changes kernel values by up to {error:.1e}: the answer and "
        f"its gap are those of {name} as given, but training may stop short of its target; scale the "
        "features, so that differences between rows are not far smaller than the features"
    )


def indistinct(oracle: Any) -> str | None:
    """Return a warning if rows in single precision round away the differences between examples, else None.

    So it is with linear and polynomial kernels if examples are farther from 0 than from each other by a
    factor of several hundred: the median rounding error of a value is then above a hundredth of the median
    squared distance in the space of the kernel.
    """
    known = isinstance(oracle, Oracle) and oracle.kernel.compiled is not None
    if not known or oracle.kernel.radial or oracle.n < 2:
        return None
    rows = oracle.given_rows(np.arange(0, oracle.n, -(-oracle.n // _SOME)))
    values = DoubleValues(rows, oracle.kernel)(rows)
    squares, upper = np.diagonal(values), np.triu_indices(len(values), 1)
    with np.errstate(over="ignore", invalid="ignore"):  # solvers refuse values beyond single precision
        distances = (squares[:, None] + squares - 2.0 * values)[upper]
        errors = 2.0**-24 * np.sqrt(np.outer(squares, squares))[upper]
    off, typical = float(np.median(errors)), float(np.median(distances))
    if not off > _INDISTINCT * typical > 0.0:
        return None
    return (
        f"kernel values in single precision are off by {off:.1e}, squared distances between examples are "
        f"{typical:.1e}: training may end far from the optimum, though the gap is true; subtract the mean of "
        "each feature, or add a bias (problem.bias=unregularised) if the kernel is linear"
    )


class GivenOracle(Oracle):
    """An oracle over examples in float64 that float32 would round.

    Parameters
    ----------
    X : ndarray or CSR matrix of float64, shape (n, d)
        Examples.
    kernel, cache_bytes, threads
        See `Oracle`.

    Attributes
    ----------
    origin : ndarray of float64, shape (d,), or None
        Point that is subtracted from all examples; None if none is.
    given : ndarray or CSR matrix of float64, shape (n, d), or None
        The examples, moved to the origin; None if they are stored without a change.
    feature_error : float
        Largest change of a kernel value due to rounding of features, for the Gaussian kernel.
    """

    def __init__(self, X: Any, kernel: AnyKernel, *args: Any, **options: Any) -> None:
        X = X.astype(np.float64, copy=False)
        kernel = kernel_of(kernel)
        self.origin = origin_of(X) if kernel.invariant else None
        moved = X if self.origin is None else X - self.origin
        super().__init__(moved.astype(np.float32), kernel, *args, **options)
        off, same = self._rounding(moved)
        self.given = None if same else moved
        self.feature_error = 2.0 * off * kernel.slope if kernel.radial else 0.0

    def _rounding(self, X: Any) -> tuple[float, bool]:
        """Return the largest distance of a stored example from its original, and whether all are equal."""
        farthest, largest = 0.0, 0.0
        most = float(np.abs(X.data if issparse(X) else X).max(initial=0.0))
        for off in _differences(self, X):
            largest = max(largest, float(np.abs(off.data if issparse(off) else off).max(initial=0.0)))
            farthest = max(farthest, longest(off))
        return farthest, largest <= _SAME * most

    def subset(self, indices: Any, *, cached: bool = True, ledger: Any = None) -> GivenOracle:
        """Like `Oracle.subset`, with the examples as given."""
        part: GivenOracle = super().subset(indices, cached=cached, ledger=ledger)
        part.origin, part.feature_error = self.origin, self.feature_error
        part.given = None if self.given is None else self.given[indices]
        return part

    def moved(self, X: Any) -> Any:
        """Return rows translated like the examples, shape (m, d)."""
        return X if self.origin is None else np.asarray(X, dtype=np.float64) - self.origin


class GivenLinearData(LinearData):
    """Rows of float64 that float32 would round, for linear methods.

    Training uses the rounded rows, observation the originals.

    Parameters
    ----------
    X : ndarray or CSR matrix of float64, shape (n, d)
        Rows.
    """

    def __init__(self, X: Any) -> None:
        super().__init__(X)
        self._given = X

    def combination(self, indices: Any, coefficients: Any) -> Floats:
        """Like `LinearData.combination`, for the rows as given."""
        return np.asarray(self._given[indices].T @ np.asarray(coefficients))

    def products(self, weights: Any) -> Floats:
        """Like `LinearData.products`, for the rows as given."""
        self.observed += self.n
        return np.asarray(self._given @ np.asarray(weights))

    def decision_function(self, weights: Any, bias: float, X: Any) -> Floats:
        """Like `LinearData.decision_function`, in float64 throughout."""
        self.observed += X.shape[0]
        return np.asarray(X @ np.asarray(weights)) + bias


def _differences(oracle: Oracle, X: Any) -> Iterator[Any]:
    """Yield the differences of examples, shape (n, d), from their stored form, in parts of rows."""
    for begin in range(0, oracle.n, _PART):
        part = X[begin : begin + _PART]
        yield part - oracle.exact_rows(np.arange(begin, begin + part.shape[0]))


def is_rough(norm: float, feature_error: float) -> bool:
    """Return whether rounding of kernel values and features may matter for scores.

    Parameters
    ----------
    norm : float
        Euclidean norm of the coefficients of the expansion.
    feature_error : float
        As in `GivenOracle`.
    """
    return norm * (_ROUNDED + feature_error) > _ROUGH


def origin_of(X: Any) -> Floats | None:
    """Return the point to subtract from dense rows, 0 in features that are not translated; or None."""
    if issparse(X) or X.size == 0:
        return None
    low, high = X.min(axis=0), X.max(axis=0)
    middle = 0.5 * low + 0.5 * high
    far = np.abs(middle) > _FAR * (high - low)
    return np.where(far, middle, 0.0) if far.any() else None
