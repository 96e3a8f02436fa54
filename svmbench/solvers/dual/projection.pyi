import numpy as np
from numpy.typing import ArrayLike, NDArray

def projected(
    x: ArrayLike, y: ArrayLike, e: float, C: ArrayLike, guess: float = 0.0
) -> tuple[NDArray[np.float64], float]: ...
