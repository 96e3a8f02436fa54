"""Every layout gives the value of the plain float64 formula to 1e-6, on every instruction set."""

import functools
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st

from svmbench.errors import UserError
from svmbench.kernels import decisions
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.functions.registry import kernel_of
from svmbench.kernels.layouts.choice import choose, make_layout
from svmbench.simd import isa
from tests.instruction_sets import HERE, LEVELS, output
from tests.kernels.reference import KERNELS, LAYOUTS, kernel_matrix, matrix, scale, with_gamma

KINDS = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])
ALL = pytest.mark.parametrize("layout", LAYOUTS)


def make(rng: np.random.Generator, n: int, d: int, density: float, name: str, kernel: dict, threads: int = 1):
    """Return random examples in a layout, and the same as a dense array."""
    X, dense = matrix(rng, n, d, density, name)
    return make_layout(X, kernel, threads, layout=name), dense


@KINDS
@ALL
@settings(max_examples=40)
@example(n=7, d=50, density=1.0, seed=50)  # a polynomial of it is 1.2e-6 of its value at the norms off
@given(
    n=st.integers(1, 70),
    d=st.integers(2, 150),
    density=st.sampled_from([0.0, 0.1, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_block_agrees_with_the_float64_formula(kernel, layout, n, d, density, seed):
    rng = np.random.default_rng(seed)
    stored, dense = make(rng, n, d, density, layout, kernel)
    rows = rng.integers(0, n, size=rng.integers(1, 20))
    block = stored.block(rows)
    expected = kernel_matrix(dense[rows], dense, kernel)
    assert block.shape == (len(rows), n)
    assert np.all(np.abs(block - expected) <= 1e-6 * scale(dense[rows], dense, kernel))


@KINDS
@pytest.mark.parametrize(("d", "groups"), [(8, 1), (20, 2), (30, 3), (60, 6)])
def test_any_number_of_indicator_groups(kernel, d, groups):
    stored, dense = make(np.random.default_rng(d), 90, d, 0.4, "mixed", kernel)
    assert len(stored.options()["groups"]) == groups
    error = np.abs(stored.block(np.arange(90)) - kernel_matrix(dense, dense, kernel))
    assert np.all(error <= 1e-6 * scale(dense, dense, kernel))


@KINDS
@ALL
@pytest.mark.parametrize("d", [784, 2500])
def test_many_features(kernel, layout, d):
    # Longer than the pieces in which sums are made; the Gaussian width keeps the values away from 0.
    d = 150 if layout == "mixed" else d
    kernel = with_gamma(kernel, 1.0 / d)
    rng = np.random.default_rng(d)
    stored, dense = make(rng, 37, d, 0.4, layout, kernel)
    block = stored.block(np.arange(37))
    error = np.abs(block - kernel_matrix(dense, dense, kernel))
    assert np.all(error <= 1e-6 * scale(dense, dense, kernel))


@KINDS
@ALL
@pytest.mark.parametrize("n", [1, 15, 16, 17, 63, 150])
def test_a_row_is_bit_for_bit_the_same_alone_and_in_any_block(kernel, layout, n):
    stored, _ = make(np.random.default_rng(n), n, 41, 0.4, layout, with_gamma(kernel, 0.02))
    order = np.random.default_rng(0).permutation(n)
    alone = np.concatenate([stored.block([i]) for i in order])
    for size in (2, 7, 8, 16, 64, 150):
        parts = [stored.block(order[begin : begin + size]) for begin in range(0, n, size)]
        assert np.array_equal(np.concatenate(parts), alone)


@KINDS
@ALL
def test_a_block_of_many_wide_examples_is_that_of_its_rows(kernel, layout):
    # More tiles than a block takes together, and sums that go on from one chunk of features to the next.
    d = 150 if layout == "mixed" else 2100
    stored, _ = make(np.random.default_rng(4), 1100, d, 0.4, layout, with_gamma(kernel, 1.0 / d))
    rows = np.arange(0, 1100, 54)  # 21: groups of eight, of four and a single one
    assert np.array_equal(stored.block(rows), np.concatenate([stored.block([i]) for i in rows]))


@pytest.mark.parametrize("d", [3, 50, 784, 5000])
def test_words_of_zeros_are_left_out_of_bytes_and_change_no_bit(d):
    rng = np.random.default_rng(d)
    kernel = {"name": "gaussian", "gamma": 2.0 / d}
    X = rng.integers(1, 256, size=(70, d))
    X[::2] *= np.repeat(rng.random((35, -(-d // 4))) < 0.2, 4, axis=1)[:, :d]
    X[0] = 0
    rows = (X / 255).astype(np.float32)
    oracle = Oracle(rows, kernel, layout="bytes")
    whole = np.array([oracle.row(i) for i in range(70)])
    np.testing.assert_array_equal(whole, whole.T)  # in rows of odd examples no word is 0
    few = np.arange(0, 70, 2)
    np.testing.assert_array_equal(oracle.block(few), whole[few])
    np.testing.assert_allclose(whole, kernel_matrix(rows, rows, kernel), rtol=0, atol=1e-6)


def test_a_block_written_into_memory_that_does_not_fit_is_an_error():
    stored, _ = make(np.random.default_rng(0), 20, 5, 1.0, "dense", KERNELS[0])
    out = np.empty((3, stored.stride), dtype=np.float32)
    assert np.shares_memory(stored.block([4, 5], out=out), out)
    for wrong in (out[:1], np.empty((3, 20), dtype=np.float32)):
        with pytest.raises(ValueError, match="holds no 2 rows"):
            stored.block([4, 5], out=wrong)


@KINDS
@ALL
@pytest.mark.parametrize("n_queries", [1, 3, 4, 9, 50])
def test_scores_of_an_expansion(kernel, layout, n_queries):
    rng = np.random.default_rng(n_queries)
    stored, dense = make(rng, 633, 37, 0.3, layout, kernel)
    Z, queries = matrix(rng, n_queries, 37, 0.3, layout)
    coefficients = rng.normal(size=633)
    expected = kernel_matrix(queries, dense, kernel) @ coefficients
    tolerance = 1e-6 * (scale(queries, dense, kernel) @ np.abs(coefficients))
    assert np.all(np.abs(stored.scores(stored.queries_of(Z), coefficients) - expected) <= tolerance)
    # The other form of examples is understood as well.
    other = Z.toarray() if scipy.sparse.issparse(Z) else scipy.sparse.csr_array(Z)
    assert np.array_equal(
        stored.scores(stored.queries_of(other), coefficients),
        stored.scores(stored.queries_of(Z), coefficients),
    )


@KINDS
@ALL
def test_scores_of_rows_that_do_not_fit_the_layout(kernel, layout):
    rng = np.random.default_rng(8)
    stored, dense = make(rng, 90, 37, 0.3, layout, kernel)
    for queries in (
        rng.normal(size=(21, 37)).astype(np.float32),
        0.77 * dense[:21],
        np.zeros((3, 37), dtype=np.float32),  # no indicator of any group is 1
    ):
        coefficients = rng.normal(size=90)
        expected = kernel_matrix(queries, dense, kernel) @ coefficients
        tolerance = 1e-6 * (scale(queries, dense, kernel) @ np.abs(coefficients)) + 1e-9
        found, _ = decisions.scores(stored, np.arange(90), coefficients, 0.0, queries)
        assert np.all(np.abs(found - expected) <= tolerance)


@ALL
def test_scores_at_stored_examples_are_those_of_their_values(layout):
    rng = np.random.default_rng(9)
    stored, dense = make(rng, 120, 24, 0.3, layout, KERNELS[0])
    expansion = stored.select([3, 77, 5])
    assert expansion.name == layout
    assert expansion.options() == stored.options()
    coefficients = np.array([0.5, -1.0, 2.0])
    scores = expansion.scores_at(stored, np.arange(100, 120), coefficients)
    assert np.array_equal(scores, expansion.scores(expansion.queries_of(dense[100:]), coefficients))


@ALL
def test_threads_change_no_bit(layout):
    kernel = {"name": "gaussian", "gamma": 0.05}
    one, three = (make(np.random.default_rng(0), 531, 20, 0.4, layout, kernel, t)[0] for t in (1, 3))
    rows = np.arange(0, 531, 5)
    assert np.array_equal(one.block(rows), three.block(rows))
    coefficients = np.linspace(-1, 1, 531)
    queries = one.gather(np.arange(531))
    assert np.array_equal(
        one.scores(one.queries_of(queries), coefficients),
        three.scores(three.queries_of(queries), coefficients),
    )


def test_large_norms_beside_small_distances_lose_no_digits():
    # |x|^2 + |y|^2 - 2<x,y> in float32 would leave nothing of these distances; raw covtype looks like this.
    rng = np.random.default_rng(1)
    X = (5000.0 + rng.integers(0, 40, size=(50, 10))).astype(np.float32)
    kernel = {"name": "gaussian", "gamma": 1e-3}
    block = make_layout(X, kernel).block(np.arange(50))
    assert np.abs(block - kernel_matrix(X, X, kernel)).max() < 1e-6


def test_far_points_give_zero_and_never_nan():
    X = np.array([[0.0], [1.0], [1e3], [1e18]], dtype=np.float32)
    block = make_layout(X, {"name": "gaussian", "gamma": 1.0}).block(np.arange(4))
    assert np.all(np.isfinite(block))
    assert block[0, 2] == 0.0
    assert np.array_equal(np.diag(block), np.ones(4))


@ALL
def test_gather_and_norms(layout):
    X, dense = matrix(np.random.default_rng(2), 40, 9, 0.4, layout)
    if layout == "sparse":
        dense[7] = 0.0  # an empty row, whose sum of squares must not be its neighbour's
        X = scipy.sparse.csr_array(dense)
    stored = make_layout(X, KERNELS[1], layout=layout)
    chosen = stored.gather(np.array([7, 3, 39, 3]))
    chosen = chosen.toarray() if scipy.sparse.issparse(chosen) else chosen
    assert chosen.dtype == np.float32
    assert np.array_equal(chosen, dense[[7, 3, 39, 3]])
    assert np.allclose(stored.squared_norms(), (dense.astype(float) ** 2).sum(axis=1), rtol=1e-12)


@ALL
def test_selected_examples_keep_their_values(layout):
    X, _ = matrix(np.random.default_rng(4), 40, 9, 0.4, layout)
    stored, some = make_layout(X, KERNELS[0], layout=layout), np.array([7, 3, 39, 3])
    assert np.array_equal(stored.select(some).block(np.arange(4)), stored.block(some)[:, some])


@ALL
def test_no_examples_and_no_queries(layout):
    X, _ = matrix(np.random.default_rng(3), 6, 8, 0.5, layout)
    stored = make_layout(X, KERNELS[0], layout=layout)
    assert stored.block([]).shape == (0, 6)
    assert stored.scores(stored.queries_of(X[:0]), np.ones(6)).shape == (0,)
    empty = stored.select([])
    assert empty.n == 0
    assert np.array_equal(empty.scores(empty.queries_of(X), np.zeros(0)), np.zeros(6))


def test_unknown_kernel_is_refused_in_words():
    with pytest.raises(UserError, match=r"unknown kernel 'gausian'; did you mean 'gaussian'\? \(kernels"):
        make_layout(np.zeros((2, 2)), {"name": "gausian"})


PROGRAM = """
import hashlib, json, sys
import numpy as np
from svmbench.simd import isa
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.functions.registry import kernel_of
from svmbench.kernels.layouts.choice import choose, make_layout
from tests.kernels.reference import KERNELS, LAYOUTS, kernel_matrix, matrix, scale, with_gamma
worst, hashes = 0.0, {}
for layout in LAYOUTS:
    bits = hashlib.sha256()
    for d in (5, 40, 130):
        for kernel in KERNELS:
            kernel = with_gamma(kernel, 0.02)
            X, dense = matrix(np.random.default_rng(3), 77, d, 0.5, layout)
            stored = make_layout(X, kernel, layout=layout)
            block = stored.block(np.arange(77))
            error = np.abs(block - kernel_matrix(dense, dense, kernel)) / scale(dense, dense, kernel)
            worst = max(worst, float(error.max()))
            bits.update(np.ascontiguousarray(block).tobytes())
            bits.update(stored.scores(stored.queries_of(X), np.linspace(-1, 1, 77)).tobytes())
    hashes[layout] = bits.hexdigest()
print(json.dumps([isa(), worst, hashes]))
"""


@functools.cache
def run_with_isa(name: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "SVMBENCH_ISA": name}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("variant", LEVELS)
def test_each_instruction_set_of_this_machine(variant):
    done = run_with_isa(variant)
    if LEVELS.index(variant) > LEVELS.index(isa()) and not os.environ.get("SVMBENCH_ISA"):
        assert done.returncode != 0
        assert "cannot run here" in done.stderr
        return
    name, worst, hashes = json.loads(done.stdout)
    assert name == variant
    assert worst <= 1e-6
    portable = json.loads(run_with_isa("base").stdout)[2]
    for layout in ("bits", "bytes"):  # whole numbers: not a bit differs
        assert hashes[layout] == portable[layout]


def test_unknown_instruction_set_is_refused_in_words():
    assert "SVMBENCH_ISA=v9 cannot run here: give base, avx2" in run_with_isa("v9").stderr


@KINDS
def test_a_column_may_stand_twice_in_a_row_and_in_any_order(kernel):
    # Seven entries in rows of three columns: more of them than there are features.
    rng = np.random.default_rng(0)
    columns = np.concatenate([rng.permutation([0, 0, 1, 1, 2, 2, 2]) for _ in range(50)]).astype(np.int32)
    begin = 7 * np.arange(51, dtype=np.int32)
    X = scipy.sparse.csr_array((rng.normal(size=350).astype(np.float32), columns, begin), shape=(50, 3))
    values, dense = X.data.copy(), X.toarray()
    expected, size = kernel_matrix(dense, dense, kernel), scale(dense, dense, kernel)
    oracle = Oracle(X, kernel)
    assert oracle.layout_name == "sparse"
    for found in (oracle.block(np.arange(50)), oracle.values(X), oracle.exact_values(X)):
        assert np.all(np.abs(found - expected) <= 1e-6 * size)
    np.testing.assert_array_equal(X.data, values)
    ones = scipy.sparse.csr_array((np.ones(350, dtype=np.float32), columns, begin), shape=(50, 3))
    assert choose(ones, kernel_of(kernel)) == ("sparse", {})


# Columns of bits (csrc/columns.h) are summed for these numbers of ones; all values come from the table of the
# plain counts. Parts of a block, queries of many ones and the short last block take different ways.
_COLUMNS = """
import numpy as np
from svmbench.kernels.functions.registry import kernel_of
from svmbench.kernels.layouts._bits import kernel_table
from svmbench.kernels.layouts.choice import make_layout
from tests.kernels.reference import KERNELS
rng = np.random.default_rng(0)
for n, d in ((127, 90), (512, 90), (1300, 90), (700, 31), (700, 300)):
    X = np.zeros((n, d), dtype=np.float32)
    for i in range(n):
        X[i, rng.permutation(d)[: min(i % 41, d)]] = 1.0
    X[n // 2] = 1.0  # all ones
    rows = np.unique(np.append(np.arange(min(n, 41)), [n // 2, n - 1]))
    products = (X @ X.T).astype(int)
    ones = np.diag(products)
    for kernel in KERNELS:
        stored = make_layout(X, kernel, layout="bits")
        counts = ones[:, None] + ones - 2 * products if kernel["name"] == "gaussian" else products
        expected = kernel_table(kernel_of(kernel), d)[counts]
        assert np.array_equal(stored.block(rows), expected[rows])
        assert all(np.array_equal(stored.block([i]), expected[[i]]) for i in rows)
        shared = make_layout(X, kernel, threads=3, layout="bits")
        assert np.array_equal(shared.block(rows), expected[rows])
        some = rng.permutation(n)[: n // 2]
        assert np.array_equal(stored.select(some).values(X[:50]), expected[:50, some])
"""


@pytest.mark.parametrize("level", HERE)
def test_columns_of_bits_count_as_words_do(level):
    output(_COLUMNS, level)


_REPLACED = """
import numpy as np
from svmbench.kernels._oracle import Oracle
rng = np.random.default_rng(1)
X = (rng.random((900, 60)) < 0.2).astype(np.float32)
oracle = Oracle(X, {"name": "gaussian", "gamma": 0.1}, layout="bits")
whole = oracle.block(np.arange(900))
for _ in range(3):
    rows, cols = rng.permutation(900)[:40], rng.permutation(900)[: rng.integers(300, 700)]
    assert np.array_equal(oracle.block(rows, cols), whole[np.ix_(rows, cols)])
"""


@pytest.mark.parametrize("level", HERE)
def test_columns_of_bits_follow_replaced_examples(level):
    output(_REPLACED, level)
