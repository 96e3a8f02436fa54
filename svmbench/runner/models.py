"""Stored models of solvers' answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.features.base import FeatureMap
from svmbench.run_config import KernelDocument
from svmbench.solvers.base import KernelExpansion, LinearModel, LocalExpansion, Snapshot
from svmbench.store.model import StoredModel


def stored_model(
    snapshot: Snapshot,
    iterations: int,
    *,
    y: NDArray[np.float64],
    kernel: KernelDocument,
    checksum: str,
    features: dict[str, Any] | None = None,
    map: FeatureMap | None = None,
) -> StoredModel:
    """Return the stored model of a snapshot.

    Parameters
    ----------
    snapshot : Snapshot
        The answer.
    iterations : int
        Iteration of its checkpoint.
    y : ndarray of float64, shape (n,)
        Labels of the training examples.
    kernel : dict
        Kernel of the configuration.
    checksum : str
        Checksum of the data set.
    features : dict, optional
        Name, parameters and seed of the feature map, if any.
    map : FeatureMap, optional
        The feature map.
    """
    model = snapshot.model
    arrays: dict[str, NDArray[Any]] = {}
    if isinstance(model, KernelExpansion):
        arrays = {"indices": model.indices, "coefficients": model.coefficients}
    elif isinstance(model, LocalExpansion):
        arrays = {name: value for name, value in vars(model).items() if name != "bias"}
    elif not isinstance(model, LinearModel):
        arrays = {"points": model.points, "coefficients": model.coefficients}
    else:
        expansion = None if map is None else map.expansion(model.weights)
        if expansion is None:
            arrays = {"weights": model.weights}
        else:
            arrays = {"indices": expansion[0], "coefficients": expansion[1]}
    dual, alpha = "none", snapshot.alpha
    if alpha is not None:
        at = np.flatnonzero(alpha)
        dual = "coefficients"
        if not (
            isinstance(model, KernelExpansion)
            and np.array_equal(model.indices, at)
            and np.array_equal(model.coefficients, alpha[at] * y[at])
        ):
            dual = "own"
            arrays.update(dual_indices=at, dual_values=alpha[at])
    return StoredModel(
        kernel=kernel.copy(),
        checksum=checksum,
        bias=float(model.bias),
        iterations=int(iterations),
        loss=snapshot.loss,
        dual=dual,
        features=features,
        **arrays,
    )
