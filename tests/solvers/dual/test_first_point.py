"""Runs from a first point against the slow specifications and plain formulas."""

import numpy as np
import pytest

from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.conformance.cases import N, data
from tests.kernels.reference import KERNELS, kernel_matrix
from tests.solvers.kernel import working_sets
from tests.specification import smo_pair as specification
from tests.specification.expansion import Maintained
from tests.specification.slow_oracle import SlowOracle

EXACT = [
    ("smo_pair", "unregularised"),
    ("decomposition", "unregularised"),
    ("decomposition", "none"),
    ("smo", "none"),
]


def balanced_point(y):
    """Coefficients for C = 1: some 0, some at C and some free, of equal sums in both classes."""
    alpha = np.zeros(y.size)
    for label in (1.0, -1.0):
        alpha[np.flatnonzero(y == label)[:7]] = [1.0, 1.0, 1.0, 0.5, 0.25, 0.125, 0.125]
    return alpha


def started(name, bias, alpha, **parameters):
    run, oracle, problem = working_sets.started(name, *data(), KERNELS[0], bias=bias, seed=1, **parameters)
    run.begin(alpha)
    return run, oracle, problem


@pytest.mark.parametrize("given", specification.VARIANTS, ids=str)
def test_counts_and_iterates_equal_the_slow_oracle(given):
    """With shrinking, too: values reconstructed by rows are charged as in a run from 0."""
    X, y = data()
    alpha = balanced_point(y)
    run, oracle, problem = started("smo_pair", "unregularised", alpha, **given)
    slow = SlowOracle(X, KERNELS[0], Oracle(X, KERNELS[0]).block(np.arange(N)))
    # Conjugate steps leave equal values behind: in the end rounding chooses among them.
    iterations = 60 if given.get("conjugate") else 160
    expected = specification.run(problem, Maintained(slow, y), Generator(1), iterations, first=alpha, **given)
    run.advance("iterations", iterations)
    ledger = oracle.ledger.as_dict()
    assert ledger["kev_setup"] == N * 14
    assert ledger["kev_ondemand"] == ledger["kev_rowupdate"] == ledger["kev_iter"] == len(slow.pairs)
    np.testing.assert_allclose(run.snapshot().alpha, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(("name", "bias"), EXACT)
def test_the_responses_are_exact_and_counted(name, bias):
    X, y = data()
    alpha = balanced_point(y)
    run, oracle, _ = started(name, bias, alpha)
    expected = y * (kernel_matrix(X, X, KERNELS[0]) @ (alpha * y))
    np.testing.assert_allclose(run.snapshot().responses, expected, rtol=1e-13, atol=1e-13)
    ledger = oracle.ledger.as_dict()
    assert ledger["kev_computed"] == ledger["kev_setup"] == ledger["kev_ondemand"] == N * 14
    assert ledger["iterations"] == 0


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_the_first_working_set_of_decomposition_has_the_worst_violators(bias):
    """Not evenly spaced examples, as from 0."""
    y = data()[1]
    alpha = balanced_point(y)
    run, _, _ = started("decomposition", bias, alpha, working_set=8)
    v = y * (1.0 - run.snapshot().responses)
    up, down = np.where(y > 0.0, alpha < 1.0, alpha > 0.0), np.where(y > 0.0, alpha > 0.0, alpha < 1.0)
    highest, lowest = np.argsort(-np.where(up, v, -np.inf))[:4], np.argsort(np.where(down, v, np.inf))[:4]
    run.advance("iterations", 1)
    changed = set(np.flatnonzero(run.snapshot().alpha != alpha))
    assert changed and changed <= {*highest, *lowest}


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_dcd_begins_at_the_weights_of_its_coefficients_without_inner_products(loss):
    X, y = data()
    problem, solver, examples = Problem.build(y, C=1.0), registry.get("dcd"), LinearData(X)
    run = solver(solver.Params(loss=loss, eps=1e-8)).start(problem, examples, Generator(1))
    alpha = balanced_point(y)
    alpha[5] = run.snapshot().alpha[5]  # of the example that is 0, which is fixed
    run.begin(alpha)
    np.testing.assert_allclose(
        run.snapshot().model.weights, X.astype(float).T @ (alpha * y), rtol=1e-13, atol=1e-13
    )
    np.testing.assert_array_equal(run.snapshot().alpha, alpha)
    assert examples.ledger.inner_products == N  # the norms
    run.advance("iterations", 10**6)
    cold = solver(solver.Params(loss=loss, eps=1e-8)).start(problem, LinearData(X), Generator(1))
    cold.advance("iterations", 10**6)
    assert run.converged
    np.testing.assert_allclose(run.snapshot().model.weights, cold.snapshot().model.weights, atol=1e-6)
