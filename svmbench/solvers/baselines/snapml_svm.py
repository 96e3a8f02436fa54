r"""Snap ML: ``snapml.SupportVectorMachine``.

C. Dünner, T. Parnell, D. Sarigiannis, N. Ioannou, A. Anghel, G. Ravi, M. Kandasamy and H. Pozidis, Snap ML: A
Hierarchical Framework for Machine Learning, NeurIPS 2018.

Problem: :math:`\min \frac{1}{2C} |w|^2 + \sum_i h(c_i)` without bias; 1/C is its ``regularizer``. (It
regularises its bias, which is another problem.) On a CPU, its method is stochastic dual coordinate ascent.

Points of a curve: fits from scratch with growing limits on the passes (``max_iter``).

Answer: w of the last fit. However many passes it makes, version 1.17 may leave one or two examples wrongly at
a bound. With 60 examples this costs up to 3 % of the objective, with 20,000 at most 2e-5. Importing the
program makes the process flush subnormal numbers to zero.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy

from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Run
from svmbench.solvers.baselines._baseline import TOLERANCE, Baseline, PassesParams, PassesRun, seed
from svmbench.solvers.baselines._data import BaselineData


class SnapMLSVM(Baseline):
    """The adapter; see the module."""

    name = "snapml_svm"
    title = "Snap ML"
    kernels = ("linear",)
    observed = "linear"
    package = "snapml"
    Params = PassesParams

    def begin(self, problem: Problem, data: BaselineData, rng: Generator) -> Run:
        """Return a run at iteration 0."""
        with warnings.catch_warnings():
            # It asks numpy about the processor by a deprecated name. If that raises, it does without vector
            # instructions.
            warnings.simplefilter("ignore", DeprecationWarning)
            from snapml import SupportVectorMachine

        X, y, state = data.compact(np.float32), np.array(problem.y), seed(rng)
        if scipy.sparse.issparse(X):
            X = scipy.sparse.csr_matrix(X)  # the only sparse type it accepts

        def fit(limit: int) -> Any:
            estimator = SupportVectorMachine(
                regularizer=1.0 / problem.C,
                tol=TOLERANCE,
                max_iter=limit,
                n_jobs=data.threads,
                random_state=state,
            )
            return estimator.fit(X, y)

        return PassesRun(data, self.params.passes, fit)
