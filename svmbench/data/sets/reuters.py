"""Reuters money-fx: the vectors that LASVM, Pegasos and SBP used (Bordes et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Part, Prepared
from svmbench.data.parameters import suggested
from svmbench.data.raw import RawFiles

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=reuters``: none."""


SUGGESTED = suggested(
    1.0,
    1.0,
    "sigma² = 0.5 (LASVM; Pegasos Table 2; SBP Table 2)",
    "lam = 1/n (LASVM; Pegasos Table 2; SBP Table 2)",
)


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read both files."""
    tables = {key: raw.libsvm(key) for key in ("train", "test")}
    parts = {key: Part(table.X, table.against_rest("1")) for key, table in tables.items()}
    return Prepared(parts, "as published: TF-IDF, rows of length 1")
