"""The quadratic program over cuts against a general optimiser, and its bookkeeping."""

import numpy as np
import pytest
from numpy.typing import NDArray

from svmbench.solvers.cutting_plane.one_slack import OneSlack


def filled(g: NDArray, offset: NDArray, bound: float) -> OneSlack:
    qp = OneSlack(bound)
    for k in range(len(g)):
        qp.add_cut(offset[k], g[: k + 1] @ g[k])
    return qp


def cuts(seed: int, degenerate: str = "") -> tuple[NDArray, NDArray, float]:
    """Some cuts: directions, shape (m, d), offsets and a bound."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(1, 30)), int(rng.integers(1, 12))
    g, offset = rng.normal(size=(m, d)), rng.random(m)
    if degenerate == "repeated":
        g, offset = np.repeat(g, 2, axis=0), np.repeat(offset, 2)
    elif degenerate == "parallel":  # the same direction with other offsets
        g, offset = np.repeat(g, 2, axis=0), rng.random(2 * m)
    elif degenerate == "no direction":
        g[: m // 2 + 1] = 0.0
    elif degenerate == "below zero":
        offset -= 2.0
    elif degenerate == "near":
        g = g[:1] + 1e-3 * g
    return g, offset, float(10.0 ** rng.uniform(-3, 3))


def primal(g: NDArray, offset: NDArray, bound: float, w: NDArray) -> float:
    return 0.5 * float(w @ w) + bound * max(0.0, float((offset - g @ w).max()))


def dual(g: NDArray, offset: NDArray, a: NDArray) -> float:
    w = a @ g
    return float(offset @ a - 0.5 * w @ w)


DEGENERATE = ["", "repeated", "parallel", "no direction", "below zero", "near"]


@pytest.mark.parametrize("degenerate", DEGENERATE)
def test_solves_the_reduced_problem(degenerate):
    for seed in range(40):
        g, offset, bound = cuts(seed, degenerate)
        qp = filled(g, offset, bound)
        a = qp.solution()
        assert np.all(a >= 0.0)
        assert a.sum() <= bound * (1.0 + 1e-12)
        size = bound * np.abs(offset).max()
        reached = primal(g, offset, bound, a @ g)
        # The gap certifies the optimum, whatever another program finds.
        assert reached - dual(g, offset, a) <= 1e-11 * size
        assert qp.primal == pytest.approx(reached, abs=1e-11 * size)
        assert qp.dual == pytest.approx(dual(g, offset, a), abs=1e-11 * size)
        assert qp.slack == pytest.approx(max(0.0, (offset - g @ (a @ g)).max()), abs=1e-10)


@pytest.mark.parametrize(("absolute", "relative"), [(1e-3, 0.0), (0.0, 1e-2)])
def test_it_ends_at_the_tolerance(absolute, relative):
    g, offset, bound = cuts(3)
    loose, tight = filled(g, offset, bound), filled(g, offset, bound)
    loose.solution(absolute=absolute, relative=relative)
    tight.solution()
    assert 0.0 < loose.primal - loose.dual <= max(absolute, relative * loose.primal)
    rounding = 1e-12 * tight.primal
    assert loose.dual < tight.dual - rounding
    assert tight.primal <= loose.primal + rounding


def test_it_goes_on_from_the_last_solution():
    g, offset, bound = cuts(1)
    qp = filled(g[:-1], offset[:-1], bound)
    before = qp.solution(), qp.dual
    assert qp.solution().tolist() == before[0].tolist()
    qp.add_cut(offset[-1], g @ g[-1])
    qp.solution(absolute=np.inf)  # nothing has to move
    assert qp.dual == pytest.approx(before[1])
    qp.solution()
    at_once = filled(g, offset, bound)
    at_once.solution()
    assert qp.dual == pytest.approx(at_once.dual, rel=1e-9)


def test_without_cuts_nothing_is_lost():
    qp = OneSlack(2.0)
    assert qp.solution().tolist() == []
    assert (qp.primal, qp.dual, qp.slack) == (0.0, 0.0, 0.0)


def test_a_cut_without_direction_is_a_constant_loss():
    qp = filled(np.zeros((1, 3)), np.array([0.7]), 5.0)
    assert qp.solution().tolist() == [5.0]
    assert (qp.primal, qp.dual, qp.slack) == (3.5, 3.5, 0.7)


def test_cuts_that_are_idle_are_dropped():
    # Along the one direction the second cut lies below the first everywhere.
    g, offset = np.array([[1.0], [1.0], [-0.5]]), np.array([1.0, 0.5, 0.25])
    qp = filled(g, offset, 10.0)
    for _ in range(2):
        a = qp.solution()
        assert qp.drop_idle(3).tolist() == [0, 1, 2]
    assert a[1] == 0.0
    qp.solution()
    assert qp.drop_idle(3).tolist() == [0, 2]
    assert qp.count == 2
    np.testing.assert_allclose(qp.solution(), a[[0, 2]])
    qp.add_cut(0.5, [1.0, -0.5, 1.0])  # its count begins anew
    qp.solution()
    assert qp.drop_idle(2).tolist() == [0, 1, 2]


def test_a_cut_that_works_again_is_not_dropped():
    qp = filled(np.array([[1.0]]), np.array([-1.0]), 1.0)
    qp.solution()
    qp.solution()
    qp.add_cut(1.0, [-1.0, 1.0])
    # w = 1 at the new cut; the first one is then δ - <w, g> = -2.
    assert qp.solution().tolist() == [0.0, 1.0]
    assert qp.drop_idle(4).tolist() == [0, 1]
    assert qp.drop_idle(3).tolist() == [1]


def test_the_room_grows():
    rng = np.random.default_rng(0)
    g, offset = rng.normal(size=(100, 20)), rng.random(100)
    qp = filled(g, offset, 30.0)
    a = qp.solution()
    assert primal(g, offset, 30.0, a @ g) - dual(g, offset, a) <= 1e-9


def test_arguments_are_checked():
    for bound in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="is not allowed: give a positive number"):
            OneSlack(bound)
    with pytest.raises(ValueError, match="3 products do not fit 1 cuts: give one more"):
        filled(np.ones((1, 1)), np.ones(1), 1.0).add_cut(0.0, [1.0, 1.0, 1.0])
