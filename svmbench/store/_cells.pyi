from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def columns(
    paths: Sequence[str], names: Sequence[str], whole: Sequence[bool], most: int
) -> list[NDArray[np.float64] | None]: ...
