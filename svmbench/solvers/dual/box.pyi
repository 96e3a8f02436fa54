import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.kept import Kept

class BoxDual:
    def __init__(
        self,
        oracle: Oracle,
        problem: Problem,
        labels: NDArray[np.float64],
        diagonal: NDArray[np.float64],
        bounds: NDArray[np.float64] | None = None,
    ) -> None: ...
    def keep(self, kept: Kept) -> None: ...
    def bias(self) -> float: ...

class ActiveDual(BoxDual): ...
