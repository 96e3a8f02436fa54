"""Decomposition methods with working sets of any size: the answer of LIBSVM, and degenerate data."""

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
)

GIVEN = {
    "gpdt": [
        {}, {"inner": "dai_fletcher"}, {"q": 2, "n_new": 2}, {"q": 20}, {"q": 20, "inner": "dai_fletcher"},
    ],
    "svm_light": [{}, {"q": 2, "n_new": 2}, {"q": 500, "n_new": 500}, {"h": 3}],
}  # fmt: skip
NAMES = pytest.mark.parametrize("name", GIVEN)
METHODS = pytest.mark.parametrize(
    ("name", "given"), [(name, given) for name, several in GIVEN.items() for given in several]
)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [GAUSSIAN, LINEAR], ids=["gaussian", "linear"])
@METHODS
def test_the_answer_is_that_of_libsvm(name, given, kernel, C):
    check_against_libsvm(name, kernel, C, **given)


@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("bias", BIASES)
@METHODS
def test_degenerate_data(name, given, bias, case, C):
    X, y = DEGENERATE[case]
    check_optimal(name, X, y, C=C, bias=bias, **given)


@NAMES
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_class_is_its_bias(label, name):
    for n in (1, 5):
        snapshot = check_optimal(name, np.arange(n)[:, None], [label] * n)
        assert snapshot.model.indices.size == 0
        assert snapshot.model.bias == label


@NAMES
def test_the_same_example_with_both_labels(name):
    for bias in BIASES:
        snapshot = check_optimal(name, [[1.0], [1.0]], [1.0, -1.0], GAUSSIAN, C=3.0, bias=bias)
        assert snapshot.alpha.tolist() == [3.0, 3.0]
        assert snapshot.model.bias == 0.0
