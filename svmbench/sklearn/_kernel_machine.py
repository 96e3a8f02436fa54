"""What the classifier and the regressor share: training rows and kernels as given, and their expansions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from svmbench import multiclass
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.double_values import DoubleValues
from svmbench.kernels.functions.base import Kernel
from svmbench.kernels.functions.precomputed import Precomputed
from svmbench.kernels.layouts._bytes import common_unit
from svmbench.kernels.layouts._double_expansion import matrix
from svmbench.kernels.unrounded import GivenOracle, oracle_for, origin_of, warning
from svmbench.sklearn import _expansions
from svmbench.sklearn._base import (
    ACCEPTED,
    Floats,
    KernelParameters,
    check_positive,
    checked_features,
    validated,
    value_errors,
)

#: Sparse training data with at most this many values, zeros included, are converted to dense: faster, and bit
#: for bit the same result.
_DENSE_VALUES = 1 << 22

#: With the Gaussian kernel, all values between at most this many rows are computed at once, in double
#: precision, if the rows are sparse, very few, or have so many features that are no multiples of a unit.
#: Otherwise it is faster to compute kernel rows when they are needed.
MOST_WHOLE, _VERY_FEW, _MANY_FEATURES = 3000, 512, 64

#: Part of the values that are not 0 up to which products of sparse rows are faster than those of dense ones.
_SPARSE = 0.15

#: Number of rows that show whether features are multiples of a unit.
_SOME = 16

#: Scores are in double precision if the support vectors have at most this many values, or entries if sparse.
_DOUBLE_VALUES = 1 << 16

# The C library of Linux returns memory of a fit to the system, and the next fit takes it again, by a page
# fault for every 4 KiB: up to half of its time. But it keeps twice the size of the largest block released so
# far, if that is at most 32 MiB. This block is never written to, so it takes no memory.
np.empty((32 << 20) - (1 << 16), dtype=np.uint8)


class KernelMachine(KernelParameters):
    """Kernel expansions with the interface of `sklearn.svm.SVC` and `SVR`, in the layout of one-vs-one.

    Regression has the layout of two classes, of which the first has all support vectors. A subclass trains,
    and sets the declared attributes.
    """

    _other_kernels = ("precomputed",)

    C: float
    tol: float
    max_iter: int
    fit_intercept: bool
    gap_: float
    fit_status_: int
    _kernel: Kernel | None
    _fit_rows: Any
    _origin: Floats | None
    _feature_error: float
    _scorer: Callable[[Any], Any] | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    @property
    def _sign(self) -> float:
        """The sign of the public coefficients relative to those of the layout."""
        return 1.0

    @property
    def coef_(self) -> Any:
        """Weights w of each expansion, for the linear kernel."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        coef = self._sign * self._pair_weights()
        if not self._sparse:
            coef.flags.writeable = False
            return coef
        sparse = sp.csr_matrix(coef)
        sparse.data.flags.writeable = False
        return sparse

    def _check_training(self) -> None:
        """Raise ValueError if a parameter of training is not allowed."""
        check_positive("C", self.C)
        check_positive("tol", self.tol)
        if not (isinstance(self.max_iter, Integral) and (self.max_iter > 0 or self.max_iter == -1)):
            raise ValueError(
                f"max_iter={self.max_iter!r} is not allowed: give a whole number above 0, or -1 for no limit"
            )

    def _checked_training(self, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
        """Return the validated rows and labels; options as of `validate_data`."""
        self._sparse = False
        if callable(self.kernel):
            check_consistent_length(X, y)
            return X, column_or_1d(y, warn=True)
        X, y = validated(self, X, y, **options)
        if self.kernel != "precomputed":
            X = checked_features(X)
            self._sparse = sp.issparse(X)
        elif sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        elif X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        return X, y

    def _oracle_of(self, X: Any, n: int, kept: NDArray[np.int64], most: float, stacklevel: int = 3) -> Oracle:
        """Return the oracle over the kept ones of n training rows, and warn if it can hardly tell them apart.

        Its kernel values may be changed by `most`.
        """
        oracle = self._whole_oracle(X, n, most)
        self._feature_error = max(self._feature_error, oracle.feature_error)
        if kept.size < n:
            oracle = oracle.subset(kept)
        coarse = warning(oracle, "X")
        if coarse is not None:
            warnings.warn(coarse, UserWarning, stacklevel=stacklevel)
        return oracle

    def _whole_oracle(self, X: Any, n: int, most: float) -> Oracle:
        """Return the oracle over the n training rows, whose kernel values may be changed by `most`."""
        self._fit_rows, self._origin, self._feature_error = None, None, 0.0
        if callable(self.kernel):
            self._fit_rows, self._kernel, self._gamma = X, None, 0.0
            values = dense(self.kernel(X, X))
            if values.shape != (n, n):
                raise ValueError(
                    f"X.shape[0] should be equal to X.shape[1]: the kernel returned shape {values.shape} for "
                    f"the {n} training rows with themselves"
                )
            return self._gram(values)
        if self.kernel == "precomputed":
            self._kernel, self._gamma = None, 0.0
            return self._gram(dense(X))
        self._kernel = self._kernel_of(X)
        self._gamma = self._kernel.document().get("gamma", 0.0)
        if self._kernel.compiled is None:
            return self._gram(self._kernel.values(X, X))
        if self._kernel.normalised and 8 * n**2 <= self._cache_bytes and _whole(X):
            # `support_vectors_` are rounded for scores in single precision.
            farthest = float(np.abs(X.data if sp.issparse(X) else X).max(initial=0.0)) * math.sqrt(X.shape[1])
            self._feature_error = 2.0 * 2.0**-24 * farthest * self._kernel.slope
            return self._gram(self._whole_matrix(X, self._kernel), normalised=True)
        small = sp.issparse(X) and np.prod(X.shape, dtype=float) <= _DENSE_VALUES
        rows = X.toarray() if small else X
        if self._kernel.linear and self.fit_intercept:  # a translation only changes the intercept
            self._origin = origin_of(rows)
            rows = rows if self._origin is None else rows - self._origin
        return oracle_for(rows, self._kernel, most, self._cache_bytes, self._threads)

    def _whole_matrix(self, X: Any, kernel: Kernel) -> Floats:
        """Return the kernel values between all rows, and perhaps columns of padding behind them."""
        n, d = X.shape
        if sp.issparse(X) and (X.nnz < _SPARSE * n * d or n * d > _DENSE_VALUES):
            rows = X.astype(np.float64)
            return DoubleValues(rows, kernel)(rows)
        X = X.toarray() if sp.issparse(X) else X
        return np.asarray(matrix(np.ascontiguousarray(X, dtype=np.float64), kernel, self._threads))

    def _gram(self, values: Floats, normalised: bool = False) -> Oracle:
        """Return the oracle of given kernel values between the training rows."""
        least = float(np.diagonal(values).min(initial=0.0))
        # With an intercept, signed coefficients sum to 0, so a constant added to all values has no effect.
        if least < 0.0 and self.fit_intercept:
            values = values - least
        rows = np.arange(len(values))[:, np.newaxis]
        kernel = Precomputed.of(np.ascontiguousarray(values), normalised)
        return Oracle(rows, kernel, self._cache_bytes)

    def _keep_expansions(
        self,
        X: Any,
        oracle: Oracle,
        support: NDArray[np.int64],
        counts: NDArray[np.int64],
        coefficients: Floats,
        intercepts: Floats,
        rough: bool,
    ) -> None:
        """Set the attributes of the expansions, whose scores need double precision if they are `rough`.

        The other arguments are in the layout of `_expansions.decisions`.
        """
        self._n_support = counts.astype(np.int32)
        self.support_ = support.astype(np.int32)
        without = callable(self.kernel) or self.kernel == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if without else X[support]
        self._dual_coef_, self._intercept_ = coefficients, intercepts
        if self._origin is not None:
            self._intercept_ = intercepts = intercepts - self._pair_weights() @ self._origin
        public = self._sign * coefficients
        self.dual_coef_ = sp.csr_matrix(public) if self._sparse else public
        self.intercept_ = self._sign * intercepts + 0.0
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        vectors: Any = self.support_vectors_
        values = vectors.nnz if sp.issparse(vectors) else support.size * self.shape_fit_[-1]
        self._double = values <= _DOUBLE_VALUES or rough
        self._multiples = oracle.layout_name == "bytes" and not isinstance(oracle, GivenOracle)
        self._scorer = self._made_scorer()

    def _computed(self, oracle: Oracle, evaluations: int) -> int:
        """Return the number of kernel values computed in `fit`, `evaluations` of them by the solver."""
        if oracle.kernel.matrix is None:
            return evaluations
        return 0 if self.kernel == "precomputed" else oracle.n**2

    def _warn(self, solver: str, stacklevel: int = 3) -> None:
        """Warn that ``tol`` was not reached, and why."""
        if self.fit_status_:
            sentence = (
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data "
                f"with StandardScaler or MinMaxScaler. The relative duality gap is {self.gap_:.1e}, above "
                f"tol={self.tol:g}"
            )
        elif self.gap_ > self.tol and np.isinf(self.gap_):
            sentence = (
                "the classes cannot be separated without errors, and C=inf allows none: the answer is that "
                "of a large C; give a finite C"
            )
        elif self.gap_ > self.tol:
            sentence = (
                f"{solver} ended at a relative duality gap of {self.gap_:.1e}, above tol={self.tol:g}: no "
                "further progress is possible in floating point; scale the features, or use a smaller C"
            )
        else:
            return
        warnings.warn(sentence, ConvergenceWarning, stacklevel=stacklevel)

    def _pair_weights(self) -> Floats:
        """Return w of each expansion, float64, shape (k (k - 1) / 2, d)."""
        ends = np.cumsum(self._n_support)
        parts = [slice(end - count, end) for end, count in zip(ends, self._n_support, strict=True)]
        weights = [
            self._dual_coef_[j - 1, parts[i]] @ self.support_vectors_[parts[i]]
            + self._dual_coef_[i, parts[j]] @ self.support_vectors_[parts[j]]
            for i, j in multiclass.pairs(self._n_support.size)
        ]
        return np.array(weights, dtype=np.float64)

    def _checked_rows(self, X: Any) -> Any:
        """Return the validated input of the scorer: features, or kernel values."""
        check_is_fitted(self)
        if callable(self.kernel):
            values = dense(self.kernel(X, self._fit_rows))
            if values.ndim != 2 or values.shape[1] != self.shape_fit_[0]:
                raise ValueError(
                    f"the kernel returned shape {values.shape} for rows with the {self.shape_fit_[0]} "
                    "training rows"
                )
            return values
        if self.kernel == "precomputed" and np.shape(X)[1:] == (self.support_.size,) != self.shape_fit_[1:]:
            return check_array(X, **ACCEPTED)  # columns of the support vectors alone
        X = validated(self, X, reset=False)
        if self.kernel != "precomputed":
            X = checked_features(X)
        if sp.issparse(X) and not self._sparse:
            raise ValueError(f"cannot use sparse input in {type(self).__name__!r} trained on dense data")
        if self.kernel == "precomputed":
            return X
        if self._n_support.sum() != self.support_vectors_.shape[0]:
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return sp.csr_array(X) if self._sparse else X

    def _pair_decisions(self, X: Any) -> Floats:
        """Return the values of all expansions, shape (m, k (k - 1) / 2), for checked rows."""
        if not self.support_.size:
            return np.tile(self._intercept_, (X.shape[0], 1))
        if self._scorer is None:
            return np.asarray(np.asarray(X @ self._pair_weights().T) + self._intercept_)
        with value_errors():
            return _expansions.decisions(self._scorer, X, self._dual_coef_, self._intercept_, self._n_support)

    def _made_scorer(self) -> Callable[[Any], Any] | None:
        """Return the function from checked rows to their kernel values with the support vectors.

        None if none are needed.
        """
        if not self.support_.size or self.kernel == "linear":
            return None
        if self._kernel is None:
            n = self.shape_fit_[0]
            return lambda values: values[:, self.support_] if values.shape[1] == n else values
        return _expansions.SupportValues(
            self.support_vectors_, self._kernel, self._double, self._threads, self._multiples
        )


def _whole(X: Any) -> bool:
    """Return whether it is fastest to compute all Gaussian kernel values between rows at once."""
    n, d = X.shape
    if n > MOST_WHOLE or sp.issparse(X) or n <= _VERY_FEW:
        return bool(n <= MOST_WHOLE)
    return d >= _MANY_FEATURES and common_unit(X[:_SOME].astype(np.float32)) is None


def dense(values: Any) -> Floats:
    """Return kernel values as an array of float64."""
    return np.ascontiguousarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)


def given_weights(sample_weight: Any, n: int) -> Floats:
    """Return the weight of each of n rows, float64; 1 without ``sample_weight``."""
    if sample_weight is None:
        return np.ones(n)
    given = np.asarray(sample_weight, dtype=np.float64)
    if given.shape != (n,):
        raise ValueError(
            f"sample_weight and X have incompatible shapes: {given.shape} vs {(n,)}: give a number for each "
            "row"
        )
    return given


def check_weighted(weights: Floats, names: str) -> None:
    """Raise ValueError unless weights are finite, and one of them is positive."""
    if not np.isfinite(weights).all():
        raise ValueError(f"{names} must be finite: one of them is nan or infinite")
    if not (weights > 0.0).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
