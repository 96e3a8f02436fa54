"""Predictions of a trained one-vs-one classifier: scores, votes, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from svmbench import multiclass
from svmbench.sklearn import _one_vs_one, _platt
from svmbench.sklearn._base import Floats
from svmbench.sklearn._kernel_machine import KernelMachine


class PairwisePredictor(KernelMachine):
    """Predictions of one-vs-one kernel expansions, with the interface of `sklearn.svm.SVC`.

    `svmbench.sklearn.kernel_svc.KernelSVC` trains them and sets the declared attributes.
    """

    probability: bool
    break_ties: bool
    decision_function_shape: str
    classes_: NDArray[Any]
    probA_: Floats
    probB_: Floats

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class, int32, shape (k,)."""
        check_is_fitted(self)
        return self._n_support

    @property
    def _sign(self) -> float:
        # As in `SVC`, decision values are positive for the first class of a pair internally, but the public
        # ones of two classes are positive for the second.
        return -1.0 if self.classes_.size == 2 else 1.0

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
