"""What is particular to GPDT: its inner methods and their tolerance, degenerate data."""

from __future__ import annotations

import pytest

from tests.solvers.kernel.working_sets import (
    finished,
    noisy,
    started,
)


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
