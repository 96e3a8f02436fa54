"""The quadratic program in few variables against solvers that go another way."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, lsq_linear, minimize

from svmbench.solvers.dual.small_qp import minimise
from tests.solvers.dual.programs import objective, random_program

SHAPES = pytest.mark.parametrize(
    ("q", "rank"), [(1, 1), (2, 2), (2, 1), (5, 0), (10, 10), (10, 3), (40, 40), (40, 5)]
)


def program(q, rank, seed):
    rng = np.random.default_rng(seed)
    V, C, y, start = random_program(q, rank, rng, 2)
    return V, rng.normal(size=q) - 1.0, C, y, start


def violation(Q, h, C, z, y=None):
    g = Q @ z + h
    if y is None:
        return np.where(z <= 0.0, -g, np.where(z >= C, g, np.abs(g))).max()
    up, down = np.where(y > 0, z < C, z > 0), np.where(y > 0, z > 0, z < C)
    return (-y * g)[up].max(initial=-np.inf) - (-y * g)[down].min(initial=np.inf)


@SHAPES
@pytest.mark.parametrize("seed", range(6))
def test_the_box_alone_against_bounded_least_squares(q, rank, seed):
    V, _, C, _, start = program(q, rank, seed)
    u = np.random.default_rng(seed).normal(size=rank)
    Q, h = V.T @ V, -V.T @ u  # the program is |Vz - u|²/2
    z, left = minimise(Q, h, C, start=start)
    assert np.all((z >= 0.0) & (z <= C))
    assert left < 1e-10 and violation(Q, h, C, z) < 1e-8
    if rank:
        theirs = lsq_linear(V, u, (0.0, C), method="bvls", tol=1e-14).x
        assert objective(Q, h, z) == pytest.approx(objective(Q, h, theirs), rel=1e-9, abs=1e-9)


def test_variables_that_undo_each_others_gain_are_moved_together():
    # By one at a time each step gains about a hundred-thousandth part: 200 of them leave a violation of 0.2.
    Q = np.full((4, 4), 1.0) + 1e-5 * np.eye(4)
    h = -Q @ np.array([1.0, 2.0, 0.5, 3.0]) * 1e3
    z, left = minimise(Q, h, 1e4, tol=1e-8, most=200)
    assert left < 1e-8
    np.testing.assert_allclose(z, [1e3, 2e3, 0.5e3, 3e3], rtol=1e-4)


@SHAPES
@pytest.mark.parametrize("seed", range(6))
def test_with_the_equality_against_a_general_solver(q, rank, seed):
    V, h, C, y, start = program(q, rank, seed)
    Q = V.T @ V
    z, left = minimise(Q, h, C, y, start)
    assert np.all((z >= 0.0) & (z <= C))
    assert y @ z == pytest.approx(y @ start, abs=1e-12 * C * q)
    assert left < 1e-10 and violation(Q, h, C, z, y) < 1e-7 * max(1.0, C)
    theirs = minimize(
        lambda x: objective(Q, h, x),
        start,
        jac=lambda x: Q @ x + h,
        method="SLSQP",
        bounds=[(0.0, C)] * q,
        constraints=LinearConstraint(y[None, :], y @ start, y @ start),
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    size = max(1.0, abs(objective(Q, h, start)))
    assert objective(Q, h, z) <= theirs.fun + 1e-7 * size
    assert objective(Q, h, z) >= theirs.fun - 1e-5 * size  # it is no further ahead than the other is loose


@pytest.mark.parametrize("with_y", [True, False])
def test_every_step_descends_and_a_start_at_the_solution_stays(with_y):
    V, h, C, y, start = program(30, 30, 9)
    Q, labels = V.T @ V, y if with_y else None
    reached = [objective(Q, h, minimise(Q, h, C, labels, start, most=most)[0]) for most in range(60)]
    assert reached[0] == objective(Q, h, start)
    assert np.all(np.diff(reached) <= 1e-9 * abs(reached[-1]))
    assert reached[20] < reached[0]
    z, _ = minimise(Q, h, C, labels, start)
    again, _ = minimise(Q, h, C, labels, z, tol=1e-8)
    assert np.array_equal(z, again)


def test_a_single_variable_cannot_move_against_the_equality():
    z, left = minimise([[1.0]], [-1.0], 2.0, y=[1.0], start=[0.5])
    assert z.tolist() == [0.5] and left == 0.0


def test_without_curvature_variables_go_to_their_bounds():
    assert minimise(np.zeros((3, 3)), [-1.0, 1.0, 0.0], 2.0, start=[1.0, 1.0, 1.0])[0].tolist() == [2, 0, 1]
    # The pair that differs most moves until one of it is at its bound.
    z, left = minimise(np.zeros((2, 2)), [-1.0, 1.0], 2.0, y=[1.0, 1.0], start=[0.5, 1.0])
    assert z.tolist() == [1.5, 0.0] and left == 0.0


def test_the_number_of_steps_is_limited():
    V, h, C, y, start = program(40, 40, 2)
    z, left = minimise(V.T @ V, h, C, y, start, most=3)
    assert left >= 1e-10
    assert np.count_nonzero(z != start) <= 6
