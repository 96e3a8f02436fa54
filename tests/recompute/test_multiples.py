"""What examples are taken as when numbers are made anew: the same as by the kernel's own layouts."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.kernels._oracle import Oracle
from svmbench.recompute.multiples import taken, unit
from svmbench.recompute.scores import expansion

GAUSSIAN = {"name": "gaussian", "gamma": 0.02}
KERNELS = (
    GAUSSIAN,
    {"name": "linear"},
    {"name": "polynomial", "gamma": 0.1, "coef0": 1.0, "degree": 3},
)


def pixels(n: int = 200, d: int = 30, most: int = 255) -> np.ndarray:
    """Return whole numbers over 255 in single precision, shape (n, d)."""
    return (np.random.default_rng(1).integers(0, most + 1, (n, d)) / 255.0).astype(np.float32)


SETS = {
    "pixels": pixels(),
    "dark pixels": pixels(most=254),
    "counts": 3.0 * np.round(255.0 * pixels(most=7)).astype(np.float32),
    "bits": pixels(most=1) * np.float32(255.0),
    "zeros": np.zeros((5, 3), dtype=np.float32),
    "signed": pixels() - np.float32(0.5),
    "reals": np.random.default_rng(2).random((200, 30)).astype(np.float32),
    "one real": np.vstack([pixels(), np.full((1, 30), 0.12345, dtype=np.float32)]),
    "nearly equal": np.array([[500000.0, 1.0], [500000.03, 2.0]], dtype=np.float32),
}


@pytest.mark.parametrize("gamma", [1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("name", SETS)
def test_multiples_are_taken_where_the_layout_takes_them(name, gamma):
    kernel = {"name": "gaussian", "gamma": gamma}
    found = unit(SETS[name], kernel)
    oracle = Oracle(SETS[name], kernel)
    # Zeros and ones are the same either way.
    assert (found is not None) == (oracle.layout_name in ("bytes", "bits") and name != "zeros")


def test_the_unit_is_the_largest_and_in_double_precision():
    assert unit(SETS["pixels"], GAUSSIAN) == 1.0 / 255.0
    assert unit(SETS["counts"], GAUSSIAN) == 3.0
    assert unit(SETS["bits"], GAUSSIAN) == 1.0
    whole = np.rint(255.0 * SETS["pixels"]).astype(np.float64)
    assert np.array_equal(taken(SETS["pixels"], 1.0 / 255.0), whole * (1.0 / 255.0))


def test_double_precision_and_sparse_examples_are_taken_as_loaded():
    assert unit(SETS["pixels"], GAUSSIAN, "double") is None
    assert Oracle(SETS["pixels"], GAUSSIAN, precision="double").layout_name == "double"
    assert unit(sp.csr_array(SETS["pixels"]), GAUSSIAN) is None


def test_a_row_that_holds_no_multiples_is_taken_as_loaded():
    rows = np.vstack([SETS["pixels"][:2], np.full((1, 30), 0.12345, dtype=np.float32)])
    exact = taken(rows, 1.0 / 255.0)
    assert np.array_equal(exact[2], rows[2].astype(np.float64))
    assert not np.array_equal(exact[:2], rows[:2].astype(np.float64))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])
@pytest.mark.parametrize("name", ["pixels", "dark pixels", "counts", "bits", "reals", "one real"])
def test_expansions_are_those_of_the_oracle_to_rounding(name, kernel):
    X = SETS[name]
    oracle = Oracle(X, kernel)
    at = np.arange(0, len(X), 3)
    weights = 1e4 * np.random.default_rng(3).standard_normal(at.size)
    step = unit(X, kernel)
    made = expansion(kernel, taken(X[at], step), weights, X, step)
    exact = oracle.exact_responses(at, weights)
    size = expansion(kernel, taken(X[at], step), np.abs(weights), X, step)
    assert np.abs(made - exact).max() <= 1e-13 * size.max()
    if name == "pixels":  # as loaded they are others by far more than rounding
        loaded = expansion(kernel, X[at].astype(np.float64), weights, X)
        assert np.abs(loaded - exact).max() > 1e-10 * size.max()
