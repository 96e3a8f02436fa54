r"""LIBLINEAR in scikit-learn: ``sklearn.svm.LinearSVC``.

R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang and C.-J. Lin, LIBLINEAR: A Library for Large Linear
Classification, JMLR 9, 2008; scikit-learn: F. Pedregosa et al., JMLR 12, 2011.

Problem: :math:`\min \frac12 |w|^2 + C \sum_i h(c_i)` without bias. (LIBLINEAR regularises its bias, which is
another problem.) The method is dual coordinate descent, as in `dcd`.

Points of a curve: fits from scratch with growing limits on the passes (``max_iter``), since tolerances are
too coarse for this. The tolerance is set so small that it hardly ever ends a fit earlier.

Answer: w of the last fit. LinearSVC does not return a dual point.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Run
from svmbench.solvers.baselines._baseline import TOLERANCE, Baseline, PassesParams, PassesRun, seed
from svmbench.solvers.baselines._data import BaselineData


class SklearnLinearSVC(Baseline):
    """The adapter; see the module."""

    name = "sklearn_linearsvc"
    title = "LIBLINEAR (scikit-learn)"
    kernels = ("linear",)
    observed = "linear"
    Params = PassesParams

    def begin(self, problem: Problem, data: BaselineData, rng: Generator) -> Run:
        """Return a run at iteration 0."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        X, y, state = data.compact(np.float64), np.array(problem.y), seed(rng)

        def fit(limit: int) -> Any:
            estimator = LinearSVC(
                C=problem.C,
                loss="hinge",
                fit_intercept=False,
                tol=TOLERANCE,
                max_iter=limit,
                random_state=state,
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the limit is reached on purpose
                return estimator.fit(X, y)

        return PassesRun(data, self.params.passes, fit)
