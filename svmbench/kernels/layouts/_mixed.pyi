from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels.functions.registry import AnyKernel
from svmbench.kernels.layouts._tiled import TiledLayout

MOST_NUMERIC: int

def indicator_groups(X: NDArray[Any]) -> list[tuple[int, int]]: ...

class MixedLayout(TiledLayout):
    def __new__(
        cls,
        X: Any,
        kernel: AnyKernel,
        threads: int = 1,
        groups: Sequence[tuple[int, int]] | None = None,
    ) -> Self: ...
    @property
    def groups(self) -> list[tuple[int, int]]: ...
    @property
    def codes(self) -> int: ...
    @property
    def exact_price(self) -> float: ...  # type: ignore[override]
    def distance_error(self, X: Any = None) -> tuple[float, float] | None: ...
    def encode(self, X: NDArray[np.float32]) -> NDArray[np.uint8] | None: ...
    def decode(self, records: NDArray[np.uint8]) -> NDArray[np.float32]: ...
    def gather_coded(self, indices: NDArray[np.int64]) -> NDArray[np.float64]: ...
    def options(self) -> dict[str, Any]: ...
