"""End states of exceptions, and the distance of an end from the optimum."""

from __future__ import annotations

from dataclasses import dataclass, replace

from svmbench.errors import Refusal, UserError
from svmbench.runner.certifier import Uncertified
from svmbench.runner.memory import OutOfAllowance
from svmbench.solvers.base import Solver
from svmbench.store.runs import FLAG
from svmbench.store.trace import Row

#: Relative gap above which convergence holds by the method's own rule only.
_FAR = 0.01

#: Relative gap that an exact solver with a tolerance reaches before it has converged.
NEAR = 1e-3

_UNKNOWN = ", with no bound that tells how far the optimum is"


@dataclass(frozen=True)
class End:
    """An end state of the store, and a sentence."""

    status: str
    reason: str


def end_by(error: BaseException) -> End:
    """Map an exception to an end state; re-raise user errors."""
    if isinstance(error, UserError) and not isinstance(error, Refusal):
        raise error
    match error:
        case KeyboardInterrupt():
            return End("interrupted", f"interrupted by {error}")
        case Refusal():
            return End("refused", str(error))
        case TimeoutError():
            return End("timeout", str(error))
        case Uncertified():
            return End("refused", f"{error}: give the parameter that is auto as a number, or a smaller C")
        case OutOfAllowance():
            return End("budget", str(error))
        case MemoryError():
            return End("out_of_memory", f"out of memory: {error}" if str(error) else "out of memory")
        case FloatingPointError():
            return End("diverged", str(error))
    return End("failed", f"{type(error).__name__}: {error}; see error.log in the run's folder")


def explained(end: End, row: Row, solver: type[Solver], loss: str = "hinge") -> End:
    """Add to an end how far from the optimum it is, if that is known.

    The loop tightens the tolerance of an exact solver until the gap is at most `NEAR`. A stopping rule of
    another method may depend on something else, such as the number of support vectors, so it may hold with
    an objective many times its bound. The reason of such a run contains `FLAG`.

    Parameters
    ----------
    end : End
        The end found by the loop.
    row : dict
        The last checkpoint.
    solver : type of Solver
        The method.
    loss : str, default "hinge"
        The loss of the objective that it minimises.
    """
    gap = row.get("relative_gap")
    at = "" if gap is None else f", at a relative gap of {gap:.1e}"
    if end.status == "stalled":
        return replace(end, reason=end.reason + (at or _UNKNOWN if solver.exact else at))
    if solver.exact and end.status in ("budget", "timeout"):
        return replace(end, reason=f"{end.reason} before it converged{at}")
    if end.status != "converged" or solver.form != "regularised":
        return end
    if _native(row, loss):
        gap = gap_of(row, loss)
        at = "" if gap is None else f", at a relative gap of {gap:.1e} in its own objective"
    counted = solver.access != "data"  # a baseline converges when every setting has been tried
    if gap is None and counted and row.get("primal_objective") != 0.0:  # no objective is below 0
        return replace(end, reason=f"{end.reason}, {FLAG}{_UNKNOWN}")
    if gap is not None and gap > _FAR:
        return replace(end, reason=f"{end.reason}, {FLAG}{at}")
    return end


def _native(row: Row, loss: str) -> bool:
    """Return whether the gap of a method with this loss is that of its own objective."""
    # The gap to the stored optimum is that of another loss. With the hinge loss, a native bound is one over a
    # part of the space, such as the span of some points, and tells nothing of the optimum.
    return loss != "hinge" and row.get("native_objective") is not None


def gap_of(row: Row, loss: str) -> float | None:
    """Return the relative gap at a checkpoint, of the objective with this loss; None if unknown."""
    if not _native(row, loss):
        return row.get("relative_gap")
    objective, bound = row["native_objective"], row.get("native_bound")
    if bound is None or not objective > 0.0:
        return None
    return float((objective - bound) / objective)
