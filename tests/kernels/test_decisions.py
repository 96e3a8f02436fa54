"""Signs of scores are those of the model in double precision, and bounds of errors hold."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.unrounded import oracle_over
from tests import instruction_sets

KERNELS = [
    {"name": "gaussian", "gamma": 0.05},
    {"name": "gaussian", "gamma": 2.0},
    {"name": "polynomial", "gamma": 0.3, "coef0": 1.0, "degree": 3},
    {"name": "linear"},
]
KINDS = ("bits", "bytes", "dense", "mixed", "sparse", "given", "given sparse")


def examples(kind: str, n: int, rng: np.random.Generator) -> Any:
    """Return rows, shape (n, 12), that the layout of this name stores, or rows that float32 rounds."""
    if kind == "bits":
        return (rng.random((n, 12)) < 0.3).astype(np.float32)
    if kind == "bytes":
        return (rng.integers(0, 256, (n, 12)) / 255.0).astype(np.float32)
    if "sparse" in kind:
        X = sp.random_array((n, 12), density=0.2, format="csr", rng=rng)
        return X if "given" in kind else X.astype(np.float32)
    if kind == "mixed":
        X = np.zeros((n, 12), dtype=np.float32)
        X[:, :4] = rng.normal(size=(n, 4))
        X[np.arange(n), rng.integers(4, 12, n)] = 1.0
        return X
    return rng.normal(size=(n, 12)) if kind == "given" else rng.normal(size=(n, 12)).astype(np.float32)


def extended(oracle: Oracle, kernel: dict[str, Any], weights: np.ndarray, X: Any) -> np.ndarray:
    """Return scores in extended precision."""
    points = oracle.exact_rows(np.arange(oracle.n)) if oracle.given is None else oracle.given
    P, X = (np.asarray(A.toarray() if sp.issparse(A) else A, dtype=np.longdouble) for A in (points, X))
    if oracle.layout_name == "bytes":
        unit = 1.0 / 255.0
        X = np.rint(X / unit) * unit
    if kernel["name"] == "gaussian":
        K = np.exp(-np.longdouble(kernel["gamma"]) * np.square(X[:, None] - P).sum(axis=2))
    else:
        K = X @ P.T
        if kernel["name"] == "polynomial":
            K = (np.longdouble(kernel["gamma"]) * K + kernel["coef0"]) ** kernel["degree"]
    return np.asarray(K @ weights.astype(np.longdouble))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: "-".join(map(str, kernel.values())))
@pytest.mark.parametrize("kind", KINDS)
def test_signs_are_those_of_the_model_and_errors_are_within_their_bounds(kind, kernel):
    rng = np.random.default_rng(0)
    X, others = examples(kind, 200, rng), examples(kind, 100, rng)
    oracle, at = oracle_over(X, kernel), np.arange(200)
    assert oracle.layout_name == {"given": "dense", "given sparse": "sparse"}.get(kind, kind)
    assert (oracle.given is not None) == kind.startswith("given")
    weights = rng.normal(size=200) * 10.0 ** rng.uniform(-2.0, 4.0, 200)
    scores = extended(oracle, kernel, weights, others)
    (plus, minus), beyond = oracle.sides(at, weights, others)
    assert np.all(np.abs(plus - minus - scores) <= oracle.score_errors(at, weights, others) + beyond)
    # For each row, a bias far below the error of single precision puts it on either side of 0.
    little = 1e-11 * float(np.abs(weights).sum())
    for row in range(0, 100, 7):
        for side in (1.0, -1.0):
            bias = float(side * little - scores[row])
            found = oracle.decision_function(at, weights, bias, others)
            assert np.array_equal(found > 0.0, scores + bias > 0.0)


def test_a_score_that_is_computed_again_counts_once():
    rng = np.random.default_rng(0)
    X, kernel = examples("dense", 50, rng), KERNELS[0]
    oracle, weights = Oracle(X, kernel), 1e6 * np.where(np.arange(50) % 2, 1.0, -1.0)
    oracle.decision_function(np.arange(50), weights, 0.0, X[:10])
    assert oracle.ledger.kev_prediction == 500
    assert oracle.ledger.kev_computed == oracle.ledger.kev_observation == 0


def test_sparse_rows_that_float32_rounds_are_never_dense():
    rng = np.random.default_rng(0)
    X, others = (sp.random_array((400, 50_000), density=1e-4, format="csr", rng=rng) for _ in range(2))
    tracemalloc.start()
    oracle = oracle_over(X, KERNELS[0])
    oracle.decision_function(np.arange(400), rng.normal(size=400), 0.0, others)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert oracle.given is not None and peak < 8 * 400 * 50_000 / 10


def test_rows_that_do_not_fit_the_layout_are_scored():
    rng = np.random.default_rng(0)
    X, others = examples("bits", 50, rng), examples("dense", 20, rng)
    oracle, weights = Oracle(X, KERNELS[0]), rng.normal(size=50)
    found = oracle.decision_function(np.arange(50), weights, 0.0, others)
    np.testing.assert_allclose(found, extended(oracle, KERNELS[0], weights, others).astype(float), atol=1e-12)


def test_scores_of_points_are_those_of_the_examples_as_given():
    rng = np.random.default_rng(0)
    X = 1e-42 * np.round(1000.0 * rng.normal(size=(60, 3)))  # float32 keeps three digits of these
    oracle = oracle_over(X, {"name": "gaussian", "gamma": 2e77})
    points, coefficients = X[:7], rng.normal(size=7)
    distances = np.square((X[:, None] - points) * 1e40).sum(axis=-1) * 1e-80
    expected = np.exp(-2e77 * distances) @ coefficients
    np.testing.assert_allclose(oracle.training_point_scores(points, coefficients), expected, atol=1e-9)


PROGRAM = """
import numpy as np

from svmbench.kernels._oracle import Oracle
from svmbench.simd import isa
from tests.kernels.test_decisions import ones

for n, threads, form in ((300, 1, (40, 12)), (1024, 3, (40, 12)), (2600, 4, (40, 12)), (2600, 3, (300, 31))):
    X, others, rng = ones(n, *form), ones(700, *form), np.random.default_rng(n)
    oracle, at = Oracle(X, {"name": "gaussian", "gamma": 0.05}, threads=threads), np.arange(n)
    distances = others.sum(axis=1)[:, None] + X.sum(axis=1) - 2.0 * others @ X.T  # whole numbers
    K = np.exp(-0.05 * distances.astype(np.float64))
    for bounded in (0.0, 0.95):
        weights = rng.uniform(-1.0, 1.0, n)
        weights = np.where(rng.random(n) < bounded, np.sign(weights), weights)
        sums, beyond = oracle.sides(at, weights, others)
        quick = {"avx512_icl": form[1] < 16, "avx2": bounded > 0.0 and n > 2048}.get(isa(), False)
        assert (beyond > 0.0) == quick, (isa(), n, form, bounded)
        terms = np.stack([K @ np.maximum(weights, 0.0), K @ np.maximum(-weights, 0.0)])
        assert np.abs(sums - terms).sum(axis=0).max() <= beyond + 1.01 * 2.0**-24 * terms.sum(axis=0).max()
        bias = -float(np.median(terms[0] - terms[1]))
        print(np.packbits(oracle.decision_function(at, weights, bias, others) > 0.0).tobytes().hex())
        assert oracle.sides(at, 1e4 * weights, others)[1] == 0.0
"""


def ones(n: int, d: int, most: int) -> np.ndarray:
    """Return rows of d features, some of them 1, shape (n, d): none in the first, most + 2 in the second."""
    rng = np.random.default_rng(n + 1)
    X = np.zeros((n, d), dtype=np.float32)
    X[np.arange(n)[:, None], rng.integers(0, d, (n, most))] = 1.0
    X[:2] = 0.0
    X[1, : most + 2] = 1.0
    return X


@instruction_sets.several
def test_sums_in_whole_numbers_are_within_their_bound_and_signs_are_those_of_other_sums():
    assert len(instruction_sets.outputs(PROGRAM)) == 1


def test_double_scores_of_rows_of_bits_are_the_formula_and_depend_on_their_row_alone():
    X, others, weights = ones(300, 40, 12), ones(90, 40, 12), np.random.default_rng(0).normal(size=300)
    oracle, at = Oracle(X, {"name": "gaussian", "gamma": 0.05}), np.arange(300)
    mixed = np.array(others, dtype=np.float64)
    mixed[::3, 5] = 0.5
    expected = np.exp(-0.05 * np.square(mixed[:, None] - X[None]).sum(axis=-1)) @ weights
    for rows in (mixed, sp.csr_array(mixed)):
        found = oracle.decision_function(at, weights, 0.0, rows, exact=True)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)
        alone = oracle.decision_function(at, weights, 0.0, rows[1:2], exact=True)
        assert alone[0] == found[1]
