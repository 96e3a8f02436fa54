"""Kernel values within 1e-6 where float32 is at its end: in another layout, or by sums in float64."""

import numpy as np
import pytest
import scipy.sparse

from svmbench.kernels._oracle import Oracle
from tests.kernels.reference import kernel_matrix


def gaussian(gamma: float) -> dict:
    return {"name": "gaussian", "gamma": gamma}


def error(X, kernel: dict, **options) -> float:
    """Return the largest error of a kernel matrix of the oracle, for a Gaussian kernel."""
    dense = X.toarray() if scipy.sparse.issparse(X) else X
    oracle = Oracle(X, kernel, **options)
    return float(np.abs(oracle.block(np.arange(oracle.n)) - kernel_matrix(dense, dense, kernel)).max())


@pytest.mark.parametrize("rows", [1, 16])
def test_a_sparse_column_of_a_million(rows):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(60, 8)).astype(np.float32) * (rng.random((60, 8)) < 0.4)
    dense[:, 0] = 1e6
    X = scipy.sparse.csr_array(dense.astype(np.float32))
    oracle = Oracle(X, gaussian(1.0), layout="sparse")
    values = np.concatenate([oracle.block(np.arange(k, min(k + rows, 60))) for k in range(0, 60, rows)])
    assert np.abs(values - kernel_matrix(dense, dense, gaussian(1.0))).max() <= 1e-6
    assert np.abs(values - values.T).max() <= 1e-7


def test_numbers_that_differ_by_less_than_the_unit_are_not_taken_for_equal():
    X = np.array([[0.0], [500000.0], [500000.03]], dtype=np.float32)
    assert Oracle(X, gaussian(1000.0)).layout_name != "bytes"
    assert error(X, gaussian(1000.0)) <= 1e-6


@pytest.mark.parametrize(("gamma", "layout"), [(0.02, "bytes"), (1000.0, "dense")])
def test_pixels_are_bytes_where_the_kernel_does_not_tell_them_from_their_roundings(gamma, layout):
    rng = np.random.default_rng(1)
    X = (rng.integers(0, 256, size=(300, 4)) / 255).astype(np.float32)
    assert Oracle(X, gaussian(gamma)).layout_name == layout
    assert error(X, gaussian(gamma)) <= 1e-6


def test_a_polynomial_of_thousands_of_features():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3000)).astype(np.float32)
    kernel = {"name": "polynomial", "gamma": 1.0 / 3000, "coef0": 1.0, "degree": 3}
    norms = np.linalg.norm(X.astype(float), axis=1)
    scale = (kernel["gamma"] * np.outer(norms, norms) + 1.0) ** 3
    oracle = Oracle(X, kernel)
    assert oracle.layout_name == "double"
    assert np.all(np.abs(oracle.block(np.arange(40)) - kernel_matrix(X, X, kernel)) <= 1e-7 * scale)


@pytest.mark.parametrize("gamma", [1e-50, 1e45])
def test_a_width_that_is_no_float32(gamma):
    X = np.random.default_rng(3).normal(size=(20, 3)).astype(np.float32)
    assert error(X, gaussian(gamma)) <= 1e-6


def test_double_rounds_every_value_once():
    X = np.random.default_rng(4).normal(size=(70, 9)).astype(np.float32)
    oracle = Oracle(X, gaussian(0.3), precision="double")
    assert oracle.layout_name == "double"
    K = kernel_matrix(X, X, gaussian(0.3))
    # Half a unit in the last place of float32, and the difference of two float64 sums.
    assert np.all(np.abs(oracle.block(np.arange(70)) - K) <= K * (2.0**-24 + 1e-13))
    assert Oracle(X, gaussian(1e-50), precision="single").layout_name == "dense"


@pytest.mark.parametrize("way", ["row", "block"])
def test_a_double_row_is_the_same_alone_and_in_a_block(way):
    X = np.random.default_rng(5).normal(size=(131, 9)).astype(np.float32)
    oracle = Oracle(X, gaussian(0.3), precision="double")
    block = oracle.block(np.arange(131))
    for i in (0, 64, 130):
        assert np.array_equal(oracle.row(i) if way == "row" else oracle.block([i])[0], block[i])
