"""What is particular to CPNY: the basis, the features, the optimum within their span."""

from functools import partial

import numpy as np
import pytest

from tests.conformance.test_optimum import Optimum
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import LINEAR

GAUSSIAN = {"name": "gaussian", "gamma": 0.7}

started = partial(working_sets.started, "cpny", bias="none")


@pytest.mark.parametrize("basis", ["strides", "greedy"])
def test_with_all_examples_it_is_the_optimum_of_all(basis):
    best = Optimum()
    run, _, _ = started(best.X, best.y, kernel=GAUSSIAN, C=best.problem.C, basis=basis, eps=1e-6)
    run.advance("iterations", 10**6)
    assert run.converged
    native = run.snapshot().native
    assert native["native_objective"] == pytest.approx(best.primal, rel=2e-5)
    assert native["native_bound"] <= best.primal * (1.0 + 1e-6)
    assert native["native_objective"] - native["native_bound"] <= 2e-6


@pytest.mark.parametrize("basis", ["strides", "greedy"])
def test_a_larger_basis_has_a_better_optimum(basis):
    best = Optimum()
    reached = []
    for k in (3, 10, 30, 60):
        run, _, _ = started(best.X, best.y, kernel=GAUSSIAN, C=best.problem.C, basis=basis, k=k, eps=1e-5)
        run.advance("iterations", 10**6)
        reached.append(run.snapshot().native["native_objective"])
    assert sorted(reached, reverse=True) == reached
    assert reached[0] > 1.05 * reached[-1]


def test_examples_at_equal_strides():
    X = np.random.default_rng(0).normal(size=(50, 3))
    run, _, _ = started(X, np.where(np.arange(50) % 2, 1.0, -1.0), k=7)
    run.advance("iterations", 7)
    assert run.snapshot().model.support_vectors == 0  # the basis is chosen, w is 0 still
    run.advance("iterations", 8)
    assert run.snapshot().model.indices.tolist() == [0, 7, 14, 21, 28, 35, 42]


@pytest.mark.parametrize("basis", ["strides", "greedy"])
def test_dependent_examples_are_dropped(basis):
    # Three dimensions: no fourth example is independent, and a copy never is.
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[3] = X[0]
    run, oracle, _ = started(X, np.where(X[:, 0] > 0, 1.0, -1.0), LINEAR, basis=basis, k=30)
    run.advance("iterations", 10**6)
    model = run.snapshot().model
    assert run.converged and model.support_vectors == 3
    tried = 30 if basis == "strides" else 3
    assert oracle.ledger.kev_ondemand == oracle.ledger.kev_rowupdate == 30 + 30 * tried


@pytest.mark.parametrize(("k", "basis"), [(1, [1]), (2, [1, 2])])
def test_greedy_takes_the_farthest(k, basis):
    run, _, _ = started([[1.0, 0.0], [0.0, 3.0], [2.0, 0.0]], [1.0, -1.0, 1.0], LINEAR, basis="greedy", k=k)
    run.advance("iterations", k + 1)  # the basis, and a cut
    assert run.snapshot().model.indices.tolist() == basis
