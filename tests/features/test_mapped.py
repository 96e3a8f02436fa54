"""The compiled loops over mapped examples, on every instruction set."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

from svmbench.errors import UserError
from svmbench.features import get
from svmbench.features._mapped import MappedData, Panels, products, waves
from svmbench.kernels._ledger import Ledger
from tests.instruction_sets import LEVELS

WIDTHS = [1, 3, 4, 15, 16, 31, 32, 33, 100, 1130]


@pytest.mark.parametrize("width", WIDTHS)
def test_products_and_sums_of_rows(width):
    rng = np.random.default_rng(width)
    Z = rng.normal(size=(5, width)).astype(np.float32)
    examples = MappedData(Z, None, Ledger(kernels=False))
    w = rng.normal(size=width)
    np.testing.assert_allclose(examples.products(w), Z.astype(float) @ w, rtol=1e-12, atol=1e-12)
    factors = rng.normal(size=3)
    combined = examples.combination(np.array([4, 0, 4]), factors)
    np.testing.assert_allclose(combined, factors @ Z[[4, 0, 4]].astype(float), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("width", WIDTHS)
def test_waves_are_cosines(width):
    rng = np.random.default_rng(width)
    t = (rng.normal(size=(3, width)) * 10.0 ** rng.integers(-3, 4, size=(3, width))).astype(np.float32)
    phases = rng.uniform(-2.0, 7.0, size=2 * width).astype(np.float32)
    Z = np.hstack([t, np.full_like(t, np.nan)])
    waves(Z, phases, 0.5, width)
    angles = np.hstack([t, t]) + phases  # in float32, as there
    np.testing.assert_allclose(Z, 0.5 * np.cos(angles.astype(float)), atol=1.5e-7)


@pytest.mark.slow
@pytest.mark.parametrize("isa", LEVELS)
def test_every_instruction_set_is_right(isa):
    this_file = os.path.abspath(__file__)
    environment = {**os.environ, "SVMBENCH_ISA": isa}
    probe = [sys.executable, "-c", "import svmbench.kernels.layouts._layout"]
    probed = subprocess.run(probe, env=environment, capture_output=True, text=True)
    if "cannot run here" in probed.stderr:
        pytest.skip(f"this processor has no {isa}")
    options = ("-q", "-p", "no:cacheprovider", "-k", "rows or waves or products")
    command = [sys.executable, "-m", "pytest", *options]
    done = subprocess.run([*command, this_file], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_an_unknown_map_is_named():
    with pytest.raises(UserError, match=r"features 'furier' are unknown: .* none, nystrom, fourier; did"):
        get("furier")


@pytest.mark.parametrize("pack", [lambda X: X, csr_array, csc_array])
@pytest.mark.parametrize("width", WIDTHS)
def test_products_of_rows_that_are_mostly_zeros(width, pack):
    rng = np.random.default_rng(width)
    X = rng.normal(size=(7, 40)).astype(np.float32) * (rng.random((7, 40)) < 0.3)
    X[3] = 0.0
    V = rng.normal(size=(40, width)).astype(np.float32)
    out = np.full((7, width + 2), 5.0, dtype=np.float32)
    products(pack(X.astype(np.float32)), Panels(V), out)
    np.testing.assert_allclose(out[:, :width], X.astype(float) @ V, rtol=1e-5, atol=1e-5)
    assert (out[:, width:] == 5.0).all()


@pytest.mark.parametrize("shape", [(3, 0), (0, 4), (2, 4)])
def test_rows_without_a_number_have_products_of_zero(shape):
    out = np.ones((shape[0], 17), dtype=np.float32)
    products(np.zeros(shape, dtype=np.float32), Panels(np.ones((shape[1], 17), dtype=np.float32)), out)
    assert not out.any()
