from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmbench.kernels._ledger import Ledger
from svmbench.kernels._rows import KernelRows
from svmbench.kernels.expansion import Expansion
from svmbench.kernels.functions.base import Kernel
from svmbench.kernels.functions.registry import AnyKernel
from svmbench.kernels.layouts._layout import Layout
from svmbench.kernels.reduced_set import ReducedSet

class Oracle(KernelRows):
    feature_error: float
    given: Any
    compared: bool
    @property
    def in_double(self) -> bool: ...
    def __init__(
        self,
        X: Any,
        kernel: AnyKernel,
        cache_bytes: int = 0,
        threads: int = 1,
        layout: str | None = None,
        like: Any = None,
        prefetch: bool = True,
        precision: str = "auto",
    ) -> None: ...
    @property
    def ahead(self) -> int: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def layout_name(self) -> str: ...
    @property
    def keeps_rows(self) -> bool: ...
    @property
    def exact_price(self) -> float: ...
    @property
    def value_error(self) -> tuple[float, float] | None: ...
    @property
    def cache_rows(self) -> int: ...
    def row(self, i: int) -> NDArray[np.float32]: ...
    def block(
        self, rows: ArrayLike, cols: ArrayLike | None = None, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]: ...
    def moved(self, X: Any) -> Any: ...
    def values(self, X: Any) -> NDArray[np.float32]: ...
    def exact_values(self, X: Any, *, predicted: bool = False) -> NDArray[np.float64]: ...
    def diagonal(self) -> NDArray[np.float64]: ...
    def subset(self, indices: ArrayLike, *, cached: bool = True, ledger: Ledger | None = None) -> Self: ...
    def stored(self, indices: NDArray[np.int64] | None = None) -> Layout: ...
    def part(self, most: int) -> Oracle: ...
    def responses(
        self, indices: NDArray[np.int64], coefficients: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def expansion(self, indices: NDArray[np.int64], coefficients: NDArray[np.float64]) -> Expansion: ...
    def expanded(
        self, terms: Expansion, examples: NDArray[np.int64], *, observed: bool = False
    ) -> NDArray[np.float64]: ...
    def decision_function(
        self,
        indices: NDArray[np.int64],
        coefficients: NDArray[np.float64],
        bias: float,
        X: Any,
        *,
        exact: bool = False,
    ) -> NDArray[np.float64]: ...
    def score_errors(
        self, indices: NDArray[np.int64], coefficients: NDArray[np.float64], X: Any = None
    ) -> NDArray[np.float64]: ...
    def sides(
        self,
        indices: NDArray[np.int64],
        coefficients: NDArray[np.float64],
        X: Any,
        positive: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.float64], float]: ...
    def settled(
        self,
        indices: NDArray[np.int64],
        coefficients: NDArray[np.float64],
        bias: float,
        X: Any,
        sums: NDArray[np.float64],
        beyond: float,
    ) -> NDArray[np.float64]: ...
    def training_scores(
        self, indices: NDArray[np.int64], coefficients: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def exact_rows(self, indices: ArrayLike) -> Any: ...
    def given_rows(self, indices: ArrayLike) -> Any: ...
    def products(
        self, examples: ArrayLike, points: Any, *, observed: bool = False
    ) -> NDArray[np.float64]: ...
    def exact_responses(
        self,
        indices: ArrayLike,
        coefficients: ArrayLike,
        *,
        cols: ArrayLike | None = None,
        observed: bool = False,
    ) -> NDArray[np.float64]: ...
    def exact_again(
        self, indices: ArrayLike, coefficients: ArrayLike, cols: ArrayLike | None = None, *, X: Any = None
    ) -> NDArray[np.float64]: ...
    def double_errors(self, indices: ArrayLike, coefficients: ArrayLike) -> NDArray[np.float64] | None: ...
    def long_responses(
        self, indices: NDArray[np.int64], coefficients: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None: ...
    def row_errors(
        self,
        indices: NDArray[np.int64],
        coefficients: NDArray[np.float64],
        cols: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None: ...
    def reduced_set(self) -> ReducedSet: ...
    def point_scores(
        self, points: NDArray[np.float64], coefficients: NDArray[np.float64], bias: float, X: Any
    ) -> NDArray[np.float64]: ...
    def training_point_scores(
        self, points: NDArray[np.float64], coefficients: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def point_squared_norm(self, points: NDArray[np.float64], coefficients: NDArray[np.float64]) -> float: ...
