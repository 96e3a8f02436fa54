"""Replacement of missing values and encoding of text, both learnt from the training rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.dataset import DENSE_BELOW_FEATURES, Matrix
from svmbench.data.frames import Frame
from svmbench.errors import UserError
from svmbench.sparse import issparse

#: Most distinct words of a column, since they are stored with each run.
MOST_WORDS = 10_000


@dataclass(frozen=True)
class Filling:
    """Replacements of missing values and the encoding of text, learnt from the training rows.

    Attributes
    ----------
    names : tuple of str or None
        Names of the feature columns, if the training file has a header.
    medians : dict of int to float
        Median of each column of numbers over the training rows that have a value. The key is the position of
        the column among the features of the file, from 0.
    words : dict of int to tuple of str
        Distinct values of each column of text in the training rows, sorted.
    modes : dict of int to int
        Index in ``words`` of the most frequent word of each column; the first in a tie.
    width : int
        Number of feature columns of the file. Those without median and words are empty and left out.
    """

    names: tuple[str, ...] | None
    medians: dict[int, float]
    words: dict[int, tuple[str, ...]]
    modes: dict[int, int]
    width: int

    @property
    def empty(self) -> set[int]:
        """Positions of the columns that are left out."""
        return set(range(self.width)) - self.medians.keys() - self.words.keys()

    @property
    def texts(self) -> tuple[int, ...]:
        """Positions of the columns of text."""
        return tuple(self.words)

    @classmethod
    def learnt(cls, frame: Frame, train: NDArray[np.int64] | slice) -> Filling:
        """Return medians and words of the training rows.

        Raises
        ------
        UserError
            If a column has no value in these rows, or too many distinct words to store with each run.
        """
        known, missing = frame.table.X[train], frame.missing()[train]
        for place in np.flatnonzero(missing.all(axis=0)):
            raise UserError(
                f"{frame.named(int(place))} of {frame.where} has no value in the training rows: leave the "
                "column out"
            )
        medians = {place: float(np.nanmedian(known[:, k])) for k, place in enumerate(frame.numbers)}
        words, modes = {}, {}
        for column in frame.texts:
            codes, counts = np.unique(column.codes[train], return_counts=True)
            codes, counts = codes[codes >= 0], counts[codes >= 0]
            if codes.size > MOST_WORDS:
                raise UserError(
                    f"{frame.named(column.place)} of {frame.where} has {codes.size} different words in the "
                    f"training rows, {MOST_WORDS} are allowed: leave the column out"
                )
            words[column.place] = tuple(column.words[k] for k in codes)
            modes[column.place] = int(np.argmax(counts))
        return cls(frame.names, medians, words, modes, frame.width)

    def document(self) -> dict[str, object]:
        """Return a JSON document, which `of` reads."""
        columns: list[dict[str, object]] = [{} for _ in range(self.width)]
        for place, median in self.medians.items():
            columns[place] = {"median": median}
        for place, words in self.words.items():
            columns[place] = {"words": list(words), "mode": self.modes[place]}
        return {"names": None if self.names is None else list(self.names), "columns": columns}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Filling:
        """Return the filling of a document that is stored with a run."""
        columns = list(enumerate(document["columns"]))
        names = document["names"]
        return cls(
            None if names is None else tuple(names),
            {place: float(column["median"]) for place, column in columns if "median" in column},
            {place: tuple(column["words"]) for place, column in columns if "words" in column},
            {place: int(column["mode"]) for place, column in columns if "words" in column},
            len(columns),
        )

    def check_columns(self, frame: Frame) -> None:
        """Raise a `UserError` if the columns are not those of the training rows."""
        if frame.width != self.width:
            raise UserError(
                f"{frame.where} has {frame.width} feature columns where the training file has {self.width}: "
                "give both files the same columns"
            )
        if frame.names is None or self.names is None or frame.names == self.names:
            return
        place = next(k for k, pair in enumerate(zip(frame.names, self.names)) if pair[0] != pair[1])
        raise UserError(
            f"{frame.named(place)} of {frame.where} is '{self.names[place]}' in the training file: give both "
            "files the same columns in the same order"
        )

    def numbers(self, frame: Frame) -> NDArray[np.float64]:
        """Return the columns of numbers, shape (n, p), with medians for missing values."""
        X = frame.table.X
        return np.where(np.isnan(X), np.array(list(self.medians.values())), X)

    def unseen(self, frame: Frame) -> str | None:
        """Return, for a message, which words do not occur in the training rows, by column; None if all do."""
        found = []
        for column, codes in zip(frame.texts, self._codes(frame)):
            rows = np.flatnonzero(codes < 0)
            if rows.size:
                word = column.words[column.codes[rows[0]]]
                first = f"the first '{word[:40]}' in {frame.place(int(rows[0]))}"
                found.append(f"{frame.named(column.place)} in {rows.size} of {codes.size} rows, {first}")
        told = f"{frame.where} has words that the training rows do not have: {'; '.join(found)}"
        return told if found else None

    def indicators(self, frame: Frame) -> scipy.sparse.csr_array:
        """Return a column of 0 and 1 for each word of each column of text, shape (n, q).

        A missing value is replaced by the most frequent word. For a word that does not occur in the training
        rows, all columns are 0.
        """
        parts = [scipy.sparse.csr_array((frame.rows.size, 0))]
        for column, codes in zip(frame.texts, self._codes(frame)):
            rows = np.flatnonzero(codes >= 0)
            shape = (codes.size, len(self.words[column.place]))
            parts.append(scipy.sparse.csr_array((np.ones(rows.size), (rows, codes[rows])), shape=shape))
        return scipy.sparse.hstack(parts, format="csr")

    def _codes(self, frame: Frame) -> Iterator[NDArray[np.int64]]:
        """Yield, for each column of text, the index in ``words`` of each row's word; -1 for another word."""
        for column in frame.texts:
            known = {word: code for code, word in enumerate(self.words[column.place])}
            to_known = [known.get(word, -1) for word in column.words] + [self.modes[column.place]]
            yield np.array(to_known)[column.codes]  # -1, a missing value, selects the last entry: the mode


def joined(numbers: Matrix, indicators: scipy.sparse.csr_array) -> Matrix:
    """Return the features: the columns of numbers, then the indicators; CSR if there are many columns."""
    if indicators.shape[1] == 0:
        return numbers
    if issparse(numbers) or numbers.shape[1] + indicators.shape[1] > DENSE_BELOW_FEATURES:
        return scipy.sparse.csr_array(scipy.sparse.hstack([scipy.sparse.csr_array(numbers), indicators]))
    return np.concatenate([numbers, indicators.toarray()], axis=1)
