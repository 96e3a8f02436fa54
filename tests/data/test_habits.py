"""Three hundred files with the habits of real ones: read as pandas and LIBSVM read them, or one sentence."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_svmlight_file

from svmbench.data import Dataset
from svmbench.errors import UserError

from .conftest import get

Lines = list[str]
Random = np.random.Generator

#: Habits of delimited text that are refused, with the beginning of the message. `{mark}` is the delimiter.
REFUSED = {
    "header too short": r"the header has \d+ names and the next lines \d+ fields|the line has more than",
    "header too long": "the line ends after",
    "header with a break": "a double quote is not closed",
    "break in a field": "the quoted field does not end on its line|a double quote is not closed",
    "row too short": "the line ends after|fewer than",
    "row too long": "the line has more than",
    "delimiter after some lines": "the line has more than",
    "delimiter after all lines": r"of the labels, is empty in every line: give dataset\.label_column",
    "empty column": r"which leave out an empty column, as feature \d",
    "row of delimiters": r"the value is missing|needs dataset\.missing=drop",
    "value missing": r"the value is missing|'(NA|\?)' is not a number|NaN is not a finite number",
    "decimal commas": "has a decimal comma",
    "comment first": "the first line is a comment|the line has more than|has one column only",
    "comment last": "is a comment|the line ends after",
    "text": r"'\w+' is not a number",
}

#: Habits that blanks between fields do not allow.
NOT_WITH_BLANKS = ("empty column", "row of delimiters", "value missing", "comment first",
                   "delimiter after some lines", "delimiter after all lines")  # fmt: skip


def put(line: str, mark: str, place: int, field: str) -> str:
    """Return a line with another field."""
    fields = line.split(mark)
    fields[place] = field
    return mark.join(fields)


def delimited(random: Random, refused: str | None) -> tuple[bytes, str, bool]:
    """Return a file, its delimiter and whether it has a header."""
    n, d = int(random.integers(6, 12)), int(random.integers(2, 6))
    mark = str(random.choice([";", "\t"] if refused == "decimal commas" else [",", ";", "\t", "|", " "]))
    mark = "," if mark == " " and refused in NOT_WITH_BLANKS else mark
    numbers = random.normal(size=(n, d)).round(2) + 0.001
    form = random.choice(["{:.3f}", "{:.2e}", "{:+.3f}", '"{:.3f}"'])
    labels = [str(k % 2) for k in range(n)]
    rows = [mark.join([*(form.format(v) for v in row), y]) for row, y in zip(numbers, labels, strict=True)]
    names = [f"x{k % 3}" for k in range(d)] + ["y"]  # some names are repeated
    names = [f'"{name}"' for name in names] if random.random() < 0.3 else names
    header = bool(random.random() < 0.6) or (refused or "").startswith("header")
    lines = [mark.join(names)] * header + rows
    lines = spoiled(lines, refused, mark, header, random) if refused else lines
    if random.random() < 0.3:
        lines = [f"  {line} " if mark != " " or random.random() < 0.5 else f"{line} " for line in lines]
    return finished(lines, random), mark, header


def spoiled(lines: Lines, habit: str, mark: str, header: bool, random: Random) -> Lines:
    """Return the lines with a habit that is refused."""
    first, *rest = lines
    at = int(random.integers(1, len(lines)))
    width, gap = first.count(mark), str(random.choice(["", "NA", "?", "NaN"]))
    changed: dict[str, Callable[[], Lines]] = {
        "header too short": lambda: [first.partition(mark)[2], *rest],
        "header too long": lambda: [f"index{mark}{first}", *rest],
        "header with a break": lambda: [put(first, mark, 0, '"one\ntwo"'), *rest],
        "break in a field": lambda: [*lines[:at], put(lines[at], mark, 0, '"1\n"'), *lines[at + 1 :]],
        "row too short": lambda: [*lines[:at], lines[at].partition(mark)[2], *lines[at + 1 :]],
        "row too long": lambda: [*lines[:at], f"1{mark}{lines[at]}", *lines[at + 1 :]],
        "delimiter after some lines": lambda: [*lines[:at], lines[at] + mark, *lines[at + 1 :]],
        "delimiter after all lines": lambda: [line + mark for line in lines],
        "empty column": lambda: [first if header else put(first, mark, 0, ""),
                                 *(put(line, mark, 0, "") for line in rest)],
        "row of delimiters": lambda: [*lines[:at], mark * width, *lines[at:]],
        "value missing": lambda: [*lines[:at], put(lines[at], mark, width - 1, gap), *lines[at + 1 :]],
        "decimal commas": lambda: [line.replace(".", ",") for line in lines],
        "comment first": lambda: ["# made by a program", *lines],
        "comment last": lambda: [*lines, "# the end"],
        "text": lambda: [*lines[:at], put(lines[at], mark, width - 1, "high"), *lines[at + 1 :]],
    }  # fmt: skip
    return changed[habit]()


def finished(lines: Lines, random: Random) -> bytes:
    """Return the lines with line ends, blank lines, and an encoding."""
    for _ in range(int(random.integers(0, 3))):
        lines.insert(int(random.integers(1, len(lines) + 1)), "")
    end = str(random.choice(["\n", "\r\n", "\r", "mixed"]))
    ends = random.choice(["\n", "\r\n"], len(lines)) if end == "mixed" else [end] * len(lines)
    text = "".join(f"{line}{mark}" for line, mark in zip(lines, ends, strict=True))
    return text.encode(str(random.choice(["utf-8", "utf-8-sig", "utf-16"], p=[0.6, 0.3, 0.1])))


def as_pandas(content: bytes, mark: str, header: bool) -> tuple[np.ndarray, np.ndarray]:
    encoding = "utf-16" if content[:2] == b"\xff\xfe" else "utf-8-sig"
    # One kind of line end, because pandas 2.2 fails on others.
    text = content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    read = pd.read_csv(
        io.StringIO(text), sep=r"\s+" if mark == " " else mark, header=0 if header else None,
        skipinitialspace=True, dtype=str, na_filter=False,
    )  # fmt: skip
    values = read.map(float).to_numpy(np.float64)
    return values[:, :-1], values[:, -1]


def read_or_refused(path: str, refused: str | None) -> Dataset | None:
    """Return the data of a file, or None if it is refused by a sentence that contains what is expected."""
    try:
        data = get(path, test_fraction=0)
    except UserError as error:
        told = str(error)
    else:
        assert refused is None, Path(path).read_bytes()
        return data
    assert refused and re.search(refused, told), (told, Path(path).read_bytes())
    assert told.startswith(path) and "\n" not in told
    return None


@pytest.mark.parametrize("seed", range(10))
def test_delimited_text_is_read_as_pandas_reads_it_or_refused_by_a_sentence(write, seed):
    random = np.random.default_rng(seed)
    for habit in [*[None] * 5, *REFUSED]:
        content, mark, header = delimited(random, habit)
        data = read_or_refused(write(content), habit and REFUSED[habit])
        if data is None:
            continue
        X, y = as_pandas(content, mark, header)
        np.testing.assert_array_equal(data.train.X, X, err_msg=repr(content))
        assert np.array_equal(data.train.y > 0.0, y == 1.0)


PAIRS = {
    "index repeated": "is repeated; give each index once in a line",
    "index descending": "sort the pairs of each line by index",
    "query": "is the query of a ranking file",
    "blank after a colon": "the value is missing|is not a pair",
    "pair without a value": "the value is missing",
    "pair without an index": "is not a pair index:value",
    "comma": "is not a number|has a decimal comma",
    "label left out": "stands where the label belongs",
    "no number": "is not a number|is not a finite number",
}


def pairs(random: Random, refused: str | None) -> bytes:
    """Return a file in LIBSVM format."""
    lines = []
    blank = str(random.choice([" ", "  ", "\t"]))
    for k in range(int(random.integers(6, 12))):
        columns = np.flatnonzero(random.random(8) < 0.5) + 1
        label = str(random.choice([["+1", "-1"], ["1", "-1.0"]][int(random.integers(2))][k % 2 : k % 2 + 1]))
        form = str(random.choice(["{}:{:.3f}", "{}:{:.1e}", "{}:{:+.2f}"]))
        values = random.normal(size=columns.size) * (random.random(columns.size) < 0.9)
        words = [form.format(column, value) for column, value in zip(columns, values, strict=True)]
        lines.append(blank.join([label, *words]))
        if random.random() < 0.2:
            lines[-1] += str(random.choice([" ", " # comment 3:4", "#"]))
    lines[0] = blank.join(["1", *(f"{k}:0.5" for k in range(1, 9))])
    spoilt = {
        "index repeated": "1 1:1 2:3 2:4", "index descending": "1 2:1 1:3",
        "query": "1 qid:3 1:2", "blank after a colon": "1 1: 2 2: 3", "pair without a value": "1 1:2 2:",
        "pair without an index": "1 1:2 :4", "comma": str(random.choice(["1 1:0,5 2:1", "1 1:1,2:1"])),
        "label left out": "1:1 2:1", "no number": str(random.choice(["1 1:x", "1 1:nan", "1 1:inf"])),
    }  # fmt: skip
    if refused:
        lines.insert(int(random.integers(1, len(lines))), spoilt[refused])
    if random.random() < 0.3:
        lines.insert(0, "# a comment")
    content = finished(lines, random)
    return content if content[:2] != b"\xff\xfe" else content.decode("utf-16").encode()


@pytest.mark.parametrize("seed", range(7))
def test_libsvm_text_is_read_as_LIBSVM_reads_it_or_refused_by_a_sentence(write, seed):
    random = np.random.default_rng(seed)
    for habit in [*[None] * 5, *PAIRS]:
        content = pairs(random, habit)
        data = read_or_refused(write(content), habit and PAIRS[habit])
        if data is None:
            continue
        plain = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        X, y = load_svmlight_file(io.BytesIO(plain), zero_based=False, n_features=8)
        np.testing.assert_array_equal(data.train.X, X.toarray(), err_msg=repr(content))
        assert data.train.y.tolist() == y.tolist()
