import numpy as np
from numpy.typing import ArrayLike, NDArray

def minimise(
    Q: ArrayLike,
    h: ArrayLike,
    C: ArrayLike,
    y: ArrayLike | None = None,
    start: ArrayLike | None = None,
    tol: float = 1e-10,
    most: int = 10000000,
) -> tuple[NDArray[np.float64], float]: ...
