"""RCV1-v2: 804,414 newswire stories, one topic against the rest (Lewis, Yang, Rose, Li 2004)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.dataset import Matrix, Prepared
from svmbench.data.parameters import split_seed, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.sets._topics import rcv1_topic
from svmbench.data.splits import random_split, take
from svmbench.errors import UserError
from svmbench.option import option

VERSION = 1
VECTORS = ("train", "test0", "test1", "test2", "test3")


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=rcv1``."""

    topic: str = option(
        "CCAT",
        "Topic of the positive class, one of the 103 codes. CCAT, as in Pegasos, ASSET and RandSVM; "
        "RandSVM also has C11.",
    )
    split: str = option(
        "official",
        "Training and test examples. official: 23,149 / 781,265 (LYRL2004). pegasos: these two exchanged. "
        "asset: a random tenth of the 781,265 for training, and halves of the 23,149 for validation and "
        "testing. randsvm: all split at random, 700,000 / 104,414.",
        choices=("official", "pegasos", "asset", "randsvm"),
    )
    split_seed: int = split_seed()

    def __post_init__(self) -> None:
        object.__setattr__(self, "topic", rcv1_topic(self.topic))


SUGGESTED = suggested(
    1.0, 10.0, "ASSET Table 1", "ASSET Table 1. Pegasos' linear experiment has problem.lam=1e-4"
)


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read the vectors in their published order, and split.

    ``official``: 23,149 / 781,265. ``pegasos``: the same, swapped. ``asset``: a tenth of the 781,265, and
    halves of the 23,149. ``randsvm``: 700,000 / 104,414 of all, at random.
    """
    positive = _positive_documents(raw, params.topic)
    blocks, documents = zip(*(_vectors(raw, key) for key in VECTORS))
    first = documents[0].size
    X, ids = scipy.sparse.vstack(blocks, format="csr"), np.concatenate(documents)
    del blocks
    y = np.where(np.isin(ids, positive), 1.0, -1.0)
    rows = _rows(params, first, y.size)
    parts = {key: take(X, y, index) for key, index in rows.items()}
    return Prepared(parts, "as published: logarithmic TF-IDF, rows of length 1")


def _rows(params: Params, first: int, n: int) -> dict[str, NDArray[np.int64] | slice]:
    """Return the rows of each part; the first ``first`` are the official training documents."""
    training, testing = slice(first), slice(first, None)
    if params.split == "official":
        return {"train": training, "test": testing}
    if params.split == "pegasos":
        return {"train": testing, "test": training}
    if params.split == "randsvm":
        train = n * 700_000 // 804_414
        return dict(random_split(n, {"train": train, "test": n - train}, params.split_seed))
    halves = {"validation": first - first // 2, "test": first // 2}
    tenth = random_split(n - first, {"train": (n - first + 9) // 10}, params.split_seed)
    return {"train": first + tenth["train"], **random_split(first, halves, params.split_seed)}


def _vectors(raw: RawFiles, key: str) -> tuple[Matrix, NDArray[np.int64]]:
    """Return the matrix of a file and the numbers of its documents, which stand where LIBSVM has labels."""
    table = raw.libsvm(key)
    numbers = np.array([int(label) if label.isdigit() else -1 for label in table.labels], dtype=np.int64)
    if numbers.size != table.codes.size or numbers.min() < 0:
        raise UserError(
            f"the file '{key}' of rcv1 does not begin each line with the number of another document"
        )
    table.X.data = table.X.data.astype(np.float32)  # halves the memory of the largest set
    return table.X, numbers


def _positive_documents(raw: RawFiles, topic: str) -> NDArray[np.int64]:
    """Return the documents of a topic, read from lines ``TOPIC DOCUMENT 1``."""
    content, name = raw.text("topics")
    documents = re.findall(rf"^{topic}[ \t]+(\d+)[ \t]+1[ \t]*\r?$".encode(), content, re.MULTILINE)
    expected = raw.entry.files["topics"].classes.get(topic)
    if not documents or (expected is not None and len(documents) != expected):
        wanted = f"the catalogue says {expected}" if expected else "at least one is needed"
        raise UserError(f"{name} has {len(documents)} documents of topic {topic} but {wanted}")
    return np.array(documents).astype(np.int64)
