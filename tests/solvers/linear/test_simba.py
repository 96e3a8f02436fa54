"""What is particular to SIMBA: its features, its end, its slack budget, and its rate."""

import numpy as np
import pytest
import scipy.sparse

from svmbench.errors import UserError
from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem, mean_hinge
from svmbench.rng import Generator
from svmbench.solvers.linear.simba import SIMBA, Params
from tests.solvers.linear.small import FORMS, finished, liblinear, overlapping, started, weights


def awkward(n, d, seed=0):
    """Rows and features that are all zeros, first, last and in the middle, and others with all values."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.6, rng.normal(size=(n, d)), 0.0).astype(np.float32)
    X[[0, n // 2, n - 1]] = 0.0
    if d > 2:
        X[:, [0, d // 2, d - 1]] = 0.0
    X[1, 1 % d] = 1.0
    return X, np.where(rng.random(n) < 0.5, 1.0, -1.0)


@pytest.mark.parametrize(("n", "d"), [(2, 1), (7, 1), (3, 40), (25, 6), (60, 3)])
def test_a_feature_of_sparse_rows_is_that_of_dense_ones(n, d):
    X, y = awkward(n, d)
    states = []
    # Columns of 64 bit as well, as scipy makes them of large matrices.
    wide = scipy.sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for rows in (X, scipy.sparse.csr_array(X), wide):
        examples = LinearData(rows)
        run = SIMBA(Params(nu=0.05, T=500)).start(Problem.build(y, C=1.0), examples, Generator(3))
        run.advance("iterations", 500)
        states.append((weights(run).tobytes(), examples.ledger.inner_products))
    assert states[0] == states[1] == states[2]
    assert np.any(weights(run))
    assert not np.any(weights(run)[~X.any(axis=0)])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("T", [1, 2, 1000])
def test_it_ends_after_T_iterations(form, T):
    X, y = overlapping()
    run, examples, _ = started("simba", X, y, form=form, nu=0.1, T=T)
    run.advance("inner_products", 10**9)
    assert run.converged
    assert run.iterations == T
    assert examples.ledger.inner_products == 120 + T + 120 * T // 6


@pytest.mark.parametrize("label", [-1.0, 1.0])
@pytest.mark.parametrize("nu", [0.0, 0.01])
def test_one_class_far_from_zero_has_its_mean(label, nu):
    # All examples are the same: the best direction is theirs, and the answer has responses 1 less the slack.
    run = finished("simba", np.tile([0.0, 3.0, 4.0], (9, 1)), np.full(9, label), nu=nu, T=20_000)
    w = weights(run)
    np.testing.assert_allclose(w / np.linalg.norm(w), label * np.array([0.0, 0.6, 0.8]), atol=1e-6)
    level = run.snapshot().native["native_objective"]
    assert level == pytest.approx(5.0 + nu, rel=0.02)  # f at u/|u|; the average has a norm just below 1


def test_examples_that_are_all_zero_are_refused():
    with pytest.raises(UserError, match="every example is 0, so simba can learn nothing: give other data"):
        started("simba", np.zeros((3, 2)), [1.0, -1.0, 1.0], nu=0.1)


@pytest.mark.parametrize("nu", [-0.1, float("inf"), float("nan")])
def test_a_number_that_is_no_slack_budget_is_an_error(nu):
    with pytest.raises(UserError, match=r"solver\.nu=.* is not allowed: give a number of at least 0"):
        started("simba", np.ones((2, 1)), [1.0, -1.0], nu=nu)


def test_auto_needs_a_problem_whose_nu_is_known():
    with pytest.raises(UserError, match=r"solver\.nu=auto needs a problem whose nu is known"):
        started("simba", np.ones((2, 1)), [1.0, -1.0])


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_it_converges_to_the_slack_constrained_optimum(form):
    # Lemma 2.1 of the paper on SBP: with ν = L(w*)/|w*| the optimum is w*/|w*|, of value 1/|w*|.
    X, y = overlapping(60)
    best = liblinear(X, y, 1.0)
    norm = float(np.linalg.norm(best))
    nu = mean_hinge(y * (X.astype(np.float64) @ best)) / norm
    gaps = []
    for seed in range(9):
        gaps.append([])
        for T in (4_000, 16_000, 64_000):
            run = finished("simba", X, y, form=form, seed=seed, nu=nu, T=T)
            gaps[-1].append(1.0 / norm - run.snapshot().native["native_objective"])
    assert np.min(gaps) >= -1e-9
    median = np.median(gaps, axis=0)
    # A rate of 1/√T halves the gap each time.
    assert np.all(median[1:] <= 0.6 * median[:-1])
    assert median[2] <= 0.15 / norm
