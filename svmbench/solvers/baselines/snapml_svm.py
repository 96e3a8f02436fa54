r"""Snap ML as users have it: ``snapml.SupportVectorMachine``.

C. Dünner, T. Parnell, D. Sarigiannis, N. Ioannou, A. Anghel, G. Ravi, M. Kandasamy and H. Pozidis, Snap ML: A
Hierarchical Framework for Machine Learning, NeurIPS 2018; on a processor, stochastic dual coordinate ascent.

Problem: :math:`\min \frac{1}{2C} |w|^2 + \sum_i h(c_i)` without bias, since it regularises its bias, which is
another problem; 1/C is what it calls ``regularizer``.

Points of a curve: fits from nothing with growing limits on the passes (``max_iter``).

Answer: w of the last fit. However many its passes, version 1.17 may leave an example or two at a bound where
they do not belong: of 60 examples that is up to 3 % of the objective, of 20,000 no more than 2e-5.
Once imported it has subnormal numbers flushed to zero in the whole process.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from svmbench.problem import Problem
from svmbench.solvers.base import Run
from svmbench.solvers.baselines._baseline import Baseline, seed
from svmbench.solvers.baselines._data import BaselineData
from svmbench.solvers.baselines._passes import TOLERANCE, PassesParams, PassesRun

if TYPE_CHECKING:
    from svmbench.rng import Generator


class SnapMLSVM(Baseline):
    """The adapter; see the module."""

    name = "snapml_svm"
    title = "Snap ML"
    citation = (
        "C. Dünner, T. Parnell, D. Sarigiannis, N. Ioannou, A. Anghel, G. Ravi, M. Kandasamy, H. Pozidis. "
        "Snap ML: A Hierarchical Framework for Machine Learning. NeurIPS 2018."
    )
    kernels = ("linear",)
    observed = "linear"
    package = "snapml"
    Params = PassesParams

    def begin(self, problem: Problem, data: BaselineData, rng: Generator) -> Run:
        """Return a run at iteration 0."""
        with warnings.catch_warnings():
            # It asks numpy for the processor under an old name; if that raises, it does without vectors.
            warnings.simplefilter("ignore", DeprecationWarning)
            from snapml import SupportVectorMachine

        X, y, state = data.compact(np.float32), np.array(problem.y), seed(rng)
        if scipy.sparse.issparse(X):
            X = scipy.sparse.csr_matrix(X)  # the only sparse type that it takes

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
