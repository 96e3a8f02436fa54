"""The plain float64 formulas that every layout is held against, and examples for each layout."""

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.functions.precomputed import Precomputed

KERNELS = [
    {"name": "gaussian", "gamma": 0.7},
    {"name": "linear"},
    {"name": "polynomial", "gamma": 0.5, "coef0": 1.0, "degree": 3},
]

LAYOUTS = ("bits", "bytes", "mixed", "dense", "double", "sparse")


def with_gamma(kernel: dict, gamma: float) -> dict:
    """Return the kernel with another gamma, if it has one."""
    return {**kernel, "gamma": gamma} if "gamma" in kernel else kernel


def oracle_of_matrix(K: NDArray) -> Oracle:
    """Return the oracle whose kernel values are the elements of a symmetric matrix."""
    return Oracle(np.arange(len(K))[:, None], Precomputed.of(K))


def kernel_matrix(X: NDArray, Z: NDArray, kernel: dict) -> NDArray[np.float64]:
    """K(x, z) for all rows of X and Z, in float64, from the formula alone."""
    X, Z = (np.asarray(A, dtype=np.float64) for A in (X, Z))
    if kernel["name"] == "gaussian":
        squared = np.zeros((len(X), len(Z)))
        for x, z in zip(X.T, Z.T, strict=True):
            squared += (x[:, None] - z) ** 2
        return np.exp(-kernel["gamma"] * squared)
    dot = X @ Z.T
    if kernel["name"] == "linear":
        return dot
    return (kernel["gamma"] * dot + kernel["coef0"]) ** kernel["degree"]


def scale(X: NDArray, Z: NDArray, kernel: dict) -> NDArray[np.float64]:
    """The size against which an error of 1e-6 is measured.

    It is 1, or for inner products, which are summed in single precision, that of the two norms. A polynomial
    has as many factors that carry this relative error as its degree: so many times its value at the norms.
    """
    norms = np.linalg.norm(X, axis=1)[:, None] * np.linalg.norm(Z, axis=1)[None, :]
    if kernel["name"] == "gaussian":
        return np.ones_like(norms)
    if kernel["name"] == "linear":
        return norms + 1e-30
    return kernel["degree"] * (kernel["gamma"] * norms + kernel["coef0"]) ** kernel["degree"]


def matrix(rng: np.random.Generator, n: int, d: int, density: float, layout: str):
    """Return random float32 examples that fit a layout, with the same as a dense array beside them.

    Parameters
    ----------
    n, d : int
        Examples and features.
    density : float
        Probability that a value is not zero; indicator groups of the mixed layout stay as they are.
    layout : str
        One of `LAYOUTS`; a CSR array for sparse, else an array.
    """
    if layout == "bits":
        X = (rng.random((n, d)) < density).astype(np.float32)
    elif layout == "bytes":
        X = (rng.integers(0, 256, size=(n, d)) * (rng.random((n, d)) < density) / 255).astype(np.float32)
    else:
        X = rng.normal(size=(n, d)).astype(np.float32)
        X[rng.random((n, d)) > density] = 0.0
    if layout == "mixed":
        # The last features in groups of up to seven, of which every example has exactly one.
        for end in range(d, d // 3 + 1, -7):
            begin = max(end - 7, d // 3)
            codes = rng.integers(0, end - begin, size=n)
            codes[0] = end - begin - 1  # so that even in a few examples no shorter run looks like a group
            X[:, begin:end] = np.eye(end - begin)[codes]
    return (scipy.sparse.csr_array(X) if layout == "sparse" else X), X
