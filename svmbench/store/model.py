"""Stored models: coefficients or weights, and what is needed to score rows with them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import Damage, UserError, fault
from svmbench.files import MOST_BYTES_OF_MANY, read_npz, read_regular, write_whole
from svmbench.run_config import KernelDocument

#: Arrays of model.npz and their stored types.
_ARRAYS = {
    "indices": np.int64,
    "points": np.float64,
    "coefficients": np.float64,
    "weights": np.float64,
    "dual_indices": np.int64,
    "dual_values": np.float64,
    "regions": np.int64,
    "centres": np.int64,
    "clusters": np.int64,
    "norms": np.float64,
}

#: What the model of several clusters has in addition, all or none.
_LOCAL = ("regions", "centres", "clusters", "norms")

#: Ascending rows are stored as differences, which compress to a quarter of the size, under a name with this
#: suffix. Older models store the rows themselves.
_STEPS = "_steps"
ROWS = ("indices", "dual_indices", "centres")


def write_model(path: Path, about: Mapping[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write a document and arrays as compressed .npz; equal content gives equal bytes."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, about=np.array(json.dumps(about)), **arrays)  # type: ignore[arg-type]
    write_whole(path, buffer.getvalue())


@contextmanager
def reading(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, NDArray[Any]]]]:
    """Read such a file; whatever damage is found within the block is raised as a `UserError`."""
    try:
        arrays = read_npz(read_regular(path, MOST_BYTES_OF_MANY))
        yield json.loads(str(arrays.pop("about"))), arrays
    except FileNotFoundError as error:
        raise UserError(f"{path.parent} holds no model: repeat the run by force=true") from error
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise UserError(f"{path} is damaged ({fault(error)}); repeat the run") from error


@dataclass(frozen=True)
class StoredModel:
    r"""A predictor and, if the method has one, its dual point.

    It has one of three forms: :math:`\sum_k \beta_k K(x_{i_k}, x) + b` over training examples (``indices``
    and ``coefficients``), the same over arbitrary points (``points`` and ``coefficients``), or
    :math:`\langle w, z(x) \rangle + b` (``weights``), where z is a feature map or the identity. With
    ``regions``, the first sum is over the terms in the cluster of x only: that of the nearest centre in the
    input space, each a mean of training examples.

    Attributes
    ----------
    kernel : dict
        Name and parameters, as in the resolved configuration.
    checksum : str
        Checksum of the training data set; ``indices`` are rows of its training part.
    bias : float
        b.
    iterations : int
        Iterations at its checkpoint.
    loss : str
        Loss of the problem of the dual point: ``hinge``, ``squared_hinge`` or ``squared``.
    dual : str
        How a dual point α of the regularised form is stored: ``none``, ``coefficients`` (β = αy) or ``own``.
    features : dict or None
        Name, parameters and seed of the feature map of the weights.
    indices : ndarray of int64, shape (s,), or None
        Rows of the training part, ascending.
    points : ndarray of float64, shape (s, d), or None
        Points that need not be training examples.
    coefficients : ndarray of float64, shape (s,), or None
        The β.
    weights : ndarray of float64, shape (D,), or None
        w.
    dual_indices, dual_values : ndarray, shape (k,), or None
        The non-zeros of α if ``dual`` is ``own``.
    regions : ndarray of int64, shape (s,), or None
        Clusters of the terms.
    centres, clusters : ndarray of int64, shape (m,), or None
        Rows of the training part, ascending, and the clusters whose centres they are in the mean of.
    norms : ndarray of float64, or None
        Squared distance of each centre from the mean of the examples behind all of them.
    """

    kernel: KernelDocument
    checksum: str
    bias: float
    iterations: int
    loss: str = "hinge"
    dual: str = "none"
    features: dict[str, Any] | None = None
    indices: NDArray[np.int64] | None = None
    points: NDArray[np.float64] | None = None
    coefficients: NDArray[np.float64] | None = None
    weights: NDArray[np.float64] | None = None
    dual_indices: NDArray[np.int64] | None = None
    dual_values: NDArray[np.float64] | None = None
    regions: NDArray[np.int64] | None = None
    centres: NDArray[np.int64] | None = None
    clusters: NDArray[np.int64] | None = None
    norms: NDArray[np.float64] | None = None

    def save(self, path: Path) -> None:
        """Write the model as compressed .npz without pickled objects; equal models give equal bytes."""
        write_model(path, *self.content())

    def content(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what is stored: a JSON document, and arrays by name."""
        about = {
            name: getattr(self, name)
            for name in ("kernel", "checksum", "bias", "iterations", "loss", "dual", "features")
        }
        arrays = {name: getattr(self, name) for name in _ARRAYS if getattr(self, name) is not None}
        for name in [name for name in ROWS if name in arrays]:
            arrays[name + _STEPS] = np.diff(arrays.pop(name), prepend=0)
        return about, arrays

    def of_rows(self, rows: NDArray[np.int64]) -> StoredModel:
        """Return the model with other numbers of its training examples: example k becomes ``rows[k]``."""
        own = {name: getattr(self, name) for name in ROWS}
        return replace(self, **{name: rows[old] for name, old in own.items() if old is not None})

    @classmethod
    def of(cls, about: Mapping[str, Any], stored: dict[str, NDArray[Any]]) -> StoredModel:
        """Return the model of what is stored; ValueError, TypeError or KeyError if it is damaged."""
        content = dict(stored)
        for name in [name for name in ROWS if name + _STEPS in content]:
            content[name] = np.cumsum(content.pop(name + _STEPS))
        known = [(name, kind) for name, kind in _ARRAYS.items() if name in content]
        arrays: dict[str, Any] = {name: content[name].astype(kind) for name, kind in known}
        model = cls(**about, **arrays)
        pairs = (model.indices if model.points is None else model.points, model.coefficients)
        dual = (model.dual_indices, model.dual_values)
        # With a damaged name or list of names, arrays are missing.
        if any((one is None) != (other is None) for one, other in (pairs, dual)):
            raise Damage("points or their coefficients are missing")
        if model.weights is None and model.coefficients is None:
            raise Damage("weights and coefficients are missing")
        model._check_shapes()
        return model

    def _check_shapes(self) -> None:
        """Raise ValueError or TypeError for arrays that do not form a model."""
        if not isinstance(self.kernel, dict) or not isinstance(self.kernel.get("name"), str):
            raise Damage("its kernel has no name")
        if not isinstance(self.bias, int | float) or not isinstance(self.iterations, int):
            raise Damage("bias or iterations are not numbers")
        if self.features is not None and not isinstance(self.features, dict):
            raise Damage("its features are not a section")
        for name in _ARRAYS:
            array = getattr(self, name)
            if array is not None and array.ndim != (2 if name == "points" else 1):
                raise Damage(f"{name} has {array.ndim} axes")
        for places, values in (
            (self.indices if self.points is None else self.points, self.coefficients),
            (self.dual_indices, self.dual_values),
        ):
            if places is not None and values is not None and len(places) != len(values):
                raise Damage(f"{len(places)} points for {len(values)} coefficients")
        self._check_clusters()
        for name in ROWS:
            rows = getattr(self, name)
            if rows is not None and rows.size and (rows[0] < 0 or (np.diff(rows) <= 0).any()):
                raise Damage(f"{name} are not ascending row numbers")

    def _check_clusters(self) -> None:
        """Raise ValueError for arrays that do not form clusters."""
        given = [getattr(self, name) for name in _LOCAL]
        if all(array is None for array in given):
            return
        if self.indices is None or any(array is None for array in given):
            raise Damage("indices or arrays of clusters are missing")
        regions, centres, clusters, norms = given
        if len(regions) != len(self.indices) or len(centres) != len(clusters) or not len(norms):
            raise Damage("arrays of clusters have other lengths")
        if not np.array_equal(np.unique(clusters), np.arange(len(norms))) or (
            regions.size and not 0 <= regions.min() <= regions.max() < len(norms)
        ):
            raise Damage("clusters have other numbers")

    def check_fits(self, rows: int, features: int) -> None:
        """Raise a `UserError` unless the model fits a training part of this shape."""
        last = max(
            (int(own[-1]) for own in map(self.__getattribute__, ROWS) if own is not None and own.size),
            default=-1,
        )
        if last >= rows:
            raise UserError(
                f"the model refers to training example {last} (counted from 0) of {rows}: repeat the run"
            )
        wide = self.points.shape[1] if self.points is not None else 0
        if self.weights is not None and self.features is None:
            wide = self.weights.size
        if wide > features:
            raise UserError(f"the model has {wide} features, the data have {features}: repeat the run")
