"""Boolean vectors as short text: one bit each, compressed, in base 64."""

from __future__ import annotations

import base64
import zlib

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import Damage


def packed(values: NDArray[np.bool_]) -> str:
    """Return a boolean vector as text."""
    return base64.b64encode(zlib.compress(np.packbits(values).tobytes(), 9)).decode("ascii")


def unpacked(text: str, count: int) -> NDArray[np.bool_]:
    """Return a boolean vector of `count` values from the text made by `packed`.

    Raises
    ------
    ValueError, TypeError
        If it is not such a text, or of another number of values.
    """
    size = (count + 7) // 8
    try:
        content = base64.b64decode(text)
        raw = zlib.decompressobj().decompress(content, size + 1)  # no more, however much there is
    except zlib.error as error:
        raise Damage("it cannot be decompressed") from error
    if len(raw) != size:
        raise Damage(f"not {count} values")
    return np.unpackbits(np.frombuffer(raw, dtype=np.uint8), count=count).astype(np.bool_)
