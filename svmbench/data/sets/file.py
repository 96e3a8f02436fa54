"""The user's own data: a file in LIBSVM format or delimited text, with a test file or a random split."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svmbench.data.catalogue import label_key
from svmbench.data.dataset import Matrix, Part, Prepared
from svmbench.data.delimited import Layout, find_layout
from svmbench.data.parameters import check, one_of, whole
from svmbench.data.raw import RawFiles, Table, read_csv, read_libsvm
from svmbench.data.splits import random_split, take
from svmbench.errors import UserError

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=file``."""

    path: str | None = field(default=None, metadata={"place": True})
    test_path: str | None = field(default=None, metadata={"place": True})
    test_fraction: float = field(default=0.2, metadata={"min": 0, "max": 0.9})
    split_seed: int = whole(0, 0)
    format: str = one_of("auto", "libsvm", "csv")
    positive: int | float | str | None = None
    features: int | None = field(default=None, metadata={"min": 1})
    label_column: int | str = "last"
    delimiter: str = one_of("auto", ",", ";", "tab", "space", "|")
    header: bool | None = None

    def __post_init__(self) -> None:
        check(self)
        if self.positive is not None:
            object.__setattr__(self, "positive", label_key(str(self.positive)))


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read the file or files; the positive class is ``positive``, or the larger of two numbers."""
    if params.path is None:
        raise UserError("dataset=file needs a file: give dataset.path=FILE")
    train, layout = _read(raw, "train", params.path, params, None)
    positive = _positive(params, train)
    if params.test_path is None:
        return Prepared(_split(params, train.X, train.against_rest(positive)), "none")
    test, _ = _read(raw, "test", params.test_path, params, layout)
    _check_test_labels(params, train, test)
    columns = max(train.X.shape[1], test.X.shape[1])
    parts = {
        key: Part(_widened(table.X, columns), table.against_rest(positive))
        for key, table in (("train", train), ("test", test))
    }
    return Prepared(parts, "none")


def _read(
    raw: RawFiles, role: str, name: str, params: Params, layout: Layout | None
) -> tuple[Table, Layout | None]:
    """Return a file's table, and its layout if it is delimited text, which a test file takes over."""
    path = Path(name).expanduser()
    content = raw.users_file(role, path)
    if not content.strip():
        raise UserError(f"{path} is empty: it needs one example per line")
    if not content.endswith(b"\n"):
        raw.say(f"{path}: the last line has no line end; if the file was cut off there, make it anew")
    kind = params.format
    if kind == "auto":
        kind = "libsvm" if _looks_like_libsvm(content) else "csv"
    if kind == "libsvm":
        return read_libsvm(content, str(path), params.features), None
    layout = layout or find_layout(
        content, str(path), label=params.label_column, delimiter=params.delimiter, header=params.header
    )
    if params.features is not None and params.features != layout.columns - 1:
        have = layout.columns - 1
        raise UserError(
            f"{path} has {have} feature columns where dataset.features={params.features} is given"
        )
    table = read_csv(content, str(path), **vars(layout))
    return table, layout


def _looks_like_libsvm(content: bytes) -> bool:
    """Tell whether the first line with more than a label holds pairs with a colon."""
    for line in content[: 1 << 16].splitlines():
        fields = line.split(b"#")[0].split()
        if len(fields) > 1 or (fields and any(mark in line for mark in b",;|")):
            return b":" in fields[-1]
    return True


def _positive(params: Params, table: Table) -> str:
    """Return the label of the positive class."""
    labels = table.labels
    if params.positive is not None:
        if params.positive not in labels:
            raise UserError(f"no example of {params.path} has the label dataset.positive={params.positive}")
        if len(labels) == 1:
            raise UserError(_one_class(params.path, labels[0]))
        return str(params.positive)
    if len(labels) == 1:
        raise UserError(_one_class(params.path, labels[0]))
    if len(labels) > 2:
        raise UserError(
            f"{_place(params.path, table, 2)}: '{labels[2]}' is a third label beside '{labels[0]}' and "
            f"'{labels[1]}'; give two classes, or choose one against the rest by dataset.positive=LABEL"
        )
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        raise UserError(
            f"the labels of {params.path} are '{labels[0]}' and '{labels[1]}': say which is the positive "
            "class by dataset.positive=LABEL"
        ) from None
    if not np.isfinite(numbers).all():
        worst = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise UserError(
            f"{_place(params.path, table, worst)}: the label '{labels[worst]}' is not a finite number"
        )
    return labels[int(np.argmax(numbers))]


def _place(path: str | None, table: Table, code: int) -> str:
    """Return where a label was seen first."""
    line, number, column = table.places[code]
    return f"{path}, line {line}, field {number} (column {column})"


def _one_class(path: Any, label: str) -> str:
    return f"all examples of {path} have the label '{label}': a classifier needs examples of two classes"


def _check_test_labels(params: Params, train: Table, test: Table) -> None:
    for code, label in enumerate(test.labels):
        if label not in train.labels:
            raise UserError(
                f"{_place(params.test_path, test, code)}: no training example has the label '{label}'; "
                f"the training file has {', '.join(train.labels[:10])}"
            )


def _split(params: Params, X: Matrix, y: NDArray[np.float64]) -> dict[str, Part]:
    test = round(y.size * params.test_fraction)
    if test == 0:
        return {"train": Part(X, y)}
    rows = random_split(y.size, {"train": y.size - test, "test": test}, params.split_seed)
    return {key: take(X, y, index) for key, index in rows.items()}


def _widened(X: Matrix, columns: int) -> Matrix:
    """Return the matrix with as many columns as the other part has."""
    if X.shape[1] == columns or not sp.issparse(X):
        return X
    return sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], columns))
