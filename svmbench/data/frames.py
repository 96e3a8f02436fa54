"""Delimited text and arrays in which values may be missing and columns may hold text."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.data.catalogue import label_key
from svmbench.data.delimited import Layout, field_column, split_fields
from svmbench.data.raw import Table
from svmbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

#: Words that mean a missing value, in capitals or not. In a column of text, the last two are ordinary words.
_MISSING = ("", "?", "na", "n/a", "nan", "null", "none", "-")
_MISSING_TEXT = _MISSING[:-2]

#: Columns or labels that a sentence names.
_NAMED = 3

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

#: Appended to each line as a last field. If a line has too few fields, it ends up in an earlier column.
_GUARD = "svmbench-end-of-line"


@dataclass(frozen=True)
class TextColumn:
    """A column of text.

    Attributes
    ----------
    place : int
        Number of the column among the features of the file, from 0.
    words : tuple of str
        Its distinct values.
    codes : ndarray of int64, shape (n,)
        Index in ``words`` of each row's word; -1 if the value is missing.
    """

    place: int
    words: tuple[str, ...]
    codes: NDArray[np.int64]


@dataclass(frozen=True)
class Frame:
    """The rows of a file before missing values are filled and text is encoded.

    Attributes
    ----------
    where : str
        Path of the file for messages.
    table : Table
        Labels, and as X the columns of numbers, shape (n, p), NaN where a value is missing.
    numbers : tuple of int
        Positions of these columns among the features of the file, from 0.
    texts : tuple of TextColumn
        The other columns, except those that were left out.
    names : tuple of str or None
        Names of all feature columns, if the file has a header.
    rows : ndarray of int64, shape (n,)
        Line of the file from which each row was read; for arrays, the index of the row, from 0.
    width : int
        Number of feature columns of the file.
    unit : str
        Unit of ``rows``: ``line`` or ``row``.
    """

    where: str
    table: Table
    numbers: tuple[int, ...]
    texts: tuple[TextColumn, ...]
    names: tuple[str, ...] | None
    rows: NDArray[np.int64]
    width: int
    unit: str = "line"

    def named(self, place: int) -> str:
        """Return how messages refer to a column: by its number among the features and, if any, its name."""
        name = self.names[place] if self.names else ""
        return f"feature {place + 1}" + (f" ('{name}')" if name else "")

    def listed(self, places: Sequence[int]) -> str:
        """Return how messages refer to several columns."""
        return some([self.named(place) for place in places])

    def place(self, row: int) -> str:
        """Return the place of a row in its file, for messages."""
        return f"{self.unit} {self.rows[row]}"

    def line(self, row: int) -> str:
        """Return the file, and the place of a row in it, for messages."""
        return f"{self.where}, {self.place(row)}"

    def missing(self) -> NDArray[np.bool_]:
        """Return which values are missing, shape (n, width), columns in the order of the file."""
        found = np.zeros((self.rows.size, self.width), dtype=bool)
        found[:, list(self.numbers)] = np.isnan(self.table.X)
        for column in self.texts:
            found[:, column.place] = column.codes < 0
        return found

    def empty(self) -> list[int]:
        """Return the columns that have no value in any row."""
        return [int(place) for place in np.flatnonzero(self.missing().all(axis=0))]

    def without(self, places: Collection[int]) -> Frame:
        """Return the rows without some columns; all columns keep their places and names."""
        kept = [k for k, place in enumerate(self.numbers) if place not in places]
        return replace(
            self,
            table=replace(self.table, X=self.table.X[:, kept]),
            numbers=tuple(self.numbers[k] for k in kept),
            texts=tuple(column for column in self.texts if column.place not in places),
        )

    def taken(self, rows: NDArray[np.int64]) -> Frame:
        """Return some of the rows; labels that do not occur in them are removed."""
        table, codes = self.table, self.table.codes[rows]
        present, renumbered = np.unique(codes, return_inverse=True)
        kept = Table(
            table.X[rows],
            renumbered.astype(np.int32),
            tuple(table.labels[k] for k in present),
            tuple(table.places[k] for k in present),
        )
        texts = tuple(replace(column, codes=column.codes[rows]) for column in self.texts)
        return replace(self, table=kept, texts=texts, rows=self.rows[rows])


def frame_of_arrays(table: Table, where: str) -> Frame:
    """Return dense arrays as a frame of numbers."""
    n, d = table.X.shape
    return Frame(where, table, tuple(range(d)), (), None, np.arange(n), d, "row")


def read_frame(
    content: bytes, where: str, layout: Layout, texts: tuple[int, ...] | None, otherwise: str
) -> Frame:
    """Return the rows of delimited text.

    Parameters
    ----------
    content : bytes
        The text, in UTF-8.
    where : str
        Its path for messages.
    layout : Layout
        Its delimiter, header and label column.
    texts : tuple of int or None
        Positions of the feature columns that contain text. None: those in which some value is neither missing
        nor a number.
    otherwise : str
        What to do about text in a column of numbers: the end of the message.

    Raises
    ------
    UserError
        For a line with more or fewer fields than the first, a number that is not finite, or text in a column
        of numbers.
    """
    header, numbered, cells = _cells(content, where, layout)
    rows = np.array([number for number, _ in numbered])
    labels = _labels(cells.pop(layout.label), layout, numbered)
    names = tuple(name for k, name in enumerate(header) if k != layout.label) if header else None
    numbers: dict[int, NDArray[np.float64]] = {}
    found: list[TextColumn] = []
    for place, column in enumerate(cells.values()):
        words = [str(word).strip() for word in column.cat.categories]
        codes = np.asarray(column.cat.codes, np.int64)
        values = np.array([number_of(word) for word in words])
        wrong = np.isinf(values)
        if place in texts if texts is not None else wrong.any():
            found.append(_text_column(place, words, codes))
            continue
        if wrong.any():
            row = int(np.argmax(wrong[codes]))
            named = f"feature {place + 1}" + (f" ('{names[place]}')" if names else "")
            raise UserError(
                f"{where}, line {rows[row]}: '{words[codes[row]][:40]}' in {named} is not a finite "
                f"number; {otherwise}"
            )
        numbers[place] = values[codes]
    X = np.stack(list(numbers.values()), axis=1) if numbers else np.empty((rows.size, 0))
    width = layout.columns - 1
    return Frame(where, replace(labels, X=X), tuple(numbers), tuple(found), names, rows, width)


def _cells(
    content: bytes, where: str, layout: Layout
) -> tuple[list[str], list[tuple[int, str]], dict[int, pd.Series[Any]]]:
    """Return the fields of the header, the rows' lines with their numbers, and the columns as categories."""
    import pandas as pd

    mark, blanks = layout.delimiter, " \r" if layout.delimiter == "\t" else " \t\r"
    lines = _text(content).split("\n")
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip(blanks)]
    header = split_fields(numbered.pop(0)[1], mark) if layout.header else []
    if not numbered:
        raise UserError(
            f"{where} has no examples: it needs lines with a label and features, below its header"
        )
    guarded = "".join(f"{line.strip(blanks)}{mark}{_GUARD}\n" for _, line in numbered)
    try:
        with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
            read = pd.read_csv(
                io.StringIO(guarded), sep=r"\s+" if mark == " " else mark, header=None,
                names=[str(k) for k in range(layout.columns + 1)], index_col=False, dtype="category",
                na_filter=False, skipinitialspace=True, skip_blank_lines=False,
            )  # fmt: skip
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise UserError(_unread(error, where, layout, numbered)) from error
    whole = (read.pop(str(layout.columns)) == _GUARD).to_numpy()
    if whole.size != len(numbered):
        raise UserError(_open_quote(where, numbered))
    if not whole.all():
        line = numbered[int(np.argmin(whole))][0]
        raise UserError(
            f"{where}, line {line}: the line has fewer than {layout.columns} fields, the number in the first "
            "line; the file may be cut off"
        )
    return header, numbered, {k: read[str(k)] for k in range(layout.columns)}


def _text(content: bytes) -> str:
    """Return the text of a file; if it is not UTF-8, each byte becomes one character."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _unread(error: Exception, where: str, layout: Layout, numbered: list[tuple[int, str]]) -> str:
    """Return the message for text that pandas cannot parse."""
    match = re.search(r"in line (\d+), saw", str(error))
    if match or isinstance(error, Warning):  # pandas warns if even the first line is too long
        number = numbered[int(match[1]) - 1 if match else 0][0]
        fields = f"{layout.columns} fields, the number in the first line"
        return f"{where}, line {number}: the line has more than {fields}"
    return _open_quote(where, numbered)


def _open_quote(where: str, numbered: list[tuple[int, str]]) -> str:
    odd = next((number for number, line in numbered if line.count('"') % 2), numbered[0][0])
    return f"{where}, line {odd}: a double quote is not closed; close it in the same line"


def _labels(column: pd.Series[Any], layout: Layout, numbered: list[tuple[int, str]]) -> Table:
    """Return the labels as a table without features; a missing label becomes ''."""
    keys = [label_key(str(word).strip()) for word in column.cat.categories]
    keys = ["" if key.lower() in _MISSING_TEXT else key for key in keys]
    distinct = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    codes = np.array([distinct[key] for key in keys], np.int32)[column.cat.codes.to_numpy(np.int64)]
    firsts = [numbered[int(np.argmax(codes == code))] for code in range(len(distinct))]
    places = tuple(
        (number, layout.label + 1, field_column(line, layout.delimiter, layout.label))
        for number, line in firsts
    )
    return Table(np.empty((len(numbered), 0)), codes, tuple(distinct), places)


def number_of(word: str) -> float:
    """Return the value of a word: NaN if it means a missing value, infinity if it is not a number."""
    if word.lower() in _MISSING:
        return math.nan
    return float(word) if _NUMBER.fullmatch(word) else math.inf


def some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    shown, more = list(names[:_NAMED]), len(names) - _NAMED
    last = f"{more} more" if more > 0 else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last


def _text_column(place: int, words: list[str], codes: NDArray[np.int64]) -> TextColumn:
    """Return a column of text, with its words sorted."""
    kept = sorted({word for word in words if word.lower() not in _MISSING_TEXT})
    known = {word: code for code, word in enumerate(kept)}
    return TextColumn(place, tuple(kept), np.array([known.get(word, -1) for word in words])[codes])
