"""Nyström features against the formula in float64, their count, and what they do to the problem."""

import numpy as np
import pytest
import scipy.sparse

from svmbench.certify.certificate import certify
from svmbench.errors import UserError
from svmbench.features.nystrom import Nystrom
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.conformance.cases import data
from tests.conformance.test_optimum import Optimum
from tests.kernels.reference import KERNELS, LAYOUTS, kernel_matrix, matrix, with_gamma

GAUSSIAN = KERNELS[0]
KINDS = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])


def fitted(X, kernel=GAUSSIAN, seed=1, **given):
    return Nystrom(X, kernel, Nystrom.Params(**given), Generator(seed))


@KINDS
@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_of_features_are_the_projected_kernel(kernel, layout):
    kernel = with_gamma(kernel, 0.02)
    X, plain = matrix(np.random.default_rng(1), 700, 20, 0.4, layout)
    map = fitted(X, kernel, s=40, eps_d=1e-5)
    K = kernel_matrix(plain, plain[map.sample], kernel)
    values, vectors = np.linalg.eigh(K[map.sample])
    kept = values >= 1e-5 * values[-1]
    assert map.coefficients.shape == (40, np.count_nonzero(kept))
    projected = K @ (vectors[:, kept] / values[kept]) @ vectors[:, kept].T @ K.T
    Z = np.asarray([map.examples().combination(np.array([i]), np.ones(1)) for i in range(30)])
    np.testing.assert_allclose(Z @ Z.T, projected[:30, :30], atol=1e-4 * np.abs(projected).max())
    np.testing.assert_allclose(map.transform(X[:30]), Z, atol=1e-4 * np.abs(Z).max())


@pytest.mark.parametrize("sparse", [False, True])
def test_within_the_sample_they_are_the_kernel_itself(sparse):
    X, _ = data(n=60)
    map = fitted(scipy.sparse.csr_array(X) if sparse else X, s=60)
    Z = map.transform(X)
    np.testing.assert_allclose(Z @ Z.T, kernel_matrix(X, X, GAUSSIAN), atol=2e-6)
    # Of the two examples that are there twice only one counts.
    assert Z.shape == (60, np.linalg.matrix_rank(kernel_matrix(X, X, GAUSSIAN), tol=1e-6))


def test_rank_keeps_the_largest_eigenvalues():
    X, _ = data(n=60)
    all_of_them, three = fitted(X, s=30), fitted(X, s=30, rank=3)
    assert np.array_equal(three.coefficients, all_of_them.coefficients[:, :3])
    norms = np.square(all_of_them.transform(X[all_of_them.sample])).sum(axis=0)
    assert np.all(np.diff(norms) < 1e-5)


def test_every_evaluation_is_made_and_charged_once():
    X, _ = data(n=600)
    map = fitted(X, s=50)
    examples = map.examples()
    counts = {name: value for name, value in examples.ledger.as_dict().items() if value}
    charged = ("kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed", "kev_setup", "inner_products")
    assert counts == dict.fromkeys(charged, 50 * 600)
    w = np.random.default_rng(0).normal(size=examples.d)
    scores = examples.decision_function(w, 0.5, X[:9])
    np.testing.assert_allclose(scores, map.transform(X[:9]) @ w + 0.5, rtol=1e-5)
    assert examples.ledger.kev_prediction == 9 * 50
    assert examples.observed == 0


def test_kept_values_of_held_out_rows_give_their_own_scores_and_equal_counts(monkeypatch):
    X, _ = data(n=600)
    examples, w = fitted(X, s=50).examples(), np.random.default_rng(0).normal(size=(3, 50))
    few, many, as_few = X[:9], X[:400], X[9:18]
    monkeypatch.setattr("svmbench.features.nystrom._KEPT", 8 * 50 * 100)
    for weights in w[:, : examples.d]:
        for rows in (few, many, as_few):
            scores = examples.decision_function(weights, 0.5, rows)
            np.testing.assert_allclose(scores, examples.map.exact_scores(weights, rows) + 0.5, rtol=1e-6)
    assert examples.ledger.kev_prediction == 3 * (9 + 400 + 9) * 50


def test_the_seed_decides_the_sample():
    X, _ = data(n=200)
    one, same, other = (fitted(X, s=20, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.sample, same.sample)
    assert np.array_equal(one.transform(X), same.transform(X))
    assert not np.array_equal(one.sample, other.sample)
    assert np.unique(one.sample).size == 20
    drawn = np.bincount(np.concatenate([fitted(X, s=20, seed=seed).sample for seed in range(300)]))
    assert drawn.size == 200 and drawn.min() > 10 and drawn.max() < 60  # each about 30 times


def test_with_the_whole_training_set_a_linear_solver_reaches_the_optimum_of_the_kernel():
    reference = Optimum()
    examples = fitted(reference.X, s=60).examples()
    solver = registry.get("dcd")
    run = solver(solver.Params(eps=1e-9)).start(reference.problem, examples, Generator(0))
    run.advance("iterations", 1_000_000)
    assert run.converged
    model = run.snapshot().model
    np.testing.assert_allclose(reference.y * model.training_scores(examples), reference.responses, atol=2e-4)
    scores = model.scores(examples, reference.X)
    np.testing.assert_allclose(reference.y * scores, reference.responses, atol=2e-4)


def test_the_weights_are_a_kernel_expansion_of_the_same_norm():
    X, _ = data(n=80)
    map = fitted(X, s=25)
    w = np.random.default_rng(1).normal(size=map.coefficients.shape[1])
    coefficients = map.coefficients @ w
    K = kernel_matrix(X[map.sample], X[map.sample], GAUSSIAN)
    assert coefficients @ K @ coefficients == pytest.approx(w @ w, rel=1e-4)


@KINDS
def test_one_example_alone(kernel):
    X = np.array([[1.0, 2.0]], dtype=np.float32)
    examples = fitted(X, kernel, s=1).examples()
    assert (examples.n, examples.d) == (1, 1)
    norm = kernel_matrix(X, X, kernel)[0, 0]
    assert examples.squared_norms() == pytest.approx([norm], rel=1e-6)


def test_what_cannot_be_mapped_is_said_in_words():
    X = np.zeros((5, 2), dtype=np.float32)
    with pytest.raises(UserError, match=r"features\.s=6 is not allowed: give at most 5, the number of train"):
        fitted(X, s=6)
    with pytest.raises(UserError, match="the kernel is 0 on all examples of the sample of features=nystrom"):
        fitted(X, {"name": "linear"}, s=2)
    for degree in (3, 30):  # too large for float32, and for float64
        polynomial = {"name": "polynomial", "gamma": 1.0, "coef0": 1.0, "degree": degree}
        with pytest.raises(UserError, match="kernel values of features=nystrom are not finite, or too large"):
            fitted(X + np.float32(1e30), polynomial, s=2).examples()


def test_one_class_alone_has_an_answer():
    X, y = data(n=40)
    examples = fitted(X, s=10).examples()
    solver = registry.get("asset")
    problem = Problem.build(np.ones_like(y), C=1.0, bias="unregularised")
    run = solver(solver.Params()).start(problem, examples, Generator(0))
    run.advance("iterations", 20_000)
    model = run.snapshot().model
    assert np.all(model.scores(examples, X) > 0.9)


def narrow(n=300):
    """Rows whose kernel matrix has eigenvalues down to where float64 ends."""
    rng = np.random.default_rng(3)
    X = rng.uniform(0.0, 2.0, (n, 2)).astype(np.float32)
    return X, np.where(np.sin(4.0 * X[:, 0]) + rng.normal(0.0, 0.3, n) > X[:, 1] - 1.0, 1.0, -1.0)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_training_and_other_rows_are_scored_alike(form):
    X, _ = narrow()
    map = fitted(form(X), {"name": "gaussian", "gamma": 0.5}, s=200)
    examples = map.examples()
    w = np.random.default_rng(0).normal(size=examples.d)
    np.testing.assert_allclose(examples.decision_function(w, 0.0, form(X)), examples.products(w), atol=1e-6)
    # The same from the kernel expansion that is stored, whose coefficients are large.
    K = kernel_matrix(X, X[map.sample], {"name": "gaussian", "gamma": 0.5})
    assert np.abs(map.coefficients @ w).max() > 1e4
    np.testing.assert_allclose(K @ (map.coefficients @ w), examples.products(w), atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_the_optimum_on_features_is_never_below_that_of_the_kernel(C):
    X, y = narrow()
    kernel = {"name": "gaussian", "gamma": 0.5}
    oracle = Oracle(X, kernel, 1 << 22)
    problem = Problem.build(y, C=C)
    solver = registry.get("decomposition")
    run = solver(solver.Params(eps=1e-7)).start(problem, oracle, Generator(0))
    run.advance("iterations", 20_000)
    alpha = run.snapshot().alpha
    at = np.flatnonzero(alpha)
    responses = y * oracle.exact_responses(at, (alpha * y)[at])
    below = certify(problem, alpha, responses)["dual"]

    solver = registry.get("dcd")
    for eps_d in (1e-12, 1e-16):
        examples = fitted(X, kernel, s=300, eps_d=eps_d).examples()
        run = solver(solver.Params(eps=1e-6)).start(problem, examples, Generator(0))
        run.advance("iterations", 300_000)
        model = run.snapshot().model
        loss = np.maximum(0.0, 1.0 - y * model.training_scores(examples)).mean()
        reached = 0.5 * problem.lam * model.weights @ model.weights + loss
        assert reached >= below * (1.0 - 1e-6)
