import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.dual.box import BoxDual

class Level(BoxDual):
    def __init__(
        self,
        oracle: Oracle,
        problem: Problem,
        labels: NDArray[np.float64],
        diagonal: NDArray[np.float64],
        most: int,
        bounds: NDArray[np.float64] | None = None,
    ) -> None: ...

class Flat(Level): ...

class Nested(Level):
    def __init__(
        self,
        oracle: Oracle,
        problem: Problem,
        labels: NDArray[np.float64],
        diagonal: NDArray[np.float64],
        most: int,
        least: int,
        bounds: NDArray[np.float64] | None = None,
    ) -> None: ...

def level_over(
    oracle: Oracle,
    problem: Problem,
    labels: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    working_set: int,
    bounds: NDArray[np.float64] | None = None,
) -> Flat | Nested: ...
