"""Reuters money-fx: the vectors that LASVM, Pegasos and SBP used (Bordes et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Part, Prepared
from svmbench.data.raw import RawFiles

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=reuters``: none."""


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read both files."""
    tables = {key: raw.libsvm(key) for key in ("train", "test")}
    parts = {key: Part(table.X, table.against_rest("1")) for key, table in tables.items()}
    return Prepared(parts, "as published: TF-IDF, rows of length 1")
