"""Predictions of a trained one-vs-one classifier: scores, votes, probabilities."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from svmbench import multiclass
from svmbench.sklearn import _expansions, _one_vs_one, _platt
from svmbench.sklearn._base import ACCEPTED, Floats, KernelParameters, check_single


def dense(values: Any) -> Floats:
    """Return kernel values as an array of float64."""
    return np.ascontiguousarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)


class PairwisePredictor(KernelParameters):
    """Predictions of one-vs-one kernel expansions, with the interface of `sklearn.svm.SVC`.

    `svmbench.sklearn.kernel_svc.KernelSVC` trains them and sets the declared attributes.
    """

    probability: bool
    break_ties: bool
    decision_function_shape: str
    classes_: NDArray[Any]
    support_: NDArray[np.int32]
    support_vectors_: Any
    probA_: Floats
    probB_: Floats
    shape_fit_: tuple[int, ...]
    _dual_coef_: Floats
    _intercept_: Floats
    _n_support: NDArray[np.int32]
    _kernel: dict[str, Any] | None
    _gamma: float
    _origin: Any
    _double: bool
    _sparse: bool
    _fit_rows: Any
    _scorer: Callable[[Any], Any] | None

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class, int32, shape (k,)."""
        check_is_fitted(self)
        return self._n_support

    @property
    def coef_(self) -> Any:
        """Weights w of each pair, shape (k (k - 1) / 2, d), for the linear kernel."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        coef = (-1.0 if self.classes_.size == 2 else 1.0) * self._pair_weights()
        if not self._sparse:
            coef.flags.writeable = False
            return coef
        sparse = sp.csr_matrix(coef)
        sparse.data.flags.writeable = False
        return sparse

    def _pair_weights(self) -> Floats:
        """Return w of each pair, positive for the first class, float64, shape (k (k - 1) / 2, d)."""
        ends = np.cumsum(self._n_support)
        parts = [slice(end - count, end) for end, count in zip(ends, self._n_support, strict=True)]
        weights = [
            self._dual_coef_[j - 1, parts[i]] @ self.support_vectors_[parts[i]]
            + self._dual_coef_[i, parts[j]] @ self.support_vectors_[parts[j]]
            for i, j in multiclass.pairs(self.classes_.size)
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
        X = validate_data(self, X, reset=False, **ACCEPTED)
        if self.kernel == "precomputed":
            return X
        check_single(X)
        if sp.issparse(X) and not self._sparse:
            raise ValueError(f"cannot use sparse input in {type(self).__name__!r} trained on dense data")
        if self._n_support.sum() != self.support_vectors_.shape[0]:
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return sp.csr_array(X) if self._sparse else X

    def _pair_decisions(self, X: Any) -> Floats:
        """Return the decision values of all pairs, positive for the first class, for checked rows."""
        if not self.support_.size:
            return np.tile(self._intercept_, (X.shape[0], 1))
        if self._scorer is None:
            return np.asarray(np.asarray(X @ self._pair_weights().T) + self._intercept_)
        return _expansions.decisions(self._scorer, X, self._dual_coef_, self._intercept_, self._n_support)

    def _made_scorer(self) -> Callable[[Any], Any] | None:
        """Return the function from checked rows to their kernel values with the support vectors.

        None if none are needed.
        """
        if not self.support_.size or self.kernel == "linear":
            return None
        if self.kernel == "sigmoid":
            return lambda X: self._sigmoid(X, self.support_vectors_)
        if self._kernel is None:
            return lambda values: values[:, self.support_]
        return _expansions.SupportValues(
            self.support_vectors_, self._kernel, self._origin, self._double, self._threads
        )

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of rows.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, d) or (m, n)
            Rows, sparse only if the training rows were; for ``precomputed``, their kernel values with all
            training rows.

        Returns
        -------
        ndarray of float64, shape (m,), (m, k) or (m, k (k - 1) / 2)
            For two classes, Σ_s dual_coef_[0, s] K(support_vectors_[s], x) + intercept_[0], positive for the
            second class. For more, depending on ``decision_function_shape``, a score per class (its votes
            plus the sum of its decision values, squashed to less than 1/3), or the decision value of each
            pair, positive for its first class.
        """
        values = self._pair_decisions(self._checked_rows(X))
        if self.classes_.size == 2:
            return -values.ravel()
        if self.decision_function_shape == "ovr":
            return _one_vs_one.one_vs_rest(values, self.classes_.size)
        return values

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, d) or (m, n)
            Rows, as for `decision_function`.

        Returns
        -------
        ndarray, shape (m,)
            The class with the most votes. In case of a tie, the first one, or with ``break_ties`` the one
            with the highest ``ovr`` score.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        values = self._pair_decisions(self._checked_rows(X))
        classes = self.classes_.size
        if self.break_ties and classes > 2:
            return np.asarray(self.classes_[_one_vs_one.one_vs_rest(values, classes).argmax(axis=1)])
        return self.classes_[multiclass.votes(values, classes)]

    def _has_probabilities(self) -> bool:
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, float64 (m, k), for rows X as for `decision_function`."""
        X = self._checked_rows(X)
        if not self.probA_.size:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        values = self._pair_decisions(X)
        return _platt.probabilities(values, self.probA_, self.probB_, self.classes_.size)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of `predict_proba`, float64 (m, k)."""
        return np.asarray(np.log(self.predict_proba(X)))

    def _sigmoid(self, X: Any, points: Any) -> Floats:
        """Return tanh(γ⟨x, x'⟩ + coef0), float64, shape (m, s)."""
        if not (isinstance(self.coef0, Real) and np.isfinite(self.coef0)):
            raise ValueError(f"coef0={self.coef0!r} is not allowed: give a finite number")
        products = dense(X.astype(np.float64) @ points.astype(np.float64).T)
        return np.tanh(self._gamma * products + self.coef0)
