"""Rows to be scored by a model, with or without labels, prepared like the model's data set."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.catalogue import OWN, entry, set_of
from svmbench.data.columns import kept_columns, renumbered
from svmbench.data.dataset import Matrix, held_dense
from svmbench.data.delimited import Layout, Pairs
from svmbench.data.filling import Filling
from svmbench.data.parameters import FileParams
from svmbench.data.raw import RawFiles, Table
from svmbench.data.sets.file import (
    check_missing,
    complete,
    filled,
    frame_of,
    layout_of,
    read_content,
    read_table,
    split_rows,
    widened,
    with_scaling,
)
from svmbench.data.splits import largest, shift_and_width, unit_rows
from svmbench.data.unlabelled import labelled
from svmbench.errors import UserError
from svmbench.option import check_values
from svmbench.sparse import issparse

Floats = NDArray[np.float64]


def _content(
    params: FileParams, path: str, width: int, say: Callable[[str], None]
) -> tuple[FileParams, bytes, str, Layout | Pairs | None, bool]:
    """Return how to read a file: parameters, content, path and layout, and whether it has labels."""
    raw = RawFiles(entry(OWN), [], Path(), say)
    content, where = read_content(params, raw, "rows", path)
    given = content
    content, params = labelled(content, where, params, width)
    layout = layout_of(params, content, where)
    if isinstance(layout, Pairs) and params.path is not None:
        # Without the training file, the indices of these rows alone tell how they count.
        trained: Layout | Pairs | None = layout
        with contextlib.suppress(UserError):
            trained = layout_of(params, *read_content(params, raw, "train", params.path))
        if not isinstance(trained, Pairs) and b":" not in content:
            raise UserError(f"{path} has one column, the model {width} features: give them all")
        layout = trained if isinstance(trained, Pairs) else layout
    return params, content, where, layout, content is given


def _labels(table: Table, has_labels: bool) -> list[str] | None:
    """Return the label of each row."""
    return [table.labels[code] for code in table.codes] if has_labels else None


@dataclass(frozen=True)
class Rows:
    """The features of rows for a model.

    Attributes
    ----------
    X : ndarray or csr_array, shape (m, d + a)
        The features of the data set. In a CSR matrix, these may be followed by a number a of columns that
        were removed from the data set because they are empty there.
    by_files : bool
        Whether the features depend on the current content of the data set's files.
    labels : list of str or None
        The label of each row, if the file has labels.
    """

    X: Matrix
    by_files: bool
    labels: list[str] | None = None


def prepared_rows(
    dataset: Mapping[str, Any], path: str, d: int, columns: int | None, say: Callable[[str], None]
) -> Rows:
    """Return the features of a file's rows for a model, prepared like the user's own data.

    Parameters
    ----------
    dataset : mapping
        ``dataset`` of the model's configuration.
    path : str
        The file with the rows.
    d : int
        Features of the data set.
    columns : int or None
        Columns of the data set's files: more than d if empty ones were removed (`svmbench.data.columns`). If
        None, the number is unknown and the files must be read.
    say : callable
        Receives one line at a time.

    Raises
    ------
    UserError
        If a file cannot be read or is malformed, or if the rows have different features.
    """
    own = set_of(dataset) == OWN
    # A published set has no layout and no scaling of the user's own.
    params = _params(dataset) if own else FileParams()
    given, content, where, layout, has_labels = _content(params, path, columns or d, say)
    table = read_table(given, content, where, layout)
    X, labels = table.X, _labels(table, has_labels)
    known, kept, width = [], None, d
    if own and (columns != d or params.scaling in ("minmax", "standard")):
        known = _known(params)
        kept = kept_columns(known) if columns != d and issparse(known[0]) else None
    if kept is not None:
        width, have = known[0].shape[1], max(1, kept.size)
        if have != d:
            raise UserError(
                f"{dataset['path']} has {have} columns that are not empty, the model was trained on {d}: the "
                "file has changed since; repeat the run"
            )
    if X.shape[1] > width or (X.shape[1] < width and not issparse(X)):
        raise UserError(
            f"{path} has {X.shape[1]} feature columns, the model was trained on {width}: give rows with the "
            "features of its prepared data set"
        )
    X = widened(X, d) if kept is None else renumbered(scipy.sparse.csr_array(X), kept)
    if params.scaling == "unit":
        X = unit_rows(X)
    elif params.scaling != "none":
        train = known[0] if kept is None else renumbered(known[0], kept)
        X = _scaled_by(train, X, path, d, params)
    return Rows(X, bool(known), labels)


def filled_rows(
    dataset: Mapping[str, Any],
    path: str,
    document: Mapping[str, Any],
    say: Callable[[str], None],
    *,
    ignore_unseen: bool = False,
) -> Rows:
    """Return the features of a file's rows, for a model of data whose missing values or text were replaced.

    Parameters
    ----------
    dataset, path, say
        See `prepared_rows`.
    document : mapping
        The replacements (`svmbench.data.filling`), as stored with the run.
    ignore_unseen : bool
        Whether a word that does not occur in the training rows is 0 in all columns of the encoding, and `say`
        receives a line about such words; an error otherwise.

    Raises
    ------
    UserError
        As in `prepared_rows`; also for a missing value, unless missing values were filled in training, and
        for a word that does not occur in the training rows, unless these are ignored.
    """
    filling, params = Filling.of(document), _params(dataset)
    if filling.names is None:
        params = replace(params, header=False)  # a row that contains only words is not a header
    given, content, where, layout, has_labels = _content(params, path, filling.width, say)
    frame = frame_of(given, content, where, layout, filling.texts).without(filling.empty)
    trained = f"the model was trained with dataset.missing={params.missing}"
    check_missing(params, frame, f"{trained}: fill it, or train with dataset.missing=median")
    filling.check_columns(frame)
    labels = _labels(frame.table, has_labels)
    if told := filling.unseen(frame):
        if not ignore_unseen:
            raise UserError(
                f"{told}; correct them, train with rows that have them, or give --ignore-unseen, by which "
                "they are 0 in all columns of the encoding"
            )
        say(f"{told}; they are 0 in all columns of the encoding")
    if params.scaling not in ("minmax", "standard"):
        return Rows(filled(params, filling, [frame], slice(None))[0], False, labels)
    raw = RawFiles(entry(OWN), [], Path(), lambda line: None)
    content, where = read_content(params, raw, "train", str(params.path))
    known = frame_of(params, content, where, layout_of(params, content, where), filling.texts)
    known = complete(params, known.without(filling.empty), lambda line: None)
    n = known.rows.size
    train = split_rows(params, n)["train"] if params.test_path is None else slice(n)
    return Rows(filled(params, filling, [known, frame], train)[0][n:], True, labels)


def _known(params: FileParams) -> list[Matrix]:
    """Return the rows of the user's files; sparse matrices are given the width of the widest."""
    raw = RawFiles(entry(OWN), [], Path(), lambda line: None)
    content, where = read_content(params, raw, "train", str(params.path))
    layout = layout_of(params, content, where)
    known = [read_table(params, content, where, layout).X]
    if params.test_path is not None:
        known.append(read_table(params, *read_content(params, raw, "test", params.test_path), layout).X)
    return [widened(X, max(X.shape[1] for X in known)) for X in known]


def shifts_and_widths(dataset: Mapping[str, Any]) -> tuple[Floats, Floats]:
    """Return what each column of the user's rows is reduced and then divided by, float64 (d,).

    Parameters
    ----------
    dataset : mapping
        The ``dataset`` section of the run, with the scaling ``minmax`` or ``standard``, of a file without
        missing values or text.
    """
    params = _params(dataset)
    known = _training_rows(params, _known(params)[0])
    if issparse(known) and not held_dense(known):
        return np.zeros(known.shape[1]), largest(known)
    columns = (known.toarray() if issparse(known) else known).T
    found = np.array([shift_and_width(column, params.scaling) for column in columns])
    return found[:, 0], found[:, 1]


def _training_rows(params: FileParams, X: Matrix) -> Matrix:
    """Return the training rows of those of the training file."""
    return X[split_rows(params, X.shape[0])["train"] if params.test_path is None else slice(None)]


def _scaled_by(train: Matrix, X: Matrix, path: str, d: int, params: FileParams) -> Matrix:
    """Return rows scaled like those of the training file; columns that it does not have are unchanged."""
    known = _training_rows(params, train)
    if issparse(known) != issparse(X) or known.shape[1] > d:
        raise UserError(
            f"{path} cannot be scaled by the training rows of {params.path}: give a file of the same "
            "format and columns"
        )
    n, both = known.shape[0], [widened(known, d), X[:, :d]]
    joined = scipy.sparse.vstack(both, format="csr") if issparse(X) else np.concatenate(both)
    scaled = with_scaling(joined, slice(n), params.scaling)[0][n:]
    if X.shape[1] == d:
        return scaled
    return scipy.sparse.hstack([scipy.sparse.csr_array(scaled), X[:, d:]], format="csr")


def _params(dataset: Mapping[str, Any]) -> FileParams:
    """Return the parameters of the user's data from a configuration, which may lack newer parameters."""
    known = {item.name: dataset[item.name] for item in fields(FileParams) if item.name in dataset}
    return FileParams(**check_values("dataset.", known, FileParams))
