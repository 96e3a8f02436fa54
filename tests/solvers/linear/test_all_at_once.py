"""What holds of every method that sees all examples in an iteration: its optimum, and edge cases."""

import numpy as np
import pytest

from tests.solvers.linear.small import FORMS, finished, overlapping, started, weights

LOSS = {"svm_perf": "hinge", "ocas": "hinge", "svm_light_linear": "hinge", "l2svm_mfn": "squared_hinge"}
EACH = pytest.mark.parametrize("name", LOSS)
SPARSE_OR_NOT = pytest.mark.parametrize("form", FORMS)


@EACH
@SPARSE_OR_NOT
def test_examples_of_norm_zero_learn_nothing(name, form):
    run = finished(name, np.zeros((4, 2)), [1.0, -1.0, 1.0, 1.0], form=form)
    assert weights(run).tolist() == [0.0, 0.0]


@EACH
@SPARSE_OR_NOT
def test_without_features_nothing_is_learned(name, form):
    run = finished(name, np.zeros((3, 0)), [1.0, -1.0, 1.0], form=form)
    assert weights(run).shape == (0,)


@EACH
@SPARSE_OR_NOT
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_class_is_told_from_zero(name, form, label):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 3)) + 2.0, np.full(20, label)
    run = finished(name, X, y, C=10.0, form=form, eps=1e-9)
    mirrored = finished(name, -X, -y, C=10.0, form=form, eps=1e-9)
    np.testing.assert_array_equal(weights(run), weights(mirrored))
    assert np.all(y * (X.astype(np.float32) @ weights(run)) > 0.0)


@EACH
@SPARSE_OR_NOT
@pytest.mark.parametrize("C", [0.05, 20.0])
def test_a_single_example_has_its_formula(name, form, C):
    x = np.array([0.0, 3.0, 4.0])
    run = finished(name, [x], [-1.0], C, form=form, eps=1e-10)
    # min ½α²|x|² - α over [0, C]; with the squared loss 1/(2C) is added to |x|², and nothing bounds α.
    alpha = min(C, 1.0 / 25.0) if LOSS[name] == "hinge" else 1.0 / (25.0 + 0.5 / C)
    np.testing.assert_allclose(weights(run), -alpha * x, rtol=1e-8)


@EACH
def test_nothing_is_learned_before_the_first_iteration(name):
    X, y = overlapping()
    run, examples, _ = started(name, X, y)
    assert not weights(run).any()
    assert examples.ledger.inner_products == run.iterations == 0
