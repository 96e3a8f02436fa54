"""What is particular to DC-SVM: its clusters, the duals over them, early prediction and what it costs."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.sparse import csr_array

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from svmbench.solvers.kmeans import Centres, cluster
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel.working_sets import GAUSSIAN, finished, started


def clouds(n, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    X = rng.normal(size=(n, 3)) + 0.7 * y[:, None] + 8.0 * rng.integers(0, 3, size=(n, 1))
    return X.astype(np.float32), y


def solved(X, y, **given):
    run, oracle, _ = started("dcsvm", X, y, C=2.0, bias="none", **given)
    finished(run)
    return run, oracle


def nearest(model, X, rows):
    at = X[model.centres].astype(float)
    centres = np.array([at[model.clusters == c].mean(axis=0) for c in range(model.norms.size)])
    np.testing.assert_allclose(model.norms, np.square(centres - at.mean(axis=0)).sum(axis=1), rtol=1e-6)
    return np.argmin(np.square(rows[:, None] - centres).sum(axis=2), axis=1)


def test_clusters_that_lie_apart_are_found():
    X, _ = clouds(300)
    labels = cluster(kernel_matrix(X, X, {"name": "linear"}), 3, Generator(1))
    true = np.round((X.mean(axis=1)) / 8.0)
    assert labels.max() == 2
    assert all(np.ptp(true[labels == c]) <= 1.0 for c in range(3))
    assert np.mean([np.mean(true[labels == c] == np.median(true[labels == c])) for c in range(3)]) > 0.9


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("sparse", [False, True])
def test_centres_and_the_nearest_of_them(offset, sparse):
    X = clouds(300)[0].astype(float) + offset
    points, labels = X[:100], cluster(X[:100] @ X[:100].T, 5, Generator(3))
    centres = np.array([points[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    form = csr_array if sparse else np.asarray
    found = Centres.of(form(points), labels)
    np.testing.assert_allclose(found.points + found.middle, centres, rtol=1e-12)
    expected = np.argmin(np.square(X[:, None] - centres).sum(axis=2), axis=1)
    np.testing.assert_array_equal(found.nearest(form(X)), expected)
    np.testing.assert_array_equal(found.nearest(form(points)), labels)  # where Lloyd's algorithm ends


def test_parts_are_of_similar_sizes_whatever_the_width_of_the_kernel():
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 6)).astype(np.float32), np.where(rng.random(3000) < 0.5, 1.0, -1.0)
    sizes = []
    for gamma in (0.1, 1000.0):  # with the second one, most kernel values with a sample are nearly 0
        oracle, solver = Oracle(X, {"name": "gaussian", "gamma": gamma}, 1 << 20), registry.get("dcsvm")
        given = solver.Params(levels=2, early=2, sample=200)
        run = solver(given).start(Problem.build(y, C=1.0), oracle, Generator(0))
        run.advance("iterations", 10**6)
        sizes.append(np.bincount(nearest(run.snapshot().model, X, X)))
    np.testing.assert_array_equal(*sizes)
    assert sizes[0].size == 16
    assert sizes[0].max() < 0.15 * len(X)


@pytest.mark.parametrize("early", [1, 2])
def test_an_early_end_solves_the_dual_of_each_part(early):
    X, y = clouds(240)
    run, _ = solved(X, y, levels=2, early=early, sample=60, eps=1e-6)
    model = run.snapshot().model
    regions = nearest(model, X, X)
    assert 2 <= model.norms.size <= 4**early
    np.testing.assert_array_equal(regions[model.indices], model.regions)
    # The problem in which kernel values between parts are 0.
    K = kernel_matrix(X, X, GAUSSIAN) * (regions[:, None] == regions)
    L = np.linalg.cholesky(y[:, None] * K * y + 1e-10 * np.eye(y.size))
    best = lsq_linear(L.T, np.linalg.solve(L, np.ones(y.size)), (0.0, 2.0), method="bvls", tol=1e-14).x
    alpha = np.zeros(y.size)
    alpha[model.indices] = model.coefficients * y[model.indices]
    dual, optimum = (a.sum() - 0.5 * (a * y) @ K @ (a * y) for a in (alpha, best))
    assert dual == pytest.approx(optimum, rel=1e-6)


def test_early_prediction_is_by_the_nearest_cluster_and_counted():
    X, y = clouds(200)
    rows, _ = clouds(150, seed=9)
    run, oracle = solved(X, y, levels=2, early=1, sample=50)
    snapshot = run.snapshot()
    model, before = snapshot.model, oracle.ledger.kev_prediction
    assert not snapshot.inside
    assert "level 1" in run.reason
    scores = model.scores(oracle, rows)
    regions = nearest(model, X, rows)
    terms = np.bincount(model.regions, minlength=model.norms.size)
    assert oracle.ledger.kev_prediction - before == terms.size * len(rows) + terms[regions].sum()
    K = kernel_matrix(rows, X[model.indices], GAUSSIAN) * (regions[:, None] == model.regions)
    np.testing.assert_allclose(scores, K @ model.coefficients, atol=2e-5)
    np.testing.assert_allclose(model.training_scores(oracle), model.scores(oracle, X), atol=2e-5)


def test_the_division_leaves_little_to_the_whole():
    X, y = clouds(600)
    run, oracle = solved(X, y, levels=2, sample=100, eps=1e-4)
    divided = solved(X, y, levels=2, early=1, sample=100, eps=1e-4)[0].snapshot().model
    support = run.snapshot().model.indices
    # The paper's claim: support vectors of the parts are nearly those of the whole.
    assert np.isin(support, divided.indices).mean() > 0.95
    other, solver = Oracle(X, GAUSSIAN, 1 << 20), registry.get("decomposition")
    direct = solver(solver.Params(eps=1e-4)).start(Problem.build(y, C=2.0), other, Generator(0))
    direct.advance("iterations", 10**6)
    np.testing.assert_allclose(run.snapshot().alpha, direct.snapshot().alpha, atol=5e-3)
    assert oracle.ledger.kev_ondemand > 0


def test_an_early_level_that_there_is_not_is_refused():
    with pytest.raises(UserError, match=r"solver\.early=4 is above solver\.levels=3: give one of 0 to 3"):
        registry.get("dcsvm").Params(early=4)
