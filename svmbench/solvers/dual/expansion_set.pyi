import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.dual.box import BoxDual

class ExpansionSet(BoxDual):
    def __init__(
        self,
        oracle: Oracle,
        problem: Problem,
        labels: NDArray[np.float64],
        diagonal: NDArray[np.float64],
        compact: bool,
    ) -> None: ...
