import numpy as np
from numpy.typing import NDArray

def bias_between(v: NDArray[np.float64], up: NDArray[np.float64], down: NDArray[np.float64]) -> float: ...
