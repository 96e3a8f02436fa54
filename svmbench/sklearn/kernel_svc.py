"""An exact kernel classifier with certified duality gaps: training, scores, votes, probabilities."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from svmbench import multiclass, platt
from svmbench.kernels._ledger import Ledger
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.unrounded import is_rough
from svmbench.sklearn import _one_vs_one
from svmbench.sklearn._base import Floats, classes_of, value_errors
from svmbench.sklearn._kernel_machine import KernelMachine, check_weighted, given_weights
from svmbench.sklearn._one_vs_one import PairSolutions
from svmbench.sklearn._together import PairProblems
from svmbench.sklearn._training import Trainer, cross_validated
from svmbench.solvers import registry

if TYPE_CHECKING:
    from sklearn.svm import SVC

#: Exact solvers of the dual that can solve with and without a bias.
SOLVERS = ("decomposition", "smo_pair", "svm_light", "gpdt", "chunking", "lasvm")

#: Number of folds whose held-out scores determine the probabilities, as in LIBSVM.
_FOLDS = 5

#: Frames from a warning to the caller of `KernelSVC.fit` and `fit_path`.
_CALLER = 4

#: Change of a kernel value times the largest coefficient, as a part of ``tol``, up to which rows are taken as
#: multiples of a unit that they miss by rounding.
_UNSEEN = 0.01


@dataclass(eq=False, repr=False)
class KernelSVC(KernelMachine, ClassifierMixin, BaseEstimator):
    """Support vector classifier that stops at a certified relative duality gap.

    Minimises 1/2 |w|² + Σ_i C_i max(0, 1 - y_i (⟨w, Φ(x_i)⟩ + b)), where C_i is C times the weights of row
    and class: the problem of `sklearn.svm.SVC`, with the same parameters, attributes and methods. Multi-class
    problems are solved one-vs-one.

    Parameters
    ----------
    C : float, default 1.0
        Inverse regularisation strength, positive. Infinite for a hard margin.
    kernel : {'rbf', 'linear', 'poly', 'sigmoid', 'precomputed'} or callable, default 'rbf'
        exp(-γ|x-x'|²), ⟨x, x'⟩, (γ⟨x, x'⟩ + coef0)^degree or tanh(γ⟨x, x'⟩ + coef0). With ``precomputed``, X
        holds kernel values: between all training rows in `fit`, between rows and all training rows in
        `predict`. A callable returns the kernel values of two arrays of rows. For the last three, the n × n
        kernel matrix of the training rows is held in memory. The gap is a bound if that matrix is positive
        semidefinite, which ``sigmoid`` seldom achieves.
    gamma : 'scale', 'auto' or float, default 'scale'
        γ: 1/(d · variance of X), 1/d, or the number given.
    degree : int, default 3
        Degree of the polynomial kernel.
    coef0 : float, default 0.0
        Constant of ``poly`` and ``sigmoid``.
    fit_intercept : bool, default True
        Whether to fit an unregularised intercept b; otherwise it is 0.
    tol : float, default 1e-4
        Relative duality gap, (primal - dual)/primal, at which to stop. It is recomputed from the coefficients
        alone and bounds the distance of the objective from the optimum. It applies to each pair of classes.
        If most of the objective is the loss of a few outliers or of rows with large weights, the gap is
        reduced accordingly. With a large C, the primal objective may be that of a multiple of w.
    solver : str, default 'decomposition'
        Name of the exact solver, one of `SOLVERS`. The default is the fastest.
    cache_size : float, default 500
        Size of the cache of kernel rows in MiB.
    class_weight : dict, 'balanced' or None, default None
        Weights of classes; classes missing from a dict have weight 1. ``balanced``: n / (k · rows of the
        class).
    probability : bool, default False
        Whether to enable `predict_proba`, at the cost of five more trainings per pair of classes. Deprecated,
        as in scikit-learn since 1.9: use ``CalibratedClassifierCV(KernelSVC(), ensemble=False)``.
    max_iter : int, default -1
        Most iterations of the solver per pair of classes; -1: unlimited. An iteration of ``decomposition``
        changes up to 2048 coefficients, one of `SVC` two.
    decision_function_shape : {'ovr', 'ovo'}, default 'ovr'
        Result of `decision_function` for more than two classes: a score per class, or the decision value of
        each pair.
    break_ties : bool, default False
        If True, `predict` breaks ties of votes by the ``ovr`` scores; otherwise the first class wins.
    verbose : bool, default False
        Whether to print a line for each pair of classes.
    shrinking : bool, default True
        No effect; accepted for compatibility with `SVC`. The solver decides when to shrink.
    random_state : int, RandomState or None, default None
        Determines the folds of ``probability``; nothing else is random.
    n_jobs : int or None, default None
        Number of threads; None: one, -1: all cores.

    Attributes
    ----------
    classes_ : ndarray, shape (k,)
        Classes; of two, the second has positive scores.
    support_ : ndarray of int32, shape (s,)
        Training rows with a non-zero coefficient, sorted by class.
    n_support_ : ndarray of int32, shape (k,)
        Number of support vectors of each class.
    support_vectors_ : array or sparse matrix, shape (s, d)
        Support vectors; empty for precomputed and callable kernels.
    dual_coef_ : ndarray of float64 or sparse matrix, shape (k - 1, s)
        Signed coefficients of the support vectors, in the layout of `SVC`. Sparse if the training rows were.
    intercept_ : ndarray of float64, shape (k (k - 1) / 2,)
        b of each pair.
    coef_ : ndarray of float64 or sparse matrix, shape (k (k - 1) / 2, d)
        w of each pair, for the linear kernel only; read-only.
    gap_ : float
        Certified relative duality gap, the largest of `gaps_`.
    gaps_ : ndarray of float64, shape (k (k - 1) / 2,)
        Certified relative duality gap of each pair.
    kernel_evaluations_ : int
        Number of kernel values that the solver computed in `fit`, without those of the certificate; 0 for a
        precomputed kernel.
    n_iter_ : ndarray of int32, shape (k (k - 1) / 2,)
        Iterations of the solver for each pair. Pairs of up to 6,000 rows, or if there are two classes 3,000,
        with ``rbf`` and up to 32 features 5,000, are solved by steps of two coefficients each
        (``decomposition`` only); their iterations are these steps.
    fit_status_ : int
        1 if ``max_iter`` was reached before ``tol``, else 0.
    class_weight_ : ndarray of float64, shape (k,)
        Weight of each class.
    probA_, probB_ : ndarray of float64, shape (k (k - 1) / 2,)
        Parameters of the probabilities of each pair (`svmbench.platt`); empty without
        ``probability``.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        d.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> classifier = KernelSVC(C=10.0, tol=1e-6).fit(X, y)
    >>> classifier.gap_ <= 1e-6
    True
    """

    C: float = 1.0
    _: KW_ONLY
    kernel: str | Callable[[Any, Any], Any] = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    fit_intercept: bool = True
    tol: float = 1e-4
    solver: str = "decomposition"
    cache_size: float = 500
    class_weight: dict[Any, float] | str | None = None
    probability: bool = False
    max_iter: int = -1
    decision_function_shape: str = "ovr"
    break_ties: bool = False
    verbose: bool = False
    shrinking: bool = True
    random_state: Any = None
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelSVC:
        """Fit to labelled rows.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d) or (n, n)
            Rows; for ``precomputed``, their kernel values; for a callable kernel, its arguments.
        y : array, shape (n,)
            Class of each row, at least two distinct ones.
        sample_weight : array, shape (n,), optional
            Factor of C for each row. Rows with a weight of 0 or less are ignored.

        Returns
        -------
        KernelSVC
            The fitted estimator.
        """
        return self._fitted([self], X, y, sample_weight)[0]

    def fit_path(self, X: Any, y: Any, C: Sequence[float], sample_weight: Any = None) -> list[KernelSVC]:
        """Fit to labelled rows for several values of C, which together cost little more than a few fits.

        Kernel values are shared, and the problem for each C begins at the solution for the next smaller one.
        Each answer has its own certified gap of at most ``tol``, as if fitted alone. Only a solver that can
        begin at a point gains from the latter: ``decomposition`` does.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        C : sequence of float
            Values of C, positive. That of the estimator itself is not used.

        Returns
        -------
        list of KernelSVC
            A fitted estimator for each value, in the order given. The estimator itself remains as it was. The
            ``kernel_evaluations_`` of each are those computed for it in addition to those for smaller C.

        Examples
        --------
        >>> from sklearn.datasets import make_moons
        >>> X, y = make_moons(200, noise=0.2, random_state=0)
        >>> path = KernelSVC().fit_path(X, y, C=[0.1, 1.0, 10.0])
        >>> [(one.C, one.gap_ <= one.tol) for one in path]
        [(0.1, True), (1.0, True), (10.0, True)]
        """
        values = np.asarray(C)
        if values.ndim != 1 or not values.size:
            raise ValueError(f"C={C!r} is not allowed: give a list of positive numbers")
        return self._fitted([clone(self).set_params(C=one) for one in values.tolist()], X, y, sample_weight)

    @staticmethod
    def _fitted(estimators: list[KernelSVC], X: Any, y: Any, sample_weight: Any) -> list[KernelSVC]:
        """Fit estimators that differ only in C; return them."""
        for one in estimators:
            one._check_parameters()
        if estimators[0].probability:
            warnings.warn(
                "The `probability` parameter is deprecated, as that of sklearn.svm.SVC since 1.9: use "
                "CalibratedClassifierCV(KernelSVC(), ensemble=False)",
                FutureWarning,
                stacklevel=_CALLER - 1,
            )
        first, *others = order = sorted(estimators, key=lambda one: float(one.C))
        X, y = first._checked_training(X, y)
        first.classes_, codes = classes_of(y, type(first).__name__)
        weights = first._weights(sample_weight, codes)
        kept = np.arange(codes.size) if weights is None else np.flatnonzero(weights > 0.0)
        largest = float(order[-1].C) * (1.0 if weights is None else float(weights.max()))
        within = None if weights is None else weights[kept]
        random = check_random_state(first.random_state) if first.probability else None
        with value_errors():
            oracle = first._oracle_of(X, codes.size, kept, _UNSEEN * float(first.tol) / largest, _CALLER)
            values = [float(one.C) for one in order]
            found, sigmoids = first._solved_pairs(oracle, codes[kept], within, random, values)
        for one in others:
            one.__dict__ |= {name: value for name, value in vars(first).items() if name != "C"}
        for k, one in enumerate(order):
            one._keep(X, codes, kept, oracle, found, k, sigmoids[k])
            if k and oracle.kernel.matrix is not None:
                one.kernel_evaluations_ = 0
            one._warn(one.solver, _CALLER)
        return estimators

    @classmethod
    def from_sklearn(cls, model: SVC, X: Any, y: Any, sample_weight: Any = None) -> KernelSVC:
        """Return a fitted estimator with the coefficients of a `sklearn.svm.SVC`, and their certified gap.

        The intercepts are those of least loss for these coefficients, which the gap belongs to; those of the
        model may differ by its tolerance.

        Parameters
        ----------
        model : SVC
            A fitted classifier.
        X, y, sample_weight
            What it was fitted to, as for `fit`.

        Returns
        -------
        KernelSVC
            With the parameters of the model, except ``tol`` and ``probability``.
        """
        check_is_fitted(model)
        shared = cls().get_params().keys() & model.get_params().keys() - {"tol", "probability"}
        self = cls(**{name: value for name, value in model.get_params().items() if name in shared})
        self._check_parameters()
        X, y = self._checked_training(X, y)
        self.classes_, codes = classes_of(y, cls.__name__)
        if model.shape_fit_[0] != codes.size or not np.array_equal(self.classes_, model.classes_):
            raise ValueError("X and y are not what the model was fitted to: its rows or its classes differ")
        weights, whole = self._weights(sample_weight, codes), np.arange(codes.size)
        with value_errors():
            oracle = self._oracle_of(X, codes.size, whole, 0.0)
        coefficients = np.asarray(model._dual_coef_.toarray() if model._sparse else model._dual_coef_)
        owners, found = codes[model.support_], PairSolutions(codes, 1)
        for pair, (i, j) in enumerate(multiclass.pairs(self.classes_.size)):
            here = found.of(pair)
            members, labels, values = found.rows[here], found.y[here], np.zeros(codes.size)
            for own, row in ((i, j - 1), (j, i)):
                values[model.support_[owners == own]] = np.abs(coefficients[row, owners == own])
            own_weights = None if weights is None else weights[members]
            trainer = Trainer(self.solver, float(self.tol), -1)
            bias = "unregularised" if self.fit_intercept else "none"
            part = oracle.subset(members, ledger=Ledger())
            solution = trainer.judged(part, labels, float(self.C), bias, own_weights, values[members])
            found.keep(0, pair, solution)
        self._keep(X, codes, whole, oracle, found, 0, np.empty((0, 2)))
        return self

    def to_sklearn(self) -> SVC:
        """Return a fitted `sklearn.svm.SVC` with the same parameters and attributes, except ``tol``.

        Returns
        -------
        SVC
            Its scores are those of this estimator up to rounding.
        """
        from sklearn.svm import SVC  # takes a tenth of the time of importing this module

        check_is_fitted(self)
        model = SVC()
        shared = self.get_params().keys() & model.get_params().keys() - {"tol", "probability"}
        model.set_params(**{name: value for name, value in self.get_params().items() if name in shared})
        names = ("classes_", "class_weight_", "support_", "support_vectors_", "_n_support", "_dual_coef_",
                 "dual_coef_", "_intercept_", "intercept_", "_sparse", "_gamma", "shape_fit_", "fit_status_",
                 "n_iter_")  # fmt: skip
        model.__dict__ |= {name: copy.copy(getattr(self, name)) for name in names}
        inputs = ("n_features_in_", "feature_names_in_")
        model.__dict__ |= {name: getattr(self, name) for name in inputs if hasattr(self, name)}
        if self._sparse:  # LIBSVM reads all values of a row, zeros included
            rows, columns = self._dual_coef_.shape
            places = np.tile(np.arange(columns, dtype=np.int32), rows)
            ends = np.arange(rows + 1, dtype=np.int32) * columns
            layout = (self._dual_coef_.ravel(), places, ends)
            model._dual_coef_ = sp.csr_matrix(layout, shape=self._dual_coef_.shape)
            model.support_vectors_ = sp.csr_matrix(self.support_vectors_, dtype=np.float64)
        else:
            model.support_vectors_ = np.ascontiguousarray(self.support_vectors_, dtype=np.float64)
        model._probA, model._probB = np.empty((2, 0))
        model._effective_probability = False  # from scikit-learn 1.9
        model._num_iter = self.n_iter_
        model._BaseLibSVM__Xfit = self._fit_rows
        return model

    def _check_parameters(self) -> None:
        if self.solver not in SOLVERS:
            raise ValueError(f"solver={self.solver!r} is not allowed: give one of {', '.join(SOLVERS)}")
        if not self.fit_intercept and "none" not in registry.get(self.solver).biases:
            raise ValueError(
                f"solver={self.solver!r} always has an intercept: use solver='decomposition' with "
                "fit_intercept=False"
            )
        self._check_training()
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(
                f"decision_function_shape={self.decision_function_shape!r} is not allowed: give ovr or ovo"
            )
        named = isinstance(self.class_weight, str) and self.class_weight == "balanced"
        if not named and not isinstance(self.class_weight, dict | None):
            raise ValueError(
                f"class_weight={self.class_weight!r} is not allowed: give 'balanced', a dict or None"
            )

    def _weights(self, sample_weight: Any, codes: NDArray[np.int64]) -> Floats | None:
        """Return the weight of each row, including that of its class; None if all are 1."""
        # scikit-learn's function loads its preprocessing first, which takes as long as a small problem.
        self.class_weight_ = (
            np.ones(self.classes_.size)
            if self.class_weight is None
            else compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])
        )
        if self.class_weight is None and sample_weight is None:
            return None
        weights = self.class_weight_[codes] * given_weights(sample_weight, codes.size)
        if np.all(weights == 1.0):
            return None
        check_weighted(weights, "sample_weight and class_weight")
        present = np.unique(codes[weights > 0.0])
        if present.size == 1:
            raise ValueError(
                "Invalid input - all samples with positive weights belong to the same class: "
                f"{self.classes_[present].tolist()[0]!r}"
            )
        if present.size < self.classes_.size:
            without = np.setdiff1d(np.arange(self.classes_.size), present)
            raise ValueError(
                f"no row of class {self.classes_[without].tolist()[0]!r} has a positive weight: leave out "
                "its rows, or give one of them a weight above 0"
            )
        if not registry.get(self.solver).weighted:
            raise ValueError(f"solver={self.solver!r} takes no weights: use solver='decomposition'")
        return np.asarray(weights)

    def _solved_pairs(
        self,
        oracle: Oracle,
        codes: NDArray[np.int64],
        weights: Floats | None,
        random: np.random.RandomState | None,
        values: list[float],
    ) -> tuple[PairSolutions, Floats]:
        """Solve the problems of all pairs for ascending values of C.

        Return the solutions, and A and B of the probability of each pair, shape (c, p, 2).
        """
        found = PairSolutions(codes, len(values))
        trainer = Trainer(self.solver, float(self.tol), int(self.max_iter))
        room, threads = self._cache_bytes, self._threads
        bias = "unregularised" if self.fit_intercept else "none"
        if random is None and PairProblems.possible(oracle, codes, trainer, values, room, threads):
            PairProblems(oracle, found, weights, values, bias, trainer.tol, threads).solve()
        sigmoids = np.zeros((*found.gap.shape, 2))
        for pair in np.flatnonzero(~found.solved.all(axis=0)).tolist():
            self._solve_pair(trainer, oracle, found, pair, weights, random, values, sigmoids[:, pair])
        if self.verbose:
            for pair, (i, j) in enumerate(self.classes_[multiclass.pairs(self.classes_.size)].tolist()):
                for c in range(len(values)):
                    print(
                        f"{i!r} against {j!r}: {found.iterations[c, pair]} iterations, "
                        f"{np.count_nonzero(found.alpha[c, found.of(pair)])} support vectors, "
                        f"relative gap {found.gap[c, pair]:.1e}"
                    )
        return found, sigmoids

    def _solve_pair(
        self,
        trainer: Trainer,
        oracle: Oracle,
        found: PairSolutions,
        pair: int,
        weights: Floats | None,
        random: np.random.RandomState | None,
        values: list[float],
        sigmoids: Floats,
    ) -> None:
        """Solve the problem of two classes for each C for which it is not solved."""
        order = np.argsort(found.rows[found.of(pair)])
        members, y = found.rows[found.of(pair)][order], found.y[found.of(pair)][order]
        part = oracle if members.size == oracle.n else oracle.subset(members, ledger=Ledger())
        bias = "unregularised" if self.fit_intercept else "none"
        own = None if weights is None else weights[members]
        folds: list[NDArray[np.int64]] = []
        if random is not None:
            folds = [fold for fold in np.array_split(random.permutation(members.size), _FOLDS) if fold.size]
        near: tuple[Floats, Floats] | None = None
        for c, C in enumerate(values):
            problem = (y, C, bias, own)
            if not found.solved[c, pair]:
                found.keep(c, pair, trainer.solve(part, *problem, near), order)
            near = found.alpha[c, found.of(pair)][order], C * (np.ones(y.size) if own is None else own)
            if folds:
                sigmoids[c] = platt.sigmoid(-cross_validated(trainer, part, *problem, folds), y < 0.0)

    def _keep(
        self,
        X: Any,
        codes: NDArray[np.int64],
        kept: NDArray[np.int64],
        oracle: Oracle,
        found: PairSolutions,
        c: int,
        sigmoids: Floats,
    ) -> None:
        """Set the attributes that `SVC` has, from the solutions of the kept rows for C number c."""
        rows, values, pair = found.coefficients(c)
        support, coefficients = _one_vs_one.dual_coefficients(
            codes, kept[rows], values, pair, self.classes_.size
        )
        self._keep_expansions(
            X,
            oracle,
            support,
            np.bincount(codes[support], minlength=self.classes_.size),
            coefficients,
            -found.bias[c],
            is_rough(math.sqrt(np.bincount(pair, np.square(values)).max(initial=0.0)), self._feature_error),
        )
        self.gaps_ = found.gap[c].copy()
        self.gap_ = float(self.gaps_.max())
        self.n_iter_ = found.iterations[c].astype(np.int32)
        self.kernel_evaluations_ = self._computed(oracle, int(found.evaluations[c].sum()))
        self.fit_status_ = int(np.any(found.ended_early[c] & (self.gaps_ > self.tol)))
        if not self.probability:
            sigmoids = np.empty((0, 2))
        self.probA_, self.probB_ = sigmoids[:, 0].copy(), sigmoids[:, 1].copy()

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
            training rows, or with the support vectors in the order of ``support_``.

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
        return np.asarray(self.classes_[multiclass.votes(values, classes)])

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
        return platt.probabilities(values, self.probA_, self.probB_, self.classes_.size)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of `predict_proba`, float64 (m, k)."""
        return np.asarray(np.log(self.predict_proba(X)))
