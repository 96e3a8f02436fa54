from typing import Self

LEAST: int

class RowCache:
    def __new__(cls, rows: int, stride: int, size: int) -> Self: ...
    @property
    def slots(self) -> int: ...
