"""What is particular to GPDT: its inner methods and their tolerance, degenerate data."""

import numpy as np
import pytest

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem, balanced, class_weights
from svmbench.solvers.kernel.gpdt import GPDT, Params
from tests.solvers.kernel.working_sets import (
    coarse,
    finished,
    started,
)


@pytest.mark.parametrize("inner", ["gvpm", "dai_fletcher"])
def test_a_set_of_all_needs_few_iterations(inner):
    X, y = coarse(60)
    run, _, _ = started("gpdt", X, y, q=60, n_new=60, inner=inner, eps=1e-6)
    finished(run)
    assert run.iterations <= 3


def test_a_third_may_be_new_by_default():
    X, y = coarse(100)
    for given in ({"q": 30}, {"q": 30, "n_new": 10}, {"q": 35, "n_new": 10}):
        run, oracle, _ = started("gpdt", X, y, **given)
        run.advance("iterations", 1)
        assert oracle.ledger.kev_iter == 10 * 100  # at first there is nothing to fill the set up with


def test_coefficients_at_bounds_of_two_classes_balance():
    # All 17 of one class are at their bound; those of the other reach the same sum with none free.
    rng = np.random.default_rng(0)
    y = np.repeat([1.0, -1.0], [17, 18])
    X = np.where(y > 0.0, rng.choice([1.0, 1.6, 1.7], 35), rng.choice([-0.9, -0.8, 0.8], 35))[:, None]
    weights = class_weights(y)
    oracle = Oracle(X.astype(np.float32), {"name": "linear"}, 1 << 20)
    problem = Problem.build(y, C=3.19e-12, bias="unregularised", weights=weights)
    run = GPDT(Params()).start(problem, oracle, None)
    run.advance("iterations", 100)
    alpha = run.snapshot().alpha
    assert run.converged and balanced(alpha, y) and problem.within_box(alpha)


def overlapping():
    """Two classes that overlap in the plane, 300 points."""
    rng = np.random.default_rng(0)
    turn, y = rng.uniform(0.0, np.pi, 300), np.where(rng.random(300) < 0.5, 1.0, -1.0)
    X = np.c_[y * np.cos(turn) + (y < 0.0), np.sin(turn) + 0.5 * (y < 0.0)] + 0.35 * rng.normal(size=(300, 2))
    return (0.4 * X).astype(np.float32), y


def begun(bias="none"):
    return started("gpdt", *overlapping(), {"name": "gaussian", "gamma": 1.0}, C=1e5, bias=bias)[:2]


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_a_working_set_whose_problem_is_too_hard_is_followed_by_smaller_ones(bias):
    run, oracle = begun(bias)
    run.advance("iterations", 1)
    assert oracle.ledger.kev_iter == 132 * 300  # the first is as large as ever
    run.advance("iterations", 2000)
    assert run.converged  # with sets of 300 throughout, most of the gap remains after as much work
