"""Rows and inner products of linear methods against numpy, and what is counted."""

import numpy as np
import pytest
import scipy.sparse

from svmbench.kernels._ledger import Ledger
from svmbench.kernels._linear_data import LinearData
from tests import instruction_sets


def matrix(d: int, density: float, layout: str, n: int = 23):
    """Random rows, the first one empty, in a layout, and the same as float64."""
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d)).astype(np.float32)
    X[rng.random((n, d)) > density] = 0.0
    X[0] = 0.0
    return scipy.sparse.csr_array(X) if layout == "csr" else X, X.astype(np.float64)


CASES = pytest.mark.parametrize(
    ("d", "density", "layout"),
    [(d, density, layout) for d in (0, 1, 3, 4, 61) for density in (0.1, 1.0) for layout in ("dense", "csr")],
)


@CASES
def test_products_and_norms_are_those_of_the_formula(d, density, layout):
    X, plain = matrix(d, density, layout)
    w = np.random.default_rng(1).normal(size=d)
    examples = LinearData(X)
    assert (examples.n, examples.d) == plain.shape
    np.testing.assert_allclose(examples.products(w), plain @ w, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(examples.squared_norms(), np.square(plain).sum(axis=1), rtol=1e-13)
    other, plain_other = matrix(d, 0.5, "csr", n=7)
    np.testing.assert_allclose(
        examples.decision_function(w, 0.25, other), plain_other @ w + 0.25, rtol=1e-13, atol=1e-13
    )


@pytest.mark.parametrize("pack", [lambda X: X, scipy.sparse.csr_array])
def test_rows_of_ones_need_no_values(pack):
    X = (np.random.default_rng(2).random((23, 100)) < 0.1).astype(np.float32)
    w = np.random.default_rng(3).normal(size=100)
    examples = LinearData(pack(X))
    assert examples.stored == X.sum()
    np.testing.assert_allclose(examples.products(w), X.astype(float) @ w, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(examples.squared_norms(), X.sum(axis=1))
    np.testing.assert_array_equal(
        examples.combination(np.array([3, 0]), np.array([0.5, -1.0])), 0.5 * X[3] - X[0]
    )


@pytest.mark.slow
def test_dense_rows_give_the_same_bits_on_every_instruction_set():
    program = (
        "import numpy as np; from svmbench.kernels._linear_data import LinearData\n"
        "from svmbench.problem import Problem; from svmbench.rng import Generator\n"
        "from svmbench.solvers.linear.asset import Asset; from svmbench.solvers.linear.dcd import DCD\n"
        "rng = np.random.default_rng(0); X = rng.normal(size=(40, 61)).astype(np.float32)\n"
        "problem = Problem.build(np.sign(rng.normal(size=40)), C=1.0)\n"
        "for solver in (DCD, Asset):\n"
        "    run = solver(solver.Params()).start(problem, LinearData(X), Generator(1))\n"
        "    run.advance('iterations', 500); print(run.snapshot().model.weights.tobytes().hex())"
    )
    assert len(instruction_sets.outputs(program)) == 1


def test_what_is_looked_at_is_counted_apart():
    X, _ = matrix(4, 1.0, "dense")
    examples = LinearData(X)
    w = np.zeros(4)
    examples.products(w)
    examples.decision_function(w, 0.0, X[:5])
    assert examples.observed == 23 + 5
    assert examples.ledger.inner_products == 0
    examples.squared_norms()
    examples.squared_norms()
    assert examples.ledger.inner_products == 2 * 23


@CASES
def test_a_combination_is_that_of_the_formula_and_not_counted(d, density, layout):
    X, plain = matrix(d, density, layout)
    examples = LinearData(X)
    chosen, factors = np.array([3, 0, 3, 22]), np.array([0.5, -1.0, 2.0, 4.0])
    combined = examples.combination(chosen, factors)
    np.testing.assert_allclose(combined, factors @ plain[chosen], rtol=1e-13, atol=1e-13)
    assert examples.ledger.inner_products == examples.observed == 0


def test_counts_go_on_in_a_given_ledger():
    ledger = Ledger()
    ledger.setup(5)
    examples = LinearData(np.ones((2, 2), dtype=np.float32), ledger=ledger)
    examples.squared_norms()
    counts = examples.ledger.as_dict()
    assert counts["inner_products"] == 2
    assert counts["kev_setup"] == counts["kev_ondemand"] == counts["kev_rowupdate"] == counts["kev_iter"] == 5
    assert counts["kev_computed"] == 0


def test_kernel_evaluations_do_not_apply():
    counts = LinearData(np.ones((2, 2), dtype=np.float32)).ledger.as_dict()
    assert {name for name, count in counts.items() if count is None} == {
        name for name in Ledger().as_dict() if name.startswith("kev_")
    }
    assert counts["iterations"] == counts["inner_products"] == 0


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_rows_are_not_copied(layout):
    X, _ = matrix(4, 1.0, layout)
    examples = LinearData(X)
    before = examples.products(np.ones(4))
    (X if layout == "dense" else X.data)[...] *= 2.0
    np.testing.assert_allclose(examples.products(np.ones(4)), 2.0 * before)


def test_dense_rows_that_are_mostly_zeros_are_kept_without_them():
    few, _ = matrix(100, 0.1, "dense")
    half, _ = matrix(100, 0.5, "dense")
    assert LinearData(few).stored == np.count_nonzero(few)
    assert LinearData(half).stored == half.size


def test_rows_of_any_type_and_order_are_taken():
    X = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    wide = scipy.sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for given in (X, X.astype(np.float32), wide, wide.tocsc()):
        np.testing.assert_array_equal(LinearData(given).products(np.ones(3)), X.sum(axis=1))


def test_weights_must_fit():
    with pytest.raises(ValueError, match="3 weights do not fit 4 features"):
        LinearData(matrix(4, 1.0, "dense")[0]).products(np.ones(3))


def test_a_column_may_stand_twice_in_a_row():
    X, plain = matrix(5, 1.0, "dense")
    halves = np.tile(0.5 * X, 2).ravel()
    columns = np.tile(np.arange(5, dtype=np.int32), 2 * len(X))
    begin = 10 * np.arange(len(X) + 1, dtype=np.int32)
    examples = LinearData(scipy.sparse.csr_array((halves, columns, begin), shape=X.shape))
    np.testing.assert_allclose(examples.squared_norms(), np.square(plain).sum(axis=1), rtol=1e-13)
