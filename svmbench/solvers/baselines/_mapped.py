"""A feature map of scikit-learn in front of one of its linear solvers, as users combine them."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import Refusal, UserError
from svmbench.problem import Problem
from svmbench.solvers.base import LinearModel, Run, Snapshot
from svmbench.solvers.baselines._baseline import Baseline, BaselineRun, seed
from svmbench.solvers.baselines._data import BaselineData

if TYPE_CHECKING:
    from svmbench.rng import Generator

#: Rows that are mapped at once to be scored.
_ROWS = 8192


@dataclass(frozen=True)
class MappedParams:
    """Parameters of both feature maps."""

    components: int = field(
        default=512,
        metadata={
            "help": (
                "Features of the map: between scikit-learn's default of 100 and the 1,024 of the ASSET paper."
            ),
            "min": 1,
        },
    )
    linear: str = field(
        default="sgd",
        metadata={
            "help": ("Solver on the features, SGDClassifier or LinearSVC; the latter without bias only."),
            "choices": ("sgd", "linearsvc"),
        },
    )
    passes: list[int] = field(
        default_factory=lambda: [1, 5],
        metadata={
            "help": (
                "Most passes of that solver in the fits, in their order: one fit from nothing, map "
                "included, and one checkpoint for each. Chosen here."
            ),
            "min": 1,
        },
    )

    def __post_init__(self) -> None:
        if not self.passes:
            raise UserError("solver.passes=[] is not allowed: give at least one number of passes")


@dataclass(frozen=True)
class MappedModel(LinearModel):
    """A linear predictor on mapped features.

    Attributes
    ----------
    features : callable or None
        From rows, shape (m, d), to features, shape (m, s); None: there are none yet.
    training : ndarray of float64, shape (n,), or None
        Weights times features of the training examples, as they were made in the fit; None likewise.
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
        """Return the predictions for every training example, without bias."""
        return np.zeros(examples.n) if self.training is None else self.training


class MappedBaseline(Baseline):
    """Base of the two adapters: fits from nothing, map included, with growing limits on the passes.

    Attributes
    ----------
    inside : bool
        Whether the features span a part of the kernel's own space, where its optimum bounds the objective.
    """

    biases = ("none", "unregularised")
    observed = "linear"
    version = 2
    inside: ClassVar[bool]
    Params = MappedParams

    @abstractmethod
    def make_map(self, data: BaselineData, state: int) -> Any:
        """Return the transformer of scikit-learn, not fitted."""

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
                warnings.simplefilter("ignore", ConvergenceWarning)  # the limit is meant to be reached
                estimator = _linear(params.linear, problem, params.passes[number], state).fit(Z, y)
            fitted[:] = [transformer, Z, estimator]

        def answer() -> Snapshot:
            transformer, Z, estimator = fitted
            weights = estimator.coef_[0].astype(np.float64)
            bias, scores = float(np.ravel(estimator.intercept_)[0]), Z @ weights

            def features(rows: Any) -> NDArray[Any]:
                return transformer.transform(in_double(rows))

            model = MappedModel(weights, bias, features, scores)
            return Snapshot(model, responses=y * scores, inside=self.inside)

        untrained = Snapshot(MappedModel(np.zeros(0)), responses=np.zeros(data.n), inside=self.inside)
        return BaselineRun(data.ledger, len(params.passes), fit, answer, untrained)


def in_double(X: Any) -> Any:
    """Return rows as float64, in which scikit-learn's maps compute then.

    A map made in single precision is none where examples repeat: singular values of zero come out as
    rounding of 1e-8, and features divided by their roots carry it to the fourth digit.
    """
    return X.astype(np.float64, copy=False)


def mapped(transformer: Any, X: Any) -> NDArray[np.float64]:
    """Return the features of rows that a transformer is fitted to.

    Raises
    ------
    FloatingPointError
        If kernel values or features are beyond double precision.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            Z: NDArray[np.float64] = transformer.fit_transform(X)
        except np.linalg.LinAlgError:  # of a matrix that holds infinity
            Z = np.full(1, np.inf)
    if not np.isfinite(Z).all():
        raise FloatingPointError(
            "the features are not finite: scale the data, or choose a kernel with smaller values"
        )
    return Z


def _linear(name: str, problem: Problem, passes: int, state: int) -> Any:
    """Return the linear solver that makes so many passes."""
    if name == "linearsvc":
        from sklearn.svm import LinearSVC

        return LinearSVC(C=problem.C, loss="hinge", fit_intercept=False, max_iter=passes, random_state=state)
    from sklearn.linear_model import SGDClassifier

    bias = problem.bias == "unregularised"
    return SGDClassifier(alpha=problem.lam, fit_intercept=bias, max_iter=passes, tol=None, random_state=state)
