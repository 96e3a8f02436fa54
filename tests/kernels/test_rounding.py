"""Bounds of rounding errors in double and extended precision, against rational numbers."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from svmbench.certify.certificate import linear_errors
from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.unrounded import indistinct, oracle_over
from tests.kernels.reference import oracle_of_matrix

KERNELS = (
    {"name": "linear"},
    {"name": "polynomial", "degree": 3, "gamma": 0.01, "coef0": 0.0},
    {"name": "polynomial", "degree": 2, "gamma": 0.5, "coef0": 10.0},
)
exactly = np.frompyfunc(Fraction, 1, 1)


def examples(kind, rng):
    if kind == "sparse":
        return scipy.sparse.random_array((40, 30), density=0.2, rng=rng, format="csr").astype(np.float32)
    if kind == "bytes":
        return rng.integers(0, 256, (40, 6)).astype(np.float32)
    if kind == "given":
        return rng.normal(size=(40, 6)) * 10.0 ** rng.uniform(-2.0, 4.0, 6)
    return (rng.normal(size=(40, 6)) + (1e5 if kind == "offset" else 0.0)).astype(np.float32)


def exact(X, beta, at, kernel):
    rows = exactly((X.toarray() if scipy.sparse.issparse(X) else X).astype(np.float64))
    inner = rows @ rows[at].T
    if kernel["name"] == "polynomial":
        gamma, coef0 = Fraction(kernel["gamma"]), Fraction(kernel["coef0"])
        inner = (gamma * inner + coef0) ** kernel["degree"]
    return inner @ exactly(beta)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"] + str(kernel.get("degree", "")))
@pytest.mark.parametrize("kind", ["dense", "offset", "bytes", "sparse", "given"])
def test_errors_of_responses_are_within_their_bounds(kind, kernel):
    rng = np.random.default_rng(1)
    X = examples(kind, rng)
    oracle, at = oracle_over(X, kernel), np.sort(rng.choice(40, 25, replace=False))
    beta = rng.normal(size=25) * 10.0 ** rng.uniform(-3.0, 3.0, 25)
    true = exact(X, beta, at, kernel)
    for found, bound in (
        (oracle.exact_responses(at, beta), oracle.double_errors(at, beta)),
        oracle.long_responses(at, beta),
    ):
        off = np.abs((exactly(found) - true).astype(np.float64))
        assert (off <= bound).all()
        assert bound.max() <= 1e4 * max(off.max(), 2.0**-53 * np.abs(found).max())


def test_a_kernel_matrix_and_weights_have_bounds_too():
    rng = np.random.default_rng(2)
    X, at, beta = examples("dense", rng), np.arange(0, 40, 2), rng.normal(size=20) * 1e6
    K = np.einsum("id,jd->ij", X, X).astype(np.float64)  # a product by BLAS warns under emulation
    oracle = oracle_of_matrix(np.maximum(K, K.T))
    true = exactly(oracle.kernel.matrix[:, at]) @ exactly(beta)
    off = np.abs((exactly(oracle.exact_responses(at, beta)) - true).astype(np.float64))
    assert (off <= oracle.double_errors(at, beta)).all() and oracle.long_responses(at, beta) is None
    data = LinearData(X)
    weights = data.combination(at, beta)
    off = np.abs((exactly(data.products(weights)) - exact(X, beta, at, KERNELS[0])).astype(np.float64))
    assert (off <= linear_errors(data, data.lengths(), weights, at, beta)).all()


def test_a_gaussian_kernel_has_a_bound_by_coefficients_alone():
    oracle = Oracle(np.eye(3, dtype=np.float32), {"name": "gaussian", "gamma": 1.0})
    assert oracle.double_errors(np.arange(3), np.ones(3)) is None
    assert oracle.long_responses(np.arange(3), np.ones(3)) is None


@pytest.mark.parametrize("kernel", KERNELS[:2])
def test_examples_that_rows_cannot_tell_apart_are_named(kernel):
    rng = np.random.default_rng(3)
    near, far = examples("dense", rng), examples("offset", rng)
    assert indistinct(Oracle(near, kernel)) is None
    assert "off by" in indistinct(Oracle(far, kernel))
    assert indistinct(Oracle(np.ones((5, 2), dtype=np.float32), kernel)) is None
