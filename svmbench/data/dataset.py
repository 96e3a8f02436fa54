"""Prepared data sets, and the conversion of matrices to the form that kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.sparse import is_exact, issparse

# Below this fraction of non-zeros, CSR rows are faster than dense rows, unless rows are short.
DENSE_FROM = 0.08
DENSE_BELOW_FEATURES = 256

Matrix = Any  # ndarray or csr_array of shape (n, d); scipy's types are not more specific


@dataclass(frozen=True)
class Part:
    """Examples with labels.

    Attributes
    ----------
    X : ndarray of float32, shape (n, d), C-contiguous, or csr_array of float32 with sorted int32 indices
        One example per row. The user's data are float64 in all parts if float32 would round a value.
    y : ndarray of float64, shape (n,)
        Labels in {-1, +1}; with more than two classes, their numbers 0, 1, ... (`Dataset.classes`).
    """

    X: Matrix
    y: NDArray[np.float64]

    @property
    def n(self) -> int:
        """Number of examples."""
        return int(self.y.shape[0])


@dataclass(frozen=True)
class Dataset:
    """A prepared data set.

    Attributes
    ----------
    name : str
        Name, as in the catalogue.
    train, validation, test : Part
        The last two may be None.
    checksum : str
        SHA-256 over the checksums of the raw files, the parameters and the version of the preparation.
    info : dict
        title, task, rows and positives per part, features, columns (those of the files; more than features if
        empty ones were removed), labels (in the files), density (of the training part), scaling, sources
        (file and sha256), parameters, licence, citation.
    """

    name: str
    train: Part
    validation: Part | None
    test: Part | None
    checksum: str
    info: dict[str, Any]

    @property
    def parts(self) -> dict[str, Part]:
        """The parts by name, without those that are None."""
        found = {"train": self.train, "validation": self.validation, "test": self.test}
        return {name: part for name, part in found.items() if part is not None}

    @property
    def classes(self) -> tuple[str, ...]:
        """Labels of the classes in the order of their numbers; empty if there are two."""
        labels = tuple(self.info.get("labels") or ())
        return labels if len(labels) > 2 else ()


@dataclass(frozen=True)
class Prepared:
    """Result of ``prepare``.

    Attributes
    ----------
    parts : dict
        Parts by name: train, validation, test.
    scaling : str
        Description of the scaling.
    columns : int, optional
        Columns of the files, if the parts do not have all of them.
    labels : tuple of str, optional
        Labels of the positive and the negative class in the files, or of all classes by their numbers.
    filling : dict, optional
        Replacements of missing values and text (`svmbench.data.filling`), as a JSON document.
    """

    parts: dict[str, Part]
    scaling: str
    columns: int | None = None
    labels: tuple[str, ...] | None = None
    filling: dict[str, Any] | None = None


def storage(prepared: Prepared, *, given: bool = False) -> Prepared:
    """Store all parts alike: dense or CSR, depending on the density of the training part, in float32.

    Parameters
    ----------
    prepared : Prepared
        Examples in float32 or float64.
    given : bool, default False
        Whether to keep float64 in all parts if float32 would round a value in any of them.

    Raises
    ------
    UserError
        If a value is too large for float32, or the training part lacks a class.
    """
    train, labels = prepared.parts["train"], prepared.labels or ()
    present = np.unique(train.y)
    if present.size < 2:
        raise UserError(
            "the training examples are all of one class: choose another positive class or another split"
        )
    if len(labels) > 2 and (left := set(range(len(labels))) - set(present.tolist())):
        raise UserError(f"no training example has the label '{labels[min(left)]}': choose another split")
    dense = held_dense(train.X)
    double = given and not all(is_exact(part.X) for part in prepared.parts.values())
    dtype = np.float64 if double else np.float32
    places: Sequence[int] = range(train.X.shape[1])  # of features in the files
    if prepared.filling is not None:
        places = [k for k, column in enumerate(prepared.filling["columns"]) if "median" in column]
    elif prepared.columns not in (None, len(places)):
        places = ()
    parts = {
        key: Part(_layout(part.X, dense, dtype, places), np.asarray(part.y, np.float64))
        for key, part in prepared.parts.items()
    }
    return replace(prepared, parts=parts)


def rounded(data: Dataset) -> Dataset:
    """Return a data set with its features in float32."""
    if data.train.X.dtype == np.float32:
        return data
    parts: dict[str, Any] = {key: Part(part.X.astype(np.float32), part.y) for key, part in data.parts.items()}
    return replace(data, **parts)


def held_dense(X: Matrix) -> bool:
    """Return whether a set with these training rows is stored densely."""
    return X.shape[1] <= DENSE_BELOW_FEATURES or density(X) >= DENSE_FROM


def density(X: Matrix) -> float:
    """Return the fraction of non-zero values."""
    rows, columns = X.shape
    nonzero = np.count_nonzero(X.data) if issparse(X) else np.count_nonzero(X)
    return float(nonzero) / (rows * columns)


def _layout(X: Matrix, dense: bool, dtype: type, places: Sequence[int]) -> Matrix:
    with np.errstate(over="ignore"):  # checked below, with a message
        single = X.astype(np.float32)
    if not np.isfinite(single.data if issparse(single) else single).all():
        largest = abs(X).max(axis=0)
        largest = np.ravel(largest.todense() if issparse(X) else largest)
        feature = f" of feature {places[int(largest.argmax())] + 1}" if places else ""
        raise UserError(
            f"values{feature} reach {largest.max():.1e}, beyond the range of single precision, 3.4e38: "
            "rescale them"
        )
    X = single if dtype is np.float32 else X.astype(dtype)
    if dense:
        return np.ascontiguousarray(X.toarray() if issparse(X) else X)
    csr = scipy.sparse.csr_array(X)
    csr.eliminate_zeros()
    csr.sort_indices()
    offsets = np.int32 if csr.nnz <= np.iinfo(np.int32).max else np.int64
    csr.indices, csr.indptr = csr.indices.astype(np.int32, copy=False), csr.indptr.astype(offsets, copy=False)
    return csr
