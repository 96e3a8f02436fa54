"""What is particular to SMO with bias: pairs, the box, shrinking, the bias."""

from __future__ import annotations

import numpy as np
import pytest

from svmbench import config
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


def objective(run) -> float:
    snapshot = run.snapshot()
    return float(snapshot.alpha.sum() - 0.5 * snapshot.alpha @ snapshot.responses)


@SELECTIONS
def test_conjugate_steps_reach_the_optimum_in_fewer_iterations(selection):
    X, y = noisy(400)
    given = {"kernel": GAUSSIAN, "C": 100.0, "eps": 1e-4, "selection": selection, "shrinking": False}
    plain, counted = started(X, y, **given)
    bent, oracle = started(X, y, conjugate=True, **given)
    for run in (plain, bent):
        run.advance("iterations", 10**6)
        assert run.converged
    assert objective(bent) == pytest.approx(objective(plain), rel=1e-6)
    assert bent.iterations < 0.8 * plain.iterations
    for each, ledger in ((plain, counted.ledger), (bent, oracle.ledger)):
        assert ledger.kev_ondemand == ledger.kev_iter == 800 * each.iterations


def test_each_conjugate_step_gains_at_least_what_its_pair_would():
    X, y = noisy(60)
    run, oracle = started(X, y, GAUSSIAN, C=50.0, conjugate=True)
    K = np.array([oracle.row(i) for i in range(60)], dtype=np.float64)
    bent, highest = 0, 0.0
    while not run.converged:
        before = run.snapshot()
        run.advance("iterations", run.iterations + 1)
        after = run.snapshot()
        moved = np.flatnonzero(after.alpha != before.alpha)
        bent += moved.size > 2
        v = y - K @ (before.alpha * y)
        up = np.where(y > 0, before.alpha < 50.0, before.alpha > 0)
        down = np.where(y > 0, before.alpha > 0, before.alpha < 50.0)
        i = np.flatnonzero(up)[np.argmax(v[up])]
        rooms = np.where(y > 0, before.alpha, 50.0 - before.alpha)
        room = 50.0 - before.alpha[i] if y[i] > 0 else before.alpha[i]
        curvature = np.maximum(K[i, i] + np.diagonal(K) - 2.0 * K[i], 1e-12)
        with np.errstate(invalid="ignore"):
            j = np.argmax(np.where(down & (v < v[i]), (v[i] - v) ** 2 / curvature, -np.inf))
        delta = min((v[i] - v[j]) / curvature[j], room, rooms[j])
        gain = delta * (v[i] - v[j] - 0.5 * curvature[j] * delta)
        reached = after.alpha.sum() - 0.5 * (after.alpha * y) @ K @ (after.alpha * y)
        assert reached >= highest + gain - 1e-9 * abs(reached)
        assert after.alpha.min() >= 0.0 and after.alpha.max() <= 50.0
        assert abs(after.alpha @ y) < 1e-10
        highest = reached
    assert bent > 20


def test_a_conjugate_run_goes_on_bit_for_bit():
    X, y = noisy(100)
    whole, _ = started(X, y, GAUSSIAN, C=100.0, conjugate=True)
    first, _ = started(X, y, GAUSSIAN, C=100.0, conjugate=True)
    first.advance("iterations", 37)
    second, _ = started(X, y, GAUSSIAN, C=100.0, conjugate=True)
    second.restore(first.state(), first.iterations)
    whole.advance("iterations", 90)
    second.advance("iterations", 90, 90 - first.iterations)  # its ledger begins anew
    assert first.iterations == 37 and second.iterations == 90
    assert np.array_equal(whole.snapshot().alpha, second.snapshot().alpha)
    assert np.array_equal(whole.snapshot().responses, second.snapshot().responses)


def test_conjugate_steps_turn_shrinking_off_and_are_named_only_where_they_are_made():
    assert not Params(conjugate=True).shrinking and Params().shrinking
    stored = {"name": "smo_pair", "eps": 1e-3, "selection": "second_order", "shrinking": True}
    words = ["solver=smo_pair", "problem.bias=unregularised"]
    assert config.resolve(words).document()["solver"] == stored
    asked = config.resolve([*words, "solver.conjugate=true"]).document()["solver"]
    assert asked == stored | {"shrinking": False, "conjugate": True}
