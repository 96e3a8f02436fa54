"""What holds of every method that sees all examples in an iteration: its optimum, and edge cases."""

from __future__ import annotations

import numpy as np
import pytest

from tests.solvers.linear.small import FORMS, finished, liblinear, objective, overlapping, started, weights

LOSS = {"svm_perf": "hinge", "ocas": "hinge", "svm_light_linear": "hinge", "l2svm_mfn": "squared_hinge"}
EACH = pytest.mark.parametrize("name", LOSS)
SPARSE_OR_NOT = pytest.mark.parametrize("form", FORMS)


@EACH
@SPARSE_OR_NOT
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_optimum_is_that_of_liblinear(name, form, C):
    X, y = overlapping()
    run = finished(name, X, y, C, form=form, eps=1e-10)
    best = liblinear(X, y, C, LOSS[name])
    least = objective(X, y, best, C, LOSS[name])
    assert objective(X, y, weights(run), C, LOSS[name]) == pytest.approx(least, rel=1e-7)
    np.testing.assert_allclose(weights(run), best, atol=2e-4 * np.abs(best).max())
    assert weights(run)[3] == 0.0  # of the feature that no example has


@EACH
@SPARSE_OR_NOT
def test_an_end_is_an_end(name, form):
    X, y = overlapping()
    run = finished(name, X, y, form=form)
    before = run.iterations, weights(run)
    run.advance("iterations", 10**9)
    assert run.iterations == before[0]
    np.testing.assert_array_equal(weights(run), before[1])


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
@SPARSE_OR_NOT
def test_the_same_example_with_both_labels_cancels(name, form):
    run = finished(name, [[1.0, 2.0], [1.0, 2.0]], [1.0, -1.0], C=3.0, form=form)
    assert weights(run).tolist() == [0.0, 0.0]


@EACH
def test_an_example_twice_is_one_with_twice_its_weight(name):
    X, y = overlapping(40)
    twice = finished(name, np.concatenate([X, X]), np.concatenate([y, y]), C=0.5, eps=1e-10)
    once = finished(name, X, y, C=1.0, eps=1e-10)
    np.testing.assert_allclose(weights(twice), weights(once), atol=1e-5)


@EACH
def test_nothing_is_learned_before_the_first_iteration(name):
    X, y = overlapping()
    run, examples, _ = started(name, X, y)
    assert not weights(run).any()
    assert examples.ledger.inner_products == run.iterations == 0
