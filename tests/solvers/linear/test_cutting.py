"""What SVM-Perf and OCAS share: their bound, their cuts, and where they stop."""

import numpy as np
import pytest

from tests.solvers.linear.small import FORMS, finished, liblinear, objective, overlapping, started, weights

EACH = pytest.mark.parametrize("name", ["svm_perf", "ocas"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("C", [1e-3, 1e3])
@pytest.mark.parametrize("d", [1, 3, 4, 5, 61])
def test_the_first_solution_is_that_of_one_cut(form, C, d):
    # At w = 0 every example has a loss: g = (1/n) Σ y x, and w = a g with the best a <= 1/λ.
    X, y = overlapping(50, d)
    run, examples, problem = started("svm_perf", X, y, C, form)
    run.advance("iterations", 1)
    g = (y[:, None] * X.astype(np.float64)).mean(axis=0)
    np.testing.assert_allclose(weights(run), min(1.0 / problem.lam, 1.0 / (g @ g)) * g, rtol=1e-6)
    assert examples.ledger.inner_products == 50 + 1
    # OCAS goes on along that ray, to the exact minimum.
    run, examples, _ = started("ocas", X, y, C, form)
    run.advance("iterations", 1)
    w = weights(run)
    np.testing.assert_allclose(w, (w @ g) / (g @ g) * g, rtol=1e-10)
    assert examples.ledger.inner_products == 50 + 1 + 3
    for factor in (0.0, 0.99, 1.01):
        assert objective(X, y, w, C) <= objective(X, y, factor * w, C)


@EACH
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_bound_rises_and_stays_below_the_optimum(name, C):
    X, y = overlapping()
    least = objective(X, y, liblinear(X, y, C), C)
    run, _, _ = started(name, X, y, C, eps=1e-6)
    bound = 0.0
    while not run.converged:
        run.advance("iterations", run.iterations + 1)
        snapshot = run.snapshot()
        assert bound - 1e-12 <= snapshot.dual <= least * (1.0 + 1e-9)
        assert least * (1.0 - 1e-9) <= objective(X, y, snapshot.model.weights, C)
        bound = snapshot.dual
    assert bound == pytest.approx(least, rel=1e-4)


@pytest.mark.parametrize("eps", [0.1, 1e-2, 1e-4])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_svm_perf_stops_within_eps_of_its_bound(eps, C):
    X, y = overlapping()
    run = finished("svm_perf", X, y, C, eps=eps)
    gap = objective(X, y, weights(run), C) - run.snapshot().dual
    assert -1e-12 <= gap <= eps * (1.0 + 1e-9)


@pytest.mark.parametrize("eps", [0.1, 1e-2, 1e-4])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_ocas_stops_at_a_relative_gap_of_eps(eps, C):
    X, y = overlapping()
    run = finished("ocas", X, y, C, eps=eps)
    reached = objective(X, y, weights(run), C)
    assert -1e-12 <= reached - run.snapshot().dual <= eps * reached * (1.0 + 1e-9)


def test_the_objective_of_ocas_never_rises():
    X, y = overlapping(200, 10)
    run, _, _ = started("ocas", X, y, 10.0, eps=1e-8)
    before = np.inf
    while not run.converged:
        run.advance("iterations", run.iterations + 1)
        now = objective(X, y, weights(run), 10.0)
        assert now <= before * (1.0 + 1e-12)
        before = now
    assert run.iterations > 10


def test_ocas_ends_when_its_buffer_is_full():
    # Its rule does not hold then: that is no convergence.
    X, y = overlapping()
    run, _, _ = started("ocas", X, y, eps=1e-12, buffer=4)
    run.advance("iterations", 10**6)
    assert run.iterations == 4
    assert run.stalled and not run.converged and run.reason == "its buffer of 4 cuts is full"


def test_svm_perf_forgets_cuts_that_do_nothing():
    X, y = overlapping(200, 10)
    run, examples, problem = started("svm_perf", X, y, 100.0, eps=1e-9)
    cuts = []
    while not run.converged:
        before = examples.ledger.inner_products
        run.advance("iterations", run.iterations + 1)
        cuts.append(examples.ledger.inner_products - before - problem.n)
    assert cuts.pop() == 0  # the last look adds none
    assert cuts[:50] == list(range(1, 51))
    assert max(cuts) < len(cuts)


@EACH
def test_the_largest_values_are_no_overflow(name):
    run = finished(name, np.array([[3e38], [-3e38]]), [1.0, -1.0], C=1e300)
    assert weights(run)[0] * 3e38 == pytest.approx(1.0)
