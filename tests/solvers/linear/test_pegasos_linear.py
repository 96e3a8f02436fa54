"""What is particular to linear Pegasos."""

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.problem import Problem
from svmbench.rng import Generator
from tests.conformance.cases import data
from tests.solvers.linear.small import started
from tests.specification import pegasos_linear as specification
from tests.specification.slow_examples import SlowExamples


@pytest.mark.parametrize("steps", ["pegasos", "norma", "zhang"])
def test_projection_keeps_the_weights_in_the_ball(steps):
    X, y = data()
    lam = 0.01
    run, *_ = started("pegasos_linear", X, y, lam=lam, projection=True, steps=steps, eta=30.0)
    touched = 0
    for t in range(1, 300):
        run.advance("iterations", t)
        squared = lam * np.square(run.snapshot().model.weights).sum()
        assert squared <= 1.0 + 1e-9
        touched += squared > 1.0 - 1e-9
    assert touched > 0


def visits(n: int, iterations: int, **given) -> np.ndarray:
    """How often each example has been visited: it is a unit vector of its own, a violation each time."""
    run, *_ = started("pegasos_linear", np.eye(n), np.ones(n), lam=1e3, **given)
    run.advance("iterations", iterations)
    # w_{t+1} = 1/(λt k) Σ of the violations, and 1/λ is far below the margin.
    return np.rint(run.snapshot().model.weights * 1e3 * iterations * given.get("k", 1)).astype(int)


@pytest.mark.parametrize("sampling", ["permutation", "fixed_permutation"])
@pytest.mark.parametrize("k", [1, 5, 20])
def test_a_pass_visits_each_example_once(sampling, k):
    for passes in (1, 2, 3):
        assert visits(20, passes * 20 // k, sampling=sampling, k=k).tolist() == [passes] * 20


def test_orders_are_new_or_fixed():
    def halves(sampling):
        first = visits(20, 10, sampling=sampling)
        return first, visits(20, 30, sampling=sampling) - 1

    first, again = halves("fixed_permutation")
    assert first.tolist() == again.tolist()
    first, other = halves("permutation")
    assert other.sum() == first.sum() == 10
    assert first.tolist() != other.tolist()


def test_batches_that_are_drawn_are_distinct_and_uniform():
    seen = np.zeros(7)
    for seed in range(400):
        batch = visits(7, 1, k=3, seed=seed)
        assert sorted(batch) == [0, 0, 0, 0, 1, 1, 1]
        seen += batch
    assert np.all(np.abs(seen - 400 * 3 / 7) < 45)  # 4.5 standard deviations


def test_a_batch_has_no_more_than_all_examples():
    X, y = data()
    started("pegasos_linear", X, y, lam=0.1, k=37)
    with pytest.raises(UserError, match=r"solver.k=38 is not allowed: give at most 37, the number of train"):
        started("pegasos_linear", X, y, lam=0.1, k=38)


@pytest.mark.parametrize("projection", [False, True])
def test_the_scalar_is_multiplied_in_before_it_vanishes(projection):
    X, y = data()
    problem = Problem.build(y, lam=0.9)
    given = {"steps": "zhang", "eta": 1.1, "projection": projection}  # each step shrinks w to a hundredth
    for iterations in (49, 50, 51, 52, 500):
        slow = specification.run(problem, SlowExamples(X, y), Generator(1), iterations, **given)
        run, *_ = started("pegasos_linear", X, y, lam=0.9, **given)
        run.advance("iterations", iterations)
        np.testing.assert_allclose(run.snapshot().model.weights, slow, rtol=1e-9, atol=1e-12)


def test_steps_that_are_too_large_diverge_in_words():
    X, y = data()
    run, *_ = started("pegasos_linear", X, y, lam=1.0, steps="zhang", eta=50.0)
    with pytest.raises(FloatingPointError, match=r"no longer finite after \d+ iterations: .* smaller steps"):
        run.advance("iterations", 10_000)
