"""First lines of the user's own data that may be a header or an example: which one is for the user to say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmbench.data.delimited import Layout, is_number
from svmbench.data.frames import Frame
from svmbench.data.parameters import EVERY, FileParams
from svmbench.data.sets._needs import is_text
from svmbench.errors import UserError

#: Fewest columns that a first line such as 0, 1, 2, 3 counts.
_COUNTED = 4


def check_first_line(params: FileParams, layout: Layout, frame: Frame) -> None:
    """Raise a `UserError` if the first line may be a header or an example, unless ``header`` says which."""
    if (told := doubt(params, layout, frame)) is not None:
        raise UserError(told)


def doubt(params: FileParams, layout: Layout, frame: Frame) -> str | None:
    """Return the sentence about a first line that may be a header or an example; None if it is clear."""
    if params.header is not None:
        return None
    if frame.names is None:
        why = _like_a_header(params, layout, frame)
        decide = "so it may name the columns: give dataset.header=true, or dataset.header=false if it is an"
        return None if why is None else f"{frame.where}: the first line {why}, {decide} example"
    if frame.numbers or not all(frame.names[column.place] in column.words for column in frame.texts):
        return None
    return (
        f"{frame.where}: each word of the first line occurs again in its column, so the line may be an "
        "example: give dataset.header=false, or dataset.header=true if it names the columns"
    )


def _like_a_header(params: FileParams, layout: Layout, frame: Frame) -> str | None:
    """Return in what a first example resembles the names of columns; None if it does not.

    Names are unlikely to be fractions, or twice the same number.
    """
    first = frame.table.X[0]
    numbers = first[~np.isnan(first)]
    if (numbers % 1.0).any() or np.unique(numbers).size < numbers.size:
        return None
    return _above_numbers(frame) or _counting(frame, layout.label) or _only_label(params, frame)


def _above_numbers(frame: Frame) -> str | None:
    for column in frame.texts:
        texts = [code for code, word in enumerate(column.words) if is_text(word)]
        first = column.codes[0]
        if texts == [first] and len(column.words) > 1 and np.count_nonzero(column.codes == first) == 1:
            return f"has '{column.words[first][:40]}' above the numbers of feature {column.place + 1}"
    return None


def _counting(frame: Frame, label: int) -> str | None:
    """Return a reason if the first line is 0, 1, 2, 3, ... or 1, 2, 3, 4, ..."""
    text = frame.table.labels[frame.table.codes[0]]
    if frame.texts or not is_number(text):
        return None
    line: NDArray[np.float64] = np.insert(frame.table.X[0], label, float(text))
    counts = line.size >= _COUNTED and line[0] in (0.0, 1.0) and (np.diff(line) == 1.0).all()
    return "counts the columns" if counts else None


def _only_label(params: FileParams, frame: Frame) -> str | None:
    """Return a reason if the label of the first line is unlike those below it, and occurs only there."""
    counts, label = frame.table.counts, frame.table.labels[frame.table.codes[0]]
    if counts.pop(label) > 1 or not label or not counts:
        return None
    word = not is_number(label)
    above_numbers = word and all(map(is_number, counts))
    several = len(counts) > 1 and min(counts.values()) > 1
    binary = params.task != EVERY and params.positive is None
    return f"alone has the label '{label}'" if above_numbers or (several and (word or binary)) else None
