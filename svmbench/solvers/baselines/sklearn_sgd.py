r"""Stochastic gradient descent in scikit-learn: ``sklearn.linear_model.SGDClassifier``.

L. Bottou, Stochastic Gradient Descent Tricks, in Neural Networks: Tricks of the Trade, 2012;
scikit-learn: F. Pedregosa et al., JMLR 12, 2011.

Step :math:`1 / (\lambda (t_0 + t))`, no projection.

Problem: :math:`\min \frac{\lambda}{2} |w|^2 + \frac1n \sum_i h(c_i)`, with or without an unregularised bias.

Points of a curve: checkpoints of a single run. An iteration is an epoch (``partial_fit``), each in a new
order.

Answer: the last w and b. Averages are not offered, since with averaging, ``partial_fit`` of scikit-learn 1.9
forgets the bias of its steps between two calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import LinearModel, Run, Snapshot
from svmbench.solvers.baselines._baseline import Baseline, BaselineRun, seed
from svmbench.solvers.baselines._data import BaselineData


@dataclass(frozen=True)
class Params:
    """Parameters of ``solver=sklearn_sgd``."""

    epochs: int = option(
        100,
        "Passes over the data, after which the run counts as converged. A tenth of the limit of "
        "SGDClassifier, whose rule on the training loss ends it much earlier.",
        min=1,
    )


class SklearnSGD(Baseline):
    """The adapter; see the module."""

    name = "sklearn_sgd"
    title = "SGD (scikit-learn)"
    biases = ("none", "unregularised")
    kernels = ("linear",)
    observed = "linear"
    refits = False
    counting = "not observable: the program makes what products it needs by itself; an iteration is one epoch"
    Params = Params

    def begin(self, problem: Problem, data: BaselineData, rng: Generator) -> Run:
        """Return a run at iteration 0."""
        from sklearn.linear_model import SGDClassifier

        X, y = data.compact(np.float32), np.array(problem.y)
        # The state is a generator, since with a number every epoch would have the same order.
        estimator = SGDClassifier(
            alpha=problem.lam,
            fit_intercept=problem.bias == "unregularised",
            random_state=np.random.RandomState(seed(rng)),
        )

        def epoch(number: int) -> None:
            try:
                estimator.partial_fit(X, y, classes=(-1.0, 1.0))
            except ValueError as error:  # raised on overflow
                raise FloatingPointError(f"SGDClassifier in epoch {number + 1}: {error}") from error

        def answer() -> Snapshot:
            weights = estimator.coef_[0].astype(np.float64)
            return Snapshot(LinearModel(weights, float(estimator.intercept_[0])))

        untrained = Snapshot(LinearModel(np.zeros(data.d)))
        return BaselineRun(data.ledger, self.params.epochs, epoch, answer, untrained)
