r"""oneDAL: ``sklearnex.svm.SVC`` of the Extension for scikit-learn.

Intel oneAPI Data Analytics Library. Method: Z. Wen, J. Shi, Q. Li, B. He and J. Chen, ThunderSVM: A Fast SVM
Library on GPUs and CPUs, JMLR 19, 2018, a decomposition with large working sets whose rows are computed in
blocks.

Problem: :math:`\min \frac12 |w|^2 + C \sum_i h(c_i + y_i b)`, always with a bias.

Points of a curve: fits from scratch with decreasing tolerances. The row cache has the same size as ours
(``budget.memory``), and the program uses the threads of the run (``threads``).

Answer: the coefficients and bias of the last fit. In single precision, the coefficients of the two classes
balance only up to rounding. They are turned into a feasible dual point, so that the gap is a bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svmbench.errors import Refusal
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
from svmbench.sparse import issparse


@dataclass(frozen=True)
class Params(TolParams):
    """Parameters of ``solver=sklearnex_svc``."""

    precision: str = option(
        "float64",
        "Arithmetic of the whole fit. Double, because in single precision the gap is far above the tolerance "
        "if C is large.",
        choices=("float64", "float32"),
    )


class SklearnexSVC(Baseline):
    """The adapter; see the module."""

    name = "sklearnex_svc"
    title = "oneDAL (scikit-learn-intelex)"
    kernels = KERNELS
    biases = ("unregularised",)
    stochastic = False
    package = "scikit-learn-intelex"
    Params = Params

    def begin(self, problem: Problem, data: BaselineData, rng: Generator) -> Run:
        """Return a run at iteration 0; the generator is not used."""
        import daal4py
        from sklearnex.svm import SVC

        daal4py.daalinit(data.threads)
        options = svc_options(problem, data)
        return OneDALRun(problem, data, self._form, self.params.tol, lambda tol: SVC(tol=tol, **options))

    def _form(self, data: BaselineData) -> Any:
        dtype = np.float64 if self.params.precision == "float64" else np.float32
        return data.csr(dtype) if issparse(data.X) else data.dense(dtype)


class OneDALRun(BaselineExpansionRun):
    """A run that checks whether its fits were made by oneDAL."""

    def advance(self, counter: str, until: int, *most: int) -> None:
        """Continue; refuse a fit that oneDAL silently passed on to scikit-learn's own SVC."""
        super().advance(counter, until, *most)
        if self.estimator is not None and not hasattr(self.estimator, "_onedal_estimator"):
            raise Refusal(
                "sklearnex_svc: oneDAL cannot fit this problem, and scikit-learn fitted it: give "
                "solver=sklearn_svc"
            )
