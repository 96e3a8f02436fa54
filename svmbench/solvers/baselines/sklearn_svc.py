r"""LIBSVM in scikit-learn: ``sklearn.svm.SVC``.

C.-C. Chang and C.-J. Lin, LIBSVM: A Library for Support Vector Machines, ACM TIST 2:27, 2011;
scikit-learn: F. Pedregosa et al., JMLR 12, 2011.

Problem: :math:`\min \frac12 |w|^2 + C \sum_i h(c_i + y_i b)`; LIBSVM always has a bias.

Points of a curve: fits from scratch with decreasing tolerances for the largest violation of optimality. The
row cache has the same size as ours (``budget.memory``). LIBSVM uses one thread.

Answer: the coefficients and bias of the last fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svmbench.option import option
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Run
from svmbench.solvers.baselines._baseline import (
    KERNELS,
    Baseline,
    BaselineExpansionRun,
    TolParams,
    svc_options,
)
from svmbench.solvers.baselines._data import BaselineData


@dataclass(frozen=True)
class Params(TolParams):
    """Parameters of ``solver=sklearn_svc``."""

    storage: str = option(
        "csr",
        "Storage of the examples for LIBSVM: csr, as in its own program, or dense, which is faster for some "
        "data.",
        choices=("csr", "dense"),
    )


class SklearnSVC(Baseline):
    """The adapter; see the module."""

    name = "sklearn_svc"
    title = "LIBSVM (scikit-learn)"
    kernels = KERNELS
    biases = ("unregularised",)
    stochastic = False
    Params = Params

    def begin(self, problem: Problem, data: BaselineData, rng: Generator) -> Run:
        """Return a run at iteration 0; the generator is not used."""
        from sklearn.svm import SVC

        options = svc_options(problem, data)
        return BaselineExpansionRun(
            problem, data, self._form, self.params.tol, lambda tol: SVC(tol=tol, **options)
        )

    def _form(self, data: BaselineData) -> Any:
        return data.csr(np.float64) if self.params.storage == "csr" else data.dense(np.float64)
