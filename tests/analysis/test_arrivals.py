"""Arrivals of many runs at once, beside those of each run."""

import numpy as np
import pytest

from svmbench.analysis.arrivals import arrivals, stays_below
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
