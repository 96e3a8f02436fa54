"""Shared code of baselines that make passes over the linear problem's dual: one fit per limit on passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import LinearModel, Snapshot
from svmbench.solvers.baselines._baseline import BaselineRun
from svmbench.solvers.baselines._data import BaselineData

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
