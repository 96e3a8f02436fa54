import numpy as np
from numpy.typing import ArrayLike, NDArray

def minimise_projected(
    Q: ArrayLike,
    gradient: ArrayLike,
    start: ArrayLike,
    C: ArrayLike,
    y: ArrayLike | None = None,
    e: float | None = None,
    rule: str = "gvpm",
    tol: float = 1e-08,
    most: int = 100000,
) -> tuple[NDArray[np.float64], float]: ...
