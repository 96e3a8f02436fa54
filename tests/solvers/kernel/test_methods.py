"""What is particular to one of the other kernel methods."""

from functools import partial

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import GAUSSIAN, LINEAR

started = partial(working_sets.started, bias="none", seed=1)

SEPARABLE = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [-2.0, 0.5]], dtype=np.float32)
SIGNS = np.array([1.0, 1.0, -1.0, -1.0])


@pytest.mark.parametrize("name", ["smo", "sdca"])
def test_an_example_of_norm_zero_has_the_coefficient_C(name):
    run, *_ = started(name, [[0.0], [1.0], [-1.0]], [1.0, 1.0, -1.0], LINEAR, C=0.3)
    run.advance("iterations", 500)
    snapshot = run.snapshot()
    assert snapshot.alpha[0] == 0.3
    assert snapshot.responses[0] == 0.0


def test_smo_stops_where_the_projected_gradient_is_below_eps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)).astype(np.float32)
    y = np.where(X[:, 0] + rng.normal(size=40) > 0.0, 1.0, -1.0)
    for eps in (1e-1, 1e-3, 1e-6):
        run, *_ = started("smo", X, y, GAUSSIAN, C=2.0, eps=eps)
        worst = np.inf
        while not run.converged:
            assert worst >= eps
            run.advance("iterations", run.iterations + 1)
            alpha, G = run.snapshot().alpha, run.snapshot().responses - 1.0
            projected = np.where(
                alpha == 0.0, np.minimum(G, 0.0), np.where(alpha == 2.0, np.maximum(G, 0.0), G)
            )
            worst = np.abs(projected).max()
        assert worst < eps
        done = run.iterations
        run.advance("iterations", done + 10)
        assert run.iterations == done


def test_smo_is_converged_at_once_where_eps_is_large():
    run, oracle, _ = started("smo", SEPARABLE, SIGNS, GAUSSIAN, eps=2.0)
    run.advance("kev_iter", 10**9)
    assert run.converged
    assert run.iterations == oracle.ledger.kev_computed == 0


@pytest.mark.parametrize("selection", ["gain", "unclipped"])
def test_smo_takes_the_first_of_equals(selection):
    X = np.random.default_rng(0).normal(size=(700, 2))
    run, *_ = started("smo", X, np.ones(700), GAUSSIAN, selection=selection)
    run.advance("iterations", 1)
    assert run.snapshot().model.indices.tolist() == [0]


def test_sdca_ends_where_nothing_can_change():
    # C small: every coefficient goes to its bound and stays there.
    run, oracle, _ = started("sdca", SEPARABLE, SIGNS, GAUSSIAN, C=0.01)
    run.advance("kev_rowupdate", 10**9)
    assert run.converged
    assert np.all(run.snapshot().alpha == 0.01)
    assert oracle.ledger.kev_rowupdate == 4 * 4


def test_perceptron_ends_after_a_pass_without_mistakes():
    run, *_ = started("perceptron", SEPARABLE, SIGNS, LINEAR)
    run.advance("iterations", 10**6)
    assert run.converged
    assert run.iterations % 4 == 0
    assert np.all(run.snapshot().responses > 0.0)


def test_perceptron_ends_after_its_passes():
    X, y = [[1.0], [1.0], [2.0]], [1.0, -1.0, 1.0]  # never without mistakes
    run, *_ = started("perceptron", X, y, GAUSSIAN, epochs=7)
    run.advance("iterations", 10**6)
    assert run.converged
    assert run.iterations == 21


def test_perceptron_in_the_given_order():
    # w after (1, +): 1; (2, +) is right; (-1, +) has score -1: w = 0; (3, -) has score 0, a mistake: w = -3.
    run, *_ = started(
        "perceptron", [[1.0], [2.0], [-1.0], [3.0]], [1.0, 1.0, 1.0, -1.0], LINEAR, order="given"
    )
    run.advance("iterations", 4)
    model = run.snapshot().model
    assert model.indices.tolist() == [0, 2, 3]
    assert model.coefficients.tolist() == [1.0, 1.0, -1.0]


def test_averaged_perceptron_is_the_mean_of_its_hypotheses():
    X, y = [[1.0], [2.0], [-1.0], [3.0]], [1.0, 1.0, 1.0, -1.0]
    run, *_ = started("perceptron", X, y, LINEAR, order="given", average=True)
    run.advance("iterations", 4)
    snapshot = run.snapshot()
    w = snapshot.model.coefficients @ np.array(X)[snapshot.model.indices]
    assert w == pytest.approx(np.mean([1.0, 1.0, 0.0, -3.0]))
    np.testing.assert_allclose(snapshot.responses, np.array(y) * w * np.array(X)[:, 0])


def test_pegasos_divides_by_the_iterations_made():
    y = np.array([1.0])
    X = np.array([[2.0]], dtype=np.float32)
    solver = registry.get("pegasos")
    run = solver(solver.Params()).start(Problem.build(y, lam=0.5), Oracle(X, LINEAR), Generator(0))
    # t = 1: response 0, violation. t = 2: 4/(0.5·1) = 8, none. So on until 4/(0.5·(t - 1)) < 1, at t = 10.
    for t, count in ((1, 1), (2, 1), (9, 1), (10, 2)):
        run.advance("iterations", t)
        assert run.snapshot().model.coefficients[0] == pytest.approx(count / (0.5 * t))


def test_pegasos_as_printed_divides_by_one_more():
    solver = registry.get("pegasos")
    X, y = np.array([[2.0]], dtype=np.float32), np.array([1.0])
    run = solver(solver.Params(exact=False)).start(Problem.build(y, lam=0.5), Oracle(X, LINEAR), Generator(0))
    for t, count in ((1, 1), (8, 1), (9, 2)):  # 4/(0.5·8) = 1 is no violation
        run.advance("iterations", t)
        assert run.snapshot().model.coefficients[0] == pytest.approx(count / (0.5 * t))


@pytest.mark.parametrize("name", ["sbp", "smo", "sdca"])
def test_a_kernel_that_is_too_large_is_named(name):
    given = {"nu": 0.1} if name == "sbp" else {}
    kernel = {"name": "polynomial", "gamma": 1.0, "coef0": 0.0, "degree": 3}
    with pytest.raises(UserError, match=r"K\(x, x\) = 1e\+42 for training example 2.*at most 3\.4e\+38"):
        started(name, [[1.0], [1e7]], [1.0, -1.0], kernel, **given)


@pytest.mark.parametrize("name", ["pegasos", "perceptron"])
def test_responses_that_are_not_finite_raise(name):
    # 1e30 squared is beyond the single precision of the rows; these two methods never look at the diagonal.
    run, *_ = started(name, [[1.0], [1e30], [2.0]], [1.0, -1.0, 1.0], LINEAR)
    with pytest.raises(FloatingPointError, match=r"no longer finite after [0-9]+ iterations"):
        run.advance("iterations", 1000)


@pytest.mark.parametrize("label", [0.0, 2.0, np.nan])
def test_labels_are_signs(label):
    with pytest.raises(UserError, match="the labels must be -1 and"):
        started("pegasos", SEPARABLE, [1.0, 1.0, -1.0, label], GAUSSIAN)
