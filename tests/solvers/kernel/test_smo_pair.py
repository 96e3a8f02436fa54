"""What is particular to SMO with bias: pairs, the box, shrinking, the bias."""

from functools import partial

import numpy as np
import pytest

from svmbench import config
from svmbench.solvers.kernel.smo_pair import Params
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import GAUSSIAN, LINEAR, noisy

SELECTIONS = pytest.mark.parametrize("selection", ["second_order", "worst_pair"])


started = partial(working_sets.started, "smo_pair")


def ends(alpha, v, y, C):
    """The largest value that can move up and the least that can move down."""
    up = np.where(y > 0, alpha < C, alpha > 0)
    down = np.where(y > 0, alpha > 0, alpha < C)
    return v[up].max(), v[down].min()


@SELECTIONS
def test_it_stops_where_the_ends_are_within_eps(selection):
    X, y = noisy(60)
    for eps in (1e-1, 1e-3, 1e-6):
        run, _, _ = started(X, y, GAUSSIAN, C=2.0, eps=eps, selection=selection, shrinking=False)
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
    run, _, _ = started([[0.0], [1.0]], [-1.0, 1.0], LINEAR, C=0.1)
    run.advance("iterations", 10)
    snapshot = run.snapshot()
    assert snapshot.alpha.tolist() == [0.1, 0.1]
    v = np.array([-1.0, 1.0 - 0.1])
    assert snapshot.model.bias == pytest.approx(v.mean())


@SELECTIONS
@pytest.mark.parametrize(
    ("gamma", "C"), [(0.5, 0.05), (0.5, 30.0), (3.0, 30.0)], ids=["tight", "loose", "mostly free"]
)
def test_shrinking_reaches_the_same_optimum(selection, gamma, C):
    X, y = noisy(100)
    given = {"kernel": {"name": "gaussian", "gamma": gamma}, "C": C, "selection": selection, "eps": 1e-7}
    plain, _, _ = started(X, y, shrinking=False, **given)
    shrunk, oracle, _ = started(X, y, shrinking=True, **given)
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
    plain, counted, _ = started(X, y, **given)
    bent, oracle, _ = started(X, y, conjugate=True, **given)
    for run in (plain, bent):
        run.advance("iterations", 10**6)
        assert run.converged
    assert objective(bent) == pytest.approx(objective(plain), rel=1e-6)
    assert bent.iterations < 0.8 * plain.iterations
    for each, ledger in ((plain, counted.ledger), (bent, oracle.ledger)):
        assert ledger.kev_ondemand == ledger.kev_iter == 800 * each.iterations


def test_conjugate_steps_turn_shrinking_off_and_are_named_only_where_they_are_made():
    assert not Params(conjugate=True).shrinking and Params().shrinking
    stored = {"name": "smo_pair", "eps": 1e-3, "selection": "second_order", "shrinking": True}
    words = ["solver=smo_pair", "problem.bias=unregularised"]
    assert config.resolve(words).document()["solver"] == stored
    asked = config.resolve([*words, "solver.conjugate=true"]).document()["solver"]
    assert asked == stored | {"shrinking": False, "conjugate": True}
