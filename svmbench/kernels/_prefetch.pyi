from typing import final

from svmbench.kernels._cache import RowCache
from svmbench.kernels._ledger import Ledger
from svmbench.kernels.layouts._layout import Layout

@final
class Prefetch:
    def __init__(self, layout: Layout, cache: RowCache, ledger: Ledger, most: int) -> None: ...
    @property
    def most(self) -> int: ...
