"""Random Fourier features: what they approximate, how well, and what they cost."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from svmbench.errors import UserError
from svmbench.features.fourier import Fourier
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.conformance.cases import data
from tests.kernels.reference import kernel_matrix

KERNEL = {"name": "gaussian", "gamma": 0.4}
FORMS = pytest.mark.parametrize("form", ["phase", "pairs"])
LAYOUTS = pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])


def fitted(X, seed=1, kernel=KERNEL, **given):
    return Fourier(X, kernel, Fourier.Params(**given), Generator(seed))


@FORMS
@LAYOUTS
@pytest.mark.parametrize("share", [0.2, 1.0])
def test_features_are_those_of_the_formula(form, layout, share):
    X, _ = data(n=600)
    X = X * (np.random.default_rng(0).random(X.shape) < share).astype(np.float32)
    map = fitted(layout(X), frequencies=33, form=form)
    t = X.astype(np.float64) @ map.frequencies
    if form == "phase":
        expected = np.sqrt(2.0 / 33) * np.cos(t + map.phases)
        assert np.all((map.phases >= 0.0) & (map.phases <= 2.0 * np.pi + 1e-6))
    else:
        expected = np.hstack([np.cos(t), np.sin(t)]) / np.sqrt(33)
    np.testing.assert_allclose(map.transform(layout(X)), expected, atol=1e-6)
    rows = map.examples().combination(np.array([7]), np.ones(1))
    np.testing.assert_allclose(rows, expected[7], atol=1e-6)


@FORMS
@LAYOUTS
def test_features_far_out_are_cosines_too(form, layout):
    """Single precision's cosine left [-1, 1] there, and a run converged on what it made."""
    X, _ = data(n=600)
    far = {"name": "gaussian", "gamma": 1e14}
    map = fitted(layout(X), frequencies=33, form=form, kernel=far)
    t = X.astype(np.float64) @ map.frequencies.astype(np.float64)
    assert 1e7 < np.abs(t).max() < 1e9
    t = t + map.phases if form == "phase" else np.hstack([t, t]) + map.phases
    np.testing.assert_allclose(map.transform(layout(X)), map.scale * np.cos(t), atol=1e-6)
    assert np.abs(fitted(layout(X), frequencies=33, form=form).transform(layout(1e30 * X))).max() <= 1.0


@FORMS
@LAYOUTS
@pytest.mark.parametrize("share", [0.2, 1.0])
def test_the_features_of_a_row_do_not_depend_on_its_neighbours(form, layout, share):
    X, _ = data(n=600)
    X = X * (np.random.default_rng(0).random(X.shape) < share).astype(np.float32)
    map = fitted(layout(X), frequencies=33, form=form)
    alone = map.transform(layout(X[:5]))
    mixed = np.insert(X[:5], 2, 1e12, axis=0)
    np.testing.assert_array_equal(np.delete(map.transform(layout(mixed)), 2, axis=0), alone)
    np.testing.assert_array_equal(
        map.transform(layout(mixed[2:3])), map.transform(layout(np.repeat(mixed[2:3], 4, axis=0)))[:1]
    )


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("share", [0.2, 1.0])
def test_the_memory_counts_the_frequencies(lazy, share):
    """Of few examples that are wide they take most of it."""
    X = (np.random.default_rng(0).random((50, 4000)) < share).astype(np.float32)
    params = Fourier.Params(frequencies=500, lazy=lazy)
    tracemalloc.start()
    map = Fourier(X, KERNEL, params, Generator(1))
    examples = map.examples()
    assert (map.panels is None) == (share == 1.0 and not lazy)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert examples.n == 50
    # A thousandth of it, and a MiB, for what is made of a block.
    assert most <= 1.001 * Fourier.bytes_needed(params, *X.shape) + (1 << 20)


@pytest.mark.parametrize(("gamma", "lazy"), [(1e20, False), (1e300, False), (1e14, True)])
@LAYOUTS
def test_features_that_no_precision_can_make_are_refused(gamma, lazy, layout):
    X, _ = data(n=600)
    with pytest.raises(UserError, match="give a smaller"):
        fitted(layout(X), kernel={"name": "gaussian", "gamma": gamma}, frequencies=33, lazy=lazy)


@pytest.mark.slow
@FORMS
def test_the_error_shrinks_with_the_square_root_of_the_frequencies(form):
    X, _ = data(n=40)
    K = kernel_matrix(X, X, KERNEL)
    errors = []
    for k in (100, 1600, 25_600):
        Z = fitted(X, frequencies=k, form=form).transform(X).astype(np.float64)
        errors.append(np.sqrt(np.mean((Z @ Z.T - K) ** 2)))
        assert errors[-1] <= 1.1 / np.sqrt(k)
    assert errors[1] == pytest.approx(errors[0] / 4, rel=0.5)
    assert errors[2] == pytest.approx(errors[1] / 4, rel=0.5)


def test_they_are_right_on_average():
    X, _ = data(n=20)
    maps = [fitted(X, seed=seed, frequencies=50).transform(X).astype(float) for seed in range(400)]
    mean = np.mean([Z @ Z.T for Z in maps], axis=0)
    np.testing.assert_allclose(mean, kernel_matrix(X, X, KERNEL), atol=4.5 / np.sqrt(50 * 400))


def test_pairs_have_norm_one():
    X, _ = data()
    Z = fitted(X, frequencies=21, form="pairs").transform(X)
    np.testing.assert_allclose(np.square(Z, dtype=np.float64).sum(axis=1), 1.0, rtol=1e-6)


@FORMS
@LAYOUTS
def test_lazy_features_are_the_same_and_counted_as_they_are_made(form, layout):
    X, _ = data()
    made = fitted(layout(X), frequencies=70, form=form).examples()
    lazy = fitted(layout(X), frequencies=70, form=form, lazy=True).examples()
    assert made.ledger.inner_products == 70 * X.shape[0]
    assert lazy.ledger.inner_products == 0
    assert set(lazy.ledger.as_dict()) == set(made.ledger.as_dict())
    w = np.random.default_rng(0).normal(size=made.d)
    assert (lazy.n, lazy.d) == (made.n, made.d)
    np.testing.assert_allclose(lazy.products(w), made.products(w), atol=1e-5)
    scores = made.decision_function(w, 0.5, X)
    np.testing.assert_allclose(lazy.decision_function(w, 0.5, X), scores, atol=1e-5)
    at, factors = np.array([3, 5, 3]), np.array([1.0, 2.0, -0.5])
    np.testing.assert_allclose(lazy.combination(at, factors), made.combination(at, factors), atol=1e-5)
    assert lazy.ledger.inner_products == 0
    assert lazy.observed == 2 * X.shape[0] * 71 + 3 * 70
    assert lazy.mean_norm() == pytest.approx(made.mean_norm(), rel=1e-6)
    assert lazy.ledger.inner_products == 0
    assert lazy.observed == X.shape[0] * (2 * 71 + 70) + 3 * 70
    np.testing.assert_allclose(lazy.squared_norms(), made.squared_norms(), rtol=1e-5)
    assert lazy.ledger.inner_products == X.shape[0] * 71


@LAYOUTS
def test_one_pass_makes_each_features_once(layout):
    X, y = data()
    n = y.size
    solver = registry.get("asset")
    problem = Problem.build(y, lam=1.0 / n)

    def once(lazy):
        examples = fitted(layout(X), frequencies=40, lazy=lazy).examples()
        run = solver(solver.Params(order="given")).start(problem, examples, Generator(0))
        at_start = examples.ledger.inner_products
        run.advance("iterations", 10**6)
        assert run.converged and run.iterations == n
        return examples, at_start, run.snapshot().model.weights

    (made, made_start, weights), (lazy, lazy_start, same) = once(False), once(True)
    np.testing.assert_allclose(same, weights, atol=1e-4)
    # Up to 100 examples are looked at beforehand, for the steps; all of them here.
    assert (made_start, lazy_start) == (40 * n + n, 41 * n)
    steps = made.ledger.inner_products - made_start
    assert n <= steps <= 2 * n
    assert lazy.ledger.inner_products - lazy_start == 40 * n + steps


@LAYOUTS
@pytest.mark.parametrize("order", ["given", "uniform"])
@pytest.mark.parametrize("k", [1, 128, 300])
def test_features_made_together_are_charged_as_if_made_one_by_one(layout, order, k):
    """ASSET announces examples, whose features are made in one pass; those looked at before are alone."""
    X, y = data(n=150)
    solver = registry.get("asset")
    problem = Problem.build(y, lam=1.0 / y.size)

    def driven(lazy):
        examples = fitted(layout(X), frequencies=k, lazy=lazy).examples()
        run = solver(solver.Params(order=order)).start(problem, examples, Generator(0))
        run.advance("iterations", 140)
        return examples.ledger.inner_products, run.snapshot().model.weights

    (made, weights), (lazy, same) = driven(False), driven(True)
    np.testing.assert_allclose(same, weights, atol=1e-4)
    of_features = lazy - (made - k * 150)
    # Each visit makes its features, but where the one before was to the same example.
    assert of_features % k == 0
    if order == "given":
        assert of_features == k * (100 + 140)
    else:
        assert k * 220 <= of_features <= k * (100 + 140)


@LAYOUTS
def test_looking_at_lazy_features_changes_nothing(layout):
    X, y = data()
    solver = registry.get("asset")
    problem = Problem.build(y, lam=1.0 / y.size)

    def driven(looks):
        examples = fitted(layout(X), frequencies=40, lazy=True).examples()
        run = solver(solver.Params(average=7)).start(problem, examples, Generator(0))
        for goal in range(1, 100):
            run.advance("iterations", goal)
            if looks:
                model = run.snapshot().model
                model.scores(examples, X)
                model.training_scores(examples)
        return run.snapshot().model.weights.tobytes(), examples.ledger.as_dict()

    assert driven(True) == driven(False)


def test_examples_without_features_are_all_the_same():
    X = np.zeros((4, 0), dtype=np.float32)
    for lazy in (False, True):
        examples = fitted(X, frequencies=5, form="pairs", lazy=lazy).examples()
        np.testing.assert_allclose(examples.squared_norms(), 1.0, rtol=1e-6)
        # Five cosines of 0, each over √5, and five sines.
        np.testing.assert_allclose(examples.products(np.ones(10)), np.sqrt(5.0), rtol=1e-6)


def test_the_seed_decides():
    X, _ = data()
    one, same, other = (fitted(X, seed=seed).transform(X) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.allclose(one, other)
