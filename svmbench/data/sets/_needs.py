"""Options that the user must give so that their own data can be read, with the reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from svmbench.data.delimited import Layout
from svmbench.data.frames import Frame, TextColumn, number_of, some
from svmbench.data.parameters import EVERY, FileParams

#: Malformed numbers and comments, which must be corrected in the file, since no option reads them.
_WRONG = re.compile(r"[+-]?([\d.]*,\d+(e[+-]?\d+)?|inf(inity)?)|#.*", re.ASCII | re.IGNORECASE)


def needs(params: FileParams, frame: Frame) -> list[str]:
    """Return each option that a file needs, with the reason; none if a number must be corrected first.

    The frame is the whole file, in which each column that has any text counts as a column of text.
    """
    found = []
    if frame.texts and params.encode == "none":
        if any(_WRONG.fullmatch(word) for column in frame.texts for word in column.words):
            return []
        found.append(_texts(frame))
    if params.missing != "drop":
        found += _missing(frame, params.missing)
    if params.task != EVERY and params.positive is None:
        found += _classes([label for label in frame.table.labels if label])
    return found


def is_text(word: str) -> bool:
    """Return whether a word is neither a number, nor one that is to be corrected, nor a missing value."""
    return bool(np.isinf(number_of(word))) and not _WRONG.fullmatch(word)


def _texts(frame: Frame) -> str:
    named = frame.listed([column.place for column in frame.texts])
    row, word = _first_text(frame.texts[0])
    return (
        f"dataset.encode=onehot, as {named} {'hold' if len(frame.texts) > 1 else 'holds'} text "
        f"('{word[:40]}' in {frame.place(row)})"
    )


def _first_text(column: TextColumn) -> tuple[int, str]:
    """Return the first row whose value is not a number, and the value."""
    texts = [code for code, word in enumerate(column.words) if np.isinf(number_of(word))]
    row = int(np.argmax(np.isin(column.codes, texts)))
    return row, column.words[column.codes[row]]


def _missing(frame: Frame, given: str) -> Iterator[str]:
    labels = np.array([label == "" for label in frame.table.labels])[frame.table.codes]
    if labels.any():
        place = frame.place(int(np.argmax(labels)))
        yield f"dataset.missing=drop, as labels are missing (the first in {place})"
    elif given == "refuse" and (empty := frame.empty()):
        are = "columns, as {} are" if len(empty) > 1 else "column, as {} is"
        yield (
            "dataset.missing=median or dataset.missing=drop, which leave out an empty "
            f"{are.format(frame.listed(empty))} empty in every {frame.unit}"
        )
    elif given == "refuse" and (values := frame.missing()).any():
        row = int(np.argmax(values.any(axis=1)))
        named, count = frame.named(int(np.argmax(values[row]))), np.count_nonzero(values)
        are = "1 value is missing" if count == 1 else f"{count} values are missing"
        yield (
            f"dataset.missing=median or dataset.missing=drop, as {are} (the first in {frame.place(row)}, "
            f"{named})"
        )


def without_labels(layout: Layout, frame: Frame) -> str | None:
    """Return the sentence about a file in which every label is missing; None if there are labels."""
    if any(frame.table.labels):
        return None
    way = f"dataset.label_column=NUMBER, from 1 to {layout.columns}"
    if layout.label == layout.columns - 1:
        way = (
            f"dataset.label_column={layout.label} if a delimiter at the end of each line makes this column, "
            "and dataset.missing=drop, which leaves it out"
        )
    return f"{frame.where}: column {layout.label + 1}, that of the labels, is empty in every line: give {way}"


def _classes(labels: Sequence[str]) -> Iterator[str]:
    quoted = some([f"'{label[:40]}'" for label in labels])
    if len(labels) > 2:
        yield (
            f"dataset.positive=LABEL or problem.multiclass=one_vs_one, as there are {len(labels)} labels "
            f"({quoted}; dataset.label_column names their column)"
        )
    elif len(labels) == 2 and any(np.isinf(number_of(label)) for label in labels):
        yield f"dataset.positive=LABEL, as the labels are {quoted}"
