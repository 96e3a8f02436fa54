"""Conversions and objectives where no solver tests them."""

from __future__ import annotations

import numpy as np
import pytest

from svmbench.problem import balanced, best_bias, mean_hinge


def test_the_best_bias_has_the_least_hinge_loss():
    rng = np.random.default_rng(0)
    for _ in range(500):
        n = int(rng.integers(1, 30))
        y = np.where(rng.random(n) < rng.random(), 1.0, -1.0)
        responses = np.round(4.0 * rng.normal(size=n)) / rng.choice([4.0, 3.7])
        found = mean_hinge(responses, y * best_bias(y, responses))
        # A sum of hinges is least at one of its bends.
        assert found == pytest.approx(min(mean_hinge(responses, y * b) for b in y * (1.0 - responses)))


def test_of_an_interval_of_best_biases_the_middle_is_taken():
    # Scores -3 and 3 before the bias: no loss for b of [-2, 2].
    assert best_bias(np.array([-1.0, 1.0]), np.array([3.0, 3.0])) == 0.0
    assert best_bias(np.array([-1.0, 1.0]), np.array([3.0, 2.0])) == pytest.approx(0.5)


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_the_best_bias_of_one_class_is_the_nearest_without_loss(label):
    assert best_bias(np.full(3, label), np.zeros(3)) == label


def test_balance_allows_for_rounding_only():
    y = np.array([1.0, -1.0, 1.0])
    assert balanced(np.zeros(3), y)
    assert balanced(np.array([0.1, 0.3, 0.2]), y)
    assert not balanced(np.array([0.1, 0.3, 0.2001]), y)
