"""Exact methods with every kind of step: the answer of LIBSVM, and degenerate data."""

import numpy as np
import pytest

from svmbench.solvers import registry
from tests.solvers.kernel.working_sets import (
    DEGENERATE,
    check_optimal,
)

GIVEN = {
    "chunking": [{}],
    "decomposition": [{"working_set": 4}, {"working_set": 32}, {"working_set": 1024}],
    "gpdt": [
        {}, {"inner": "dai_fletcher"}, {"q": 2, "n_new": 2}, {"q": 20}, {"q": 20, "inner": "dai_fletcher"},
    ],
    "lasvm": [{"selection": "random"}, {"selection": "gradient"}, {"selection": "margin"}],
    "platt": [{"eps": 1e-7}],
    "smo_pair": [{"selection": "worst_pair"}, {"selection": "second_order"}],
    "svm_light": [{}, {"q": 2, "n_new": 2}, {"q": 500, "n_new": 500}, {"h": 3}],
}  # fmt: skip
NAMES = pytest.mark.parametrize("name", GIVEN)
METHODS = pytest.mark.parametrize(
    ("name", "given"), [(name, given) for name, several in GIVEN.items() for given in several]
)


@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("case", DEGENERATE)
@METHODS
def test_degenerate_data(name, given, case, C):
    X, y = DEGENERATE[case]
    for bias in registry.get(name).biases:
        check_optimal(name, X, y, C=C, bias=bias, **given)


@NAMES
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_class_is_its_bias(label, name):
    for n in (1, 5):
        snapshot = check_optimal(name, np.arange(n)[:, None], [label] * n)
        assert snapshot.model.indices.size == 0
        assert snapshot.model.bias == label
