import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem
from svmbench.solvers.run import LinearRun

class CuttingRun(LinearRun):
    def __init__(self, problem: Problem, examples: LinearData) -> None: ...
    def bound(self, weights: NDArray[np.float64]) -> float: ...
