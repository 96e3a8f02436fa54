"""What is particular to BSCA: what a budget leaves as it is, its counts, and a rate that its paper prints."""

from functools import partial

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from svmbench.problem import mean_hinge, primal_objective
from svmbench.rng import Generator
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import eighths, scores

GAUSSIAN = {"name": "gaussian", "gamma": 0.7}
COUNTERS = ("kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed")


started = partial(working_sets.started, kernel=GAUSSIAN, C=2.0, bias="none")


def two_classes(*given, **more):
    X, y = working_sets.two_classes(*given, **more, distance=0.8)
    return eighths(X), y


def test_before_its_budget_is_reached_it_is_sdca():
    X, y = two_classes(60)
    run, oracle, _ = started("bsca", X, y, budget=60)
    other, plain, _ = started("sdca", X, y)
    for goal in (1, 50, 400):
        run.advance("iterations", goal)
        other.advance("iterations", goal)
        np.testing.assert_allclose(scores(run, oracle), scores(other, plain), rtol=1e-5, atol=1e-6)
        for counter in COUNTERS[:3]:
            assert oracle.ledger.as_dict()[counter] == plain.ledger.as_dict()[counter]


def test_with_room_for_all_points_it_ends_at_the_optimum_of_scikit_learn():
    # A root of the kernel matrix are features on which a linear program solves the same problem.
    X, y = two_classes(150, seed=1)
    K = kernel_matrix(X, X, GAUSSIAN) + 1e-10 * np.eye(150)
    features = np.linalg.cholesky(K)
    peer = LinearSVC(C=2.0, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=10**6).fit(features, y)
    run, oracle, _ = started("bsca", X, y, budget=150)
    run.advance("iterations", 60_000)
    np.testing.assert_allclose(scores(run, oracle), features @ peer.coef_[0], atol=1e-4)


def test_its_counts_are_those_by_hand():
    # Three examples of a class without a kernel value between them that matters: each is changed when it is
    # first drawn, to C = 1, and never again. The third does not fit, and two of the three are merged.
    X, y = 100.0 * np.eye(3), np.ones(3)
    draws, drawn = Generator(5), []
    while len(set(drawn)) < 3:
        drawn.append(draws.integers(3))
    run, oracle, _ = started("bsca", X, y, seed=5, C=1.0, budget=2)
    run.advance("iterations", len(drawn))
    found = [oracle.ledger.as_dict()[key] for key in COUNTERS]
    responses = sum(len(set(drawn[:k])) for k in range(len(drawn)))
    # Both other points are compared with the first; it and its partner go, and a third comes.
    assert found == [responses + 2, 3 * 3 + 3 * 3 + 2, 3 * len(drawn) + 2, responses + 2]
    model = run.snapshot().model
    assert model.support_vectors == 2 and model.coefficients.max() == pytest.approx(1.0)


def test_after_merges_coordinates_stay_in_the_box_and_say_something_else():
    X, y = two_classes(200, seed=2)
    run, oracle, _ = started("bsca", X, y, budget=20)
    run.advance("iterations", 5000)
    alpha = run.state()["alpha"]
    assert alpha.min() == 0.0 and alpha.max() == 2.0
    assert run.snapshot().alpha is None and run.snapshot().model.support_vectors == 20
    K = kernel_matrix(X, X, GAUSSIAN)
    assert np.abs(K @ (alpha * y) - scores(run, oracle)).max() > 0.1


@pytest.mark.parametrize("budget", [400, 60])
def test_steps_are_as_many_as_its_paper_prints(budget):
    # Lemma 2: in the limit, SGD makes a step in a fraction mean(α*)/C of its iterations, but dual coordinate
    # ascent only at coordinates between the bounds. Valid without a budget; by the paper's experiments
    # approximately with one.
    n, C = 400, 0.5
    X, y = two_classes(n, d=2, seed=3)
    exact, _, _ = started("smo", X, y, C=C, eps=1e-10)
    exact.advance("iterations", 10**6)
    best = exact.snapshot().alpha
    predicted = {"bsgd": best.mean() / C, "bsca": np.mean((best > 0.0) & (best < C))}
    assert predicted["bsca"] < 0.5 * predicted["bsgd"]
    for name, fraction in predicted.items():
        run, oracle, _ = started(name, X, y, C=C, budget=budget)
        run.advance("iterations", 600 * n)
        steps, counted = 0, 50 * n
        for _ in range(counted):
            before = oracle.ledger.kev_rowupdate
            run.advance("iterations", run.iterations + 1)
            steps += oracle.ledger.kev_rowupdate > before
        assert steps / counted == pytest.approx(fraction, rel=0.1 if budget == n else 0.5)


def test_on_the_same_budget_it_is_at_first_ahead_of_bsgd():
    # The paper's main claim, by the objective. Later the steps of BSGD get shorter, and it goes on improving.
    X, y = two_classes(600, d=2, seed=4)
    found = {}
    for name in ("bsgd", "bsca"):
        for seed in range(5):
            run, oracle, _ = started(name, X, y, seed=seed, C=0.5, budget=60)
            for epochs in (1, 3):
                run.advance("iterations", 600 * epochs)
                model = run.snapshot().model
                loss = mean_hinge(y * model.training_scores(oracle), np.zeros(600))
                objective = primal_objective(1.0 / 300.0, model.squared_norm(oracle, y, y), loss)
                found.setdefault((name, epochs), []).append(objective)
    for epochs in (1, 3):
        assert np.median(found["bsca", epochs]) < np.median(found["bsgd", epochs])
