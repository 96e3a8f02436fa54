"""A feature map of scikit-learn in front of one of its linear solvers, as users combine them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import Refusal, UserError
from svmbench.kernels.raw import RawExamples
from svmbench.problem import Problem
from svmbench.solvers.base import LinearModel, Run, Snapshot
from svmbench.solvers.peers._peer import Peer, PeerRun, seed

if TYPE_CHECKING:
    from svmbench.solvers.parts.random import Generator

#: Rows that are mapped at once to be scored.
_ROWS = 8192


@dataclass(frozen=True)
class MappedParams:
    """Parameters of both feature maps."""

    components: int = field(default=512, metadata={"help": "features of the map", "min": 1})
    linear: str = field(
        default="sgd", metadata={"help": "solver on the features", "choices": ("sgd", "linearsvc")}
    )
    passes: list[int] = field(
        default_factory=lambda: [1, 5],
        metadata={"help": "most passes of that solver in the fits, in their order", "min": 1},
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
    """

    features: Callable[[Any], NDArray[Any]] | None = None

    def scores(self, examples: Any, X: Any) -> NDArray[np.float64]:
        """Return the predictions for rows X, shape (m, d), as float64 (m,)."""
        if self.features is None:
            return np.full(X.shape[0], self.bias)
        parts = [self.features(X[at : at + _ROWS]) @ self.weights for at in range(0, X.shape[0], _ROWS)]
        return np.concatenate(parts) + self.bias


class MappedPeer(Peer):
    """Base of the two adapters: fits from nothing, map included, with growing limits on the passes.

    Attributes
    ----------
    inside : bool
        Whether the features span a part of the kernel's own space, where its optimum bounds the objective.
    """

    biases = ("none", "unregularised")
    observed = "linear"
    inside: ClassVar[bool]
    Params = MappedParams

    def make_map(self, data: RawExamples, state: int) -> Any:
        """Return the transformer of scikit-learn, not fitted."""
        raise NotImplementedError

    def begin(self, problem: Problem, data: RawExamples, rng: Generator) -> Run:
        """Return a run at iteration 0."""
        from sklearn.exceptions import ConvergenceWarning

        params = self.params
        if params.linear == "linearsvc" and problem.bias != "none":
            raise Refusal(
                f"{self.name} with solver.linear=linearsvc regularises its bias: give solver.linear=sgd or "
                "problem.bias=none"
            )
        X, y, state = data.X, np.array(problem.y), seed(rng)
        fitted: list[Any] = []

        def fit(number: int) -> None:
            transformer = self.make_map(data, state)
            Z = transformer.fit_transform(X)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the limit is meant to be reached
                estimator = _linear(params.linear, problem, params.passes[number], state).fit(Z, y)
            fitted[:] = [transformer, Z, estimator]

        def answer() -> Snapshot:
            transformer, Z, estimator = fitted
            weights = estimator.coef_[0].astype(np.float64)
            model = MappedModel(weights, float(np.ravel(estimator.intercept_)[0]), transformer.transform)
            return Snapshot(model, responses=y * (Z @ weights), inside=self.inside)

        untrained = Snapshot(MappedModel(np.zeros(0)), responses=np.zeros(data.n), inside=self.inside)
        return PeerRun(data.ledger, len(params.passes), fit, answer, untrained)


def _linear(name: str, problem: Problem, passes: int, state: int) -> Any:
    """Return the linear solver that makes so many passes."""
    if name == "linearsvc":
        from sklearn.svm import LinearSVC

        return LinearSVC(C=problem.C, loss="hinge", fit_intercept=False, max_iter=passes, random_state=state)
    from sklearn.linear_model import SGDClassifier

    bias = problem.bias == "unregularised"
    return SGDClassifier(alpha=problem.lam, fit_intercept=bias, max_iter=passes, tol=None, random_state=state)
