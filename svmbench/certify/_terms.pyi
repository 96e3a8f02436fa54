import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]

def near(
    alpha: _Floats, bounds: _Floats, responses: _Floats, y: _Floats, b: float, off: _Floats
) -> NDArray[np.bool_]: ...
def excess(alpha: _Floats, y: _Floats) -> tuple[float, int]: ...
def sums(
    alpha: _Floats,
    bounds: _Floats,
    weights: _Floats,
    responses: _Floats,
    y: _Floats,
    b: float,
    off: _Floats,
) -> tuple[float, float, float, float, float]: ...
