from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmbench.kernels.layouts._layout import Layout
from svmbench.run_config import KernelDocument

class GramLayout(Layout):
    exact_price: float
    def __new__(
        cls,
        X: NDArray[np.float64],
        kernel: KernelDocument,
        threads: int = 1,
        members: NDArray[np.int64] | None = None,
    ) -> Self: ...
    def select(self, indices: ArrayLike) -> GramLayout: ...
    def squared_norms(self) -> NDArray[np.float64]: ...
