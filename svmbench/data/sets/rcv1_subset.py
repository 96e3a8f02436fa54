"""RCV1 subset: 27,613 distinct documents drawn at random from RCV1-v2 (MULAN's subsets 1 to 5).

This is neither the LYRL2004 split nor LIBSVM's rcv1_train.binary, so results must be called "RCV1 subset".
"""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Prepared
from svmbench.data.parameters import suggested
from svmbench.data.raw import RawFiles
from svmbench.data.sets._topics import RCV1, rcv1_topic
from svmbench.data.splits import take
from svmbench.option import option

VERSION = 1
TEST = 5_000
MISSING = ("M143", "MCAT")  # no document has these topics, which the source lacks


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=rcv1_subset``."""

    topic: str = option(
        "CCAT",
        "Topic of the positive class, one of the 103 codes except M143 and MCAT. CCAT, as in the papers, "
        "which use all of RCV1.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "topic", rcv1_topic(self.topic, MISSING))


SUGGESTED = suggested(1.0, 10.0, "as ASSET's for all of RCV1 (Table 1)")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read the file, whose label is a list of topic numbers; the last 5,000 rows are the test set."""
    table = raw.libsvm("data")
    code = str(RCV1.index(params.topic))
    y = table.against_rest(*(label for label in table.labels if code in label.split(",")))
    parts = {"train": take(table.X, y, slice(-TEST)), "test": take(table.X, y, slice(-TEST, None))}
    return Prepared(parts, "as published: logarithmic TF-IDF, rows of length 1")
