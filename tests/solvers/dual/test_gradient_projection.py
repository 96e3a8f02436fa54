"""Both rules of gradient projection against the pairwise method and solvers of others."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from svmbench.solvers.dual.gradient_projection import minimise_projected
from svmbench.solvers.dual.small_qp import minimise
from tests.solvers.dual.programs import objective, random_program

RULES = pytest.mark.parametrize("rule", ["gvpm", "dai_fletcher"])
SHAPES = pytest.mark.parametrize(
    ("q", "rank"), [(1, 1), (2, 2), (2, 1), (5, 0), (10, 10), (10, 3), (40, 40), (150, 20)]
)


def program(q, rank, seed):
    rng = np.random.default_rng(seed)
    V, C, y, start = random_program(q, rank, rng, 1)
    return V, V.T @ rng.normal(size=rank) - 0.1 * rng.random(q), C, y, start


def solved(Q, h, C, start, rule, **given):
    return minimise_projected(Q, Q @ start + h, start, C, rule=rule, **given)


@RULES
@SHAPES
@pytest.mark.parametrize("seed", range(4))
def test_the_box_alone_against_bounded_least_squares(q, rank, seed, rule):
    V, _, C, _, start = program(q, rank, seed)
    u = np.random.default_rng(seed).normal(size=rank)
    Q, h = V.T @ V, -V.T @ u  # the program is |Vz - u|²/2
    z, left = solved(Q, h, C, start, rule)
    assert np.all((z >= 0.0) & (z <= C))
    assert left < 1e-8
    if rank:
        theirs = lsq_linear(V, u, (0.0, C), method="bvls", tol=1e-14).x
        assert objective(Q, h, z) == pytest.approx(objective(Q, h, theirs), rel=1e-8, abs=1e-8)


@pytest.mark.slow
@RULES
@SHAPES
@pytest.mark.parametrize("seed", range(2))
def test_with_the_equality_against_steps_in_pairs(q, rank, seed, rule):
    V, h, C, y, start = program(q, rank, seed)
    Q = V.T @ V
    z, left = solved(Q, h, C, start, rule, y=y)
    assert np.all((z >= 0.0) & (z <= C))
    # Without curvature the steps are 1e10 long, and what they are projected onto keeps fewer digits.
    far = 1e10 * np.abs(h).max() if rank == 0 else C
    assert y @ z == pytest.approx(y @ start, abs=1e-15 * q * far + 1e-12 * C * q)
    assert left < 1e-8
    theirs, within = minimise(Q, h, C, y, start)
    assert within < 1e-10
    assert objective(Q, h, z) == pytest.approx(objective(Q, h, theirs), rel=1e-8, abs=1e-8 * C * q)


@RULES
def test_a_start_at_the_solution_stays(rule):
    V, h, C, y, start = program(30, 30, 9)
    Q = V.T @ V
    for labels in (None, y):
        z, _ = minimise(Q, h, C, labels, start, tol=1e-12)
        again, left = solved(Q, h, C, z, rule, y=labels, tol=1e-10)
        np.testing.assert_array_equal(again, z)
        assert left < 1e-10


@RULES
def test_one_variable_with_the_equality_cannot_move(rule):
    for start in (0.0, 0.5, 2.0):
        z, left = solved(np.array([[1.0]]), np.array([-5.0]), 2.0, np.array([start]), rule, y=[1.0])
        assert z[0] == start
        assert left == -np.inf if start in (0.0, 2.0) else left == 0.0


@RULES
def test_equal_labels_at_a_corner_cannot_move(rule):
    rng = np.random.default_rng(0)
    for corner in (0.0, 3.0):
        start = np.full(6, corner)
        z, left = solved(np.eye(6), rng.normal(size=6), 3.0, start, rule, y=np.ones(6))
        np.testing.assert_array_equal(z, start)
        assert left == -np.inf


@RULES
def test_without_curvature_it_is_a_linear_program(rule):
    rng = np.random.default_rng(1)
    h, y, C = rng.normal(size=20), np.where(rng.random(20) < 0.5, 1.0, -1.0), 2.0
    start = np.full(20, 0.5 * C)
    z, left = solved(np.zeros((20, 20)), h, C, start, rule)
    np.testing.assert_array_equal(z, np.where(h < 0.0, C, 0.0))
    assert left == 0.0
    z, left = solved(np.zeros((20, 20)), h, C, start, rule, y=y)
    theirs, _ = minimise(np.zeros((20, 20)), h, C, y, start)
    assert left < 1e-8
    np.testing.assert_allclose(z, theirs, atol=1e-9)


@RULES
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_size_of_the_numbers_does_not_matter(rule, scale):
    V, h, C, y, start = program(40, 40, 3)
    Q = V.T @ V
    z, left = solved(scale * Q, scale * h, C, start, rule, y=y, tol=1e-9 * scale)
    theirs, _ = minimise(Q, h, C, y, start, tol=1e-12)
    assert left < 1e-9 * scale
    np.testing.assert_allclose(objective(Q, h, z), objective(Q, h, theirs), rtol=1e-9)


@RULES
@pytest.mark.parametrize("with_y", [True, False])
def test_few_steps_come_nearer_each_time(rule, with_y):
    V, h, C, y, start = program(60, 60, 5)
    Q = V.T @ V
    labels = y if with_y else None
    best = objective(Q, h, minimise(Q, h, C, labels, start)[0])
    above = []
    for most in (0, 5, 25, 125):
        z, _ = solved(Q, h, C, start, rule, y=labels, most=most)
        above.append(objective(Q, h, z) - best)
    assert np.all(np.diff(above) < 0.0) or above[-1] < 1e-10 * above[0]
    assert above[-1] < 1e-3 * above[0]


@RULES
def test_the_sum_can_be_given(rule):
    # A start whose sum is off, by what rounding leaves or by more, is led to the sum that is asked for.
    V, h, C, y, start = program(10, 10, 2)
    Q = V.T @ V
    e = float(y @ start)
    moved = np.clip(start + 0.01 * C * y, 0.0, C)
    z, left = solved(Q, h, C, moved, rule, y=y, e=e)
    theirs, _ = minimise(Q, h, C, y, start)
    assert left < 1e-8
    assert y @ z == pytest.approx(e, abs=1e-12 * C)
    np.testing.assert_allclose(objective(Q, h, z), objective(Q, h, theirs), rtol=1e-8)
