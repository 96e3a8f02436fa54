import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.kept import Kept

class Refinement:
    def __init__(
        self,
        oracle: Oracle,
        problem: Problem,
        labels: NDArray[np.float64],
        diagonal: NDArray[np.float64],
        alpha: NDArray[np.float64],
        changes: int,
    ) -> None: ...
    @property
    def rounds(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    def keep(self, kept: Kept) -> None: ...
    def begin(self, values: NDArray[np.float64]) -> None: ...
    def last_exact(self) -> NDArray[np.float64]: ...
