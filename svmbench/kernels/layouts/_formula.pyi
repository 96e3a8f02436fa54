from typing import Any, Self

from svmbench.kernels.layouts._layout import Layout

class FormulaLayout(Layout):
    exact_price: float
    def __new__(cls, X: Any, kernel: Any, threads: int = 1) -> Self: ...

class GramLayout(FormulaLayout):
    def __new__(cls, X: Any, kernel: Any, threads: int = 1) -> Self: ...
