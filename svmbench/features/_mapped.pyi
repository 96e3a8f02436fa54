from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.features.base import FeatureMap
from svmbench.features.fourier import Fourier
from svmbench.kernels._ledger import Ledger
from svmbench.kernels._linear_data import LinearData

class Panels:
    def __init__(self, V: NDArray[np.float32]) -> None: ...
    @property
    def d(self) -> int: ...
    @property
    def k(self) -> int: ...

class MappedData(LinearData):
    def __init__(self, Z: NDArray[np.float32], map: FeatureMap, ledger: Ledger) -> None: ...

class LazyMappedData(LinearData):
    def __init__(self, X: Any, map: Fourier) -> None: ...

def waves(Z: NDArray[np.float32], phases: NDArray[np.float32], scale: float, k: int) -> None: ...
def products(X: Any, V: Panels, out: NDArray[np.float32]) -> None: ...
