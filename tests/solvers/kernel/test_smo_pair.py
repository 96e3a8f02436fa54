"""What is particular to SMO with bias: pairs, the box, shrinking, the bias."""

from __future__ import annotations

import numpy as np
import pytest

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.kernel.smo_pair import Params, SMOPair
from tests.solvers.kernel.working_sets import noisy

GAUSSIAN = {"name": "gaussian", "gamma": 0.5}
LINEAR = {"name": "linear"}
SELECTIONS = pytest.mark.parametrize("selection", ["second_order", "worst_pair"])


def started(X, y, kernel=LINEAR, C=1.0, **given):
    X, y = np.asarray(X, dtype=np.float32), np.asarray(y, dtype=np.float64)
    oracle = Oracle(X, kernel, 1 << 20)
    problem = Problem.build(y, C=C, bias="unregularised")
    return SMOPair(Params(**given)).start(problem, oracle, Generator(0)), oracle


def ends(alpha, v, y, C):
    """The largest value that can move up and the least that can move down."""
    up = np.where(y > 0, alpha < C, alpha > 0)
    down = np.where(y > 0, alpha > 0, alpha < C)
    return v[up].max(), v[down].min()


@SELECTIONS
def test_two_points_are_parted_in_the_middle(selection):
    # Points 1 and 4 apart by 3: |w| = 2/3, α = 2/9, and the score is 0 at 2.5.
    run, oracle = started([[1.0], [4.0]], [-1.0, 1.0], selection=selection)
    run.advance("iterations", 100)
    snapshot = run.snapshot()
    assert run.converged and run.iterations == 1
    np.testing.assert_allclose(snapshot.alpha, 2.0 / 9.0)
    assert snapshot.model.bias == pytest.approx(-5.0 / 3.0)
    assert oracle.ledger.kev_iter == 2 + 4  # the diagonal and two rows


@SELECTIONS
def test_it_stops_where_the_ends_are_within_eps(selection):
    X, y = noisy(60)
    for eps in (1e-1, 1e-3, 1e-6):
        run, _ = started(X, y, GAUSSIAN, C=2.0, eps=eps, selection=selection, shrinking=False)
        gap = np.inf
        while not run.converged:
            assert gap >= eps
            run.advance("iterations", run.iterations + 1)
            snapshot = run.snapshot()
            high, low = ends(snapshot.alpha, y * (1.0 - snapshot.responses), y, 2.0)
            gap = high - low
        assert gap < eps


def test_without_free_coefficients_the_bias_lies_between_the_ends():
    # C small: both coefficients go to their bound; any b of [v_2, v_1] is optimal.
    run, _ = started([[0.0], [1.0]], [-1.0, 1.0], C=0.1)
    run.advance("iterations", 10)
    snapshot = run.snapshot()
    assert snapshot.alpha.tolist() == [0.1, 0.1]
    v = np.array([-1.0, 1.0 - 0.1])
    assert snapshot.model.bias == pytest.approx(v.mean())


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_class_is_its_bias(label):
    run, _ = started([[0.0], [1.0], [2.0]], [label] * 3)
    run.advance("iterations", 10)
    assert run.converged and run.iterations == 0
    assert run.snapshot().model.bias == label
    assert run.snapshot().model.indices.size == 0


def test_a_pair_without_distance_goes_to_its_bounds():
    run, _ = started([[1.0], [1.0]], [1.0, -1.0], GAUSSIAN, C=3.0)
    run.advance("iterations", 10)
    assert run.converged
    assert run.snapshot().alpha.tolist() == [3.0, 3.0]
    assert run.snapshot().model.bias == 0.0


@SELECTIONS
def test_coefficients_stay_in_the_box_and_balanced(selection):
    X, y = noisy(100)
    run, _ = started(X, y, GAUSSIAN, C=0.7, selection=selection)
    while not run.converged:
        run.advance("iterations", run.iterations + 37)
        alpha = run.snapshot().alpha
        assert alpha.min() >= 0.0 and alpha.max() <= 0.7
        assert abs(alpha @ y) <= 1e-12
    assert np.count_nonzero(alpha == 0.7) > 20  # onto the bound, not beside it


def test_a_reconstruction_is_charged():
    X, y = noisy(100)
    run, oracle = started(
        X, y, kernel={"name": "gaussian", "gamma": 0.5}, C=30.0, selection="worst_pair", eps=1e-3
    )
    run.advance("iterations", 10**6)
    assert run.converged and run.refinement.rounds == 0
    assert oracle.ledger.kev_iter > 2 * y.size * run.iterations


@SELECTIONS
@pytest.mark.parametrize(
    ("gamma", "C"), [(0.5, 0.05), (0.5, 30.0), (3.0, 30.0)], ids=["tight", "loose", "mostly free"]
)
def test_shrinking_reaches_the_same_optimum(selection, gamma, C):
    X, y = noisy(100)
    given = {"kernel": {"name": "gaussian", "gamma": gamma}, "C": C, "selection": selection, "eps": 1e-7}
    plain, _ = started(X, y, shrinking=False, **given)
    shrunk, oracle = started(X, y, shrinking=True, **given)
    plain.advance("iterations", 10**6)
    restored, was_whole = 0, True
    while not shrunk.converged:
        shrunk.advance("iterations", shrunk.iterations + 1)
        snapshot = shrunk.snapshot()
        is_whole = snapshot.responses is not None
        if is_whole and not was_whole:
            restored += 1
            fresh = y * oracle.training_scores(snapshot.model.indices, snapshot.model.coefficients)
            np.testing.assert_allclose(snapshot.responses, fresh, atol=1e-6 * max(1.0, C))
        was_whole = is_whole
    assert restored >= 1
    ledger = oracle.ledger
    # A reconstruction is charged, but not a recomputation in double precision, which takes its place.
    assert ledger.kev_iter > 2 * y.size * shrunk.iterations or shrunk.refinement.rounds > 0
    assert ledger.kev_iter == ledger.kev_ondemand == ledger.kev_rowupdate
    one, other = plain.snapshot(), shrunk.snapshot()
    assert one.alpha.sum() == pytest.approx(other.alpha.sum(), rel=1e-6)
    assert one.model.bias == pytest.approx(other.model.bias, abs=1e-6)
    np.testing.assert_allclose(one.responses, other.responses, atol=1e-5)
