"""Detection of the layout of delimited text: delimiter, header and label column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from svmbench.errors import UserError, nearest

DELIMITERS = {",": ",", ";": ";", "tab": "\t", "|": "|", "space": " "}

#: How text in other formats begins: with a label, a bar and the names of features.
_FOREIGN = {
    "text of Vowpal Wabbit": re.compile(
        r"\s*[-+]?[\d.]+[ \t]([^|\n]*[ \t])?'?[^\s|]*\|([^\s|]*[ \t]+([^\s|]+[ \t]+)*[^\s|:]+:[-+\d.]"
        r"|[a-z]\w*([ \t]+[^\s|]+)+[ \t]*\n)",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True)
class Pairs:
    """Layout of LIBSVM format for `svmbench.data.raw.read_libsvm`: the index of the first feature."""

    first: int


@dataclass(frozen=True)
class Layout:
    """Layout for `svmbench.data.raw.read_csv`; ``label`` counts from 0."""

    columns: int
    label: int
    delimiter: str
    header: bool


def find_layout(
    content: bytes,
    where: str,
    *,
    label: int | str = "last",
    delimiter: str = "auto",
    header: bool | None = None,
) -> Layout:
    """Return the layout of a file from its first line and the user's options.

    Parameters
    ----------
    content : bytes
        The file.
    where : str
        Its name for messages.
    label : int or str
        ``first``, ``last``, a number from 1, or a name in the header.
    delimiter : str
        ``auto`` or a key of `DELIMITERS`. ``auto`` takes the first of these that occurs in the first line;
        commas beside semicolons or tabs count as decimal commas.
    header : bool or None
        Whether the first line has the names of columns. None: it does if none of its fields is a number.
    """
    first = first_line(content).decode("utf-8-sig", "replace")
    mark = DELIMITERS[find_delimiter(first) if delimiter == "auto" else delimiter]
    fields = split_fields(first, mark)
    if re.fullmatch(r"\s*sep=.?\s*", first, re.IGNORECASE):
        raise UserError(f"{where}: the first line only tells Excel the delimiter: remove it")
    if first.count('"') % 2 and any(first[at : at + 1] == '"' for at, _ in _spans(first, mark)):
        line = content.count(b"\n", 0, content.index(first_line(content))) + 1
        raise UserError(f"{where}, line {line}: a double quote is not closed; close it in the same line")
    if first.lstrip().startswith("#") and (mark == " " or len(fields) < 2):
        raise UserError(f"{where}: the first line is a comment, which delimited text cannot have: remove it")
    if len(fields) < 2:
        raise UserError(
            f"{where} has one column only: it needs a label and at least one feature (delimiter '{mark}')"
        )
    if header is None:
        header = not any(is_number(text) for text in fields)
    begin = content.index(first_line(content)) + len(first_line(content))
    begun = content[begin : begin + (1 << 16)]
    some = [line for line in begun.decode("utf-8", "replace").splitlines()[:9] if line.strip()][:2]
    if header and some and all(len(split_fields(line, mark)) == len(fields) + 1 for line in some):
        raise UserError(
            f"{where}: the header has {len(fields)} names and the next lines {len(fields) + 1} fields, as "
            "R's write.table puts names of rows: write it with row.names = FALSE"
        )
    return Layout(len(fields), _label_column(label, fields, where, header), mark, header)


def check_format(content: bytes, where: str) -> None:
    """Raise a `UserError` if text begins as that of another format does."""
    head = content[: 1 << 16].decode("utf-8-sig", "replace")
    for kind, begin in _FOREIGN.items():
        if begin.match(head):
            raise UserError(
                f"{where} looks like {kind}: write it in LIBSVM format or as delimited text; if it is "
                "delimited text, give dataset.format=csv"
            )


def find_delimiter(first: str) -> str:
    """Return the delimiter of a first line, a key of `DELIMITERS`; see `find_layout`."""
    bare = '"'.join(first.split('"')[::2]).strip()  # a quote stands for what is inside of quotes
    delimiter = next((word for word, mark in DELIMITERS.items() if mark in bare), ",")
    if delimiter == "," and (other := re.search(r";|(?<![,\t ])\t(?![,\t ])", bare)):
        return "tab" if other[0] == "\t" else other[0]
    return delimiter


def first_line(content: bytes) -> bytes:
    """Return the first line that is not blank, without reading the others."""
    start = len(content) - len(content.lstrip(b" \t\r\n"))
    start = content.rfind(b"\n", 0, start) + 1
    end = content.find(b"\n", start)
    return content[start : len(content) if end < 0 else end]


def split_fields(line: str, mark: str) -> list[str]:
    """Return the fields of a line, without surrounding blanks and double quotes.

    Delimiters inside quotes belong to the field, and a doubled quote inside means one quote. An unclosed
    quote extends to the end of the line; the parser refuses such a line.
    """
    fields = []
    for start, end in _spans(line, mark):
        text = line[start:end].strip()
        if text[:1] == '"':
            text = text.removeprefix('"').removesuffix('"').replace('""', '"').strip()
        fields.append(text)
    return fields


def field_column(line: str, mark: str, place: int) -> int:
    """Return the column, from 1, at which a field of a line begins; ``place`` counts fields from 0."""
    start, _ = next(islice(_spans(line, mark), place, None), (0, 0))
    return start + 1


def _spans(line: str, mark: str) -> Iterator[tuple[int, int]]:
    """Yield the begin of each field, after leading blanks, and its end."""
    if mark == " ":
        line = line.replace("\t", " ")
    blanks = " \r" if mark == "\t" else " \t\r"
    line = line.rstrip(blanks)
    at, end = 0, -1
    while end < len(line):
        at = end + 1
        while at < len(line) and line[at] in blanks:
            at += 1
        end = _field_end(line, at, mark)
        yield at, end


def _field_end(line: str, at: int, mark: str) -> int:
    """Return the end of the field that begins at a place: the next delimiter outside of quotes."""
    if line.startswith('"', at):
        at = line.find('"', at + 1)
        while at >= 0 and line.startswith('""', at):
            at = line.find('"', at + 2)
    end = line.find(mark, at) if at >= 0 else -1
    return end if end >= 0 else len(line)


def is_number(text: str) -> bool:
    """Return whether a text is a number, including nan and inf."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _label_column(label: int | str, fields: list[str], where: str, header: bool) -> int:
    if label in ("first", "last"):
        return 0 if label == "first" else len(fields) - 1
    if isinstance(label, int) and 1 <= label <= len(fields):
        return label - 1
    if header and isinstance(label, str) and label in fields:
        if fields.count(label) > 1:
            places = " and ".join(str(at) for at, name in enumerate(fields, 1) if name == label)
            raise UserError(
                f"dataset.label_column={label} names columns {places} of {where}: give the number of one"
            )
        return fields.index(label)
    names = fields if header else []
    raise UserError(
        f"dataset.label_column={label} is not a column of {where}{nearest(str(label), names) or ':'} "
        f"give first, last, a number from 1 to {len(fields)}"
        + (", or a name in its header" if header else "")
    )
