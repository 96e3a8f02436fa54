"""Kernel solvers in plain Python: a class with one iteration, from which a `Solver` is made.

See docs/add-a-solver.md.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from dataclasses import MISSING, Field, make_dataclass
from functools import cache
from inspect import get_annotations, unwrap
from types import CodeType
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import PlainRun, checked_diagonal

_MAINTAINED = "n per change under A and B, since it reads all responses; n under C"
_ON_DEMAND = "the non-zero coefficients per response under A; n per change under B; n under C"


class ExpansionRun(PlainRun, metaclass=ABCMeta):
    r"""A started kernel method that changes the coefficients of :math:`w = \sum_i \alpha_i y_i \Phi(x_i)`.

    A subclass implements `improve`: one iteration, which reads `alpha` and, by `response` or `responses`, the
    responses, changes coefficients by `change`, and returns whether the method has converged. These are
    charged by the rules of docs/counting.md: an iteration that reads `responses` makes the run one that
    maintains all of them. Call ``self.stall()`` if no further progress is possible in floating point.

    `svmbench.option.option` in the class makes a parameter, and the docstring begins with the citation. A
    class attribute of `Solver`, such as ``version``, may be set here as well.

    Parameters
    ----------
    problem : Problem
        The training problem, with at least one example.
    oracle : Oracle
        Over the same examples.
    rng : Generator or None
        Source of all random choices; None for a method that makes none.
    params : object, optional
        An instance of ``Params``, whose fields become attributes. Default: the default of each.

    Attributes
    ----------
    Params : type
        Class attribute: the dataclass of its parameters.
    problem : Problem
        The problem; its ``C`` bounds the coefficients of a dual point.
    alpha : ndarray of float64, shape (n,)
        The coefficients, initially 0.

    Raises
    ------
    UserError
        If the problem has another number of examples; if the class reads the diagonal, and a value K(x, x) is
        negative or not finite.

    Notes
    -----
    Whether the method is random and needs the diagonal, which is charged before the first iteration, is found
    out from the code of the class: there must be ``self.rng`` and ``self.diagonal``.
    """

    Params: ClassVar[type]
    problem: Problem
    alpha: NDArray[np.float64]
    _reads: ClassVar[set[str]]

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        cls.Params = _params(cls)
        cls._reads = {word for code in _codes(cls) for word in _names(code)}

    def __init__(
        self, problem: Problem, oracle: Oracle, rng: Generator | None = None, params: Any = None
    ) -> None:
        super().__init__(problem, oracle)
        for name, value in vars(self.Params() if params is None else params).items():
            setattr(self, name, value)
        self.problem = problem
        self._diagonal = checked_diagonal(oracle) if "diagonal" in self._reads else None
        self.alpha = np.zeros(problem.n)
        self._rows = oracle
        self._ledger = oracle.ledger
        self._rng = rng
        self._responses = np.zeros(problem.n)
        self._trains = True  # else it is observed, which is not charged and does not make it maintain
        self._maintained = False
        self._changes = self._lookups = 0

    @property
    def diagonal(self) -> NDArray[np.float64]:
        """K(x_i, x_i), shape (n,); 0 for an example whose response is always 0."""
        if self._diagonal is None:
            raise UserError(f"{type(self).__name__} needs the diagonal: read self.diagonal in its class")
        return self._diagonal

    @property
    def rng(self) -> Generator:
        """Source of all random choices."""
        if self._rng is None:
            raise UserError(f"{type(self).__name__} is random: set stochastic = True in its class")
        return self._rng

    @property
    def responses(self) -> NDArray[np.float64]:
        """The responses y_i <w, Φ(x_i)> of all examples, shape (n,); from now on they are maintained.

        Then each change is charged n on demand, earlier ones included, and a single response nothing.

        Raises
        ------
        UserError
            If single responses have been charged on demand before.
        """
        if self._trains and not self._maintained:
            if self._lookups:
                raise UserError(
                    f"{type(self).__name__} reads all responses after single ones, which were charged on "
                    "demand: read `responses` in its first iteration, or only `response(i)`"
                )
            self._maintained = True
            self._ledger.charge(lookups=self._changes * self.problem.n)
        return self._responses

    def response(self, i: int) -> float:
        """Return the response of one example; charged the number of non-zero coefficients on demand."""
        if self._trains and not self._maintained:
            nonzero = int(np.count_nonzero(self.alpha))
            self._lookups += nonzero
            self._ledger.charge(lookups=nonzero)
        return float(self._responses[i])

    def change(self, i: int, value: float) -> None:
        """Set a coefficient and update all responses; charged n.

        Raises
        ------
        FloatingPointError
            If the responses are no longer finite.
        """
        y, step = self.problem.y, value - self.alpha[i]
        self._responses += step * y[i] * (y * self._rows.row(i))
        self.alpha[i] = value
        self._changes += 1
        kind = "maintained_changes" if self._maintained else "changes"
        self._ledger.charge(**{kind: 1}, n=self.problem.n)
        if not np.isfinite(self._responses).all():
            todo = "scale the data, or choose a kernel with smaller values or smaller steps"
            if not np.isfinite(value):
                todo = f"the method sets coefficient {i} to {value}"
            raise FloatingPointError(
                f"the responses are no longer finite after {self.iterations} iterations: {todo}"
            )

    def iterate(self) -> bool:
        """Make one iteration, charged n to ``kev_iter``, and return whether the method has converged."""
        self._trains = True
        converged = self.improve()
        self._trains = False
        self._ledger.charge(iterations=1, n=self.problem.n)
        return converged

    @abstractmethod
    def improve(self) -> bool:
        """Make one iteration and return whether the method has converged; implemented by a subclass."""

    def snapshot(self) -> Snapshot:
        """Return the coefficients as a dual point; override it for other solutions."""
        model = KernelExpansion.from_alpha(self.alpha, self.problem.y)
        return Snapshot(model, self._responses.copy(), self.alpha.copy())


class _PlainSolver(Solver):
    """Base class of the solvers that are made of an `ExpansionRun`."""

    Run: ClassVar[type[ExpansionRun]]

    def start(self, problem: Problem, oracle: Oracle, rng: Generator) -> ExpansionRun:
        """Return a run at iteration 0; a `UserError` if its `__init__` leaves out that of its bases."""
        run = self.Run(problem, oracle, rng if self.stochastic else None, self.params)
        if "_trains" not in vars(run):  # compiled code would read what is not there
            raise UserError(f"the __init__ of {self.Run.__name__} must begin with super().__init__(*given)")
        run._trains = False
        return run


@cache
def solver_of(run: type[ExpansionRun], name: str) -> type[Solver]:
    """Return the solver of that name whose runs are of a class.

    The class may define the attributes of `Solver`. By default the citation is the first paragraph of its
    docstring, and the method is stochastic if its code reads ``rng``.
    """
    made: dict[str, Any] = {
        "title": name.replace("_", " ").capitalize(),
        "counting": _MAINTAINED if "responses" in run._reads else _ON_DEMAND,
        "stochastic": "rng" in run._reads,
        "startable": hasattr(run, "begin"),
        "resumable": run.keep is not PlainRun.keep,
    }
    if run.__doc__ and run.__doc__.strip():
        made["citation"] = " ".join(run.__doc__.strip().split("\n\n")[0].split())
    made |= {key: getattr(run, key) for key in get_annotations(Solver) if hasattr(run, key)}
    made |= {"name": name, "Run": run, "__doc__": run.__doc__, "__module__": run.__module__}
    solver = type(run.__name__, (_PlainSolver,), made | {"__qualname__": run.__qualname__})
    solver.__abstractmethods__ = run.__abstractmethods__  # type: ignore[attr-defined]
    return cast(type[Solver], solver)


def _own(run: type[ExpansionRun]) -> list[type]:
    """Return a class and its bases below `ExpansionRun`, bases first."""
    return [*reversed(run.__mro__[: run.__mro__.index(ExpansionRun)])]


def _codes(run: type[ExpansionRun]) -> Iterator[CodeType]:
    """Yield the code of the methods and properties of a class, but of `snapshot`, which only observes."""
    for kind in _own(run):
        for name, value in vars(kind).items():
            function = unwrap(getattr(value, "fget", None) or getattr(value, "__func__", value))
            if name != "snapshot" and hasattr(function, "__code__"):
                yield function.__code__


def _names(code: CodeType) -> set[str]:
    """Return the names of attributes and globals that code reads, functions within it included."""
    inner = (_names(const) for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*inner)


def _params(run: type[ExpansionRun]) -> type:
    """Return the dataclass of the parameters of a class, whose options are taken out of it."""
    own, types = [], get_annotations(run)
    for name, item in list(vars(run).items()):
        if isinstance(item, Field):
            if name != "eps" and (hasattr(ExpansionRun, name) or name in get_annotations(ExpansionRun)):
                raise UserError(f"'{name}' of {run.__name__} is no name for a parameter: every run has it")
            delattr(run, name)  # it would hide `eps` of CountedRun
            value = item.default if item.default_factory is MISSING else item.default_factory()
            own.append((name, types.get(name, type(value)), item))
    bases = tuple(base.Params for base in run.__bases__ if hasattr(base, "Params"))
    about = f"Parameters of {run.__name__}."
    names = {"__doc__": about, "__module__": run.__module__, "__qualname__": f"{run.__qualname__}.Params"}
    return make_dataclass("Params", own, bases=bases, namespace=names, frozen=True)
