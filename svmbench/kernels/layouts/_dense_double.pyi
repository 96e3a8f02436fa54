from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels.functions.registry import AnyKernel
from svmbench.kernels.layouts._tiled import TiledLayout

class DoubleLayout(TiledLayout):
    exact_price: float
    def __new__(cls, X: Any, kernel: AnyKernel, threads: int = 1) -> Self: ...
    def value_error(self, X: Any = None) -> tuple[float, float] | None: ...
    def encode(self, X: NDArray[np.float32]) -> NDArray[np.uint8] | None: ...
    def decode(self, records: NDArray[np.uint8]) -> NDArray[np.float32]: ...
