import numpy as np
from numpy.typing import NDArray

def numbers(content: bytes, rows: NDArray[np.intp], whole: NDArray[np.bool_]) -> NDArray[np.float64]: ...
