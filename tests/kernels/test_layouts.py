"""Every layout gives the value of the plain float64 formula within 1e-6, on every instruction-set variant."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from svmbench.errors import UserError
from svmbench.kernels import isa
from svmbench.kernels._layouts import DenseLayout, common_unit, make_layout
from tests.kernels.reference import KERNELS, kernel_matrix, matrix, scale

LAYOUTS = ("dense", "sparse")


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["name"])
@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 70),
    d=st.integers(1, 150),
    density=st.sampled_from([0.0, 0.1, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_block_agrees_with_the_float64_formula(kernel, layout, n, d, density, seed):
    rng = np.random.default_rng(seed)
    X, dense = matrix(rng, n, d, density, layout)
    rows = rng.integers(0, n, size=rng.integers(1, 20))
    block = make_layout(X, kernel).block(rows)
    expected = kernel_matrix(dense[rows], dense, kernel)
    assert block.shape == (len(rows), n)
    assert np.all(np.abs(block - expected) <= 1e-6 * scale(dense[rows], dense, kernel))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["name"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_queries", [1, 3, 4, 9, 50])
def test_scores_of_an_expansion(kernel, layout, n_queries):
    rng = np.random.default_rng(n_queries)
    X, dense = matrix(rng, 133, 37, 0.3, layout)
    Z, dense_queries = matrix(rng, n_queries, 37, 0.3, layout)
    coefficients = rng.normal(size=133)
    scores = make_layout(X, kernel).scores(Z, coefficients)
    expected = kernel_matrix(dense_queries, dense, kernel) @ coefficients
    tolerance = 1e-6 * (scale(dense_queries, dense, kernel) @ np.abs(coefficients))
    assert np.all(np.abs(scores - expected) <= tolerance)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_threads_change_no_bit(layout):
    X, _ = matrix(np.random.default_rng(0), 531, 20, 0.4, layout)
    rows = np.arange(0, 531, 5)
    one, three = (make_layout(X, KERNELS[0], threads=t) for t in (1, 3))
    assert np.array_equal(one.block(rows), three.block(rows))
    coefficients = np.linspace(-1, 1, 531)
    assert np.array_equal(one.scores(X, coefficients), three.scores(X, coefficients))


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


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gather_and_norms(layout):
    _, dense = matrix(np.random.default_rng(2), 40, 9, 0.4, layout)
    dense[7] = 0.0  # an empty row, whose sum of squares must not be its neighbour's
    X = scipy.sparse.csr_array(dense) if layout == "sparse" else dense
    stored = make_layout(X, KERNELS[1])
    chosen = stored.gather(np.array([7, 3, 39, 3]))
    chosen = chosen.toarray() if scipy.sparse.issparse(chosen) else chosen
    assert np.array_equal(chosen, dense[[7, 3, 39, 3]])
    assert np.allclose(stored.squared_norms(), (dense.astype(float) ** 2).sum(axis=1), rtol=1e-12)


def pixels(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return (rng.integers(0, 256, size=(n, d)) * (rng.random((n, d)) < 0.3) / 255).astype(np.float32)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["name"])
def test_bytes_give_the_values_of_the_formula(kernel):
    rng = np.random.default_rng(6)
    X, Z = pixels(rng, 90, 75), pixels(rng, 21, 75)
    layout = DenseLayout(X, kernel)
    assert layout.unit == pytest.approx(1 / 255)
    error = np.abs(layout.block(np.arange(90)) - kernel_matrix(X, X, kernel))
    assert np.all(error <= 1e-6 * scale(X, X, kernel))
    coefficients = rng.normal(size=90)
    tolerance = 1e-6 * (scale(Z, X, kernel) @ np.abs(coefficients))
    assert np.all(
        np.abs(layout.scores(Z, coefficients) - kernel_matrix(Z, X, kernel) @ coefficients) <= tolerance
    )
    # Queries that are no whole multiples of the unit must not be rounded to it.
    Z = (Z * 0.77).astype(np.float32)
    assert np.all(
        np.abs(layout.scores(Z, coefficients) - kernel_matrix(Z, X, kernel) @ coefficients) <= tolerance
    )


def test_bytes_are_chosen_only_where_every_value_fits():
    rng = np.random.default_rng(7)
    X = pixels(rng, 5000, 3)
    assert common_unit(X) == pytest.approx(1 / 255)
    assert common_unit((X > 0).astype(np.float32)) == 1.0
    assert common_unit(np.zeros((3, 2), dtype=np.float32)) == 1.0
    for spoilt in (-1 / 255, 0.5 / 255, 300 / 255, np.inf, np.nan):
        Z = X.copy()
        Z[4500, 1] = spoilt
        assert common_unit(Z) is None
    assert DenseLayout(rng.normal(size=(4, 2)).astype(np.float32), KERNELS[0]).unit == 0.0


def test_unknown_kernel_is_refused_in_words():
    with pytest.raises(UserError, match="kernel=sigmoid is not known: give one of gaussian, linear"):
        make_layout(np.zeros((2, 2)), {"name": "sigmoid"})


PROGRAM = """
import json, sys
import numpy as np
from svmbench.kernels import isa
from svmbench.kernels._layouts import DenseLayout, common_unit, make_layout
from tests.kernels.reference import KERNELS, kernel_matrix, matrix, scale
rng = np.random.default_rng(3)
worst = 0.0
for kernel in KERNELS:
    for layout in ("dense", "sparse"):
        X, dense = matrix(rng, 77, 130, 0.3, layout)
        error = np.abs(make_layout(X, kernel).block(np.arange(77)) - kernel_matrix(dense, dense, kernel))
        worst = max(worst, (error / scale(dense, dense, kernel)).max())
    X = np.rint(4 * rng.random((77, 130)))
    error = np.abs(make_layout(X, kernel).block(np.arange(77)) - kernel_matrix(X, X, kernel))
    worst = max(worst, (error / scale(X, X, kernel)).max())
print(json.dumps([isa(), worst]))
"""


def run_with_isa(name: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "SVMBENCH_ISA": name}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("variant", ["base", "v3", "v4"])
def test_each_instruction_set_variant_of_this_machine(variant):
    available = {"base": ["base"], "v3": ["base", "v3"], "v4": ["base", "v3", "v4"]}[isa()]
    done = run_with_isa(variant)
    if variant not in available and not os.environ.get("SVMBENCH_ISA"):
        assert done.returncode != 0
        assert "cannot run here" in done.stderr
        return
    name, worst = json.loads(done.stdout)
    assert name == variant
    assert worst <= 1e-6


def test_unknown_variant_is_refused_in_words():
    assert "SVMBENCH_ISA=v9 cannot run here: give base, v3" in run_with_isa("v9").stderr
