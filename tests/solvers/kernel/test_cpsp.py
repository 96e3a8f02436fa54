"""What is particular to CPSP: its points, what they gain and cost, the optimum within their span."""

import numpy as np
import pytest
import scipy.sparse

from svmbench.kernels._oracle import Oracle
from svmbench.rng import Generator
from svmbench.runner.observe import Observer
from svmbench.solvers.cutting_plane.pre_image import pre_image
from tests.conformance.test_optimum import Optimum
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel.working_sets import finished, started

GAUSSIAN = {"name": "gaussian", "gamma": 0.7}


def solved(X, y, name="cpsp", **given):
    run, oracle, _ = started(name, X, y, kernel=GAUSSIAN, bias="none", **given)
    finished(run)
    return run, oracle


@pytest.mark.slow
def test_many_points_reach_the_optimum_of_all():
    best, eps = Optimum(), 2e-3
    run, _ = solved(best.X, best.y, C=best.problem.C, k=500, eps=eps)
    native = run.snapshot().native
    assert native["native_objective"] - native["native_bound"] <= eps
    # As much again for what the span lacks.
    assert -1e-7 <= native["native_objective"] - best.primal <= 2.0 * eps


def test_a_rare_class_gets_its_points_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.where(np.arange(300) < 12, 1.0, -1.0)
    X[:12] += 3.0
    run, _ = solved(X, y, k=20)
    snapshot = run.snapshot()
    assert snapshot.model.support_vectors == 20
    assert np.mean(snapshot.responses[:12]) > 0.5


def test_fewer_points_than_basis_examples_are_needed():
    best = Optimum()
    reached = {}
    for name in ("cpsp", "cpny"):
        for k in (5, 10, 20, 40):
            run, _ = solved(best.X, best.y, name, C=best.problem.C, k=k, eps=1e-5)
            reached[name, k] = run.snapshot().native["native_objective"]
    for k in (5, 10, 20, 40):
        assert best.primal < reached["cpsp", k] < reached["cpny", k]
    assert reached["cpsp", 20] < reached["cpny", 20] - 0.1 * (reached["cpny", 20] - best.primal)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_the_answer_is_what_its_points_say(form):
    best = Optimum()
    run, oracle = solved(form(best.X), best.y, C=best.problem.C, k=20)
    snapshot = run.snapshot()
    model = snapshot.model
    assert model.points.shape == (20, best.X.shape[1])
    assert model.support_vectors == 20
    scores = kernel_matrix(best.X, model.points, GAUSSIAN) @ model.coefficients
    np.testing.assert_allclose(best.y * snapshot.responses, scores, atol=1e-9)
    np.testing.assert_allclose(model.training_scores(oracle), scores, atol=1e-9)
    np.testing.assert_allclose(model.scores(oracle, form(best.X[:7])), scores[:7], atol=1e-9)
    norm2 = model.coefficients @ kernel_matrix(model.points, model.points, GAUSSIAN) @ model.coefficients
    assert model.squared_norm(oracle, best.y, snapshot.responses) == pytest.approx(norm2, rel=1e-9)
    assert oracle.ledger.kev_observation == 20 * 60 + 20 * 20
    assert oracle.ledger.kev_prediction == 20 * 7


def test_the_observer_treats_points_as_any_expansion():
    class NoOthers:
        test = validation = None

    best = Optimum()
    run, oracle = solved(best.X, best.y, C=best.problem.C, k=20)
    row = Observer(best.problem, oracle, NoOthers(), best.dual)(run.snapshot())
    assert row["support_vectors"] == 20
    assert row["primal_objective"] == pytest.approx(row["native_objective"], rel=1e-9)
    assert row["dual_source"] == "optimum"
    assert row["duality_gap"] == pytest.approx(row["primal_objective"] - best.dual)


def test_a_pre_image_gains_more_than_any_example_near_it():
    rng = np.random.default_rng(0)
    X, q = rng.normal(size=(50, 3)), rng.normal(size=50)
    oracle = Oracle(X.astype(np.float32), GAUSSIAN)
    for seed in range(10):
        point, gain, evaluations = pre_image([oracle.reduced_set()], [q], Generator(seed))
        around = np.vstack([point, point + 1e-3 * rng.normal(size=(40, 3))])
        gains = np.square(kernel_matrix(around, X.astype(np.float32), GAUSSIAN) @ q)
        assert gain == pytest.approx(gains[0], rel=1e-9)
        assert 0.0 < gain >= gains.max() * (1.0 - 1e-9)
        start = Generator(seed).random() * np.abs(q).sum()
        drawn = X[np.searchsorted(np.cumsum(np.abs(q)), start, side="right")].astype(np.float32)
        assert gain >= (kernel_matrix(drawn[None, :], X.astype(np.float32), GAUSSIAN)[0] @ q) ** 2
    assert evaluations % 50 == 0 < evaluations


def test_the_pre_image_of_one_example_is_that_example():
    X = np.array([[0.5, -2.0]], dtype=np.float32)
    point, gain, _ = pre_image([Oracle(X, GAUSSIAN).reduced_set()], [np.array([-3.0])], Generator(0))
    np.testing.assert_allclose(point, X[0])
    assert gain == pytest.approx(9.0)


def test_images_that_cancel_are_tried_four_times_and_gain_nothing():
    X = np.array([[1.0, 2.0], [1.0, 2.0]], dtype=np.float32)
    _, gain, evaluations = pre_image(
        [Oracle(X, GAUSSIAN).reduced_set()], [np.array([1.0, -1.0])], Generator(0)
    )
    assert gain == 0.0
    assert evaluations == 4 * 2
