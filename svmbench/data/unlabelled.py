"""Placeholder labels for rows without labels, so that they can be read like labelled rows."""

from __future__ import annotations

import re
from dataclasses import replace

from svmbench.data.arrays import looks_like_arrays, with_labels
from svmbench.data.delimited import DELIMITERS, find_delimiter, first_line, is_number, split_fields
from svmbench.data.parameters import FileParams
from svmbench.data.sets.file import looks_like_libsvm
from svmbench.errors import UserError

_PAIR = re.compile(rb"\s*-?\d+:")


def labelled(content: bytes, where: str, params: FileParams, width: int) -> tuple[bytes, FileParams]:
    """Return the content of a file, with labels added if it has none, and its layout.

    Parameters
    ----------
    content : bytes
        Rows with or without labels. Rows without labels are lines in LIBSVM format that begin with a pair,
        delimited text with as many columns as features, or arrays without y.
    where : str
        Path of the file for messages.
    params : FileParams
        Layout of the model's data set.
    width : int
        Number of feature columns of the model's data set.
    """
    if looks_like_arrays(content):
        return with_labels(content), params
    first = first_line(content)
    if params.format == "libsvm" or (params.format == "auto" and _is_libsvm(content, first, width)):
        return (_with_labels_of_pairs(content, where) if _PAIR.match(first) else content), params
    text = first.decode("utf-8-sig", "replace")
    delimiter = find_delimiter(text) if params.delimiter == "auto" else params.delimiter
    mark = DELIMITERS[delimiter]
    fields = split_fields(text, mark)
    if len(fields) != width:
        return content, params
    header = not any(map(is_number, fields)) if params.header is None else params.header
    layout = replace(params, label_column="first", delimiter=delimiter, header=header)
    return _with_zeros(content, b"0" + mark.encode(), b"label" + mark.encode() if header else None), layout


def _is_libsvm(content: bytes, first: bytes, width: int) -> bool:
    # A single column of numbers may be labels of rows of zeros, or the only feature.
    alone = width == 1 and b":" not in content
    return bool(_PAIR.match(first)) or (looks_like_libsvm(content) and not alone)


def _with_zeros(content: bytes, zero: bytes, header: bytes | None = None) -> bytes:
    """Return the non-blank lines of delimited text, each with a label in front."""
    lines = [line for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    fronts = [zero if header is None else header, *[zero] * (len(lines) - 1)]
    return b"".join(front + line + b"\n" for front, line in zip(fronts, lines, strict=True))


def _with_labels_of_pairs(content: bytes, where: str) -> bytes:
    """Return lines in LIBSVM format, each with a label in front.

    Raises
    ------
    UserError
        For a blank line between others, which may be a row of zeros.
    """
    lines = content.removeprefix(b"\xef\xbb\xbf").rstrip().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            raise UserError(
                f"{where}, line {number} is blank: without labels a row of zeros cannot be told from a blank "
                "line; begin every row with a label, such as 0"
            )
    return b"".join(b"0 " + line + b"\n" for line in lines)
