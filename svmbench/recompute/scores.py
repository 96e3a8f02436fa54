r"""Kernel values and scores in double precision.

==========  ================================================
gaussian    :math:`\exp(-\gamma |x - x'|^2)`
linear      :math:`\langle x, x' \rangle`
polynomial  :math:`(\gamma \langle x, x' \rangle + c)^{deg}`
==========  ================================================

Those of other kernels are the ones of their class, which is in numpy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.kernels.functions.registry import kernel_of
from svmbench.recompute.multiples import taken
from svmbench.rng import Generator
from svmbench.run_config import KernelDocument
from svmbench.store.model import StoredModel

Floats = NDArray[np.float64]

#: Kernel values computed at a time, 64 MiB.
_BLOCK = 1 << 23

#: A Gaussian value is computed from differences of coordinates if the error of its exponent may be larger
#: than this; and the exponent beyond which the value is 0 in double precision.
_EXPONENT, _VANISHES = 1e-11, 746.0

#: Squared distances to centres count as equal if they differ by at most this much, relative to the largest
#: squared distance of a centre from the mean of all examples in the sample.
EQUAL = 1e-6

#: Rows of either side that are converted to double precision at a time.
_ROWS = 4096


def kernel_values(kernel: KernelDocument, A: Any, B: Any) -> Floats:
    """Return K(a, b) for rows of A, shape (m, d), and B, shape (s, d), as float64 (m, s).

    Parameters
    ----------
    kernel : dict
        Name and parameters, as in the resolved configuration.
    A, B : ndarray or sparse matrix of float64
        Both dense or both sparse.
    """
    if kernel["name"] == "gaussian":
        return _gaussian(kernel["gamma"], A, B)
    if kernel["name"] not in ("linear", "polynomial"):
        return kernel_of(kernel).values(A, B)
    products = A @ B.T
    products = products.toarray() if sp.issparse(products) else products
    if kernel["name"] == "linear":
        return np.asarray(products)
    return np.asarray((kernel["gamma"] * products + kernel["coef0"]) ** kernel["degree"])


def _gaussian(gamma: float, A: Any, B: Any) -> Floats:
    """Return Gaussian values from norms and inner products, or from differences where these cancel."""
    # Translating all points preserves their distances, and smaller numbers lose less by cancellation.
    middle = 0.0 if sp.issparse(A) else _middle(B)
    near, others = (A, B) if sp.issparse(A) else (A - middle, B - middle)
    distances = near @ others.T
    distances = distances.toarray() if sp.issparse(distances) else distances
    norms = _squares(near)[:, None], _squares(others)
    distances *= -2.0
    distances += norms[0]
    distances += norms[1]
    with np.errstate(over="ignore"):
        # The error of a sum of k terms is at most k units of rounding of the sum of their magnitudes.
        unit = (_terms(A) + _terms(B) + 8) * np.finfo(float).eps
        if gamma * unit * (norms[0].max(initial=0.0) + norms[1].max(initial=0.0)) > _EXPONENT:
            error = unit * (norms[0] + norms[1])
            doubtful = (gamma * error > _EXPONENT) & (gamma * (distances - error) < _VANISHES)
            i, j = np.nonzero(doubtful)
            step = max(1, _BLOCK // (_terms(A) + _terms(B) + 1))
            for part in (slice(begin, begin + step) for begin in range(0, i.size, step)):
                distances[i[part], j[part]] = _squares(A[i[part]] - B[j[part]])
        np.maximum(distances, 0.0, out=distances)
        distances *= -gamma
    return np.asarray(np.exp(distances, out=distances))


def _middle(points: Floats) -> Floats:
    """Return the median of each column of dense points. Unlike a mean, it ignores outliers."""
    return np.asarray(np.quantile(points[:: max(1, len(points) // 64)], 0.5, axis=0, method="lower"))


def _terms(A: Any) -> int:
    """Return the largest number of terms in the square of a row."""
    return int(np.diff(A.indptr).max(initial=0)) if sp.issparse(A) else A.shape[1]


def _squares(A: Any) -> Floats:
    if sp.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, A)


def linear(points: Floats, coefficients: Floats) -> tuple[Floats, Floats, float]:
    """Return the middle m of dense points, and v and r such that Σ_k β_k p_k = v + r m.

    r is the sum of the β_k, and v is the sum of β_k (p_k - m). If points are far from zero and their
    coefficients balance, these sums do not suffer from cancellation, while Σ_k β_k p_k does. A point that is
    nearer to zero than to m adds β_k p_k to v instead and nothing to r, since its coefficient may be so large
    that the other terms would be lost in β_k m.
    """
    middle = _middle(points)
    moved = points - middle
    near = np.abs(points).max(axis=1, initial=0.0) < np.abs(moved).max(axis=1, initial=0.0)
    return middle, np.where(near[:, None], points, moved).T @ coefficients, math.fsum(coefficients[~near])


def expansion(
    kernel: KernelDocument, points: Any, coefficients: Floats, X: Any, unit: float | None = None
) -> Floats:
    """Return Σ_k β_k K(p_k, x) for each row x of X, shape (m, d), in blocks, as float64 (m,).

    Points are in double precision. Rows that are close to multiples of the unit are replaced by these
    (`svmbench.recompute.multiples`). Sparse rows may have more columns than the points, which are zero there.
    """
    result = np.zeros(X.shape[0])
    if coefficients.size == 0:
        return result
    if sp.issparse(X) != sp.issparse(points):
        points = sp.csr_array(points) if sp.issparse(X) else points.toarray()
    if sp.issparse(X) and X.shape[1] > points.shape[1]:
        points = sp.csr_array((points.data, points.indices, points.indptr), (points.shape[0], X.shape[1]))
    if kernel["name"] == "linear" and not sp.issparse(X):
        middle, weights, rest = linear(points, coefficients)
        for begin in range(0, X.shape[0], _ROWS):
            rows = taken(X[begin : begin + _ROWS], unit)
            result[begin : begin + _ROWS] = rows @ weights + rest * (rows @ middle)
        return result
    height = max(1, min(_ROWS, _BLOCK // min(_ROWS, coefficients.size)))
    for first in range(0, coefficients.size, _ROWS):
        some, weights = points[first : first + _ROWS], coefficients[first : first + _ROWS]
        for begin in range(0, X.shape[0], height):
            rows = slice(begin, begin + height)
            result[rows] += kernel_values(kernel, taken(X[rows], unit), some) @ weights
    return result


def scores(model: StoredModel, train: Any, X: Any, unit: float | None = None) -> Floats:
    """Return the decision values of a stored model without bias, float64 (m,).

    Parameters
    ----------
    model : StoredModel
        The model.
    train : ndarray or csr_array, shape (n, d)
        Training examples of the model.
    X : ndarray or csr_array, shape (m, d)
        Rows to score.
    unit : float, optional
        Unit of the training examples, from `svmbench.recompute.multiples.unit`. Default: none.
    """
    if model.weights is None:
        points = model.points if model.points is not None else taken(train[model.indices], unit)
        coefficients = model.coefficients
        if coefficients is None:
            raise UserError("the model holds neither weights nor coefficients: repeat the run by force=true")
        if model.points is not None or model.features is not None:
            unit = None  # with feature maps and arbitrary points, rows are used as loaded
        if model.regions is not None:
            return _local(model, train, X, unit)
        return expansion(model.kernel, points, coefficients, X, unit)
    result = np.empty(X.shape[0])
    for begin in range(0, X.shape[0], _ROWS):
        rows = X[begin : begin + _ROWS].astype(np.float64)
        if model.features is not None:
            rows = _fourier(model.features, model.kernel, rows)
        result[begin : begin + _ROWS] = rows @ model.weights
    return result


def _local(model: StoredModel, train: Any, X: Any, unit: float | None) -> Floats:
    """Return the decision values of a model with clusters: each row uses the terms of its own cluster."""
    assert model.indices is not None and model.coefficients is not None
    assert model.centres is not None and model.norms is not None
    regions, result = _regions(model, taken(train[model.centres], unit), X, unit), np.empty(X.shape[0])
    for cluster in range(model.norms.size):
        own, rows = model.regions == cluster, np.flatnonzero(regions == cluster)
        points = taken(train[model.indices[own]], unit)
        result[rows] = expansion(model.kernel, points, model.coefficients[own], X[rows], unit)
    return result


def _regions(model: StoredModel, sample: Any, X: Any, unit: float | None) -> NDArray[np.int64]:
    """Return the cluster of each row: the one whose sample has the nearest mean."""
    centres, shift, norms = cluster_centres(model, sample)
    regions = np.empty(X.shape[0], dtype=np.int64)
    for begin in range(0, X.shape[0], _ROWS):
        rows = taken(X[begin : begin + _ROWS], unit)[:, : centres.shape[1]]
        distances = norms - 2.0 * (rows @ centres.T - shift)
        # If distances are equal apart from rounding, the first centre counts as the nearest.
        near = distances <= distances.min(axis=1, keepdims=True) + EQUAL * norms.max()
        regions[begin : begin + _ROWS] = np.argmax(near, axis=1)
    return regions


def cluster_centres(model: StoredModel, sample: Any) -> tuple[Floats, Floats, Floats]:
    """Return c, shape (k, d), a and b, both (k,), with which b - 2 (<c, x> - a) ranks the clusters of x.

    Parameters
    ----------
    model : StoredModel
        A model with k clusters.
    sample : ndarray or csr_array of float64, shape (m, d)
        The training examples ``model.centres``.
    """
    assert model.clusters is not None and model.norms is not None
    members = np.equal(model.clusters, np.arange(model.norms.size)[:, None]).astype(np.float64)
    middle = np.full(sample.shape[0], 1.0 / sample.shape[0]) @ sample
    centres = (members / members.sum(axis=1, keepdims=True)) @ sample - middle
    return centres, centres @ middle, np.square(centres).sum(axis=1)


def _fourier(features: Mapping[str, Any], kernel: KernelDocument, rows: Any) -> Floats:
    """Return random Fourier features (Rahimi and Recht, 2007) of rows, from their seed."""
    frequencies, phases = fourier_waves(features, kernel, rows.shape[1])
    waves = rows @ frequencies
    if phases is not None:
        return np.asarray(math.sqrt(2.0 / phases.size) * np.cos(waves + phases))
    return np.hstack([np.cos(waves), np.sin(waves)]) / math.sqrt(frequencies.shape[1])


def fourier_waves(
    features: Mapping[str, Any], kernel: KernelDocument, d: int
) -> tuple[Floats, Floats | None]:
    """Return the frequencies, shape (d, k), and for the form ``phase`` the phases, shape (k,), of a map."""
    k, generator = features["frequencies"], Generator(features["seed"])
    frequencies = math.sqrt(2.0 * kernel["gamma"]) * generator.normals(d * k).reshape(d, k)
    # Frequencies and phases are in single precision by definition of the map.
    frequencies = frequencies.astype(np.float32).astype(np.float64)
    if features["form"] != "phase":
        return frequencies, None
    return frequencies, (2.0 * math.pi * generator.uniforms(k)).astype(np.float32).astype(np.float64)
