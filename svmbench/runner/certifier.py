"""Computation of certified optima: a dual method, checked in double precision until its gap is small enough.

The method depends on the kernel and the bias (`choose`). The values it maintains decide when to check. The
certificate is recomputed from the coefficients alone (`svmbench.certify.certificate`), so it is affected by
neither rounded kernel values nor the bookkeeping of the solver.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.certify.certificate import TrainingScores, certify, diagonal
from svmbench.certify.class_sums import sharpened
from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.runner.memory import Allowance, OutOfAllowance
from svmbench.solvers.base import KernelExpansion, LinearModel, Model, Run

Floats = NDArray[np.float64]
Counts = Mapping[str, float | None]

#: Relative duality gap, (primal - dual) / primal, at or below which an optimum is accepted.
TARGET = 1e-6

#: Tolerance of the solver: small enough that the gap decides, large enough for float64.
EPS = 1e-10


class Uncertified(ArithmeticError):
    """No further progress is possible in floating point, but the gap is too large."""


#: Prefixes of the kept arrays that are not the solver's.
_OWN, _SCORES = "search_", "scores_"


@dataclass(frozen=True)
class Certifier:
    """Solver that computes an optimum.

    Attributes
    ----------
    solver : str
        Name of a solver with dual points.
    look : float
        Iterations between two checks of the gap, in units of n; 0: five iterations, the least.
    """

    solver: str
    look: float


class Limits:
    """Limits of a computation; see `svmbench.runner.optimum.optimum`."""

    def __init__(self, seconds: float | None, allowance: Allowance | None) -> None:
        self._seconds = seconds
        self._allowance = allowance
        self._began = time.monotonic()

    def check(self, gap: float) -> None:
        """Raise TimeoutError or OutOfAllowance, naming the relative gap reached, if a limit is exceeded."""
        if self._seconds is not None and time.monotonic() - self._began > self._seconds:
            raise TimeoutError(
                f"the optimum behind it has a relative gap of {gap:.1e} after {self._seconds:.3g} s, "
                f"{TARGET:g} is needed"
            )
        passed = None if self._allowance is None else self._allowance.passed()
        if passed is not None:
            raise OutOfAllowance(f"{passed}, by the optimum behind it at a relative gap of {gap:.1e}")


_WORKING_SETS = Certifier("decomposition", 0.0)


def choose(kernel: str, bias: str) -> tuple[Certifier, ...]:
    """Return the solvers for the optimum of such a problem; each is used if those before it fail."""
    # A pass over the data costs about as much as one kernel row. But passes read rows rounded to float32:
    # their optimum may not be one of the rows as given, while working sets are refined with the latter.
    passes = (Certifier("dcd", 10.0),) if (kernel, bias) == ("linear", "none") else ()
    return (*passes, _WORKING_SETS)


def model_of(alpha: Floats, problem: Problem, reader: Oracle | LinearData, bias: float = 0.0) -> Model:
    """Return the predictor of α, shape (n,)."""
    if isinstance(reader, Oracle):
        return KernelExpansion.from_alpha(alpha, problem.y, bias)
    at = np.flatnonzero(alpha)
    return LinearModel(reader.combination(at, alpha[at] * problem.y[at]), bias)


class Search:
    """Computation of a certificate that can be interrupted and resumed bit for bit.

    ν and R of other runs are taken from the certificate and are part of their identity, so they must not
    depend on interruptions. All that determines the next steps is kept together, as of a point between two
    iterations: the state and counts of the solver, the iteration of the next check, the results of the last
    checks, and the training scores, whose last bits depend on earlier checks. Nothing of it depends on time,
    so the certificate is a function of the problem, the version of the solver and the instruction set. If a
    signal interrupts an iteration or a check, the last state before it is kept.

    Parameters
    ----------
    run : Run
        A started solver with dual points.
    step : int
        Iterations between two checks of the gap.
    problem : Problem
        The problem.
    reader : Oracle or LinearData
        The training examples.
    """

    def __init__(self, run: Run, step: int, problem: Problem, reader: Oracle | LinearData) -> None:
        self._run = run
        self._step = step
        self._problem = problem
        self._reader = reader
        self._until = step
        self._promising, self._proven = TARGET, 1.0
        self._scores, self._before = TrainingScores(reader, limited=False), np.empty(0)
        self._looking = True
        self._kept: tuple[dict[str, NDArray[Any]], Counts] | None = None

    def state(self) -> tuple[dict[str, NDArray[Any]], Counts] | None:
        """Return the arrays and counts to resume from; None before the first ones."""
        run = self._run
        if not (self._looking or run.converged or run.stalled) and getattr(run, "whole", False):
            self._keep()
        return self._kept

    def restore(self, kept: dict[str, NDArray[Any]], counts: Counts) -> None:
        """Resume from the state of a search for the same problem."""
        ledger = self._reader.ledger
        for name in ledger.as_dict():
            if counts.get(name) is not None:
                setattr(ledger, name, counts[name])
        own = {name: kept[_OWN + name] for name in ("until", "promising", "proven", "before")}
        scores = {name.removeprefix(_SCORES): kept[name] for name in kept if name.startswith(_SCORES)}
        iterations = int(kept[_OWN + "iterations"])
        self._run.restore(  # type: ignore[attr-defined]
            {name: array for name, array in kept.items() if not name.startswith((_OWN, _SCORES))}, iterations
        )
        self._scores.restore(scores)
        self._until, self._before = int(own["until"]), own["before"]
        self._promising, self._proven = float(own["promising"]), float(own["proven"])
        self._kept = kept, counts

    def _keep(self) -> None:
        """Save the state between two iterations; a solver that starts on subsets has none meanwhile."""
        state = self._run.state() if hasattr(self._run, "state") else None
        if state is None:
            return
        own = {
            "iterations": self._run.iterations,
            "until": self._until,
            "promising": self._promising,
            "proven": self._proven,
            "before": self._before,
        }
        arrays = {
            **{name: np.array(array) for name, array in state.items()},
            **{_OWN + name: np.array(value) for name, value in own.items()},
            **{_SCORES + name: np.array(array) for name, array in self._scores.state().items()},
        }
        self._kept = arrays, self._reader.ledger.as_dict()

    def step(self) -> tuple[float, tuple[Floats, dict[str, float]] | None]:
        """Advance to the next check; return its gap, and α and the bounds if the gap is small enough."""
        self._looking = False
        self._run.advance("iterations", self._until)
        self._looking = True
        gap, found = self._look()
        self._until = self._run.iterations + self._step
        self._keep()
        return gap, found

    def _look(self) -> tuple[float, tuple[Floats, dict[str, float]] | None]:
        run, problem, reader = self._run, self._problem, self._reader
        snapshot = run.snapshot()
        if snapshot.alpha is None:
            raise TypeError("the solver of the optimum gives no dual point")
        responses = snapshot.responses
        same = not snapshot.earlier and np.array_equal(snapshot.alpha, self._before)
        ended = run.converged or run.stalled or same
        # While stale responses are recomputed, the coefficients are constant: that is not the end.
        self._before = np.empty(0) if snapshot.earlier else snapshot.alpha
        if snapshot.earlier:
            gap = self._proven
        elif responses is None or ended:
            gap = 0.0  # unknown before the check
        else:
            gap = certify(problem, snapshot.alpha, responses, diagonal(reader))["relative_gap"]
        if gap <= self._promising or ended:
            self._promising = 0.5 * max(gap, 0.0)
            model = model_of(snapshot.alpha, problem, reader)
            fresh = self._scores(model)
            assert fresh is not None  # no limit
            errors = self._scores.errors(model, snapshot.alpha, problem.y)
            certificate = self._certificate(snapshot.alpha, problem.y * fresh, errors)
            gap = self._proven = certificate["relative_gap"]
            if gap <= TARGET:
                return gap, (snapshot.alpha, certificate)
            if ended:
                raise Uncertified(
                    f"the optimum is certified to a relative gap of {gap:.1e} only, {TARGET:g} is needed"
                )
        # The solver may believe its gap reached before the next check: report the proven one.
        return (self._proven if gap <= TARGET else gap), None

    def _certificate(self, alpha: Floats, responses: Floats, errors: Floats | None) -> dict[str, float]:
        """Return the bounds; if only rounding makes their gap too large, with a sharper bound of rounding."""
        problem, reader = self._problem, self._reader
        own = diagonal(reader)
        found = certify(problem, alpha, responses, own, rounded=True, errors=errors)
        if not isinstance(reader, Oracle):
            return found
        return sharpened(problem, alpha, found, responses, reader, TARGET)


def solve(
    search: Search,
    iterations: Callable[[], int],
    limits: Limits,
    say: Callable[[str], None],
    keep: Callable[[], None],
) -> tuple[Floats, dict[str, float]]:
    """Advance until the gap is at most `TARGET` in double precision; return α, shape (n,), and the bounds.

    The gap maintained by the solver decides when to check: first when it reaches the target, then whenever
    it has halved. `keep` is called regularly, so that little is lost if the process is killed. The search
    ends when the solver does, or when nothing changes although all responses are up to date.
    """
    started = said = time.monotonic()
    while True:
        gap, found = search.step()
        if found is not None:
            return found
        now = time.monotonic()
        if now - said >= 10.0:
            said = now
            left = time_left(gap, now - started)
            keep()
            say(f"optimum: {iterations()} iterations, relative gap {gap:.1e} (target {TARGET:g}), {left}")
        limits.check(gap)


def time_left(gap: float, seconds: float) -> str:
    """Return the estimated time left, assuming that the logarithm of the gap decreases linearly."""
    if not 0.0 < gap < 1.0:
        return "time left unknown"
    left = max(0.0, seconds * (math.log(TARGET) / math.log(gap) - 1.0))
    return f"about {left:.0f} s left"
