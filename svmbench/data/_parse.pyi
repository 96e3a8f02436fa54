from typing import Self

import numpy as np
from numpy.typing import NDArray

_Place = tuple[int, int, int]

def libsvm(
    data: bytes, where: str, features: int = 0, first: int = 1
) -> tuple[
    NDArray[np.int32],
    list[str],
    list[_Place],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.float64],
]: ...
def csv(
    data: bytes, where: str, columns: int, label: int, delimiter: str, header: bool
) -> tuple[NDArray[np.int32], list[str], list[_Place], NDArray[np.float64]]: ...

class Labels:
    def __new__(cls) -> Self: ...

class Reader:
    def __new__(cls, data: bytes, where: str, rule: str = "") -> Self: ...
