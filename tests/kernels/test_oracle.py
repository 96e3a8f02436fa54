"""The oracle counts what it evaluates, and the cache changes nothing but that."""

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from svmbench.counters import FIELDS
from svmbench.kernels._cache import RowCache
from svmbench.kernels._ledger import Ledger
from svmbench.kernels._oracle import Oracle
from tests.kernels.reference import KERNELS, LAYOUTS, kernel_matrix, matrix, scale, with_gamma

GAUSSIAN, LINEAR, POLYNOMIAL = KERNELS


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@settings(max_examples=25)
@given(requests=st.lists(st.integers(0, 29), max_size=120), cached_rows=st.integers(0, 35))
def test_rows_are_counted_as_a_model_of_the_cache_says(layout, requests, cached_rows):
    X, dense = matrix(np.random.default_rng(0), 30, 5, 0.5, layout)
    stride = 32 if layout == "dense" else 30
    oracle = Oracle(X, GAUSSIAN, cache_bytes=cached_rows * ((stride * 4 + 63) // 64 * 64))
    room = max(2, min(30, cached_rows))
    assert oracle.cache_rows == room
    held: OrderedDict[int, None] = OrderedDict()
    misses = 0
    expected = kernel_matrix(dense, dense, GAUSSIAN)
    for i in requests:
        assert np.abs(oracle.row(i) - expected[i]).max() <= 1e-6
        if i in held:
            held.move_to_end(i)
            continue
        misses += 1
        if len(held) == room:
            held.popitem(last=False)
        held[i] = None
    counts = oracle.ledger.as_dict()
    assert counts["kev_computed"] == counts["inner_products"] == misses * 30
    assert all(counts[name] == 0 for name in FIELDS if name not in ("kev_computed", "inner_products"))


def test_cache_never_holds_fewer_than_two_rows_nor_more_than_exist():
    assert RowCache(10, 16, 0).slots == 2
    assert RowCache(10, 16, 10**9).slots == 10


def test_reserving_more_than_the_address_space_raises():
    with pytest.raises(MemoryError, match="row cache"):
        RowCache(2**40, 2**20, 2**62)


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["name"])
def test_block_values_and_count(layout, kernel):
    X, dense = matrix(np.random.default_rng(1), 60, 7, 0.5, layout)
    oracle = Oracle(X, kernel)
    rows, cols = np.array([3, 59, 0]), np.array([5, 3, 20, 21])
    expected = kernel_matrix(dense, dense, kernel)
    tolerance = 1e-6 * scale(dense, dense, kernel)
    assert np.all(np.abs(oracle.block(rows) - expected[rows]) <= tolerance[rows])
    assert oracle.ledger.kev_computed == 3 * 60
    pairs = np.ix_(rows, cols)
    assert np.all(np.abs(oracle.block(rows, cols) - expected[pairs]) <= tolerance[pairs])
    assert oracle.ledger.kev_computed == 3 * 60 + 3 * 4
    out = np.empty((3, 60), dtype=np.float32)
    assert oracle.block(rows, out=out) is out


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["name"])
def test_values_of_other_rows_and_count(layout, kernel):
    kernel = with_gamma(kernel, 0.02)
    X, dense = matrix(np.random.default_rng(1), 150, 21, 0.5, layout)
    sample = np.arange(0, 150, 4)
    precision = "double" if layout == "double" else "auto"
    oracle = Oracle(X[sample], kernel, layout=None, like=X, precision=precision)
    assert oracle.layout_name == layout
    values = oracle.values(X)
    expected = kernel_matrix(dense, dense[sample], kernel)
    assert np.all(np.abs(values - expected) <= 1e-6 * scale(dense, dense[sample], kernel))
    assert np.array_equal(values[sample], oracle.block(np.arange(sample.size)))
    assert oracle.ledger.kev_computed == 150 * 38 + 38 * 38
    # Rows that do not fit the layout.
    odd = np.random.default_rng(2).normal(size=(5, 21)).astype(np.float32)
    other = scipy.sparse.csr_array(odd) if layout == "sparse" else odd
    error = np.abs(oracle.values(other) - kernel_matrix(odd, dense[sample], kernel))
    assert np.all(error <= 1e-6 * scale(odd, dense[sample], kernel))
    assert oracle.values(other[:0]).shape == (0, 38)


def test_diagonal_is_free_for_the_gaussian_kernel_and_charged_once_for_the_others():
    X, dense = matrix(np.random.default_rng(2), 25, 6, 0.5, "dense")
    oracle = Oracle(X, GAUSSIAN)
    assert np.array_equal(oracle.diagonal(), np.ones(25))
    assert not any(oracle.ledger.as_dict().values())
    for kernel in (LINEAR, POLYNOMIAL):
        oracle = Oracle(X, kernel)
        for _ in range(2):
            assert np.allclose(oracle.diagonal(), np.diag(kernel_matrix(dense, dense, kernel)), rtol=1e-6)
        counts = oracle.ledger.as_dict()
        for name in (
            "kev_ondemand",
            "kev_rowupdate",
            "kev_iter",
            "kev_computed",
            "inner_products",
            "kev_setup",
        ):
            assert counts[name] == 25


@pytest.mark.parametrize("sparse", [False, True])
def test_a_diagonal_beyond_double_precision_is_infinite_and_warns_of_nothing(sparse):
    X = np.full((3, 2), 1e37, dtype=np.float32)
    kernel = {"name": "polynomial", "degree": 5, "gamma": 0.5, "coef0": 1.0}
    oracle = Oracle(scipy.sparse.csr_array(X) if sparse else X, kernel)
    assert np.array_equal(oracle.diagonal(), np.full(3, np.inf))


@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_observation_and_prediction_are_counted_apart(layout):
    X, dense = matrix(np.random.default_rng(3), 50, 6, 0.5, layout)
    Z, queries = matrix(np.random.default_rng(4), 13, 6, 0.5, layout)
    oracle = Oracle(X, GAUSSIAN)
    chosen, coefficients = np.array([1, 4, 44]), np.array([0.5, -2.0, 1.0])
    scores = oracle.decision_function(chosen, coefficients, 0.25, Z)
    assert np.allclose(
        scores, kernel_matrix(queries, dense[chosen], GAUSSIAN) @ coefficients + 0.25, atol=1e-5
    )
    training = oracle.training_scores(chosen, coefficients)
    assert np.allclose(training, kernel_matrix(dense, dense[chosen], GAUSSIAN) @ coefficients, atol=1e-5)
    counts = {name: value for name, value in oracle.ledger.as_dict().items() if value}
    assert counts == {"kev_prediction": 3 * 13, "kev_observation": 3 * 50}


def test_an_empty_expansion_scores_zero():
    X, _ = matrix(np.random.default_rng(5), 10, 3, 1.0, "dense")
    oracle = Oracle(X, GAUSSIAN)
    nothing = np.zeros(0, dtype=np.int64)
    assert np.array_equal(oracle.training_scores(nothing, np.zeros(0)), np.zeros(10))
    assert np.array_equal(oracle.decision_function(nothing, np.zeros(0), 1.5, X), np.full(10, 1.5))


def test_python_charges_equal_the_written_rule():
    ledger = Ledger()
    ledger.charge(iterations=3, lookups=11, changes=2, n=100)
    ledger.charge(iterations=1, maintained_changes=1, n=100)
    counts = ledger.as_dict()
    assert counts["iterations"] == 4
    assert counts["kev_iter"] == 400
    assert counts["kev_ondemand"] == 11 + 100
    assert counts["kev_rowupdate"] == 300


def test_counts_do_not_wrap_at_32_bits():
    ledger = Ledger()
    ledger.charge(iterations=60_000, n=60_000)
    assert ledger.kev_iter == 3_600_000_000


def test_a_row_that_does_not_exist_is_an_error():
    oracle = Oracle(np.zeros((3, 2)), LINEAR)
    with pytest.raises(IndexError):
        oracle.row(3)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])
def test_a_subset_has_the_same_values_and_the_same_ledger(kernel, sparse):
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    whole = Oracle(scipy.sparse.csr_array(X) if sparse else X, kernel, 1 << 20)
    rows = np.array([31, 4, 17, 4])
    diagonal = whole.diagonal()
    part = whole.subset(rows)
    before = whole.ledger.kev_computed
    assert part.n == 4 and part.ledger is whole.ledger and part.layout_name == whole.layout_name
    np.testing.assert_array_equal(part.diagonal(), diagonal[rows])
    assert whole.ledger.kev_computed == before  # known from the whole
    for k, i in enumerate(rows):
        np.testing.assert_array_equal(part.row(k), whole.row(i)[rows])
    assert whole.ledger.kev_computed == before + 4 * 4 + 3 * 40


def test_responses_are_counted_as_computed():
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    oracle = Oracle(X, KERNELS[0])
    at, weights = np.array([3, 8]), np.array([0.5, -2.0])
    looked = oracle.training_scores(at, weights)
    assert (oracle.ledger.kev_observation, oracle.ledger.kev_computed) == (80, 0)
    np.testing.assert_array_equal(oracle.responses(at, weights), looked)
    assert (oracle.ledger.kev_observation, oracle.ledger.kev_computed) == (80, 80)
    assert oracle.ledger.inner_products == 80


def test_a_block_of_some_columns_evaluates_no_more_than_it_counts():
    X = np.random.default_rng(0).normal(size=(90, 5)).astype(np.float32)
    oracle = Oracle(X, {"name": "gaussian", "gamma": 0.2})
    block = oracle.block([3, 50], cols=np.arange(40, 80))
    assert np.array_equal(block, oracle.block([3, 50])[:, 40:80])
    assert oracle.ledger.kev_computed == 2 * 40 + 2 * 90
    assert oracle.block([], cols=[1]).shape == (0, 1) and oracle.block([1], cols=[]).shape == (1, 0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_compiled_cannot_be_copied(layout):
    oracle = Oracle(matrix(np.random.default_rng(0), 20, 5, 0.5, layout)[0], GAUSSIAN, layout=layout)
    for compiled in (oracle, oracle.ledger):
        for way in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot pickle"):
                way(compiled)
