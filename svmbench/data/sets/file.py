"""The user's own data: LIBSVM format, delimited text or .npz, with a test file or a random split."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.arrays import looks_like_arrays, read_arrays
from svmbench.data.columns import occurring
from svmbench.data.dataset import Matrix, Prepared, held_dense
from svmbench.data.delimited import (
    Layout,
    Pairs,
    check_format,
    find_layout,
    first_line,
    is_number,
    split_fields,
)
from svmbench.data.filling import Filling, joined
from svmbench.data.foreign import as_utf8, converted
from svmbench.data.frames import Frame, TextColumn, frame_of_arrays, number_of, read_frame
from svmbench.data.parameters import FileParams as Params
from svmbench.data.parameters import suggested
from svmbench.data.raw import RawFiles, Table, read_csv, read_libsvm
from svmbench.data.sets._first_line import check_first_line, doubt
from svmbench.data.sets._labels import check_test_labels, labels_of, targets
from svmbench.data.sets._needs import needs, without_labels
from svmbench.data.splits import random_split, scale, scale_sparse, take, unit_rows
from svmbench.errors import UserError
from svmbench.sparse import issparse

VERSION = 1
MULTICLASS = True
SCALINGS = {
    "none": "none",
    "minmax": "each column to [0, 1] by the training rows",
    "standard": "each column to mean 0 and standard deviation 1 by the training rows",
    "unit": "rows of length 1",
}


SUGGESTED = suggested(None, None, "null: it depends on the data, so it must be given")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read the file or files; the positive class is ``positive``, or the larger of two numbers.

    With ``task=all``, each label is a class.
    """
    if params.path is None:
        raise UserError("dataset=file needs a file: give dataset.path=FILE")
    try:
        return _prepare(params, raw, params.path)
    except UserError:
        told = _needs(params, RawFiles(raw.entry, [], Path(), lambda line: None), params.path)
        if told is None:
            raise
        raise UserError(told) from None


def _needs(params: Params, raw: RawFiles, path: str) -> str | None:
    """Return the message for a file that an error in one line does not explain, else None."""
    try:
        content, where = read_content(params, raw, "train", path)
        lenient = replace(params, missing="median", encode="onehot")
        layout = layout_of(params, content, where)
        frame = frame_of(lenient, content, where, layout)
    except UserError:
        return None
    if isinstance(layout, Layout) and (told := doubt(params, layout, frame) or without_labels(layout, frame)):
        return told
    *others, last = needs(params, frame) or [""]
    if others:
        return f"{where} needs {'; '.join(others)}; and {last}"
    return f"{where} needs {last}" if last and frame.empty() else None


def _prepare(params: Params, raw: RawFiles, path: str) -> Prepared:
    content, where = read_content(params, raw, "train", path)
    layout = layout_of(params, content, where)
    if params.framed:
        return _prepare_frames(params, raw, frame_of(params, content, where, layout), layout)
    train = read_table(params, content, where, layout)
    if isinstance(layout, Layout):
        if not layout.header:
            check_first_line(params, layout, frame_of_arrays(train, where))
        features = [k for k in range(layout.columns) if k != layout.label]
        _point_out_index(raw, train.X, features, _names(content, layout), where)
    del content
    labels = labels_of(params, train)
    matrices, y = [train.X], targets(train, labels)
    rows: dict[str, NDArray[np.int64] | slice] = split_rows(params, y.size)
    if params.test_path is not None:
        test = read_table(params, *read_content(params, raw, "test", params.test_path), layout)
        _check_alike(params, train.X, test.X)
        check_test_labels(params, train, test)
        matrices.append(test.X)
        rows = {"train": slice(y.size), "test": slice(y.size, None)}
        y = np.concatenate([y, targets(test, labels)])
    X, what = with_scaling(_joined(raw, params, matrices), rows["train"], params.scaling)
    columns = max(matrix.shape[1] for matrix in matrices)
    parts = {key: take(X, y, index) for key, index in rows.items()}
    return Prepared(parts, what, columns, labels)


def _point_out_index(
    raw: RawFiles, X: NDArray[np.float64], columns: Sequence[int], names: Sequence[str], where: str
) -> None:
    """Say that a column numbers the rows, as the index or the row names that data frames are written with.

    It counts from any number, or has no name and another whole number in each row. ``columns`` are the
    numbers of those of X in the file, from 0; ``names`` is empty without a header.
    """
    if len(X) < _COUNTED:
        return
    found = set(np.flatnonzero((np.diff(X, axis=0) == 1.0).all(axis=0)).tolist())
    unnamed = [place for place, column in enumerate(columns) if names and not names[column].strip('"')]
    found |= {k for k in unnamed if (X[:, k] % 1.0 == 0.0).all() and np.unique(X[:, k]).size == len(X)}
    for place in sorted(found):
        column = columns[place]
        name = names[column].strip('"') if names else ""
        raw.say(
            f"{where}: column {name or column + 1} numbers the rows, as the index of a data frame does, and "
            f"is a feature; leave it out by dataset.drop={name or column + 1}"
        )


def _names(content: bytes, layout: Layout) -> list[str]:
    """Return the names of all columns; none without a header."""
    first = first_line(content).decode("utf-8-sig", "replace")
    return split_fields(first, layout.delimiter) if layout.header else []


def _prepare_frames(params: Params, raw: RawFiles, train: Frame, layout: Layout | Pairs | None) -> Prepared:
    """Fill missing values and encode text by the training rows, as ``missing`` and ``encode`` say."""
    if isinstance(layout, Layout):
        check_first_line(params, layout, train)
        columns = [place + (place >= layout.label) for place in train.numbers]
        names = [] if train.names is None else list(train.names)
        names[layout.label : layout.label] = ["label"] if names else []
        _point_out_index(raw, train.table.X, columns, names, train.where)
    empty = train.empty() if params.missing != "refuse" else []
    if len(empty) == train.width:
        raise UserError(f"{train.where}: every feature is missing in every row: give a file with values")
    if empty:
        are = "are" if len(empty) > 1 else "is"
        raw.say(f"{train.where}: {train.listed(empty)} {are} empty in every row and left out")
    train = complete(params, train.without(empty), raw.say)
    labels = labels_of(params, train.table)
    y = targets(train.table, labels)
    rows: dict[str, NDArray[np.int64] | slice] = split_rows(params, y.size)
    frames = [train]
    if params.test_path is not None:
        content, where = read_content(params, raw, "test", params.test_path)
        texts = tuple(column.place for column in train.texts)
        test = frame_of(params, content, where, layout, texts).without(empty)
        test = complete(params, test, raw.say)
        check_test_labels(params, train.table, test.table)
        frames.append(test)
        rows = {"train": slice(y.size), "test": slice(y.size, None)}
        y = np.concatenate([y, targets(test.table, labels)])
    filling = Filling.learnt(train, rows["train"])
    X, what = filled(params, filling, frames, rows["train"])
    for frame in frames:
        if told := filling.unseen(frame):
            raw.say(f"{told}; they are 0 in all columns of the encoding")
    parts = {key: take(X, y, index) for key, index in rows.items()}
    return Prepared(parts, what, labels=labels, filling=filling.document())


def frame_of(
    params: Params,
    content: bytes,
    where: str,
    layout: Layout | Pairs | None,
    texts: tuple[int, ...] | None = None,
) -> Frame:
    """Return the rows of a file's text or arrays; ``texts`` are the columns of text in the training file."""
    if looks_like_arrays(content):
        table = read_arrays(content, where, missing=True)
        if issparse(table.X):
            raise UserError(
                f"{where} contains a sparse matrix, to which dataset.missing and dataset.encode do not "
                "apply: leave them out, or give a dense X"
            )
        _check_features(params, table.X.shape[1], where)
        return frame_of_arrays(table, where)
    if not isinstance(layout, Layout):
        raise UserError(
            f"{where} is in LIBSVM format, where a feature that is left out is 0: leave out dataset.missing, "
            "dataset.encode and dataset.drop, or give delimited text"
        )
    dropped = _dropped(params, content, where, layout)
    otherwise = "the training file has numbers in this column"
    if texts is None:
        otherwise = "correct it, or give dataset.encode=onehot if the column holds text"
        texts = () if params.encode == "none" and not dropped else None
    elif dropped:
        texts = tuple(sorted({*texts, *dropped}))  # whatever they hold
    frame = read_frame(content, where, layout, texts, otherwise).without(dropped)
    if texts is None:
        for column in frame.texts:
            _check_text(frame, column)
        if frame.texts and params.encode == "none":
            named = frame.listed([column.place for column in frame.texts])
            holds, it = ("holds", "it") if len(frame.texts) == 1 else ("hold", "them")
            raise UserError(
                f"{where}: {named} {holds} text: give dataset.encode=onehot, or name {it} in dataset.drop"
            )
    return frame


def _check_text(frame: Frame, column: TextColumn) -> None:
    """Refuse a column of numbers of which some are not finite: they are no words."""
    others = [word for word in column.words if math.isinf(number_of(word))]
    if all(is_number(word) and math.isinf(float(word)) for word in others):
        row = int(np.argmax(column.codes == column.words.index(others[0])))
        raise UserError(
            f"{frame.line(row)}: '{others[0]}' in {frame.named(column.place)} is not a finite number: "
            "correct it, or leave out the row, or the column by dataset.drop"
        )


def _dropped(params: Params, content: bytes, where: str, layout: Layout) -> set[int]:
    """Return the features that ``drop`` names, by their numbers among the features of the file, from 0."""
    names, found = _names(content, layout), set()
    for name in params.dropped:
        if names.count(name) > 1:
            count = names.count(name)
            raise UserError(f"dataset.drop={name} names {count} columns of {where}: give their numbers")
        column = names.index(name) if name in names else None
        if column is None and name.isdecimal() and 1 <= int(name) <= layout.columns:
            column = int(name) - 1
        if column is None or column == layout.label:
            why = "that of the labels" if column is not None else "not a column"
            raise UserError(
                f"dataset.drop={name} is {why} of {where}: give a number from 1 to {layout.columns}"
                + (", or a name in its header" if layout.header else "")
            )
        found.add(column - (column > layout.label))
    if len(found) == layout.columns - 1:
        raise UserError(f"dataset.drop leaves no column of {where} but the label: name fewer")
    return found


def complete(params: Params, frame: Frame, say: Callable[[str], None]) -> Frame:
    """Return the rows that ``missing`` allows; raise a `UserError` if it refuses one, or if none is left."""
    missing = frame.missing()
    unlabelled = np.array([label == "" for label in frame.table.labels])[frame.table.codes]
    lacking = missing.any(axis=1) | unlabelled
    if params.missing == "drop" and lacking.any():
        if lacking.all():
            raise UserError(f"every row of {frame.where} has a missing value: give dataset.missing=median")
        say(f"{frame.where}: {np.count_nonzero(lacking)} of {lacking.size} rows have a missing value and are "
            "left out")  # fmt: skip
        return frame.taken(np.flatnonzero(~lacking))
    if unlabelled.any():
        raise UserError(
            f"{frame.line(int(np.argmax(unlabelled)))}: the label is missing; remove the row, or give "
            "dataset.missing=drop"
        )
    check_missing(params, frame)
    return frame


_WAYS = (
    "give dataset.missing=median to fill it by the median of its column, or dataset.missing=drop to leave "
    "such rows out"
)


def check_missing(params: Params, frame: Frame, way: str = _WAYS) -> None:
    """Raise a `UserError` for a missing feature, unless ``missing=median``; ``way`` says what to do."""
    missing = frame.missing()
    if params.missing == "median" or not missing.any():
        return
    row = int(np.argmax(missing.any(axis=1)))
    raise UserError(f"{frame.line(row)}: {frame.named(int(np.argmax(missing[row])))} has no value; {way}")


def filled(
    params: Params, filling: Filling, frames: list[Frame], train: NDArray[np.int64] | slice
) -> tuple[Matrix, str]:
    """Return the features of all frames, and what was done to their values.

    The columns of numbers come first, scaled by the rows ``train``. Indicators of words stay 0 and 1 unless
    rows are scaled to unit length.
    """
    for frame in frames:
        filling.check_columns(frame)
    frames = [frame.without(filling.empty) for frame in frames]
    numbers = np.concatenate([filling.numbers(frame) for frame in frames])
    indicators = scipy.sparse.vstack([filling.indicators(frame) for frame in frames], format="csr")
    if params.scaling == "unit":
        return with_scaling(joined(numbers, indicators), train, "unit")
    X, what = with_scaling(numbers, train, params.scaling)
    return joined(X, indicators), what


def widened(X: Matrix, d: int) -> Matrix:
    """Return a CSR matrix with d columns; a dense matrix is unchanged."""
    return scipy.sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], d)) if issparse(X) else X


def _joined(raw: RawFiles, params: Params, matrices: list[Matrix]) -> Matrix:
    """Return the rows of all files in one matrix, without empty columns if it is sparse and very wide."""
    if not issparse(matrices[0]):
        return np.concatenate(matrices) if len(matrices) > 1 else matrices[0]
    width = max(X.shape[1] for X in matrices)
    kept = occurring([widened(X, width) for X in matrices])
    if kept[0].shape[1] < width:
        raw.say(
            f"{params.path}: {kept[0].shape[1]} of the {width} columns are not empty; the others are left out"
        )
    return scipy.sparse.vstack(kept, format="csr") if len(kept) > 1 else kept[0]


def with_scaling(X: Matrix, train: NDArray[np.int64] | slice, scaling: str) -> tuple[Matrix, str]:
    """Return the scaled matrix, and a description of the scaling."""
    what = SCALINGS[scaling]
    if scaling == "unit":
        return unit_rows(X), what
    if scaling == "none":
        return X, what
    if issparse(X) and not held_dense(X[train]):
        if scaling == "standard":
            raise UserError(
                "dataset.scaling=standard would fill the zeros of sparse data; "
                "give minmax, which divides each column by its largest absolute value, or unit"
            )
        return scale_sparse(
            X, train
        ), "each column divided by its largest absolute value in the training rows"
    X = X.toarray() if issparse(X) else X
    scale(X, train, scaling, X.shape[1])
    return X, what


def read_content(params: Params, raw: RawFiles, role: str, name: str) -> tuple[bytes, str]:
    """Return a file's text, and its path for messages."""
    path = Path(name).expanduser()
    content = converted(raw.users_file(role, path), str(path), params.label_column)
    if looks_like_arrays(content):
        return content, str(path)
    content = as_utf8(content, str(path))
    if not content.strip():
        raise UserError(f"{path} is empty: it needs one example per line")
    if not content.endswith(b"\n"):
        raw.say(f"{path}: the last line has no line end; if the file was cut off there, write it again")
    return content, str(path)


def layout_of(params: Params, content: bytes, where: str) -> Layout | Pairs | None:
    """Return the layout of the first file, which also holds for a test file; None for arrays."""
    if looks_like_arrays(content):
        return None
    if params.format == "auto":
        check_format(content, where)
    if params.format == "libsvm" or (params.format == "auto" and looks_like_libsvm(content)):
        return Pairs(0 if _FROM_ZERO.search(content) else 1)
    layout = find_layout(
        content, where, label=params.label_column, delimiter=params.delimiter, header=params.header
    )
    _check_features(params, layout.columns - 1, where)
    return layout


def _check_features(params: Params, have: int, where: str) -> None:
    if params.features is not None and params.features != have:
        raise UserError(
            f"{where} has {have} feature columns where dataset.features={params.features} is given: leave it "
            f"out or give {have}"
        )


#: An index 0, with which scikit-learn, LightGBM and XGBoost begin to count features.
_FROM_ZERO = re.compile(rb"[ \t]0+:")
#: Fewest rows among which a column that counts them is no coincidence.
_COUNTED = 10


def read_table(params: Params, content: bytes, where: str, layout: Layout | Pairs | None) -> Table:
    """Return the labels and features of a file's content, read in the layout of the first file."""
    if looks_like_arrays(content):
        table = read_arrays(content, where)
        _check_features(params, table.X.shape[1], where)
        return table
    if not isinstance(layout, Layout):
        return read_libsvm(content, where, params.features, 1 if layout is None else layout.first)
    return read_csv(content, where, **vars(layout))


def looks_like_libsvm(content: bytes) -> bool:
    """Return whether the first line with more than a label has a pair ``index:value`` or a query."""
    for line in content[: 1 << 16].splitlines():
        fields = line.split(b"#")[0].split()
        if len(fields) > 1 or (fields and any(mark in line for mark in b",;|")):
            return any(re.match(rb"-?\d+:|qid:", text) for text in fields[1:])
    return True


def _check_alike(params: Params, train: Matrix, test: Matrix) -> None:
    """Raise a `UserError` if the rows of two files cannot form one matrix."""
    if issparse(train) != issparse(test):
        forms = {True: "sparse", False: "dense"}
        raise UserError(
            f"{params.test_path} is read as {forms[issparse(test)]} rows and {params.path} as "
            f"{forms[issparse(train)]} ones: give both files in one format"
        )
    if not issparse(train) and train.shape[1] != test.shape[1]:
        raise UserError(
            f"{params.test_path} has {test.shape[1]} feature columns where {params.path} has "
            f"{train.shape[1]}: give both files the same columns"
        )


def split_rows(params: Params, n: int) -> dict[str, NDArray[np.int64] | slice]:
    """Return the rows of each part of one file."""
    test = round(n * params.test_fraction)
    if test == 0:
        return {"train": slice(n)}
    return dict(random_split(n, {"train": n - test, "test": test}, params.split_seed))
