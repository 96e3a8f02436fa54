"""Conversion of files of other programs to the kinds that are read: delimited text in UTF-8, and arrays.

Parquet, Feather and Zstandard are read by pyarrow and ARFF by liac-arff, which the extra ``files`` installs:
scipy's reader of ARFF knows neither sparse rows nor text.
"""

from __future__ import annotations

import codecs
import csv
import importlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from svmbench.data.arrays import write_arrays
from svmbench.errors import UserError

_ARFF = re.compile(rb"([ \t]*(%[^\n]*)?\r?\n)*[ \t]*@relation\b", re.IGNORECASE)
_JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\{\s*[\"}]|\[\s*([-\d\[{\"]|null|true|false))")
#: Weka writes the weight of an example, if it is not 1, in braces behind its values.
_WEIGHT = re.compile(r"^(?![ \t]*[@%]).*[,}][ \t]*\{([^{}\n]*)\}[ \t]*$", re.MULTILINE)
#: Weka reads any number in an integer attribute; liac-arff would cut it off at the point.
_INTEGER = re.compile(r"^([ \t]*@attribute[ \t].*[ \t])integer[ \t]*$", re.MULTILINE | re.IGNORECASE)
_SPARSE = re.compile(r"^[ \t]*@data[ \t]*\n(?:[ \t]*(?:%.*)?\n)*[ \t]*\{", re.MULTILINE | re.IGNORECASE)
#: What to do with files that are recognised by their first bytes and not read.
_REFUSED = {
    b"MATLAB 5.0 MAT-file": "a MATLAB file: load it by scipy.io.loadmat and save X and y by numpy.savez",
    b"\x89HDF": "an HDF5 file (MATLAB's v7.3 too): load it by h5py and save X and y by numpy.savez",
    b"\x93NUMPY": "one array of numpy: save X and y together by numpy.savez",
    b"SQLite format 3": "an SQLite database: write the table as CSV",
    b"\x80\x04": "a pickle, which can run any program: save X and y by numpy.savez",
    b"\x80\x05": "a pickle, which can run any program: save X and y by numpy.savez",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save its sheet as CSV",
    b"X\n\x00": "R's saveRDS: write the data frame by write.csv(..., row.names = FALSE)",
    b"______LightGBM_Binary_File": "a binary data set of LightGBM: save X and y by numpy.savez",
    b"tree\nversion=": "a model of LightGBM, not data: give the file that it was trained on",
    b"\x01\xab\xff\xff": "a DMatrix of XGBoost: save X and y by numpy.savez",
    b'{"learner":': "a model of XGBoost, not data: give the file that it was trained on",
    b"{L\0\0\0\0\0\0\0\x07learner": "a model of XGBoost, not data: give the file that it was trained on",
    b"<?xml": "XML (Weka's XRFF, PMML, an Excel sheet): write the table as CSV",
    b"version https://git-lfs": "a pointer of Git LFS, not the file itself: get it by git lfs pull",
    b"<!DOCTYPE html": "an HTML page, not data: download the file itself",
    b"<!doctype html": "an HTML page, not data: download the file itself",
    b"<html": "an HTML page, not data: download the file itself",
    b"<stata_dta>": "a Stata file: write the table as CSV",
    b"RDX": "R's save: write the data frame by write.csv(..., row.names = FALSE)",
}
#: A file may expand to this many times its size, and to this many bytes in any case.
_RATIO, _FREE = 100, 1 << 28
# Longer marks come first, since that of UTF-32 begins like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def converted(content: bytes, where: str, label: int | str = "last") -> bytes:
    """Return delimited text, LIBSVM text or an ``.npz`` file with the examples of an unpacked file.

    Parameters
    ----------
    content : bytes
        The file. Text is returned unchanged, except ARFF.
    where : str
        Its name for messages.
    label : int or str
        The attribute of sparse ARFF that is the label: ``last``, ``first``, a number from 1, or a name.

    Raises
    ------
    UserError
        If its kind is known and not read, if it is malformed, or if the library that reads it is missing.
    """
    for begin, what in _REFUSED.items():
        if content.startswith(begin):
            raise UserError(f"{where} is {what}")
    if content.startswith((b"PAR1", b"ARROW1\0\0", b"FEA1")):
        return _columns(content, where)
    if content.startswith(b"\x28\xb5\x2f\xfd"):
        return converted(_zstandard(content, where), where, label)
    if content.startswith(b"PK\x03\x04"):
        member = _member(content, where)
        return content if member is None else converted(member, where, label)
    if _JSON.match(content[: 1 << 16]):
        return _json(content, where)
    return _arff(content, where, label) if _ARFF.match(content[: 1 << 16]) else content


def _needed(module: str, package: str, where: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UserError(f"{where} is {what}, read by {package}: pip install {package}") from None


def _read(where: str, what: str, wrong: tuple[type[Exception], ...], read: Callable[[], Any]) -> Any:
    """Return what a library reads; a `UserError` with the first line of its complaint."""
    try:
        return read()
    except wrong as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise UserError(f"{where} is {what} that cannot be read: {said}; write it again") from error


def _columns(content: bytes, where: str) -> bytes:
    """Return Parquet or Feather as CSV with a header, without the index that pandas stores as a column."""
    parquet = content.startswith(b"PAR1")
    what = "a Parquet file" if parquet else "a Feather file"
    arrow = _needed("pyarrow", "pyarrow", where, what)
    reader = importlib.import_module("pyarrow.parquet" if parquet else "pyarrow.feather")
    texts = importlib.import_module("pyarrow.csv")
    source = arrow.BufferReader(content)
    wrong = (arrow.ArrowException, OSError)
    table = _read(where, what, wrong, lambda: reader.read_table(source))
    stored = [
        one for one in (table.schema.pandas_metadata or {}).get("index_columns", ()) if isinstance(one, str)
    ]
    table = table.drop_columns([name for name in stored if name in table.column_names])
    for place, field in enumerate(table.schema):
        if arrow.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(field.type.value_type))
    stream = io.BytesIO()
    _read(where, f"{what} with a column", wrong, lambda: texts.write_csv(table, stream))
    return stream.getvalue()


def _zstandard(content: bytes, where: str) -> bytes:
    arrow = _needed("pyarrow", "pyarrow", where, "compressed by Zstandard")
    most = max(_RATIO * len(content), _FREE)
    stream = arrow.CompressedInputStream(arrow.BufferReader(content), "zstd")
    unpacked: bytes = _read(where, "a Zstandard file", (OSError,), lambda: stream.read(most + 1))
    if len(unpacked) > most:
        raise UserError(f"{where} unpacks to over {_RATIO} times its size: unpack it first")
    return unpacked


def _member(content: bytes, where: str) -> bytes | None:
    """Return the only file in a zip archive; None for an ``.npz`` file."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = [one for one in archive.infolist() if not one.is_dir()]
            names = [one.filename for one in files]
            if {"format.npy", "data.npy", "shape.npy"} <= set(names):
                raise UserError(
                    f"{where} is a matrix of scipy.sparse.save_npz, without labels: save X, CSR, and y by "
                    "numpy.savez(FILE, X_data=X.data, X_indices=X.indices, X_indptr=X.indptr, "
                    "X_shape=X.shape, y=y)"
                )
            if not names or all(name.endswith(".npy") for name in names):
                return None
            if "xl/workbook.xml" in names:
                raise UserError(f"{where} is an Excel workbook: save its sheet as CSV")
            if len(files) > 1:
                raise UserError(
                    f"{where} is a zip archive of {len(files)} files ({', '.join(names[:3])}, ...): unpack "
                    "it and name one"
                )
            if files[0].file_size > max(_RATIO * len(content), _FREE):
                raise UserError(f"{where} unpacks to over {_RATIO} times its size: unpack it first")
            return archive.read(files[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        if b".npy" in content[:100]:
            return None  # reading the arrays reports what is wrong
        raise UserError(f"{where} is a zip archive that cannot be read: {error}; pack it again") from error


def _json(content: bytes, where: str) -> bytes:
    """Return an object per line, or a list of objects, as CSV with a header; what is missing is empty."""
    text = content.decode("utf-8-sig", "replace").strip()
    rows: list[Any]
    wrong = (ValueError, RecursionError)
    if text.startswith("["):
        rows = _read(where, "JSON", wrong, lambda: json.loads(text))
    else:
        rows = _read(
            where,
            "JSON lines",
            wrong,
            lambda: [json.loads(line) for line in text.splitlines() if line.strip()],
        )
    names: dict[str, None] = {}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or any(isinstance(value, dict | list) for value in row.values()):
            raise UserError(
                f"{where}: row {number} of the JSON is not an object of numbers and words: give one such "
                'object a line, as {"age": 31, "job": "nurse", "label": 1}'
            )
        names |= dict.fromkeys(row)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(names), restval="", lineterminator="\n")
    writer.writeheader()
    plain = ({k: int(v) if isinstance(v, bool) else v for k, v in row.items()} for row in rows)
    writer.writerows(plain)
    return stream.getvalue().encode()


def _arff(content: bytes, where: str, label: int | str) -> bytes:
    """Return dense ARFF as CSV with a header, sparse ARFF as arrays."""
    arff = _needed("arff", "liac-arff", where, "an ARFF file")
    text = content.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    text = _INTEGER.sub(r"\1numeric", text)
    if weight := _WEIGHT.search(text):
        raise UserError(
            f"{where}, line {text.count(chr(10), 0, weight.end(1)) + 1} has the weight {{{weight[1]}}} of an "
            "example, and weights of examples are not read: write it again without them"
        )
    sparse = _SPARSE.search(text)
    form = arff.LOD if sparse else arff.DENSE
    wrong = (arff.ArffException, ValueError, StopIteration)
    read = _read(where, "an ARFF file", wrong, lambda: arff.loads(text, return_type=form))
    attributes = read["attributes"]
    if sparse:
        return _sparse_rows(attributes, list(read["data"]), where, label)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([name for name, _ in attributes])
    writer.writerows(["" if value is None else value for value in row] for row in read["data"])
    return stream.getvalue().encode()


def _sparse_rows(
    attributes: list[tuple[str, Any]], rows: list[dict[int, Any]], where: str, label: int | str
) -> bytes:
    names = [name for name, _ in attributes]
    numbers = {"first": 0, "last": len(names) - 1} | {str(k): k - 1 for k in range(1, len(names) + 1)}
    at = names.index(str(label)) if str(label) in names else numbers.get(str(label))
    if at is None:
        raise UserError(
            f"dataset.label_column={label} is not an attribute of {where}: give its name, or a number from 1 "
            f"to {len(names)}"
        )
    features, classes = [*attributes[:at], *attributes[at + 1 :]], attributes[at][1]
    for name, kind in features:
        if not isinstance(kind, str) or kind.upper() not in ("NUMERIC", "REAL", "INTEGER"):
            raise UserError(
                f"{where} has sparse rows and an attribute '{name}' that is no number: write it dense"
            )
    # A value that is left out is 0, for nominal values the first.
    absent = classes[0] if isinstance(classes, list) else 0.0
    entries = [(k, j - (j > at), value) for k, row in enumerate(rows) for j, value in row.items() if j != at]
    if any(value is None for _, _, value in entries):
        raise UserError(f"{where} has sparse rows with missing values (?): fill them, or write it dense")
    places, columns, values = (list(part) for part in zip(*entries)) if entries else ([], [], [])
    shape = (len(rows), len(features))
    X = scipy.sparse.csr_array((np.array(values, float), (places, columns)), shape=shape)
    return write_arrays(X, np.array([row.get(at, absent) for row in rows]))


def as_utf8(content: bytes, where: str) -> bytes:
    """Return the text in UTF-8 with a line feed at the end of each line.

    UTF-16 and UTF-32, which spreadsheets save, are detected by their byte order mark; UTF-16 also by a zero
    byte in its first character. One-byte encodings are left unchanged, since they all have the same digits.

    Parameters
    ----------
    content : bytes
        The unpacked file.
    where : str
        Its name for messages.

    Raises
    ------
    UserError
        If it does not have the encoding that its first bytes indicate, or is not text.
    """
    encoding = next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)
    if encoding is None and len(content) > 1 and 0 in content[:2]:
        encoding = "utf-16-be" if content[0] == 0 else "utf-16-le"
    if encoding is not None:
        try:
            content = content.decode(encoding).encode()
        except UnicodeError as error:
            named = encoding[:6].upper()
            raise UserError(
                f"{where} is not text: it begins like {named} but is not ({error}); save it as UTF-8"
            ) from error
    if b"\0" in content:
        raise UserError(
            f"{where} is not text: byte {content.index(0) + 1} is zero, and no known kind of file begins "
            f"with the bytes {content[:8].hex(' ')}; save the data as text"
        )
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
