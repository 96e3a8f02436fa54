"""What is particular to SGD in a norm ball: the ball, the steps, the average, its rate."""

from functools import partial

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem, mean_hinge
from svmbench.rng import Generator
from svmbench.solvers.kernel.sgd_ball import Params, SGDBall
from tests.conformance.test_optimum import Optimum
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import LINEAR

GAUSSIAN = {"name": "gaussian", "gamma": 0.7}


started = partial(working_sets.started, "sgd_ball", kernel=GAUSSIAN, bias="none")


def test_one_example_by_hand():
    # x = 2: G = 2, steps R/(2 √t). w: 1 (|w| = R/2 · 2 = R), then the response 2 is no violation any more.
    run, *_ = started([[2.0]], [1.0], R=1.0, kernel=LINEAR)
    for t in (1, 2, 5):
        run.advance("iterations", t)
        assert run.snapshot().model.coefficients == pytest.approx([0.5])  # w = 1 = 0.5 · 2
        assert run.snapshot().responses == pytest.approx([2.0])
        assert run.snapshot().native["native_objective"] == 0.0


def test_the_iterates_stay_in_the_ball():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    y = np.where(rng.random(50) < 0.5, 1.0, -1.0)
    K = np.asarray(Oracle(X, GAUSSIAN).block(np.arange(50)), dtype=np.float64)
    for R in (0.2, 1.5):
        run, *_ = started(X, y, R=R)
        total = np.zeros(50)
        for t in range(1, 400):
            run.advance("iterations", t)
            model = run.snapshot().model
            mean = np.zeros(50)
            mean[model.indices] = model.coefficients
            iterate, total = t * mean - total, t * mean
            assert np.sqrt(iterate @ K @ iterate) <= R * (1.0 + 1e-6)


def test_a_long_run_with_a_vanishing_factor_is_exact():
    # A small ball shrinks the factor by far more than double precision holds; the answer feels none of it.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 2)).astype(np.float32)
    y = np.where(np.arange(20) % 2, 1.0, -1.0)
    run, *_ = started(X, y, R=0.01)
    run.advance("iterations", 100_000)
    snapshot = run.snapshot()
    K = np.asarray(Oracle(X, GAUSSIAN).block(np.arange(20)), dtype=np.float64)
    alpha = np.zeros(20)
    alpha[snapshot.model.indices] = snapshot.model.coefficients
    np.testing.assert_allclose(snapshot.responses, y * (K @ alpha), rtol=1e-9, atol=1e-12)
    assert np.sqrt(alpha @ K @ alpha) == pytest.approx(0.01, rel=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_it_converges_to_the_norm_bounded_optimum_at_its_rate(seed):
    # R = |w*|: the optimum is that of the regularised problem.
    best = Optimum()
    run, *_ = started(best.X, best.y, R=best.norm, seed=seed)
    gaps = []
    for iterations in (3_000, 12_000, 48_000, 192_000):
        run.advance("iterations", iterations)
        snapshot = run.snapshot()
        gaps.append(mean_hinge(snapshot.responses) - best.loss)
        assert snapshot.native["native_objective"] == mean_hinge(snapshot.responses)
    assert gaps[-1] > -1e-5
    assert gaps[-1] <= 0.3 * gaps[0]  # 1/√T would divide it by 8
    assert gaps[-1] <= 0.01


def test_auto_takes_the_radius_of_the_problem():
    X, y = np.eye(3, dtype=np.float32), np.array([1.0, -1.0, 1.0])
    runs = []
    for params, problem in (
        (Params(), Problem.build(y, C=1.0, radius=0.7)),
        (Params(R=0.7), Problem.build(y, C=1.0)),
    ):
        run = SGDBall(params).start(problem, Oracle(X, GAUSSIAN), Generator(3))
        run.advance("iterations", 50)
        runs.append(run.snapshot().model.coefficients.tolist())
    assert runs[0] == runs[1]


def test_auto_without_a_radius_is_named():
    with pytest.raises(UserError, match=r"solver\.R=auto needs .*give solver\.R=NUMBER"):
        started([[1.0]], [1.0], R="auto")


@pytest.mark.parametrize("R", [0.0, -1.0, np.inf, 1e200])
def test_a_radius_must_be_positive(R):
    with pytest.raises(UserError, match=r"solver\.R=.* is not allowed: give a number above 0 and below"):
        started([[1.0]], [1.0], R=R)
    if R != 1e200:
        with pytest.raises(UserError, match=r"solver\.R="):
            Problem.build(np.array([1.0]), C=1.0, radius=R)


def test_nothing_to_learn_is_named():
    with pytest.raises(UserError, match=r"every K\(x, x\) is 0, so sgd_ball can learn nothing"):
        started([[0.0], [0.0]], [1.0, -1.0], R=1.0, kernel=LINEAR)
