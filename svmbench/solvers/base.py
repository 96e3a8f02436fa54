"""What a solver is: the contract between a method, the problem it solves and the run that drives it.

A solver sees the training problem, the data through one counting object and a random generator, and
nothing else: no clock, no log, no test data. A run cut into many ``advance`` calls is bit for bit the run in
one call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from svmbench.problem import Problem

if TYPE_CHECKING:
    from svmbench.rng import Generator

#: What a method reads the data through, as its ``access`` says: an `Oracle`, `LinearData` or `BaselineData`.
#: A model is observed through what its method reads, which no type of the two together can express.
Reader: TypeAlias = Any


@dataclass(frozen=True)
class KernelExpansion:
    r"""A predictor :math:`x \mapsto \sum_k \beta_k K(x_{i_k}, x) + b`.

    Attributes
    ----------
    indices : ndarray of int64, shape (s,)
        Training examples with a non-zero coefficient, ascending.
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
        """Collect the non-zeros of α, shape (n,), as signed coefficients."""
        indices = np.flatnonzero(alpha)
        return cls(indices.astype(np.int64), alpha[indices] * y[indices], bias)

    @property
    def support_vectors(self) -> int:
        """Number of non-zero coefficients."""
        return int(self.indices.size)

    def scores(self, oracle: Reader, X: Any) -> NDArray[np.float64]:
        """Return the predictions for rows X, shape (m, d), as float64 (m,); counted as prediction."""
        return oracle.decision_function(self.indices, self.coefficients, self.bias, X)

    def training_scores(self, oracle: Reader) -> NDArray[np.float64]:
        """Return <w, Φ(x_i)> for every training example, without bias; counted as observation."""
        return oracle.training_scores(self.indices, self.coefficients)

    def squared_norm(self, oracle: Reader, y: NDArray[np.float64], responses: NDArray[np.float64]) -> float:
        """Return |w|² = Σ_k β_k y_k c_k from its responses c on the training set, shape (n,)."""
        at = self.indices
        return max(0.0, float(np.dot(self.coefficients, y[at] * responses[at])))


@dataclass(frozen=True)
class LinearModel:
    r"""A predictor :math:`x \mapsto \langle w, x \rangle + b` on the features themselves.

    It answers what `KernelExpansion` answers, through `LinearData` instead of an `Oracle`.

    Attributes
    ----------
    weights : ndarray of float64, shape (d,)
        w.
    bias : float
        b.
    """

    weights: NDArray[np.float64]
    bias: float = 0.0

    @property
    def support_vectors(self) -> None:
        """Unknown: w does not tell which examples it is made of."""
        return

    def scores(self, examples: Reader, X: Any) -> NDArray[np.float64]:
        """Return the predictions for rows X, shape (m, d), as float64 (m,); counted as observed."""
        return examples.decision_function(self.weights, self.bias, X)

    def training_scores(self, examples: Reader) -> NDArray[np.float64]:
        """Return <w, x_i> for every training example, without bias; counted as observed."""
        return examples.products(self.weights)

    def squared_norm(self, examples: Reader, y: NDArray[np.float64], responses: NDArray[np.float64]) -> float:
        """Return |w|²; responses are not needed."""
        return float(self.weights @ self.weights)


@dataclass(frozen=True)
class ReducedSetExpansion:
    r"""A predictor :math:`x \mapsto \sum_k \beta_k K(b_k, x) + b` over points that are no training examples.

    It answers what `KernelExpansion` answers. The kernel is Gaussian.

    Attributes
    ----------
    points : ndarray of float64, shape (k, d)
        The b_k.
    coefficients : ndarray of float64, shape (k,)
        The β_k.
    gamma : float
        Of the kernel.
    bias : float
        b.
    """

    points: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    gamma: float
    bias: float = 0.0

    @property
    def support_vectors(self) -> int:
        """Number of points: what a prediction evaluates."""
        return len(self.points)

    def scores(self, oracle: Reader, X: Any) -> NDArray[np.float64]:
        """Return the predictions for rows X, shape (m, d), as float64 (m,); counted as prediction."""
        return oracle.point_scores(self.points, self.coefficients, self.bias, X)

    def training_scores(self, oracle: Reader) -> NDArray[np.float64]:
        """Return <w, Φ(x_i)> for every training example, without bias; counted as observation."""
        return oracle.training_point_scores(self.points, self.coefficients)

    def squared_norm(self, oracle: Reader, y: NDArray[np.float64], responses: NDArray[np.float64]) -> float:
        """Return |w|² from the kernel values between the points, counted as observation."""
        return float(oracle.point_squared_norm(self.points, self.coefficients))


Model: TypeAlias = KernelExpansion | LinearModel | ReducedSetExpansion


@dataclass(frozen=True)
class Snapshot:
    """The answer of a solver at one moment; shares no memory with the running state.

    Attributes
    ----------
    model : KernelExpansion, LinearModel or ReducedSetExpansion
        The predictor.
    responses : ndarray of float64, shape (n,), or None
        c_i = y_i <w, Φ(x_i)> of the model on the training set, without bias, where the method maintains them.
    alpha : ndarray of float64, shape (n,), or None
        A feasible dual point of the regularised form, with the loss below, whose w is the model's, where the
        method has one.
    native : dict of str to float
        What only some methods have: the objective of their own form and its bound, as ``native_objective``
        and ``native_bound``; of a method that solves one problem after another the number of those it is
        done with and the examples in the present one, as ``rounds`` and ``candidates``.
    loss : str
        Of the regularised form that the method minimises: ``hinge`` or ``squared_hinge``.
    inside : bool
        Whether the model lies in the kernel's own space, where the optimum of the problem bounds its
        objective from below; random features do not.
    dual : float or None
        A lower bound of the optimal λ-form objective that the method has without a dual point: the dual value
        of a cutting-plane method's reduced problem.
    exact_at : ndarray of float64, shape (n,), or None
        Coefficients at which the responses were last made in double precision, 0 if never: from there on they
        were moved along rows, each by the full change. None where that is not known.
    earlier : bool
        Whether it was found over a part of the examples: the method is not at its end with it, even where it
        stays the same for some iterations.
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

    A run that can converge or stall for several reasons has, beside these, an attribute ``reason``: why it
    did, as the beginning of the sentence that is stored with its end. One that knows has an attribute
    ``whole``: whether no iteration has been begun and not ended, so that it can be observed after
    KeyboardInterrupt.
    """

    @property
    def iterations(self) -> int:
        """Number of iterations so far."""
        ...

    @property
    def converged(self) -> bool:
        """Whether the method's own stopping rule holds."""
        ...

    @property
    def stalled(self) -> bool:
        """Whether floating point prevents further progress, although the stopping rule does not hold."""
        ...

    def advance(self, counter: str, until: int, most: int = ...) -> None:
        """Continue until ``counter`` has reached ``until`` or the run is at its end.

        Counters are those of `svmbench.counters.COUNTERS`. Stops at the first iteration boundary at or past
        the mark, or after ``most`` iterations, by default without limit; at once when the run has converged
        or stalled. Some counters may stand still for ever: see docs/counting.md.

        Raises
        ------
        FloatingPointError
            If the responses are no longer finite.
        KeyboardInterrupt
            On Ctrl-C, between two iterations; the run may be observed and advanced further.
        """
        ...

    def snapshot(self) -> Snapshot:
        """Return the current answer."""
        ...


class Solver(ABC):
    """Base of all solvers: what the method is, what it needs, and how to start it.

    Subclasses set the class attributes, define ``Params`` (a frozen dataclass, the schema of
    ``conf/solver/<name>.yaml``) and implement `start`.

    Attributes
    ----------
    name : str
        The word after ``solver=``.
    title : str
        The method's name as figures and tables write it: a word or two.
    citation : str
        Authors, title, venue, year; section or algorithm.
    form : str
        The problem solved: ``regularised``, ``slack-constrained`` or ``norm-bounded``; ``none`` for a method
        that minimises no objective.
    access : str
        What the data are read through: ``kernel``, an `Oracle`, or ``linear``, `LinearData`; ``data`` for a
        program that reads them by itself, `BaselineData`, and cannot be counted.
    observed : str
        What its answer is observed through if it reads ``data``: ``kernel`` or ``linear``.
    refits : bool
        Whether each iteration begins from nothing, so that its cost is its own and not that of all so far.
    exact : bool
        Whether its stopping rule is a tolerance of the optimum of the problem, which it reaches in a finite
        time: ``budget.kev=auto`` then is no limit, and a run that a budget ends before says so.
    weighted : bool
        Whether it solves problems whose examples have weights (`Problem.weights`).
    biases : tuple of str
        Bias conventions that it can solve with.
    kernels : tuple of str or None
        Kernels that it can use, without explicit features; None means any.
    counting : str
        What one iteration is charged under each convention, in one line.
    stochastic : bool
        Whether the seed changes the run.
    resumable : bool
        Whether its runs keep a state (``state``, ``restore``), from which a larger budget continues them.
    version : int
        Raised whenever results change; part of a run's identity.
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
    version: ClassVar[int] = 1
    Params: ClassVar[type]

    def __init__(self, params: Any) -> None:
        self.params = params

    @classmethod
    def release(cls) -> int | str:
        """Return what tells its results from those of another release; a part of a run's identity.

        Raises
        ------
        UserError
            If the solver needs a package that is not installed.
        """
        return cls.version

    @abstractmethod
    def start(self, problem: Problem, oracle: Reader, rng: Generator) -> Run:
        """Return a run at iteration 0; nothing is evaluated yet but the diagonal or norms, where needed.

        Parameters
        ----------
        problem : Problem
            What is to be solved.
        oracle : Oracle, LinearData or BaselineData
            The training data, as ``access`` says.
        rng : Generator
            The source of every random choice.
        """


class LinearSolver(Solver):
    """Base of the solvers that work on the features themselves and keep w.

    It needs kernel=linear, or explicit features of another kernel (``features=``).
    """

    access = "linear"
    kernels = ("linear",)
