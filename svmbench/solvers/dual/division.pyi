import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.dual.nested_sets import Level
from svmbench.solvers.dual.partial_level import PartialLevel

class Division(PartialLevel):
    def __init__(
        self,
        oracle: Oracle,
        problem: Problem,
        diagonal: NDArray[np.float64],
        whole: Level,
        least: int,
        eps: float,
        clusters: list[int],
        sample: int,
        stop: bool,
        rng: Generator,
    ) -> None: ...
    def point(self) -> tuple[NDArray[np.float64], float]: ...
    @property
    def alpha(self) -> NDArray[np.float64]: ...
    @property
    def regions(self) -> NDArray[np.int64]: ...
    @property
    def centres(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]] | None: ...
