"""Shared code of the adapters: sequences of fits, and the results of a program as models of ours.

Only `advance` is timed. `start` converts the examples to the type and layout that the program works on, so
that no avoidable conversion is timed. Conversions that the program makes within a fit count as its time.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from svmbench.counters import index_of
from svmbench.errors import Refusal, UserError
from svmbench.option import option
from svmbench.problem import Problem
from svmbench.solvers.base import KernelExpansion, LinearModel, Run, Snapshot, Solver
from svmbench.solvers.baselines._data import BaselineData, Tally
from svmbench.solvers.run import Uninterrupted
from svmbench.sparse import issparse

if TYPE_CHECKING:
    from svmbench.rng import Generator
    from svmbench.run_config import KernelDocument


class Baseline(Solver):
    """Base class of the adapters.

    Attributes
    ----------
    package : str
        The distribution that contains the program.
    """

    access = "data"
    refits = True
    counting = "not observable: the program evaluates what it needs by itself; an iteration is one whole fit"
    package: ClassVar[str] = "scikit-learn"

    @classmethod
    def release(cls) -> str:
        """Return our version and that of the package, or raise an error that says how to install it."""
        try:
            return f"{cls.version}, {cls.package} {version(cls.package)}"
        except PackageNotFoundError:
            raise UserError(
                f"{cls.name} needs {cls.package}, which is not installed: pip install {cls.package}"
            ) from None

    def start(self, problem: Problem, data: Any, rng: Generator) -> Run:
        """Return a run at iteration 0, with the examples converted for the program."""
        self.release()
        if problem.n != data.n or data.n == 0:
            raise UserError(
                f"{problem.n} labels do not fit {data.n} examples: give as many of both, at least one"
            )
        if abs(float(problem.y.sum())) == problem.n:
            raise Refusal(
                f"{self.name} needs examples of both classes, and all {problem.n} are of one: "
                "choose another positive class, or another solver"
            )
        return self.begin(problem, data, rng)

    @abstractmethod
    def begin(self, problem: Problem, data: BaselineData, rng: Generator) -> Run:
        """Return the run that `start` returns; the package is installed, and both classes are present."""


@dataclass(eq=False)
class BaselineRun:
    """A run of a program that is called from Python.

    Parameters
    ----------
    ledger : Tally
        Counts iterations.
    steps : int
        Number of iterations until the run has converged.
    step : callable
        Makes the iteration with the given number, from 0.
    answer : callable
        Returns the snapshot after at least one iteration.
    untrained : Snapshot
        The snapshot before the first iteration.
    """

    ledger: Tally
    steps: int
    step: Callable[[int], None]
    answer: Callable[[], Snapshot]
    untrained: Snapshot

    #: This is not the program's own stopping rule: it may have reached a limit.
    reason = "every setting has been tried"
    #: Each fit starts from scratch.
    stalled = False

    @property
    def iterations(self) -> int:
        """Number of iterations so far."""
        return self.ledger.iterations

    @property
    def converged(self) -> bool:
        """Whether every setting has been tried."""
        return self.iterations >= self.steps

    def advance(self, counter: str, until: int, most: int = sys.maxsize) -> None:
        """Continue; see `svmbench.solvers.base.Run`. Only iterations are counted."""
        last = self.iterations + most
        if index_of(counter) == index_of("iterations"):
            last = min(last, until)
        while not self.converged and self.iterations < last:
            with Uninterrupted():
                self.step(self.iterations)
                self.ledger.iterations += 1

    def snapshot(self) -> Snapshot:
        """Return the current solution."""
        return self.answer() if self.iterations else self.untrained


#: Kernels of scikit-learn with the same formulas.
KERNELS = ("gaussian", "linear", "polynomial", "sigmoid")


def kernel_options(kernel: KernelDocument) -> dict[str, Any]:
    """Return scikit-learn's keywords for a kernel; the formulas are the same."""
    words = {"gaussian": "rbf", "polynomial": "poly"}
    return {"kernel": words.get(kernel["name"], kernel["name"])} | {
        key: value for key, value in kernel.items() if key in ("gamma", "degree", "coef0")
    }


def seed(rng: Generator) -> int:
    """Return a seed for numpy's legacy generator, which scikit-learn uses."""
    return rng.integers(1 << 31)


def dual_point(indices: Any, signed: Any, problem: Problem) -> NDArray[np.float64]:
    r"""Return the coefficients :math:`\alpha` of a program as a feasible point, shape (n,).

    Rounding, especially in single precision, may make a coefficient exceed C, or :math:`\sum_i \alpha_i y_i`
    differ from 0. So coefficients are clipped, then those of the class with the larger sum are scaled down.

    Parameters
    ----------
    indices : array of int, shape (s,)
        Support vectors.
    signed : array or sparse matrix of one row, s values
        Values :math:`\alpha_i y_i`.
    problem : Problem
        The problem that the program solved.
    """
    values = signed.toarray() if issparse(signed) else np.asarray(signed)
    alpha = np.zeros(problem.n)
    alpha[indices] = np.minimum(np.abs(values.ravel().astype(np.float64)), problem.C)
    positive = problem.y > 0.0
    heavy, light = alpha[positive].sum(), alpha[~positive].sum()
    if heavy != light and min(heavy, light) > 0.0:
        alpha[positive == (heavy > light)] *= min(heavy, light) / max(heavy, light)
    return alpha


@dataclass(frozen=True)
class TolParams:
    """Parameters of programs that are fitted with a sequence of tolerances."""

    tol: list[float] = option(
        [0.1, 0.01, 0.001],
        "Tolerances of successive fits; each is a fit from scratch and a checkpoint. The last is the "
        "program's default.",
        above=0,
    )


def svc_options(problem: Problem, data: BaselineData) -> dict[str, Any]:
    """Return the keywords of an estimator like scikit-learn's SVC, whose row cache is as large as ours."""
    size = max(1.0, data.cache_bytes / 2**20)
    return {**kernel_options(data.kernel), "C": problem.C, "cache_size": size}


class BaselineExpansionRun(BaselineRun):
    """Fits of an estimator like scikit-learn's SVC from scratch, one per tolerance.

    Parameters
    ----------
    problem : Problem
        The problem, with an unregularised bias.
    data : BaselineData
        The examples and the counter.
    form : callable
        Converts examples to an array or CSR matrix, shape (n, d), in the form that the estimator works on.
    tolerances : sequence of float
        Tolerances of its stopping rule, in the order of the fits.
    make : callable
        Maps a tolerance to an estimator.
    """

    def __init__(
        self,
        problem: Problem,
        data: BaselineData,
        form: Callable[[BaselineData], Any],
        tolerances: Sequence[float],
        make: Callable[[float], Any],
    ) -> None:
        X, y = form(data), np.array(problem.y)
        self.form = form
        self.estimator: Any = None

        def fit(number: int) -> None:
            self.estimator = make(tolerances[number]).fit(X, y)

        def answer() -> Snapshot:
            found = self.estimator
            alpha = dual_point(found.support_, found.dual_coef_, problem)
            return Snapshot(KernelExpansion.from_alpha(alpha, y, float(found.intercept_[0])), alpha=alpha)

        # Programs load libraries at their first fit, so one is made before timing, on an example of each
        # class.
        pair = [int(y.argmin()), int(y.argmax())]
        make(tolerances[0]).fit(X[pair], y[pair])
        nothing = np.zeros(problem.n)
        untrained = Snapshot(KernelExpansion.from_alpha(nothing, y), alpha=nothing)
        super().__init__(data.ledger, len(tolerances), fit, answer, untrained)


#: Tolerance that is small enough that the limit on passes ends a fit, and large enough to be reached in
#: float64.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class PassesParams:
    """Parameters of baselines that make passes over the dual."""

    passes: list[int] = option(
        [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
        "Most passes over the data in successive fits; each is a fit from scratch and a checkpoint. The last "
        "is the default of the program.",
        min=1,
    )


class PassesRun(BaselineRun):
    """Fits from scratch, one per limit on the passes.

    Parameters
    ----------
    data : BaselineData
        The examples and the counter.
    passes : sequence of int
        The limits, in the order of the fits.
    fit : callable
        Maps a limit to the fitted estimator, whose ``coef_`` are the weights.
    """

    def __init__(self, data: BaselineData, passes: Sequence[int], fit: Callable[[int], Any]) -> None:
        weights = np.zeros(data.d)

        def step(number: int) -> None:
            weights[:] = np.ravel(fit(passes[number]).coef_)

        def answer() -> Snapshot:
            return Snapshot(LinearModel(weights.copy()))

        super().__init__(data.ledger, len(passes), step, answer, answer())
