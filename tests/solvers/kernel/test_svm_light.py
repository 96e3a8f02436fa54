"""What is particular to SVM-light: working sets, shrinking, degenerate data."""

import numpy as np
import pytest

from svmbench.problem import BIASES
from tests.solvers.kernel.working_sets import (
    coarse,
    finished,
    started,
)


def test_a_set_of_all_needs_one_iteration_or_two():
    # From 0 each pair has one of both classes, so with as many of both all are in the first set.
    X, _ = coarse(60)
    run, _, _ = started("svm_light", X, np.where(np.argsort(X[:, 0]) % 2, 1.0, -1.0), q=60, n_new=60)
    finished(run)
    assert run.iterations <= 2  # a set is solved to a hundredth of its violation


@pytest.mark.parametrize("bias", BIASES)
def test_shrinking_changes_the_way_and_not_the_answer(bias):
    X, y = coarse(120, seed=1)
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
