"""Arrays of numpy and scipy as data files in ``.npz`` format.

``X`` is a dense matrix; or ``X_data``, ``X_indices``, ``X_indptr`` and ``X_shape`` make up a CSR matrix.
``y`` contains the labels, numbers or text. Pickled objects are refused.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.catalogue import label_key
from svmbench.data.raw import Table
from svmbench.errors import UserError
from svmbench.files import read_npz
from svmbench.sparse import canonical, issparse

_CSR = ("X_data", "X_indices", "X_indptr", "X_shape")


def write_arrays(X: Any, y: Any) -> bytes:
    """Return the content of a file with these examples; equal arrays give equal bytes.

    Parameters
    ----------
    X : array or sparse matrix, shape (n, d)
        Features.
    y : array, shape (n,)
        Labels.

    Raises
    ------
    UserError
        If the shapes do not match or the values are not numbers.
    """
    labels = np.asarray(y)
    if labels.dtype.kind in "OUS":
        labels = labels.astype(np.str_)
    rows: Any = canonical(X) if issparse(X) else np.asarray(X)
    values = rows.data if issparse(rows) else rows
    if rows.ndim != 2 or labels.shape != (rows.shape[0],):
        raise UserError(
            f"X of shape {rows.shape} and y of shape {labels.shape} do not match: give (n, d) and (n,)"
        )
    if values.dtype.kind not in "fiub":
        raise UserError(f"X has entries of type {values.dtype}: give an array of numbers")
    parts: dict[str, Any] = {"X": rows}
    if issparse(rows):
        parts = dict(zip(_CSR, (rows.data, rows.indices, rows.indptr, np.array(rows.shape))))
    buffer = io.BytesIO()
    np.savez(buffer, y=labels, **parts)  # contains no time stamps: equal arrays give equal files
    return buffer.getvalue()


def looks_like_arrays(content: bytes) -> bool:
    """Return whether a file begins like a zip archive, as ``.npz`` files do."""
    return content.startswith(b"PK\x03\x04")


def with_labels(content: bytes) -> bytes:
    """Return the content of such a file; if it has no labels, labels of 0 are added."""
    try:
        arrays = read_npz(content, ("X", "y", *_CSR))
    except ValueError:
        return content  # reading it reports why
    if "y" in arrays or not ({"X"} <= arrays.keys() or {*_CSR} <= arrays.keys()):
        return content
    X = arrays.get("X")
    rows = int(arrays["X_shape"][0]) if X is None else X.shape[0] if X.ndim else 0
    parts: dict[str, Any] = {**arrays, "y": np.zeros(rows)}
    buffer = io.BytesIO()
    np.savez(buffer, **parts)
    return buffer.getvalue()


def read_arrays(content: bytes, where: str, *, missing: bool = False) -> Table:
    """Return the examples of such a file.

    Parameters
    ----------
    content : bytes
        The file.
    where : str
        Its name for messages.
    missing : bool, default False
        Whether a feature may be NaN.

    Raises
    ------
    UserError
        If it contains no examples, or a feature that is not a finite number.
    """
    try:
        arrays = read_npz(content, ("X", "y", *_CSR))
    except ValueError as error:
        raise UserError(f"{where} is not a .npz file of plain arrays: {error}") from error
    X = _matrix(arrays, where)
    labels = arrays.get("y")
    if labels is None or labels.ndim != 1 or labels.shape[0] != X.shape[0] or not labels.size:
        raise UserError(f"{where} needs an array y with one label for each of the {X.shape[0]} rows of X")
    values = X.data if issparse(X) else X
    wrong = np.isinf(values) if missing else ~np.isfinite(values)
    if wrong.any():
        place = "X" if issparse(X) else f"X, row {int(np.argmax(wrong.any(axis=1)))},"
        if missing:
            raise UserError(f"{where}: {place} contains infinity: remove it")
        way = "" if issparse(X) else ", or give dataset.missing=median or drop for NaN"
        raise UserError(f"{where}: {place} contains NaN or infinity: remove it{way}")
    distinct, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    keys = tuple(label_key(str(label)) for label in distinct.tolist())
    places = tuple((int(at) + 1, 1, 1) for at in first)
    return Table(X, codes.astype(np.int32), keys, places)


def _matrix(arrays: Mapping[str, NDArray[Any]], where: str) -> Any:
    """Return X in float64, dense or CSR."""
    if "X" in arrays and arrays["X"].ndim == 2 and arrays["X"].dtype.kind in "fiub":
        return np.ascontiguousarray(arrays["X"], dtype=np.float64)
    if all(name in arrays for name in _CSR):
        data, indices, indptr, shape = (arrays[name] for name in _CSR)
        try:
            X = scipy.sparse.csr_array(
                (data.astype(np.float64), indices, indptr), shape=tuple(map(int, shape))
            )
            X.check_format(full_check=True)
            X.sum_duplicates()
        except (ValueError, TypeError) as error:
            raise UserError(f"{where}: the CSR matrix is malformed: {error}") from error
        return X
    raise UserError(f"{where} needs an array X of numbers, shape (n, d), or {', '.join(_CSR)} of a CSR one")
