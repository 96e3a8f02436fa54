"""A feature map of scikit-learn followed by one of its linear solvers."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import Refusal
from svmbench.option import option
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import LinearModel, Run, Snapshot
from svmbench.solvers.baselines._baseline import Baseline, BaselineRun, seed
from svmbench.solvers.baselines._data import BaselineData

#: Rows that are mapped at a time when scores are computed.
_ROWS = 8192


@dataclass(frozen=True)
class MappedParams:
    """Parameters of both feature maps."""

    components: int = option(
        512,
        "Number of features: between scikit-learn's default of 100 and the 1,024 of the ASSET paper.",
        min=1,
    )
    linear: str = option(
        "sgd",
        "Solver on the features, SGDClassifier or LinearSVC; the latter only without bias.",
        choices=("sgd", "linearsvc"),
    )
    passes: list[int] = option(
        [1, 5],
        "Most passes of that solver in successive fits; each is a fit from scratch, map included, and a "
        "checkpoint. Chosen here.",
        min=1,
    )


@dataclass(frozen=True)
class MappedModel(LinearModel):
    """A linear predictor on mapped features.

    Attributes
    ----------
    features : callable or None
        Maps rows, shape (m, d), to features, shape (m, s); None before the first fit.
    training : ndarray of float64, shape (n,), or None
        Products of the weights and the features of the training examples, from the fit; None before the
        first.
    """

    features: Callable[[Any], NDArray[Any]] | None = None
    training: NDArray[np.float64] | None = None

    def scores(self, examples: Any, X: Any) -> NDArray[np.float64]:
        """Return the predictions for rows X, shape (m, d), as float64 (m,)."""
        if self.features is None:
            return np.full(X.shape[0], self.bias)
        parts = [self.features(X[at : at + _ROWS]) @ self.weights for at in range(0, X.shape[0], _ROWS)]
        return np.concatenate(parts) + self.bias

    def training_scores(self, examples: Any) -> NDArray[np.float64]:
        """Return the predictions for all training examples, without bias."""
        return np.zeros(examples.n) if self.training is None else self.training


class MappedBaseline(Baseline):
    """Base class of the two adapters: fits from scratch, including the map, with growing limits on passes.

    Attributes
    ----------
    inside : bool
        Whether the features span a subspace of the kernel's feature space, so that the kernel's optimum is a
        lower bound.
    """

    biases = ("none", "unregularised")
    observed = "linear"
    version = 2
    inside: ClassVar[bool]
    Params = MappedParams

    @abstractmethod
    def make_map(self, data: BaselineData, state: int) -> Any:
        """Return the unfitted transformer of scikit-learn."""

    def begin(self, problem: Problem, data: BaselineData, rng: Generator) -> Run:
        """Return a run at iteration 0."""
        from sklearn.exceptions import ConvergenceWarning

        params = self.params
        if params.linear == "linearsvc" and problem.bias != "none":
            raise Refusal(
                f"{self.name} with solver.linear=linearsvc regularises its bias: give solver.linear=sgd or "
                "problem.bias=none"
            )
        X, y, state = in_double(data.X), np.array(problem.y), seed(rng)
        fitted: list[Any] = []

        def fit(number: int) -> None:
            transformer = self.make_map(data, state)
            Z = mapped(transformer, X)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the limit is reached on purpose
                estimator = _linear(params.linear, problem, params.passes[number], state).fit(Z, y)
            fitted[:] = [transformer, Z, estimator]

        def answer() -> Snapshot:
            transformer, Z, estimator = fitted
            weights = estimator.coef_[0].astype(np.float64)
            bias, scores = float(np.ravel(estimator.intercept_)[0]), Z @ weights

            def features(rows: Any) -> NDArray[Any]:
                return transformer.transform(in_double(rows))

            model = MappedModel(weights, bias, features=features, training=scores)
            return Snapshot(model, responses=y * scores, inside=self.inside)

        # Programs load libraries at their first fit, so they are loaded before timing.
        self.make_map(data, state)
        _linear(params.linear, problem, 1, state)
        untrained = Snapshot(MappedModel(np.zeros(0)), responses=np.zeros(data.n), inside=self.inside)
        return BaselineRun(data.ledger, len(params.passes), fit, answer, untrained)


def in_double(X: Any) -> Any:
    """Return rows as float64, so that scikit-learn's maps compute in double precision.

    In single precision, a Nyström map fails if examples repeat: singular values of zero are computed as about
    1e-8, and dividing by their square roots changes the fourth digit of the features.
    """
    return X.astype(np.float64, copy=False)


def mapped(transformer: Any, X: Any) -> NDArray[np.float64]:
    """Fit a transformer to rows and return their features.

    Raises
    ------
    FloatingPointError
        If kernel values or features overflow double precision.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            Z: NDArray[np.float64] = transformer.fit_transform(X)
        except np.linalg.LinAlgError:  # the matrix contains infinity
            Z = np.full(1, np.inf)
    if not np.isfinite(Z).all():
        raise FloatingPointError(
            "the features are not finite: scale the data, or choose a kernel with smaller values"
        )
    return Z


def _linear(name: str, problem: Problem, passes: int, state: int) -> Any:
    """Return the linear solver with this limit on the number of passes."""
    if name == "linearsvc":
        from sklearn.svm import LinearSVC

        return LinearSVC(C=problem.C, loss="hinge", fit_intercept=False, max_iter=passes, random_state=state)
    from sklearn.linear_model import SGDClassifier

    bias = problem.bias == "unregularised"
    return SGDClassifier(alpha=problem.lam, fit_intercept=bias, max_iter=passes, tol=None, random_state=state)
