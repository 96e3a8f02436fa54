"""Of a narrow Gaussian kernel the values that are 0 are left out, and nothing else changes."""

import numpy as np
import pytest
import scipy.sparse

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.functions.registry import kernel_of
from svmbench.kernels.layouts import _regions
from svmbench.kernels.layouts.choice import make_layout
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.instruction_sets import HERE, output
from tests.kernels.reference import kernel_matrix

NARROW = {"name": "gaussian", "gamma": 3.0}
ALL = pytest.mark.parametrize("layout", ["dense", "mixed"])


def scattered(n: int, layout: str = "dense", d: int = 6, seed: int = 0) -> np.ndarray:
    """Return examples in a cube so wide that most pairs of them are out of each other's sight."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-9.0, 9.0, size=(n, d)).astype(np.float32)
    if layout == "mixed":
        codes = rng.integers(0, 8, size=n)
        codes[0] = 7
        X = np.hstack([X, np.eye(8, dtype=np.float32)[codes]])
    return X


def has_regions(stored) -> bool:
    """Tell whether such examples are stored in regions."""
    return _regions.find(stored.gather(np.arange(stored.n)), np.arange(6), stored.kernel) is not None


def in_pieces(X: np.ndarray, layout: str, kernel: dict = NARROW) -> list:
    """Return layouts of so few examples each that none has regions."""
    return [make_layout(X[begin : begin + 1000], kernel, layout=layout) for begin in range(0, len(X), 1000)]


@ALL
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", [2048, 2049, 3333])
def test_rows_have_the_bits_of_rows_without_regions(layout, threads, n):
    X = scattered(n, layout)
    stored = make_layout(X, NARROW, threads, layout=layout)
    assert has_regions(stored)
    chosen = np.array([0, n - 1, 7, 7, n // 2, *range(100, 170)])
    expected = np.hstack([piece.values(X[chosen]) for piece in in_pieces(X, layout)])
    assert 0.0 < np.mean(expected == 0.0) < 1.0
    assert np.array_equal(stored.block(chosen), expected)
    assert np.array_equal(stored.block(chosen[:1]), expected[:1])
    assert np.array_equal(stored.values(X[chosen]), expected)
    assert np.array_equal(stored.gather(chosen), X[chosen])
    assert np.allclose(stored.squared_norms(), np.square(X.astype(np.float64)).sum(axis=1), rtol=1e-14)


@ALL
@pytest.mark.parametrize("threads", [1, 2])
def test_expansions_are_those_of_the_formula(layout, threads):
    X = scattered(3001, layout)
    oracle = Oracle(X, NARROW, threads=threads, layout=layout)
    rng = np.random.default_rng(1)
    points = rng.permutation(3001)[:2500]
    coefficients = rng.normal(size=2500) * 100.0
    expected = coefficients @ kernel_matrix(X[points], X, NARROW)
    close = {"rtol": 0.0, "atol": 1e-6 * np.abs(coefficients).max() * 20}
    assert np.allclose(oracle.responses(points, coefficients), expected, **close)
    assert np.allclose(oracle.decision_function(points, coefficients, 0.5, X), expected + 0.5, **close)
    exact = oracle.exact_responses(points, coefficients)
    assert np.allclose(exact, expected, rtol=0.0, atol=1e-11)
    some = rng.integers(0, 3001, size=333)
    exact = oracle.exact_responses(points, coefficients, cols=some)
    assert np.allclose(exact, expected[some], rtol=0.0, atol=1e-11)
    one = oracle.exact_responses([17], [2.0])
    assert np.allclose(one, 2.0 * kernel_matrix(X[17:18], X, NARROW)[0], rtol=0.0, atol=1e-14)


@ALL
@pytest.mark.parametrize("name", ["decomposition", "smo_pair", "sbp", "lasvm"])
@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_solvers_take_the_same_steps_with_and_without(layout, name, bias, monkeypatch):
    X = scattered(2600, layout, seed=3)
    y = np.where(np.sin(X[:, :6]).sum(axis=1) > 0.0, 1.0, -1.0)
    solver = registry.get(name)
    answers = []
    for on in (True, False):
        if not on:
            monkeypatch.setattr(_regions, "find", lambda *_: None)
        oracle = Oracle(X, NARROW, 1 << 22, threads=2, layout=layout)
        parameters = {"nu": 0.01} if name == "sbp" else {}
        problem = Problem.build(y, C=10.0, bias=bias)
        run = solver(solver.Params(**parameters)).start(problem, oracle, Generator(1))
        run.advance("iterations", 300)
        answers.append((run.snapshot(), oracle.ledger.as_dict()))
    (with_regions, counts), (without, others) = answers
    assert counts == others
    assert np.array_equal(with_regions.model.indices, without.model.indices)
    assert np.array_equal(with_regions.model.coefficients, without.model.coefficients)


def test_examples_of_an_oracle_that_has_them():
    X = scattered(4000)
    oracle = Oracle(X, NARROW, layout="dense")
    rows = np.arange(1000, 3500)
    assert np.array_equal(oracle.subset(rows).block([3, 5]), oracle.block([1003, 1005], rows))


def test_many_columns_and_huge_ones():
    """Of many columns those that vary most bound the distance; squares pass the range of float32."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(2500, 70)).astype(np.float32) * 0.05
    X[:, 40] += rng.uniform(-300.0, 300.0, size=2500)
    for scale in (1.0, 1e17):
        kernel = {"name": "gaussian", "gamma": 3.0 / scale**2}
        scaled = (X * scale).astype(np.float32)
        stored = make_layout(scaled, kernel, layout="dense")
        assert _regions.find(scaled, np.arange(70), stored.kernel) is not None
        expected = np.hstack([piece.values(scaled[:9]) for piece in in_pieces(scaled, "dense", kernel)])
        assert np.array_equal(stored.block(np.arange(9)), expected) and np.mean(expected == 0.0) > 0.5


@pytest.mark.parametrize(
    ("X", "kernel"),
    [
        (scattered(1000), NARROW),
        (scattered(4000), {"name": "gaussian", "gamma": 0.01}),
        (scattered(4000), {"name": "linear"}),
        (scipy.sparse.csr_array(scattered(4000)), NARROW),
        (np.repeat(scattered(2), 2000, axis=0), NARROW),
    ],
    ids=["few", "wide", "linear", "sparse", "two places"],
)
def test_there_are_none_where_they_would_save_little(X, kernel):
    found = _regions.find(X, np.arange(6), kernel_of(kernel))
    assert found is None


def test_the_order_keeps_every_example_and_full_regions():
    for n in (2048, 2049, 2175, 5000):
        order = _regions.ordered(scattered(n))
        assert np.array_equal(np.sort(order), np.arange(n))
    values = np.arange(4096, dtype=np.float32)[::-1, None] * 100.0
    order = _regions.ordered(values)
    assert all(np.ptp(values[order[begin : begin + 128]]) == 12700.0 for begin in range(0, 4096, 128))


def values_at_the_edge(threads: int = 1) -> None:
    """Compare rows and expansions over points on a line, a three hundredth of what can be seen apart."""
    edge = np.sqrt(kernel_of(NARROW).farthest)
    X = np.random.default_rng(2).permutation(3000)[:, None].astype(np.float32) * np.float32(edge / 300)
    stored = make_layout(X, NARROW, threads, layout="dense")
    assert _regions.find(X, np.arange(1), kernel_of(NARROW)) is not None
    chosen = np.arange(0, 3000, 23)
    expected = np.hstack([piece.values(X[chosen]) for piece in in_pieces(X, "dense")])
    assert np.array_equal(stored.block(chosen), expected)
    oracle = Oracle(X, NARROW, threads=threads, layout="dense")
    K = kernel_matrix(X, X[chosen], NARROW)
    exact = oracle.exact_responses(np.arange(3000), np.ones(3000), cols=chosen)
    assert np.allclose(exact, K.sum(axis=0), rtol=1e-12)
    # Weights so large that the least values which are made would be missed.
    one_by_one = np.array([oracle.exact_responses([i], [2.0**125]) for i in chosen]).T
    seen = np.where(K > 2.0**-124.9, K * 2.0**125, 0.0)
    assert np.all(one_by_one >= seen * (1.0 - 1e-9))


@pytest.mark.parametrize("level", HERE)
def test_each_instruction_set_sees_as_far(level):
    program = "from tests.kernels import test_regions; test_regions.values_at_the_edge(); print('alike')"
    assert output(program, level) == "alike\n"
