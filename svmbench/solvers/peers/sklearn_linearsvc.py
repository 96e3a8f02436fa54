r"""LIBLINEAR as users have it: ``sklearn.svm.LinearSVC``.

R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang and C.-J. Lin, LIBLINEAR: A Library for Large Linear
Classification, JMLR 9, 2008; dual coordinate descent as in `svmbench.solvers.linear.dcd`.

Problem: :math:`\min \frac12 |w|^2 + C \sum_i h(c_i)` without bias: LIBLINEAR regularises its bias, which is
another problem.

Points of a curve: fits from nothing with growing limits on the passes (``max_iter``), since its tolerance is
too coarse a knob; it stops earlier where its tolerance, set to nearly nothing, holds.

Answer: w of the last fit. LinearSVC tells no dual point.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from svmbench.errors import UserError
from svmbench.kernels.raw import RawExamples
from svmbench.problem import Problem
from svmbench.solvers.base import LinearModel, Run, Snapshot
from svmbench.solvers.peers._peer import Peer, PeerRun, seed

if TYPE_CHECKING:
    from svmbench.solvers.parts.random import Generator

#: So small that the limit on the passes decides, so large that float64 reaches it in the end.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Params:
    """Parameters of ``solver=sklearn_linearsvc``."""

    passes: list[int] = field(
        default_factory=lambda: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
        metadata={"help": "most passes of the fits, in their order", "min": 1},
    )

    def __post_init__(self) -> None:
        if not self.passes:
            raise UserError("solver.passes=[] is not allowed: give at least one number of passes")


class SklearnLinearSVC(Peer):
    """The adapter; see the module."""

    name = "sklearn_linearsvc"
    title = "LIBLINEAR (scikit-learn)"
    citation = (
        "R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang, C.-J. Lin. LIBLINEAR: A Library for Large Linear "
        "Classification. JMLR 9, 2008; sklearn.svm.LinearSVC: F. Pedregosa et al. JMLR 12, 2011."
    )
    kernels = ("linear",)
    observed = "linear"
    Params = Params

    def begin(self, problem: Problem, data: RawExamples, rng: Generator) -> Run:
        """Return a run at iteration 0."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        X, y, state = data.compact(np.float64), np.array(problem.y), seed(rng)
        fitted: list[Any] = []

        def fit(number: int) -> None:
            limit = self.params.passes[number]
            estimator = LinearSVC(
                C=problem.C,
                loss="hinge",
                fit_intercept=False,
                tol=TOLERANCE,
                max_iter=limit,
                random_state=state,
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the limit is meant to be reached
                fitted[:] = [estimator.fit(X, y)]

        def answer() -> Snapshot:
            return Snapshot(LinearModel(fitted[0].coef_[0].astype(np.float64)))

        untrained = Snapshot(LinearModel(np.zeros(data.d)))
        return PeerRun(data.ledger, len(self.params.passes), fit, answer, untrained)
