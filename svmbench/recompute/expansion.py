"""Stored models as sums over points, from which the forms of other programs are written."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.multiclass import problems
from svmbench.recompute.multiples import taken, unit
from svmbench.recompute.scores import EQUAL, cluster_centres, fourier_waves
from svmbench.store.joint_model import JointModel
from svmbench.store.model import StoredModel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Regions:
    """Clusters of rows: x is in the first with the smallest norm - 2 (<centre, x> - shift).

    Attributes
    ----------
    centres : ndarray of float64, shape (k, d)
        The centres.
    shift, norms : ndarray of float64, shape (k,)
        Constants of the clusters.
    of_points : ndarray of int64, shape (s,)
        The cluster of each point.
    """

    centres: Floats
    shift: Floats
    norms: Floats
    of_points: NDArray[np.int64]

    @property
    def tolerance(self) -> float:
        """The distance from the smallest value up to which values count as equal to it."""
        return float(EQUAL * self.norms.max())


@dataclass(frozen=True)
class Expansion:
    """Scores of P binary problems, Σ_k β_pk K(x_k, x) + b_p, over common points.

    Attributes
    ----------
    kind : str
        ``binary``, ``one_vs_one`` or ``one_vs_rest``; problems are in the order of `svmbench.multiclass`.
    kernel : mapping
        Name and parameters.
    points : ndarray of float64, shape (s, d)
        The x, by ascending class.
    coefficients, bias : ndarray of float64, shape (P, s) and (P,)
        β and b.
    classes : ndarray of int64, shape (s,)
        Number of the class of each point.
    labels : tuple of str
        Labels of the classes; the first is the positive one of a binary problem.
    scaling : pair of ndarray of float64, shape (d,), or None
        What each column of the rows is reduced by, and then divided by.
    unit : bool
        Whether rows are divided by their lengths.
    phases : ndarray of float64, shape (s,), or None
        If there are any, K(x_k, x) is cos(<x_k, x> + phase), a random Fourier feature.
    regions : Regions or None
        If there are any, the sum is over the points in the cluster of x only.
    """

    kind: str
    kernel: Mapping[str, Any]
    points: Floats
    coefficients: Floats
    bias: Floats
    classes: NDArray[np.int64]
    labels: tuple[str, ...]
    scaling: tuple[Floats, Floats] | None = None
    unit: bool = False
    phases: Floats | None = None
    regions: Regions | None = None

    @property
    def numbers(self) -> NDArray[Any]:
        """The labels, as integers if all are whole numbers, else as text."""
        whole = all(label.lstrip("+-").isdecimal() for label in self.labels)
        return np.array([int(label) for label in self.labels] if whole else self.labels)


def expanded(
    model: StoredModel | JointModel, train: Any, labels: tuple[str, ...], precision: str
) -> Expansion:
    """Return the expansion of a model; ``train`` is the training part of its data set.

    Raises
    ------
    UserError
        For a model of several classes with clusters.
    """
    parts = model.models if isinstance(model, JointModel) else (model,)
    kind = model.kind if isinstance(model, JointModel) else "binary"
    bias = np.array([part.bias for part in parts])
    sides = [(0, 1)] if kind == "binary" else problems(kind, len(labels))
    if parts[0].weights is not None or parts[0].points is not None:
        return _of_points(kind, model.kernel, parts, bias, sides, labels, train.X.shape[1])
    rows = [part.indices for part in parts if part.indices is not None]
    used = np.unique(np.concatenate(rows))
    step = unit(train.X, model.kernel, precision) if train.X.dtype == "float32" else None
    points = taken(train.X[used], step)
    coefficients = np.zeros((len(parts), used.size))
    for row, indices, part in zip(coefficients, rows, parts, strict=True):
        row[np.searchsorted(used, indices)] = part.coefficients
    y = train.y[used]
    classes = (y < 0.0).astype(np.int64) if kind == "binary" else y.astype(np.int64)
    order = np.argsort(classes, kind="stable")
    dense = points.toarray() if scipy.sparse.issparse(points) else np.asarray(points, np.float64)
    found = Expansion(kind, model.kernel, dense[order], coefficients[:, order], bias, classes[order], labels)
    if parts[0].regions is None:
        return found
    if len(parts) > 1:
        raise UserError(
            "a model of several classes with clusters (solver.early) has no form for other programs: score "
            "rows by svmbench predict"
        )
    sample = taken(train.X[parts[0].centres], step)
    clusters = Regions(*cluster_centres(parts[0], sample), parts[0].regions[order])
    return replace(found, regions=clusters)


def _of_points(
    kind: str, kernel: Any, parts: Any, bias: Floats, sides: Any, labels: tuple[str, ...], d: int
) -> Expansion:
    """Return the expansion of models with points of their own; weights are one point of coefficient 1."""
    if parts[0].features is not None:
        # The map is that of the seed of the run, so all problems have the same.
        waves, phases = fourier_waves(parts[0].features, kernel, d)
        if phases is None:  # sin t = cos(t - π/2)
            phases = np.repeat([0.0, -np.pi / 2.0], waves.shape[1])
            waves = np.hstack([waves, waves])
        weights = np.sqrt(2.0 / phases.size) * np.array([part.weights for part in parts])
        classes = np.zeros(phases.size, np.int64)
        return Expansion(kind, kernel, waves.T, weights, bias, classes, labels, phases=phases)
    if parts[0].weights is not None:
        kernel = {"name": "linear"}
        sets = [(part.weights[np.newaxis], np.ones(1)) for part in parts]
    else:
        sets = [(part.points, part.coefficients) for part in parts]
    sizes = [len(weights) for _, weights in sets]
    coefficients = np.zeros((len(parts), sum(sizes)))
    for row, end, size, (_, weights) in zip(coefficients, np.cumsum(sizes), sizes, sets, strict=True):
        row[end - size : end] = weights
    # A point belongs to the positive class of its problem, where LIBSVM reads its coefficient.
    classes = np.repeat([positive for positive, _ in sides], sizes)
    order = np.argsort(classes, kind="stable")
    points = np.concatenate([points for points, _ in sets])
    return Expansion(kind, kernel, points[order], coefficients[:, order], bias, classes[order], labels)


def kernel_name(found: Expansion, program: str, polynomial: str) -> str:
    """Return the name that a program has for the kernel."""
    names = {"gaussian": "rbf", "polynomial": polynomial, "linear": "linear", "sigmoid": "sigmoid"}
    if found.regions is not None:
        raise UserError(f"{program} has no models with clusters (solver.early): use onnx or npz")
    if found.phases is not None or found.kernel["name"] not in names:
        name = "features=fourier" if found.phases is not None else f"kernel={found.kernel['name']}"
        raise UserError(f"{program} has no {name} in models of this kind: use onnx or npz")
    return names[found.kernel["name"]]


def dual_columns(found: Expansion, program: str) -> Floats:
    """Return LIBSVM's coefficients, shape (k - 1, s): of each point, one for each other class."""
    if found.kind == "one_vs_rest":
        raise UserError(f"{program} has no one_vs_rest models: train with problem.multiclass=one_vs_one")
    k = len(found.labels)
    columns = np.zeros((k - 1, len(found.points)))
    sides = [(0, 1)] if found.kind == "binary" else problems(found.kind, k)
    for row, (first, second) in zip(found.coefficients, sides, strict=True):
        assert second is not None
        columns[second - 1, found.classes == first] = row[found.classes == first]
        columns[first, found.classes == second] = row[found.classes == second]
    return columns


def needed(module: str, package: str) -> Any:
    """Return an optional module, or say what to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UserError(f"this form is written by {package}: pip install {package}") from None
