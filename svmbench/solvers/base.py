"""The interface of solvers: the contract between a method, its problem and the loop that drives it.

A solver sees the training problem, the data through one counting object, and a random generator. It has no
access to clocks, logs or test data. Splitting a run into several calls of ``advance`` does not change it.
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from svmbench.problem import Problem
from svmbench.solvers.kmeans import Centres

if TYPE_CHECKING:
    from svmbench.rng import Generator

#: Values of training examples in double precision that are held at a time.
_BLOCK = 1 << 24

#: What a method reads the data through, depending on its ``access``: `Oracle`, `LinearData` or
#: `BaselineData`. A model is observed through the same object, a relation between two types that Python
#: cannot express.
Reader: TypeAlias = Any


class _OverExamples:
    """Base of predictors with a coefficient for each of some training examples."""

    indices: NDArray[np.int64]
    coefficients: NDArray[np.float64]

    @property
    def support_vectors(self) -> int:
        """Number of non-zero coefficients."""
        return int(self.indices.size)

    def squared_norm(self, oracle: Reader, y: NDArray[np.float64], responses: NDArray[np.float64]) -> float:
        """Return |w|² = Σ_k β_k y_k c_k from the responses c on the training set, shape (n,)."""
        at = self.indices
        return max(0.0, float(np.dot(self.coefficients, y[at] * responses[at])))


@dataclass(frozen=True)
class KernelExpansion(_OverExamples):
    r"""A predictor :math:`x \mapsto \sum_k \beta_k K(x_{i_k}, x) + b`.

    Attributes
    ----------
    indices : ndarray of int64, shape (s,)
        Training examples with non-zero coefficients, ascending.
    coefficients : ndarray of float64, shape (s,)
        :math:`\beta_k = \alpha_{i_k} y_{i_k}`.
    bias : float
        b.
    """

    indices: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    bias: float = 0.0

    @classmethod
    def from_alpha(
        cls, alpha: NDArray[np.float64], y: NDArray[np.float64], bias: float = 0.0
    ) -> KernelExpansion:
        """Return the expansion of α, shape (n,), by its non-zeros as signed coefficients."""
        indices = np.flatnonzero(alpha)
        return cls(indices.astype(np.int64), alpha[indices] * y[indices], bias)

    def scores(self, oracle: Reader, X: Any) -> NDArray[np.float64]:
        """Return the predictions for rows X, shape (m, d), as float64 (m,); counted as prediction."""
        return oracle.decision_function(self.indices, self.coefficients, self.bias, X)

    def training_scores(self, oracle: Reader) -> NDArray[np.float64]:
        """Return <w, Φ(x_i)> for all training examples, without bias; counted as observation."""
        return oracle.training_scores(self.indices, self.coefficients)


@dataclass(frozen=True)
class LinearModel:
    r"""A predictor :math:`x \mapsto \langle w, x \rangle + b` on the features.

    It has the interface of `KernelExpansion`, with `LinearData` instead of an `Oracle`.

    Attributes
    ----------
    weights : ndarray of float64, shape (d,)
        w.
    bias : float
        b.
    support_vectors : int or None
        Number of examples that w is a sum of; None if unknown: w does not determine it.
    """

    weights: NDArray[np.float64]
    bias: float = 0.0
    support_vectors: int | None = None

    def scores(self, examples: Reader, X: Any) -> NDArray[np.float64]:
        """Return the predictions for rows X, shape (m, d), as float64 (m,); counted as observed."""
        return examples.decision_function(self.weights, self.bias, X)

    def training_scores(self, examples: Reader) -> NDArray[np.float64]:
        """Return <w, x_i> for all training examples, without bias; counted as observed."""
        return examples.products(self.weights)

    def squared_norm(self, examples: Reader, y: NDArray[np.float64], responses: NDArray[np.float64]) -> float:
        """Return |w|²; the responses are not needed."""
        return float(self.weights @ self.weights)


@dataclass(frozen=True)
class ReducedSetExpansion:
    r"""A predictor :math:`x \mapsto \sum_k \beta_k K(b_k, x) + b` over arbitrary points.

    It has the interface of `KernelExpansion`. The kernel is Gaussian.

    Attributes
    ----------
    points : ndarray of float64, shape (k, d)
        The b_k.
    coefficients : ndarray of float64, shape (k,)
        The β_k.
    gamma : float
        γ of the kernel.
    bias : float
        b.
    """

    points: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    gamma: float
    bias: float = 0.0

    @property
    def support_vectors(self) -> int:
        """Number of points, the evaluations of a prediction."""
        return len(self.points)

    def scores(self, oracle: Reader, X: Any) -> NDArray[np.float64]:
        """Return the predictions for rows X, shape (m, d), as float64 (m,); counted as prediction."""
        return oracle.point_scores(self.points, self.coefficients, self.bias, X)

    def training_scores(self, oracle: Reader) -> NDArray[np.float64]:
        """Return <w, Φ(x_i)> for all training examples, without bias; counted as observation."""
        return oracle.training_point_scores(self.points, self.coefficients)

    def squared_norm(self, oracle: Reader, y: NDArray[np.float64], responses: NDArray[np.float64]) -> float:
        """Return |w|² from the kernel values between the points; counted as observation."""
        return float(oracle.point_squared_norm(self.points, self.coefficients))


@dataclass(frozen=True)
class LocalExpansion(_OverExamples):
    r"""A predictor with a kernel expansion for each cluster of the input space.

    A row x belongs to the cluster with the nearest centre, the mean of some examples. Its prediction
    is :math:`\sum_k \beta_k K(x_{i_k}, x)` over the terms of that cluster. This is a kernel expansion with
    the kernel K(x, x') [x and x' belong to one cluster]. It has the interface of `KernelExpansion`.

    Attributes
    ----------
    indices : ndarray of int64, shape (s,)
        Training examples with non-zero coefficients, ascending.
    coefficients : ndarray of float64, shape (s,)
        The β_k.
    regions : ndarray of int64, shape (s,)
        Their clusters.
    centres : ndarray of int64, shape (m,)
        Training examples that the centres are means of, ascending.
    clusters : ndarray of int64, shape (m,)
        Their clusters, from 0.
    norms : ndarray of float64, shape (number of clusters,)
        Squared distances of the centres from the mean of the examples behind them.
    bias : float
        b, added to each prediction.
    """

    indices: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    regions: NDArray[np.int64]
    centres: NDArray[np.int64]
    clusters: NDArray[np.int64]
    norms: NDArray[np.float64]
    bias: float = 0.0

    def _centres(self, oracle: Reader) -> Centres:
        return Centres.of(oracle.exact_rows(self.centres), self.clusters)

    def _terms(self, cluster: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        own = self.regions == cluster
        return self.indices[own], self.coefficients[own]

    def scores(self, oracle: Reader, X: Any) -> NDArray[np.float64]:
        """Return the predictions for rows X, shape (m, d), as float64 (m,); counted as prediction.

        A row costs one evaluation for each centre, and one for each term of its cluster.
        """
        regions, scores = self._centres(oracle).nearest(X), np.empty(X.shape[0])
        oracle.ledger.kev_prediction += self.norms.size * scores.size
        for cluster in range(self.norms.size):
            rows = np.flatnonzero(regions == cluster)
            scores[rows] = oracle.decision_function(*self._terms(cluster), self.bias, X[rows])
        return scores

    def training_scores(self, oracle: Reader) -> NDArray[np.float64]:
        """Return the predictions for all training examples, without bias, in double precision.

        Counted as observation.
        """
        centres, scores = self._centres(oracle), np.empty(oracle.n)
        parts = np.array_split(np.arange(oracle.n), 1 + oracle.n * oracle.d // _BLOCK)
        products = (oracle.products(part, centres.points, observed=True) for part in parts)
        regions = np.concatenate([centres.choose(one) for one in products])
        for cluster in range(self.norms.size):
            rows = np.flatnonzero(regions == cluster)
            scores[rows] = oracle.exact_responses(*self._terms(cluster), cols=rows, observed=True)
        return scores


Model: TypeAlias = KernelExpansion | LinearModel | ReducedSetExpansion | LocalExpansion


@dataclass(frozen=True)
class Snapshot:
    """The state of a solver's solution; shares no memory with the run.

    Attributes
    ----------
    model : KernelExpansion, LinearModel, ReducedSetExpansion or LocalExpansion
        The predictor.
    responses : ndarray of float64, shape (n,), or None
        c_i = y_i <w, Φ(x_i)> of the model on the training set, without bias, if the method maintains them.
    alpha : ndarray of float64, shape (n,), or None
        A feasible dual point of the regularised form with `loss`, whose w is the model's, if the method has
        one.
    native : dict of str to float
        Quantities of some methods only: the objective of the method's own form and its bound, as
        ``native_objective`` and ``native_bound``; for a method that solves a sequence of problems, the number
        of those solved and the examples in the current one, as ``rounds`` and ``candidates``.
    loss : str
        Loss of the regularised form that the method minimises: ``hinge``, ``squared_hinge``, or ``squared``,
        which is half of (1 - c_i)².
    inside : bool
        Whether the model lies in the feature space of the kernel, so that the optimum of the problem is a
        lower bound of its objective. Models on random features do not, nor do `LocalExpansion`.
    dual : float or None
        A lower bound of the optimal λ-form objective without a dual point, such as the dual value of the
        reduced problem of a cutting-plane method.
    exact_at : ndarray of float64, shape (n,), or None
        Coefficients at which the responses were last computed in double precision, 0 if never. Since then
        they were updated by rows, each by the full change. None if unknown.
    earlier : bool
        Whether the snapshot is of a subset of the examples: it is provisional and does not imply convergence,
        even if it stays the same for some iterations.
    """

    model: Model
    responses: NDArray[np.float64] | None = None
    alpha: NDArray[np.float64] | None = None
    native: dict[str, float] = field(default_factory=dict)
    loss: str = "hinge"
    inside: bool = True
    dual: float | None = None
    earlier: bool = False
    exact_at: NDArray[np.float64] | None = None


class Run(Protocol):
    """A started solver.

    Two attributes are optional. A run that can converge or stall for several reasons has ``reason``, the
    beginning of the sentence stored with its end. A run may have ``whole``, which is False within an
    iteration: only a whole run can be observed after KeyboardInterrupt.
    """

    @property
    def iterations(self) -> int:
        """Number of iterations so far."""

    @property
    def converged(self) -> bool:
        """Whether the stopping rule of the method holds."""

    @property
    def stalled(self) -> bool:
        """Whether no further progress is possible in floating point, although the stopping rule fails."""

    def advance(self, counter: str, until: int, most: int = ...) -> None:
        """Continue until ``counter`` has reached ``until`` or the run ends.

        Counters are those of `svmbench.counters.COUNTERS`. Stop at the first end of an iteration at or past
        the mark, or after ``most`` iterations (default: unlimited); at once if the run has converged or
        stalled. Some counters may stand still forever: see docs/counting.md.

        Raises
        ------
        FloatingPointError
            If the responses are no longer finite.
        KeyboardInterrupt
            On Ctrl-C, between two iterations. The run may be observed and advanced further.
        """

    def snapshot(self) -> Snapshot:
        """Return the current solution."""


#: Within `Solver`, ``Run`` is the class of its runs.
AnyRun: TypeAlias = Run


class StartableRun(Run, Protocol):
    """A started solver that can begin at a point, of a solver with ``startable``."""

    def begin(self, alpha: NDArray[np.float64]) -> None:
        """Begin at a feasible dual point, float64 (n,), instead of 0; before the first iteration.

        Each positive coefficient is charged n evaluations under every convention.
        """


class Solver(ABC):
    """Base class of solvers: properties of the method, its requirements, and how to start it.

    Subclasses set the class attributes. ``name``, ``title``, ``Params`` and ``Run`` have no default.

    Attributes
    ----------
    name : str
        Its name on the command line, ``solver=NAME``.
    title : str
        Its name in figures and tables, one or two words.
    citation : str
        Authors, title, venue, year; section or algorithm. The registry takes it from the second paragraph of
        the module's docstring, if the class has none.
    form : str
        The problem solved: ``regularised``, ``slack-constrained`` or ``norm-bounded``; ``none`` for a method
        that minimises no objective.
    access : str
        How the data are read: ``kernel`` through an `Oracle`, ``linear`` through `LinearData`, or ``data``
        through `BaselineData`, for a baseline, whose evaluations cannot be counted.
    observed : str
        With access ``data``, how the solution is evaluated: ``kernel`` or ``linear``.
    refits : bool
        Whether each iteration is a fit from scratch, so that its cost excludes earlier iterations.
    exact : bool
        Whether the stopping rule is a tolerance of the optimum, reached in finite time. Then
        ``budget.kev=auto`` is unlimited, and an earlier end says how far the optimum is.
    weighted : bool
        Whether the solver supports weights of examples (`Problem.weights`).
    biases : tuple of str
        Supported bias conventions.
    kernels : tuple of str or None
        Kernels supported without explicit features; None means any.
    counting : str
        The charge of one iteration under each convention, in one line.
    stochastic : bool
        Whether the seed affects the run.
    startable : bool
        Whether its runs can begin at a point (`StartableRun`).
    resumable : bool
        Whether runs have a state (``state``, ``restore``) from which a larger budget can continue.
    version : int
        Increased whenever results change; part of a run's identity.
    Params : type
        Frozen dataclass of its parameters, made by `svmbench.option.option`.
    Run : type
        Class of its runs, whose arguments are the problem, the data, the generator if `stochastic`, and the
        parameters; a method that needs others has a `start` of its own.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    citation: ClassVar[str]
    form: ClassVar[str] = "regularised"
    access: ClassVar[str] = "kernel"
    observed: ClassVar[str] = "kernel"
    refits: ClassVar[bool] = False
    exact: ClassVar[bool] = False
    weighted: ClassVar[bool] = False
    biases: ClassVar[tuple[str, ...]] = ("none",)
    kernels: ClassVar[tuple[str, ...] | None] = None
    counting: ClassVar[str] = ""
    stochastic: ClassVar[bool] = True
    resumable: ClassVar[bool] = False
    startable: ClassVar[bool] = False
    version: ClassVar[int] = 1
    Params: ClassVar[type]
    Run: ClassVar[type]

    def __init__(self, params: Any) -> None:
        self.params = params

    @classmethod
    def release(cls) -> int | str:
        """Return the version of the solver in the identity of a run.

        Raises
        ------
        UserError
            If the solver needs a package that is not installed.
        """
        return cls.version

    def start(self, problem: Problem, oracle: Reader, rng: Generator) -> AnyRun:
        """Return a run at iteration 0; at most the diagonal or norms have been evaluated.

        Parameters
        ----------
        problem : Problem
            The training problem.
        oracle : Oracle, LinearData or BaselineData
            The training data, depending on ``access``.
        rng : Generator
            Source of all random choices.
        """
        given = (rng, self.params) if self.stochastic else (self.params,)
        run: AnyRun = self.Run(problem, oracle, *given)
        return run


class LinearSolver(Solver):
    """Base class of solvers that work on features and maintain w.

    They require kernel=linear, or explicit features of another kernel (``features=``).
    """

    access = "linear"
    kernels = ("linear",)
