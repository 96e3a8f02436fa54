"""Which end of a run an exception is."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.errors import Refusal, UserError
from svmbench.runner.optimum import Uncertified


@dataclass(frozen=True)
class End:
    """Why a run is over: an end state of the store and a sentence."""

    status: str
    reason: str


def end_by(error: BaseException) -> End:
    """Return the end that an exception is; bad input is none, and raised again."""
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
        case MemoryError():
            return End("out_of_memory", f"out of memory: {error}" if str(error) else "out of memory")
        case FloatingPointError():
            return End("diverged", str(error))
    return End("failed", f"{type(error).__name__}: {error}; see error.log in the run's folder")
