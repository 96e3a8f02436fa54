import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle

class FewGaps:
    def __init__(self, oracle: Oracle) -> None: ...
    @staticmethod
    def possible(oracle: Oracle) -> bool: ...
    def certified(
        self,
        rows: NDArray[np.int64],
        y: NDArray[np.float64],
        alpha: NDArray[np.float64],
        responses: NDArray[np.float64],
        bounds: NDArray[np.float64],
        balanced: bool,
        known: NDArray[np.float64] | None = None,
    ) -> tuple[float, float, float]: ...
