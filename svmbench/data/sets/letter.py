"""Letter: printed capitals, A to M against N to Z (Slate 1991), as scaled on the LIBSVM data page."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Part, Prepared
from svmbench.data.raw import RawFiles

VERSION = 1
FIRST_HALF = tuple(str(number) for number in range(1, 14))


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=letter``: none."""


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read both files; labels 1 to 13, the letters A to M, are positive."""
    tables = {key: raw.libsvm(key) for key in ("train", "test")}
    parts = {key: Part(table.X, table.against_rest(*FIRST_HALF)) for key, table in tables.items()}
    return Prepared(parts, "as published, in [-1, 1]")
