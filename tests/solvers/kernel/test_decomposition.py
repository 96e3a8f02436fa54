"""What is particular to decomposition: the set and its size, the bias, edge cases, rows that are not kept."""

from functools import partial

import numpy as np
import pytest

from svmbench.problem import BIASES
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import GAUSSIAN, LINEAR, noisy

EACH_BIAS = pytest.mark.parametrize("bias", BIASES)


started = partial(working_sets.started, "decomposition")


def violation(alpha, v, y, C, bias):
    up = np.where(y > 0, alpha < C, alpha > 0)
    down = np.where(y > 0, alpha > 0, alpha < C)
    high, low = v[up].max(initial=-np.inf), v[down].min(initial=np.inf)
    return high - low if bias == "unregularised" else max(high, -low)


@pytest.mark.parametrize("gamma", [0.01, 0.1])
def test_without_bias_a_large_C_takes_few_iterations(gamma):
    # By one coefficient at a time it takes 20 and 46: 100 steps for each of the set are not enough.
    X, y = noisy(400)
    run, _, _ = started(X, y, {"name": "gaussian", "gamma": gamma}, 1000.0, "none")
    run.advance("iterations", 10)
    assert run.converged


def test_the_order_of_the_examples_does_not_matter_at_first():
    # Sorted by their distance from the border: the first ones of each class alone would say little.
    X, y = noisy(n=2000)
    order = np.argsort(-np.abs(X[:, 0]))
    objectives = []
    for rows in (np.arange(y.size), order):
        run, _, _ = started(X[rows], y[rows], GAUSSIAN, 1.0, working_set=32)
        run.advance("iterations", 1)
        alpha, responses = run.snapshot().alpha, run.snapshot().responses
        objectives.append(alpha.sum() - 0.5 * alpha @ responses)
    assert objectives[1] >= 0.8 * objectives[0]


@EACH_BIAS
@pytest.mark.parametrize("working_set", [5, 64])
def test_it_stops_where_the_conditions_hold_within_eps(working_set, bias):
    X, y = noisy(400)
    for eps in (1e-1, 1e-3, 1e-6):
        run, oracle, _ = started(X, y, GAUSSIAN, 2.0, bias, eps=eps, working_set=working_set)
        left = np.inf
        while not run.converged:
            assert left >= eps
            run.advance("iterations", run.iterations + 1)
            snapshot = run.snapshot()
            assert snapshot.alpha.min() >= 0.0 and snapshot.alpha.max() <= 2.0
            assert bias == "none" or abs(snapshot.alpha @ y) <= 1e-11
            left = violation(snapshot.alpha, y * (1.0 - snapshot.responses), y, 2.0, bias)
        assert left < eps
        fresh = y * oracle.exact_responses(snapshot.model.indices, snapshot.model.coefficients)
        np.testing.assert_allclose(snapshot.responses, fresh, atol=1e-5)
    assert run.refinement.rounds > 0
    np.testing.assert_allclose(snapshot.responses, fresh, atol=1e-9)
    assert np.count_nonzero(snapshot.alpha == 2.0) > 50  # onto the bound, not beside it


@EACH_BIAS
def test_no_more_coefficients_change_than_the_set_has(bias):
    X, y = noisy(400)
    for working_set, most in ((4, 32), (7, 56), (50, 50)):  # 8 sets if that is less than all
        run, _, _ = started(X, y, GAUSSIAN, 2.0, bias, working_set=working_set)
        before = np.zeros(y.size)
        while not run.converged:
            run.advance("iterations", run.iterations + 1)
            alpha = run.snapshot().alpha
            assert 0 < np.count_nonzero(alpha != before) <= most
            before = alpha


def test_without_free_coefficients_the_bias_lies_between_the_ends():
    run, _, _ = started([[0.0], [1.0]], [-1.0, 1.0], LINEAR, C=0.1)
    run.advance("iterations", 10)
    snapshot = run.snapshot()
    assert snapshot.alpha.tolist() == [0.1, 0.1]
    assert snapshot.model.bias == pytest.approx(np.mean([-1.0, 1.0 - 0.1]))


@EACH_BIAS
def test_rows_that_are_quickly_made_are_not_kept(bias):
    rng = np.random.default_rng(0)
    _, y = noisy(400)
    for columns, kept in ((3, False), (40, True)):
        X = rng.normal(size=(y.size, columns))
        seen = []
        for cache in (0, 1 << 24):
            kernel = {"name": "gaussian", "gamma": 1.0 / columns}
            run, oracle, _ = started(X, y, kernel, 2.0, bias, cache=cache, working_set=32)
            run.advance("iterations", 10**6)
            assert oracle.keeps_rows == kept
            ledger = oracle.ledger
            seen.append((run.snapshot().alpha.tobytes(), ledger.kev_ondemand))
        assert seen[0] == seen[1]
        assert (ledger.kev_computed < ledger.kev_ondemand) == kept


@EACH_BIAS
@pytest.mark.parametrize("columns", [3, 40])
def test_threads_change_nothing(bias, columns):
    X, y = noisy(n=700, d=columns)
    seen = []
    for threads in (1, 3):
        run, oracle, _ = started(X, y, GAUSSIAN, 2.0, bias, threads=threads, working_set=64)
        run.advance("iterations", 10**6)
        seen.append((run.snapshot().alpha.tobytes(), run.iterations, oracle.ledger.kev_computed))
    assert seen[0] == seen[1]


def test_a_first_set_in_which_nothing_can_move_is_left_as_it_is():
    # Kernel values of 1e21: no step of the first set changes a coefficient, and no member comes again.
    X = np.array([[999996.9375, 1000000.8125], [999993.6875, 999999.125], [1000000.375, 999992.0]])
    kernel = {"name": "polynomial", "gamma": 0.01981899800857428, "degree": 2, "coef0": 0.0}
    run, _, _ = started(X, [-1.0, 1.0, -1.0], kernel, 0.169258903900743, "unregularised")
    run.advance("iterations", 3)
    assert run.state()["level.members"].tolist() == [0, 1, 2]
    run.advance("iterations", 10_000)
    assert run.stalled and not run.snapshot().alpha.any()
