"""What is particular to CVM and BVM: balls, their tolerance, core sets, the objective that they reach."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import nnls

from svmbench.problem import mean_squared_hinge, primal_objective
from svmbench.rng import Generator
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import GAUSSIAN, two_classes

started = partial(working_sets.started, C=2.0, bias="none")

NAMES = ("cvm", "bvm")


def solved(name, X, y, **given):
    run, *_ = started(name, X, y, **given)
    run.advance("iterations", 10**6)
    assert run.converged
    return run


def embedded(X, y, C=2.0):
    """The inner products of the points that the ball encloses."""
    return y[:, None] * y * kernel_matrix(X, X, GAUSSIAN) + np.eye(y.size) / (2.0 * C)


def dual_point(Q):
    """The optimal α: the dual is a non-negative least-squares problem."""
    L = np.linalg.cholesky(Q)
    return nnls(L.T, np.linalg.solve(L, np.ones(len(Q))), maxiter=10_000)[0]


def optimum(X, y, C=2.0):
    """The optimal objective of the λ-form with squared hinge loss."""
    Q = embedded(X, y, C)
    alpha = dual_point(Q)
    return (alpha.sum() - 0.5 * alpha @ Q @ alpha) / (C * y.size)


def objective(run, X, y, C=2.0):
    alpha = run.snapshot().alpha
    responses = y * (kernel_matrix(X, X, GAUSSIAN) @ (alpha * y))
    return primal_objective(1.0 / (C * y.size), alpha @ responses, mean_squared_hinge(responses))


@pytest.mark.parametrize("sample", [0, 59])
def test_cvm_reaches_the_optimum_of_the_squared_hinge(sample):
    X, y = two_classes(150)
    best = optimum(X, y)
    loose, tight = (
        objective(solved("cvm", X, y, sample=sample, eps=eps), X, y) / best - 1.0 for eps in (1e-3, 1e-5)
    )
    assert -1e-6 <= tight < 1e-5
    assert 1e-4 < loose < 1e-2


@pytest.mark.parametrize("eps", [1e-3, 1e-5])
def test_bvm_comes_as_near_to_the_smallest_ball_as_its_height_says(eps):
    # Some point is at least as far from (c, δ) as by |c - c*|² + δ² + R*², and none is outside the ball.
    X, y = two_classes(300)
    Q = embedded(X, y)
    run = solved("bvm", X, y, sample=0, eps=eps)
    best = dual_point(Q)
    best /= best.sum()
    away = run._beta - best
    norm2 = best @ Q @ best
    far2 = away @ Q @ away
    assert far2 + run._height2 <= norm2 + (2.0 * eps + eps * eps) * Q[0, 0] + 1e-7
    assert 0.0 < far2 < norm2  # the ball of fixed radius is not the smallest one


@pytest.mark.parametrize("name", NAMES)
def test_every_point_lies_within_the_ball(name):
    X, y = two_classes(400)
    Q, eps = embedded(X, y), 1e-3
    run = solved(name, X, y, sample=0, eps=eps)
    weights, height2 = run._beta, run._height2 if name == "bvm" else 0.0
    norm2 = weights @ Q @ weights
    assert weights.sum() == pytest.approx(1.0, rel=1e-12)
    radius2 = Q[0, 0] - (norm2 if name == "cvm" else 0.0)
    distance2 = (Q[0, 0] + norm2 - 2.0 * Q @ weights + height2).max()
    assert 1.0 - 1e-6 <= distance2 / radius2 <= (1.0 + eps) ** 2 + 1e-6


@pytest.mark.parametrize("eps", [0.1, 0.02, 0.005])
def test_the_core_set_is_as_small_as_promised(eps):
    # The paper's bound, 2/ε points, on a core set that begins with 20 and whose ball is known to ε/2.
    X, y = two_classes(2000)
    run, *_ = started("cvm", X, y, sample=0, eps=eps)
    run.advance("iterations", 10**6)
    assert run.converged
    assert np.count_nonzero(run.snapshot().alpha) <= 20 + 2.0 / eps
    assert run.iterations <= 2 + 2.0 / eps


def test_the_farthest_of_59_is_among_the_farthest_twentieth():
    # The number of the paper: with probability 0.95.
    X, y = two_classes(3000)
    run, *_ = started("cvm", X, y)
    run.advance("iterations", 1)
    alpha = run.snapshot().alpha
    weights = alpha / alpha.sum()
    products = y * (kernel_matrix(X, X[alpha > 0], GAUSSIAN) @ (weights * y)[alpha > 0])
    outside = run._candidates
    twentieth = np.quantile(products[outside], 0.05)
    tries, rng = 400, Generator(7)
    draws = [[outside[rng.integers(outside.size)] for _ in range(59)] for _ in range(tries)]
    points = [run._farthest(np.array(examples)) for examples in draws]
    share = np.mean([point.product <= twentieth for point in points])
    assert abs(share - (1.0 - 0.95**59)) < 4.0 * np.sqrt(0.05 * 0.95 / tries)


@pytest.mark.parametrize("name", NAMES)
def test_says_that_the_loss_is_another(name):
    X, y = two_classes(100)
    run = solved(name, X, y, eps=1e-3)
    assert run.snapshot().loss == "squared_hinge"
    assert "squared hinge loss" in run.reason
