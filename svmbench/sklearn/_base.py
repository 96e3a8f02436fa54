"""Common code of the estimators: validation, kernel parameters."""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from svmbench.errors import UserError
from svmbench.kernels.functions import registry
from svmbench.kernels.functions.base import Kernel
from svmbench.sparse import canonical

Floats = NDArray[np.float64]

#: scikit-learn's names of kernels, and those of this package.
_KERNELS = {"rbf": "gaussian", "linear": "linear", "poly": "polynomial", "sigmoid": "sigmoid"}
_KERNELS |= {name: name for name in registry.built_in() if name not in (*_KERNELS.values(), "precomputed")}

#: Largest cache size in MiB, 2⁶⁰ bytes: more than any machine has, but still a valid number of bytes in C.
_MOST_MIB = 1 << 40


#: Requirements on rows, as arguments of `validate_data`.
ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": (np.float64, np.float32),
}


@contextlib.contextmanager
def value_errors() -> Iterator[None]:
    """Raise a `UserError` of the package, such as of values beyond single precision, as a ValueError."""
    try:
        yield
    except UserError as error:
        raise ValueError(str(error)) from error


def check_positive(name: str, value: Any, *, finite: bool = False) -> None:
    """Raise ValueError unless a parameter is a positive number, and finite if required."""
    if not (isinstance(value, Real) and float(value) > 0.0) or (finite and value == np.inf):
        what = "positive finite number" if finite else "positive number"
        raise ValueError(f"{name}={value!r} is not allowed: give a {what}")


def validated(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """Return what `validate_data` does for rows, or for rows and labels, as of `ACCEPTED`.

    Its checks take as long as fitting a hundred rows, so they are left out for plain finite arrays, which
    they would return as they are.
    """
    plain = _is_plain(X, 2, "f") and X.dtype in ACCEPTED["dtype"]
    plain = plain and all(_is_plain(one, 1, "biuf") and len(one) == len(X) for one in y)
    if plain and y:
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        return X, *y
    return validate_data(estimator, X, *y, **ACCEPTED, **options, skip_check_array=plain)


def _is_plain(values: Any, dimensions: int, kinds: str) -> bool:
    """Return whether values are an array of finite numbers, with some dimensions and a kind of numpy's."""
    if type(values) is not np.ndarray or values.ndim != dimensions or values.dtype.kind not in kinds:
        return False
    # Infinite values and NaN remain in the sum. A sum that overflows is left to the slower checks.
    with np.errstate(over="ignore", invalid="ignore"):
        return values.size > 0 and (values.dtype.kind != "f" or math.isfinite(values.sum(dtype=np.float64)))


def _narrow(X: Any) -> Any:
    """Return a CSR matrix with indices of 32 bits, or raise ValueError if they do not fit."""
    if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32:
        return X
    most = np.iinfo(np.int32).max
    if max(X.shape[1], X.nnz) > most:
        raise ValueError(f"X has {X.shape[1]} columns and {X.nnz} entries: give at most {most} of each")
    narrow = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)(narrow, shape=X.shape)


def checked_features(X: Any, name: str = "X") -> Any:
    """Return validated rows, called `name`, with repeated entries of a sparse matrix added up.

    Raises
    ------
    ValueError
        If a feature overflows single precision, in which features are stored.
    """
    if sp.issparse(X):
        # scikit-learn 1.9 keeps the truth values of a sparse data frame.
        X = _narrow(canonical(X.astype(np.float64) if X.dtype == bool else X))
    values = X.data if sp.issparse(X) else X
    if values.size and max(values.max(), -values.min()) > np.finfo(np.float32).max:
        raise ValueError(
            f"{name} holds numbers above 3.4e38, and features are kept in single precision: scale them"
        )
    return X


def classes_of(y: Any, estimator: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted classes, and the index of the class of each label.

    Raises
    ------
    ValueError
        If the labels are not classes, or all are of one class.
    """
    try:
        if np.asarray(y).dtype.kind not in "iub":  # the check takes as long as a small fit
            check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        if "not supported between" not in str(error):
            raise
        kinds = ", ".join(sorted({type(label).__name__ for label in y}))
        raise TypeError(
            f"y holds labels that have no order, of types {kinds}: give all the same type"
        ) from error
    if classes.size == 1:
        raise ValueError(
            f"{estimator} can't train when only one class is present: y holds {classes[:1].tolist()[0]!r} "
            "alone; give examples of two classes"
        )
    return classes, codes


class BinaryClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Base of binary classifiers of dense or CSR features by the sign of `decision_function`."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any, y: Any) -> tuple[Any, Floats]:
        """Return the features, and the labels as -1 for the first class and +1 for the second."""
        X, y = validated(self, X, y)
        X = checked_features(X)
        self.classes_, codes = classes_of(y, type(self).__name__)
        if self.classes_.size > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: y holds "
                f"{self.classes_.size} classes; wrap the estimator in sklearn.multiclass.OneVsRestClassifier"
            )
        return X, 2.0 * codes.astype(np.float64) - 1.0

    def _checked_rows(self, X: Any) -> Any:
        """Return the validated features of rows to classify."""
        check_is_fitted(self)
        return checked_features(validated(self, X, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row of X.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, d)
            Rows to classify.

        Returns
        -------
        ndarray, shape (m,)
        """
        scores = self.decision_function(X)
        return np.asarray(self.classes_[(scores > 0.0).astype(int)])

    @abstractmethod
    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the rows of X, shape (m,); positive for the second class."""


class KernelParameters:
    """Parameters of the kernel, the row cache and threads, validated and converted for the oracle."""

    kernel: Any
    gamma: float | str
    degree: int
    coef0: float
    cache_size: float
    n_jobs: int | None

    #: Computes scores; rebuilt after unpickling.
    _scorer: Any
    #: Kernels that the estimator implements itself.
    _other_kernels: tuple[str, ...] = ()

    def _kernel_of(self, X: Any) -> Kernel:
        """Return the kernel with its parameters."""
        if not isinstance(self.kernel, str) or self.kernel not in _KERNELS:
            names = ", ".join([*_KERNELS, *self._other_kernels])
            raise ValueError(f"kernel={self.kernel!r} is not allowed: give one of {names}")
        kind, given = registry.get(_KERNELS[self.kernel]), {}
        for item in fields(kind):  # type: ignore[arg-type]
            given[item.name] = self._gamma_of(X) if item.name == "gamma" else getattr(self, item.name)
        if "degree" in given and not (isinstance(self.degree, Integral) and self.degree >= 1):
            raise ValueError(f"degree={self.degree!r} is not allowed: give a whole number of at least 1")
        if "coef0" in given and not (isinstance(self.coef0, Real) and np.isfinite(self.coef0)):
            raise ValueError(f"coef0={self.coef0!r} is not allowed: give a finite number")
        return kind(**given)

    def _gamma_of(self, X: Any) -> float:
        """Return γ: the given number, or for ``scale`` 1/(d · variance of X) and for ``auto`` 1/d."""
        named = self.gamma if isinstance(self.gamma, str) else None
        if named == "auto":
            return 1.0 / int(X.shape[1])
        if named == "scale":
            variance = float(
                X.multiply(X).mean() - X.mean() ** 2 if sp.issparse(X) else np.var(X, dtype=np.float64)
            )
            return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0
        if not (isinstance(self.gamma, Real) and np.isfinite(self.gamma) and self.gamma > 0.0):
            raise ValueError(
                f"gamma={self.gamma!r} is not allowed: give a positive number, 'scale' or 'auto'"
            )
        return float(self.gamma)

    @property
    def _cache_bytes(self) -> int:
        """``cache_size`` in bytes."""
        if not (isinstance(self.cache_size, Real) and 0.0 <= self.cache_size <= _MOST_MIB):
            raise ValueError(
                f"cache_size={self.cache_size!r} is not allowed: give a number from 0 to {_MOST_MIB}, in MiB"
            )
        return int(self.cache_size * 2**20)

    @property
    def _threads(self) -> int:
        """The number of threads, counted as scikit-learn does: -1 is all cores."""
        if not (self.n_jobs is None or isinstance(self.n_jobs, Integral)):
            raise ValueError(f"n_jobs={self.n_jobs!r} is not allowed: give a whole number, or None")
        return int(effective_n_jobs(self.n_jobs))

    def _made_scorer(self) -> Any:
        """Return the object that computes scores from the fitted attributes; it is not pickled."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        state.pop("_scorer", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        if "support_" in state:
            self._scorer = self._made_scorer()
