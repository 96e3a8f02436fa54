import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.dual.nested_sets import Nested
from svmbench.solvers.dual.partial_level import PartialLevel
from svmbench.solvers.kept import Kept

class Growth(PartialLevel):
    def __init__(
        self, oracle: Oracle, problem: Problem, diagonal: NDArray[np.float64], whole: Nested, least: int
    ) -> None: ...
    def keep(self, kept: Kept) -> None: ...
    def point(self) -> tuple[NDArray[np.float64], float]: ...
