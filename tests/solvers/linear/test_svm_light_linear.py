"""What is particular to SVM-light for linear kernels: its working set, its shrinking, its stopping rule."""

import numpy as np
import pytest

from svmbench.problem import dual_objective
from tests.solvers.linear.small import finished, overlapping, started, weights


def violation(X, y, run, C):
    """The largest violation of the optimality conditions, in float64."""
    alpha = run.snapshot().alpha
    g = y * (X.astype(np.float64) @ weights(run)) - 1.0
    return np.max(np.concatenate([-g[alpha < C], g[alpha > 0.0], [0.0]]))


@pytest.mark.parametrize("shrinking", [True, False])
@pytest.mark.parametrize("q", [1, 2, 10, 1000])
@pytest.mark.parametrize("eps", [0.1, 1e-3, 1e-8])
def test_it_ends_where_no_example_violates_more_than_eps(shrinking, q, eps):
    X, y = overlapping()
    run = finished("svm_light_linear", X, y, 2.0, eps=eps, q=q, entering=q, shrinking=shrinking)
    assert violation(X, y, run, 2.0) <= eps * (1.0 + 1e-6)


def test_all_examples_at_once_are_solved_in_one_iteration():
    X, y = overlapping(40)
    run = finished("svm_light_linear", X, y, q=40, entering=40)
    assert run.iterations == 1


@pytest.mark.parametrize(("q", "entering"), [(1, 1), (2, 1), (6, 2), (10, 10)])
def test_an_iteration_changes_at_most_q_coefficients_and_raises_the_dual(q, entering):
    X, y = overlapping()
    run, _, problem = started("svm_light_linear", X, y, 2.0, q=q, entering=entering)
    before, value = np.zeros(y.size), 0.0
    while not run.converged:
        run.advance("iterations", run.iterations + 1)
        alpha = run.snapshot().alpha
        now = dual_objective(problem.lam, alpha, float(weights(run) @ weights(run)))
        assert np.count_nonzero(alpha != before) <= q
        assert now >= value - 1e-12
        before, value = alpha, now


def test_few_examples_enter_after_the_first_set():
    X, y = overlapping()
    run, _, _ = started("svm_light_linear", X, y, 2.0, q=20, entering=2)
    known = 0
    for iterations in range(1, 11):
        run.advance("iterations", iterations)
        found = np.count_nonzero(run.snapshot().alpha)
        assert found <= known + 2
        known = max(known, found)
    assert known > 10


def test_shrinking_saves_inner_products_and_changes_no_answer():
    X, y = overlapping(400)
    made = {}
    for shrinking in (True, False):
        run, examples, _ = started("svm_light_linear", X, y, 10.0, eps=1e-6, shrinking=shrinking)
        run.advance("iterations", 10**6)
        assert run.converged
        made[shrinking] = examples.ledger.inner_products, weights(run)
    assert made[True][0] < 0.9 * made[False][0]
    np.testing.assert_allclose(made[True][1], made[False][1], atol=1e-5)
