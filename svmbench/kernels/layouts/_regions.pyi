from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmbench.run_config import KernelDocument

LEAST_EXPONENT: int
MOST_COLUMNS: int

def farthest(gamma: float) -> float: ...
def find(X: Any, columns: ArrayLike, kernel: KernelDocument) -> Regions | None: ...
def ordered(values: NDArray[np.float32], size: int = 128) -> NDArray[np.int64]: ...

class Regions:
    def __init__(
        self,
        values: NDArray[np.float32],
        order: NDArray[np.int64],
        features: NDArray[np.int64],
        words: NDArray[np.int64],
        limit: float,
    ) -> None: ...
    @property
    def features(self) -> NDArray[np.int64]: ...
    @property
    def examples(self) -> NDArray[np.int64]: ...
    def reached(self, queries: Iterable[NDArray[np.float64]]) -> float: ...
    def order(self, examples: NDArray[np.int64]) -> NDArray[np.int64]: ...
