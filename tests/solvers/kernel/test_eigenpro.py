"""What is particular to EigenPro: its solution, its counts, and the speed-up that its paper states."""

from functools import partial

import numpy as np
import pytest

from svmbench.rng import Generator
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import coefficients, two_classes
from tests.specification.eigenpro import preconditioner

GAUSSIAN = {"name": "gaussian", "gamma": 2.0}


started = partial(working_sets.started, "eigenpro", kernel=GAUSSIAN, bias="none", seed=1, cache=0)


@pytest.mark.parametrize("given", [{"batch": 64}, {"batch": 16, "components": 1}, {"batch": 500}])
def test_it_interpolates(given):
    X, y = two_classes(200, d=8)
    K = kernel_matrix(X.astype(float), X.astype(float), GAUSSIAN)
    run, _, _ = started(X, y, **given)
    run.advance("iterations", 3000)
    np.testing.assert_allclose(coefficients(run, 200), np.linalg.solve(K, y), atol=1e-4)


@pytest.mark.parametrize("m", [32, 64])
def test_the_batch_is_the_critical_one(m):
    X, y = two_classes(120)
    K = kernel_matrix(X.astype(float), X.astype(float), GAUSSIAN)
    run, _, _ = started(X, y, batch=m)
    run.advance("iterations", 1)

    def critical(q):
        """β/λ + 1 of the kernel with its eigenvalues before q lowered, from its matrix."""
        _, V, D, _ = preconditioner(K, m, q)
        lowered = K - K @ V @ np.diag(D) @ V.T @ K
        return lowered.diagonal().max() / np.linalg.eigvalsh(lowered / len(K))[-1] + 1.0

    assert critical(run.components) <= m < critical(run.components + 1)


def needed(X, y, K, level=0.2, **given):
    """Median over seeds of the iterations until the mean squared error on the training set is that low."""
    found = []
    for seed in range(3):
        run, _, _ = started(X, y, seed=seed, subsample=400, **given)
        while np.square(K @ coefficients(run, y.size) - y).mean() > level:
            run.advance("iterations", run.iterations + 1)
        found.append(run.iterations)
    return float(np.median(found)), run.rate * given["batch"]


def test_linear_scaling_goes_on_to_larger_batches():
    # The paper: SGD needs fewer iterations with larger batches only up to the critical batch of the kernel,
    # here 24; EigenPro up to that of its own kernel, by the ratio of the steps η, which is about λ_1/λ_q.
    X, y = two_classes(400)
    K = kernel_matrix(X.astype(float), X.astype(float), GAUSSIAN)
    one, _ = needed(X, y, K, batch=1)
    for m in (64, 256):
        sgd, short = needed(X, y, K, batch=m, components=1)
        eigenpro, long = needed(X, y, K, batch=m)
        assert m * eigenpro == pytest.approx(one, rel=0.25)
        assert sgd / eigenpro == pytest.approx(long / short, rel=0.35)
    assert long / short > 5.0


def test_an_expected_step_shrinks_each_component_as_the_theory_says():
    # Of an eigenvector with eigenvalue λ, 1 - ηλ is left in expectation, η = m/(β + (m - 1)λ_1) where q = 1.
    X, y = two_classes(100)
    K = kernel_matrix(X.astype(float), X.astype(float), GAUSSIAN)
    values, vectors = np.linalg.eigh(K / 100)
    eta, left = 10.0 / (1.0 + 9.0 * values[-1]), []
    i = np.argmax(values * np.abs(vectors.T @ y))
    for seed in range(100):
        run, _, _ = started(X, y, seed=seed, batch=10, components=1)
        run.advance("iterations", 1)
        left.append(1.0 - vectors[:, i] @ K @ coefficients(run, 100) / (vectors[:, i] @ y))
    assert run.rate * 10.0 == pytest.approx(eta, rel=1e-5)
    assert np.mean(left) == pytest.approx(1.0 - eta * values[i], abs=4.0 * np.std(left) / 10.0)


def test_its_counts_are_those_by_hand():
    X, y = two_classes(100)
    run, oracle, _ = started(X, y, batch=30, subsample=40)
    order = Generator(1)
    sample, expected, met = set(order.permutation(100)[:40]), 40 * 40, set()
    order = order.permutation(100)
    for begin in (0, 30, 60, 90):
        batch = order[begin : begin + 30]
        expected += len(batch) * len(met | sample)
        met |= set(batch)
    run.advance("iterations", 4)
    assert run.components > 1
    ledger = oracle.ledger.as_dict()
    assert {ledger[f"kev_{key}"] for key in ("ondemand", "rowupdate", "iter", "computed")} == {expected}
    plain, oracle, _ = started(X, y, batch=30, subsample=40, components=1)
    plain.advance("iterations", 2)
    assert oracle.ledger.kev_computed == 40 * 40 + 30 * 30
    plain.advance("iterations", 5)  # of the second order: all examples
    assert oracle.ledger.kev_computed == 40 * 40 + 30 * 30 + 30 * 60 + 10 * 90 + 30 * 100
