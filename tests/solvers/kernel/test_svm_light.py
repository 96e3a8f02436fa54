"""What is particular to SVM-light: working sets, shrinking, degenerate data."""

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

SIZES = pytest.mark.parametrize("given", [{}, {"q": 2, "n_new": 2}, {"q": 500, "n_new": 500}, {"h": 3}])


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [GAUSSIAN, LINEAR], ids=["gaussian", "linear"])
@SIZES
def test_the_answer_is_that_of_libsvm(given, kernel, C):
    check_against_libsvm("svm_light", kernel, C, **given)


@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("bias", BIASES)
@SIZES
def test_degenerate_data(given, bias, case, C):
    X, y = DEGENERATE[case]
    check_optimal("svm_light", X, y, C=C, bias=bias, **given)


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_class_is_its_bias(label):
    for n in (1, 5):
        snapshot = check_optimal("svm_light", np.arange(n)[:, None], [label] * n)
        assert snapshot.model.indices.size == 0
        assert snapshot.model.bias == label


def test_the_same_example_with_both_labels():
    for bias in BIASES:
        snapshot = check_optimal("svm_light", [[1.0], [1.0]], [1.0, -1.0], GAUSSIAN, C=3.0, bias=bias)
        assert snapshot.alpha.tolist() == [3.0, 3.0]
        assert snapshot.model.bias == 0.0


def test_a_set_of_all_needs_one_iteration_or_two():
    # From 0 each pair has one of both classes, so with as many of both all are in the first set.
    X, _ = noisy(60)
    run, _, _ = started("svm_light", X, np.where(np.argsort(X[:, 0]) % 2, 1.0, -1.0), q=60, n_new=60)
    finished(run)
    assert run.iterations <= 2  # a set is solved to a hundredth of its violation


@pytest.mark.parametrize("bias", BIASES)
def test_shrinking_changes_the_way_and_not_the_answer(bias):
    X, y = noisy(120, seed=1)
    answers = []
    for given in ({"shrinking": False}, {"h": 100}, {"h": 2}):
        run, _, _ = started("svm_light", X, y, C=3.0, bias=bias, eps=1e-9, **given)
        snapshot = finished(run)
        assert snapshot.responses is not None  # nothing is left aside
        answers.append(snapshot)
    for other in answers[1:]:
        np.testing.assert_allclose(other.responses, answers[0].responses, atol=1e-7)
        assert other.model.bias == pytest.approx(answers[0].model.bias, abs=1e-7)
    assert answers[2].alpha.tobytes() != answers[0].alpha.tobytes()


@pytest.mark.parametrize("q", [2, 4, 10])
def test_the_dual_never_falls(q):
    X, y = noisy(80, seed=2)
    run, _, _ = started("svm_light", X, y, C=3.0, q=q, n_new=2, shrinking=False)
    before = 0.0
    while not run.converged:
        run.advance("iterations", run.iterations + 1)
        snapshot = run.snapshot()
        dual = snapshot.alpha.sum() - 0.5 * snapshot.alpha @ snapshot.responses
        assert dual >= before - 1e-12
        before = dual
