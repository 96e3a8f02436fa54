"""Boolean vectors as short text: one bit each, compressed, in base 64."""

from __future__ import annotations

import base64
import zlib

import numpy as np
from numpy.typing import NDArray


def packed(values: NDArray[np.bool_]) -> str:
    """Return a boolean vector as text."""
    return base64.b64encode(zlib.compress(np.packbits(values).tobytes(), 9)).decode("ascii")


def unpacked(text: str, count: int) -> NDArray[np.bool_]:
    """Return a boolean vector of `count` values from the text made by `packed`."""
    raw = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    return np.unpackbits(raw, count=count).astype(np.bool_)
