"""What is particular to GPDT: its inner methods and their tolerance, degenerate data."""

from __future__ import annotations

import numpy as np
import pytest

from svmbench.problem import BIASES
from tests.solvers.kernel.working_sets import (
    DEGENERATE,
    GAUSSIAN,
    LINEAR,
    check_against_libsvm,
    check_optimal,
    finished,
    noisy,
    started,
)

SIZES = pytest.mark.parametrize(
    "given",
    [{}, {"inner": "dai_fletcher"}, {"q": 2, "n_new": 2}, {"q": 20}, {"q": 20, "inner": "dai_fletcher"}],
)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [GAUSSIAN, LINEAR], ids=["gaussian", "linear"])
@SIZES
def test_the_answer_is_that_of_libsvm(given, kernel, C):
    check_against_libsvm("gpdt", kernel, C, **given)


@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("bias", BIASES)
@SIZES
def test_degenerate_data(given, bias, case, C):
    X, y = DEGENERATE[case]
    check_optimal("gpdt", X, y, C=C, bias=bias, **given)


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_class_is_its_bias(label):
    for n in (1, 5):
        snapshot = check_optimal("gpdt", np.arange(n)[:, None], [label] * n)
        assert snapshot.model.indices.size == 0
        assert snapshot.model.bias == label


def test_the_same_example_with_both_labels():
    for bias in BIASES:
        snapshot = check_optimal("gpdt", [[1.0], [1.0]], [1.0, -1.0], GAUSSIAN, C=3.0, bias=bias)
        assert snapshot.alpha.tolist() == [3.0, 3.0]
        assert snapshot.model.bias == 0.0


@pytest.mark.parametrize("inner", ["gvpm", "dai_fletcher"])
def test_a_set_of_all_needs_few_iterations(inner):
    X, y = noisy(60)
    run, _, _ = started("gpdt", X, y, q=60, n_new=60, inner=inner, eps=1e-6)
    finished(run)
    assert run.iterations <= 3


def test_a_third_may_be_new_by_default():
    X, y = noisy(100)
    for given in ({"q": 30}, {"q": 30, "n_new": 10}, {"q": 35, "n_new": 10}):
        run, oracle, _ = started("gpdt", X, y, **given)
        run.advance("iterations", 1)
        assert oracle.ledger.kev_iter == 10 * 100  # at first there is nothing to fill the set up with


@pytest.mark.parametrize("inner", ["gvpm", "dai_fletcher"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_the_sum_stays(inner, C):
    X, y = noisy(120, seed=3)
    run, _, _ = started("gpdt", X, y, C=C, q=12, inner=inner)
    for goal in (1, 2, 5, 20, 100, 1000):
        run.advance("iterations", goal)
        assert abs(run.snapshot().alpha @ y) <= 1e-13 * C * y.size
