import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._linear_data import LinearData
from svmbench.solvers.kept import Kept

class Screening:
    def __init__(
        self,
        examples: LinearData,
        labels: NDArray[np.float64],
        squares: NDArray[np.float64],
        alpha: NDArray[np.float64],
        U: float,
        D: float,
    ) -> None: ...
    def bounds(self, items: NDArray[np.int64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]: ...
    def keep(self, kept: Kept) -> None: ...
