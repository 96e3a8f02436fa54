"""The way to a certified optimum: a dual method, looked at in double precision until its gap is small enough.

Which method that is depends on the kernel and the bias (`choose`). What it maintains says when to look; the
certificate is recomputed from the coefficients alone (`svmbench.runner.certificate`): neither rounded kernel
values nor the solver's own bookkeeping can hide in it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.runner.certificate import TrainingScores, certify, diagonal
from svmbench.runner.memory import Allowance, OutOfAllowance
from svmbench.solvers.base import KernelExpansion, LinearModel, Model, Run

Floats = NDArray[np.float64]

#: Relative duality gap, (primal - dual) / primal, at or below which an optimum is accepted.
TARGET = 1e-6

#: Tolerance of the solver: so small that the gap decides, so large that float64 can reach it.
EPS = 1e-10


class Uncertified(ArithmeticError):
    """The arithmetic ends before the gap of an optimum is small enough."""


@dataclass(frozen=True)
class Certifier:
    """What computes an optimum.

    Attributes
    ----------
    solver : str
        Name of a solver with dual points.
    look : float
        Iterations between two looks at the gap, in units of n; 0: the five that are the least.
    """

    solver: str
    look: float


class Limits:
    """What a computation may take that begins now; see `svmbench.runner.optimum.optimum`."""

    def __init__(self, seconds: float | None, allowance: Allowance | None) -> None:
        self._seconds = seconds
        self._allowance = allowance
        self._began = time.monotonic()

    def check(self, gap: float) -> None:
        """Raise TimeoutError or OutOfAllowance if it has taken more and is as far as this relative gap."""
        if self._seconds is not None and time.monotonic() - self._began > self._seconds:
            raise TimeoutError(
                f"the optimum behind it has a relative gap of {gap:.1e} after {self._seconds:.3g} s, "
                f"{TARGET:g} is needed"
            )
        passed = None if self._allowance is None else self._allowance.passed()
        if passed is not None:
            raise OutOfAllowance(f"{passed}, by the optimum behind it at a relative gap of {gap:.1e}")


_WORKING_SETS = Certifier("decomposition", 0.0)

#: By kernel and bias. On the features themselves a pass over the data costs about what one kernel row does.
_CERTIFIERS: dict[tuple[bool, str], Certifier] = {
    # kernel is linear, bias
    (False, "none"): _WORKING_SETS,
    (False, "unregularised"): _WORKING_SETS,
    (True, "none"): Certifier("dcd", 10.0),
    (True, "unregularised"): _WORKING_SETS,
}


def choose(kernel: str, bias: str) -> Certifier:
    """Return what computes the optimum of a problem with this kernel and bias."""
    return _CERTIFIERS[kernel == "linear", bias]


def model_of(alpha: Floats, problem: Problem, reader: Oracle | LinearData, bias: float = 0.0) -> Model:
    """Return the predictor of α, shape (n,), made from it and the data."""
    if isinstance(reader, Oracle):
        return KernelExpansion.from_alpha(alpha, problem.y, bias)
    at = np.flatnonzero(alpha)
    return LinearModel(reader.combination(at, alpha[at] * problem.y[at]), bias)


def solve(
    run: Run,
    step: int,
    problem: Problem,
    reader: Oracle | LinearData,
    limits: Limits,
    say: Callable[[str], None],
    keep: Callable[[Floats | None], None],
) -> tuple[Floats, dict[str, float]]:
    """Advance until the gap is at most `TARGET` in double precision; return α, shape (n,), and the bounds.

    What the solver maintains says when to look: at first where its gap is at most the target, then where it
    has halved. Now and then `keep` is given α, so that a process that is killed has lost little. It
    ends where the solver does, or where nothing changes although all responses are those of α.
    """
    started = said = time.monotonic()
    promising, proven = TARGET, 1.0
    scores, before = TrainingScores(reader, limited=False), np.empty(0)
    while True:
        run.advance("iterations", run.iterations + step)
        snapshot = run.snapshot()
        if snapshot.alpha is None:
            raise TypeError("the solver of the optimum gives no dual point")
        responses = snapshot.responses
        same = not snapshot.earlier and np.array_equal(snapshot.alpha, before)
        ended = run.converged or run.stalled or same
        # While values are brought up to date the coefficients stay, which is no end.
        before = np.empty(0) if snapshot.earlier else snapshot.alpha
        if snapshot.earlier:
            gap = proven
        elif responses is None or ended:
            gap = 0.0  # as far as is known without a look
        else:
            gap = certify(problem, snapshot.alpha, responses, diagonal(reader))["relative_gap"]
        if gap <= promising or ended:
            promising = 0.5 * max(gap, 0.0)
            model = model_of(snapshot.alpha, problem, reader)
            fresh = scores(model)
            assert fresh is not None  # no limit
            certificate = certify(problem, snapshot.alpha, problem.y * fresh, diagonal(reader))
            gap = proven = certificate["relative_gap"]
            if gap <= TARGET:
                return snapshot.alpha, certificate
            if ended:
                raise Uncertified(
                    f"the optimum is certified to a relative gap of {gap:.1e} only, {TARGET:g} is needed"
                )
        # Between two looks the solver may take itself to be there: what is told is what was proven then.
        gap = proven if gap <= TARGET else gap
        now = time.monotonic()
        if now - said >= 10.0:
            said = now
            left = time_left(gap, now - started)
            keep(snapshot.alpha)
            say(f"optimum: {run.iterations} iterations, relative gap {gap:.1e} of {TARGET:g}, {left}")
        limits.check(gap)


def time_left(gap: float, seconds: float) -> str:
    """Return how long it may take still, if the logarithm of the gap falls as evenly as from 1 till now."""
    if not 0.0 < gap < 1.0:
        return "time left unknown"
    left = max(0.0, seconds * (math.log(TARGET) / math.log(gap) - 1.0))
    return f"about {left:.0f} s left"
