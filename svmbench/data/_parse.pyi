import numpy as np
from numpy.typing import NDArray

Place = tuple[int, int, int]

def libsvm(
    data: bytes, where: str, features: int = 0
) -> tuple[
    NDArray[np.int32],
    list[str],
    list[Place],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.float64],
]: ...
def csv(
    data: bytes, where: str, columns: int, label: int, delimiter: str, header: bool
) -> tuple[NDArray[np.int32], list[str], list[Place], NDArray[np.float64]]: ...
