import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.dual.nested_sets import Nested
from svmbench.solvers.dual.partial_level import PartialLevel
from svmbench.solvers.kept import Kept

class Shrunk(PartialLevel):
    def __init__(
        self,
        oracle: Oracle,
        problem: Problem,
        whole: Nested,
        least: int,
        members: NDArray[np.int64],
        enough: float,
    ) -> None: ...
    def keep(self, kept: Kept) -> None: ...

def active(whole: Nested) -> NDArray[np.int64]: ...
def shrunk(oracle: Oracle, problem: Problem, whole: Nested, least: int, eps: float) -> Shrunk | None: ...
