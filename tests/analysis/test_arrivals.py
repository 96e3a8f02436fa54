"""Arrivals of many runs at once, beside those of each run."""

import numpy as np
import pytest

from svmbench.analysis.arrivals import arrivals, first_below, stays_below
from svmbench.figures.series import Steps


@pytest.mark.parametrize("target", [-1.0, 0.3, 0.5, 2.0])
def test_arrivals_of_many_runs_are_those_of_each(target):
    random = np.random.default_rng(1)
    family = [
        Steps(None, np.sort(random.random(size)) + 1.0, random.random(size) / np.arange(1, size + 1))
        for size in (1, 7, 1, 25, 3, 2, 12)
    ]
    found = arrivals(family, target)
    assert found.tolist() == [stays_below(steps, target)[1] for steps in family]
    assert np.isfinite(found).any() == (target > 0.0)


@pytest.mark.parametrize(
    ("target", "bounds"),
    [
        (60.0, (0.0, 10.0)),
        (50.0, (0.0, 10.0)),  # at the target is there
        (30.0, (20.0, 40.0)),
        (20.0, (20.0, 40.0)),
        (5.0, (40.0, 90.0)),
        (4.0, (90.0, np.inf)),
    ],
)
def test_the_first_arrival_lies_between_two_checkpoints_though_it_is_left_again(target, bounds):
    steps = Steps(None, np.array([10.0, 20.0, 40.0, 90.0]), np.array([50.0, 40.0, 20.0, 5.0]))
    assert first_below(steps, target) == bounds
    again = Steps(None, np.array([10.0, 20.0, 40.0]), np.array([50.0, 9.0, 50.0]))
    assert first_below(again, 10.0) == (10.0, 20.0) and stays_below(again, 10.0) == (40.0, np.inf)
