"""Expansions in double precision are those of the plain float64 formula."""

import numpy as np
import pytest
import scipy.sparse

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.functions.registry import kernel_of
from svmbench.kernels.layouts._bytes import common_unit
from svmbench.kernels.layouts._double_expansion import matrix as values_between
from tests.kernels.reference import KERNELS, LAYOUTS, kernel_matrix, matrix

KINDS = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])
ALL = pytest.mark.parametrize("layout", LAYOUTS)


def as_documented(X, layout):
    """Return the examples in float64: whole multiples of the unit that they are stored in, or as they are."""
    unit = common_unit(X) if layout == "bytes" else None
    X = np.asarray(X, dtype=np.float64)
    return X if unit is None else np.round(X / unit) * unit


@KINDS
@ALL
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("n", "d", "support"), [(1, 9, 1), (70, 41, 33), (633, 150, 200)])
def test_it_is_the_formula_in_float64(kernel, layout, threads, n, d, support):
    rng = np.random.default_rng(n)
    kernel = {**kernel, **({"gamma": kernel["gamma"] / d} if "gamma" in kernel else {})}
    given, X = matrix(rng, n, d, 0.3, layout)
    oracle = Oracle(given, kernel, threads=threads, layout=layout)
    X = as_documented(X, layout)
    points = rng.integers(0, n, size=support)
    coefficients = rng.normal(size=support) * 10.0 ** rng.integers(-3, 6, size=support)
    K = kernel_matrix(X[points], X, kernel)
    error = np.abs(oracle.exact_responses(points, coefficients) - coefficients @ K)
    assert np.all(error <= 1e-13 * (np.abs(coefficients) @ np.abs(K)) + 1e-300)


@KINDS
@pytest.mark.parametrize(("n", "d"), [(1, 1), (15, 3), (33, 70), (100, 2)])
def test_the_matrix_of_all_values(kernel, n, d):
    X = np.random.default_rng(n).normal(size=(n, d)) + 100.0
    kernel = {**kernel, **({"gamma": 0.1 / d} if "gamma" in kernel else {})}
    one, two = (values_between(X, kernel_of(kernel), threads)[:, :n] for threads in (1, 2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, one.T)
    np.testing.assert_allclose(one, kernel_matrix(X, X, kernel), rtol=1e-12)


@ALL
def test_some_of_the_examples_and_none(layout):
    X, _ = matrix(np.random.default_rng(1), 90, 30, 0.4, layout)
    oracle = Oracle(X, KERNELS[0], layout=layout)
    whole = oracle.exact_responses([3, 4, 80], [1.0, -2.0, 0.5])
    cols = [0, 80, 3, 3]
    part = oracle.exact_responses([3, 4, 80], [1.0, -2.0, 0.5], cols=cols)
    assert np.allclose(part, whole[cols], rtol=1e-14, atol=0)
    assert np.array_equal(oracle.exact_responses([], []), np.zeros(90))
    assert oracle.exact_responses([1], [1.0], cols=[]).shape == (0,)


@KINDS
@ALL
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("n", "d"), [(1, 9), (40, 9), (2100, 33)])
def test_a_row_of_all_examples_has_the_bits_of_its_parts(kernel, layout, threads, n, d):
    X, _ = matrix(np.random.default_rng(n), n, d, 0.4, layout)
    oracle = Oracle(X, kernel, threads=threads, layout=layout)
    row = oracle.exact_responses([n // 2], [1.7])
    backwards = oracle.exact_responses([n // 2], [1.7], cols=np.arange(n)[::-1])
    alone = oracle.exact_responses([n // 2], [1.7], cols=[n - 1])
    # With the linear kernel the weights are made first, and BLAS adds a product up.
    if kernel["name"] == "linear":
        assert np.allclose(row, backwards[::-1], rtol=1e-13, atol=1e-13)
    else:
        assert np.array_equal(row, backwards[::-1])
        assert row[-1] == alone[0]


@KINDS
@pytest.mark.parametrize("share", [0.06, 0.4])  # a table that fits into registers, and a larger one
def test_a_table_of_kernel_values_gives_the_bits_of_the_formula(kernel, share):
    rng = np.random.default_rng(5)
    X = (rng.random((1200, 60)) < share).astype(np.float32)
    assert (2 * X.sum(axis=1).max() < 32) == (share == 0.06)
    beta = rng.normal(size=1200)
    table, formula = (
        Oracle(X, kernel, layout=layout).exact_responses(np.arange(1200), beta)
        for layout in ("bits", "bytes")
    )
    assert np.array_equal(table, formula)


def test_exact_responses_are_counted_as_computed_or_as_observed():
    oracle = Oracle(np.eye(7, dtype=np.float32), KERNELS[0])
    oracle.exact_responses([0, 1], [1.0, 1.0])
    assert (oracle.ledger.kev_computed, oracle.ledger.inner_products) == (14, 14)
    oracle.exact_responses([0, 1], [1.0, 1.0], cols=[3, 4, 5], observed=True)
    assert (oracle.ledger.kev_computed, oracle.ledger.kev_observation) == (14, 6)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_large_common_offset_loses_no_distance(sparse):
    rng = np.random.default_rng(0)
    X = (1e6 + rng.normal(size=(50, 3))).astype(np.float32)
    given = scipy.sparse.csr_array(X) if sparse else X
    oracle = Oracle(given, {"name": "gaussian", "gamma": 1.0})
    K = kernel_matrix(X, X, {"name": "gaussian", "gamma": 1.0})
    assert np.allclose(oracle.exact_responses(np.arange(50), np.ones(50)), K.sum(axis=0), rtol=1e-13, atol=0)


def test_a_linear_expansion_of_balanced_coefficients_far_from_the_origin():
    # The responses of +1 and -1 at 1e6 differ by products of 1e12 that cancel.
    X = np.array([[1e6 + 1], [1e6 - 1], [1e6 + 4]], dtype=np.float32)
    oracle = Oracle(X, {"name": "linear"}, layout="dense")
    assert np.array_equal(
        oracle.exact_responses([0, 1], [0.25, -0.25]), [0.5e6 + 0.5, 0.5e6 - 0.5, 0.5e6 + 2]
    )


@ALL
def test_every_thread_count_gives_the_same_bits(layout):
    X, _ = matrix(np.random.default_rng(2), 300, 30, 0.4, layout)
    one, three = (Oracle(X, KERNELS[0], threads=threads, layout=layout) for threads in (1, 3))
    beta = np.random.default_rng(3).normal(size=300)
    assert np.array_equal(
        one.exact_responses(np.arange(300), beta), three.exact_responses(np.arange(300), beta)
    )


@ALL
@pytest.mark.parametrize(
    "kernel", [kind for kind in KERNELS if kind["name"] != "linear"], ids=lambda kind: kind["name"]
)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("support", "others"), [(33, 2), (100, 33)])
def test_values_between_points_of_the_expansion_give_the_bits_of_all_others(
    kernel, layout, threads, support, others
):
    # The value of two points that are also examples of the answer is computed once, but not for one example.
    kernel = {**kernel, "gamma": kernel["gamma"] / 66}
    rng = np.random.default_rng(support)
    X, _ = matrix(rng, 160, 66, 0.4, layout)
    oracle = Oracle(X, kernel, threads=threads, layout=layout)
    order = rng.permutation(160)
    points, beta = order[:support], rng.normal(size=support)
    at = rng.permutation(
        np.concatenate([points[support // 9 :], order[support : support + others], points[-1:]])
    )
    single = Oracle(X, kernel, layout=layout)  # threads of so short calls would wait for one another
    alone = [single.exact_responses(points, beta, cols=[i])[0] for i in at]
    np.testing.assert_array_equal(oracle.exact_responses(points, beta, cols=at), alone)
