from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.layouts._layout import Layout

class TwoGroups:
    @property
    def steps(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    def __init__(self, groups: Sequence[Layout], diagonal: NDArray[np.float64]) -> None: ...
    @staticmethod
    def possible(oracle: Oracle) -> bool: ...
    def start(
        self,
        i: int,
        j: int,
        bounds: NDArray[np.float64],
        balanced: bool,
        eps: float,
        alpha: NDArray[np.float64] | None = None,
        gains: NDArray[np.float64] | None = None,
    ) -> None: ...
    def refine(self, responses: NDArray[np.float64]) -> None: ...
    def advance(self, goal: float, most: int) -> bool: ...
    def point(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
