from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels.layouts._layout import Layout
from svmbench.kernels.layouts._tiled import TiledLayout

class FewSums:
    def __init__(self, stored: Layout, rows: NDArray[np.float64]) -> None: ...

def expansion(
    stored: Layout,
    points: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    at: NDArray[np.int64],
    given: Any = None,
) -> NDArray[np.float64]: ...
def scores(
    stored: Layout,
    points: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    X: Any,
    given: Any = None,
) -> NDArray[np.float64]: ...
def linear_sizes(
    stored: Layout, given: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_], float, int]: ...
def value_errors(
    stored: TiledLayout,
    points: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    at: NDArray[np.int64],
    given: Any = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
