"""Exact solvers beyond single precision: their gaps hold in double precision, whatever C."""

import numpy as np
import pytest

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem, best_bias, dual_objective, mean_hinge, primal_objective
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel import working_sets
from tests.specification import refinement
from tests.specification.certificate import two_moons

KERNEL = {"name": "gaussian", "gamma": 1.0}
SOLVERS = {
    "smo": {},
    "smo_pair": {},
    "decomposition": {},
    "svm_light": {},
    "gpdt": {},
    "lasvm": {},
    "chunking": {},
    "platt": {"change": 1e-12},
}
CASES = [(name, bias) for name in SOLVERS for bias in registry.get(name).biases]


def spirals(n=120, seed=0):
    """Two interleaved classes in the plane, features between 0 and 2: at C = 1e5 coefficients are large."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    turn = np.sqrt(rng.random(n)) * 2.0 * np.pi
    at = turn + np.where(y > 0.0, 0.0, np.pi)
    X = 1.0 + turn[:, None] / 7.0 * np.c_[np.cos(at), np.sin(at)] + 0.03 * rng.normal(size=(n, 2))
    return np.clip(X, 0.0, 2.0).astype(np.float32), y


def started(name, bias, C, eps, n=120):
    X, y = spirals(n)
    K = kernel_matrix(X, X, KERNEL)
    return *working_sets.started(name, X, y, KERNEL, C, bias, eps=eps, **SOLVERS[name]), K


def relative_gap(problem, alpha, K):
    """The gap in double precision, by a way that shares nothing with the solvers."""
    responses = problem.y * (K @ (alpha * problem.y))
    norm2 = float(alpha @ responses)
    bias = best_bias(problem.y, responses) if problem.bias != "none" else 0.0
    primal = primal_objective(problem.lam, norm2, mean_hinge(responses, problem.y * bias))
    return (primal - dual_objective(problem.lam, alpha, norm2)) / primal


@pytest.mark.parametrize(("name", "bias"), CASES)
def test_a_converged_run_is_at_the_optimum_of_the_kernel_and_not_of_its_rounded_rows(name, bias):
    run, _, problem, K = started(name, bias, 1e5, 1e-9)
    run.advance("iterations", 3_000_000)
    snapshot = run.snapshot()
    assert run.converged or run.stalled
    assert run.refinement.rounds > 0
    gap = relative_gap(problem, snapshot.alpha, K)
    assert 0.0 <= gap < 1e-6
    exact = problem.y * (K @ (snapshot.alpha * problem.y))
    if snapshot.responses is not None:  # LASVM knows those of its members alone
        np.testing.assert_allclose(snapshot.responses, exact, atol=1e-7)


@pytest.mark.parametrize(("name", "bias"), CASES)
def test_where_rows_suffice_nothing_is_recomputed(name, bias):
    run, _, problem, K = started(name, bias, 1.0, 1e-3)
    run.advance("iterations", 1_000_000)
    assert run.converged and run.refinement.rounds == run.refinement.evaluations == 0
    assert relative_gap(problem, run.snapshot().alpha, K) < 1e-3


def test_recomputing_is_charged_as_computed_and_to_no_convention():
    run, oracle, _, _ = started("smo", "none", 1e5, 1e-9)
    run.advance("iterations", 3_000_000)
    ledger = oracle.ledger.as_dict()
    assert run.refinement.evaluations > 0
    assert ledger["kev_computed"] <= 120 * 120 + run.refinement.evaluations  # every row fits into the cache
    assert ledger["kev_computed"] > run.refinement.evaluations
    assert ledger["kev_ondemand"] == ledger["kev_rowupdate"] == ledger["kev_iter"] == 120 * run.iterations


@pytest.mark.slow
@pytest.mark.parametrize(("name", "bias"), CASES)
def test_a_tolerance_beyond_double_precision_ends_in_a_stall_at_the_optimum(name, bias):
    run, oracle, problem, K = started(name, bias, 10.0, 1e-300, n=40)
    run.advance("iterations", 20_000_000)
    assert run.stalled or run.converged
    ended, counts = run.iterations, oracle.ledger.as_dict()
    run.advance("iterations", ended + 1000)
    assert run.iterations == ended and oracle.ledger.as_dict() == counts
    assert abs(relative_gap(problem, run.snapshot().alpha, K)) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("C", [1.0, 100.0, 1e3])
def test_smo_recomputes_when_its_specification_does(C):
    n, eps = 60, 1e-3 if C == 1.0 else 1e-7
    _, y = spirals(n)
    run, oracle, _, exact = started("smo", "none", C, eps, n)
    alpha, rounds, evaluations = refinement.run(oracle.block(np.arange(y.size)), exact, y, C, eps, 30_000)
    run.advance("iterations", 30_000)
    assert (run.refinement.rounds, run.refinement.evaluations) == (rounds, evaluations)
    assert (rounds > 0) == (C > 1.0)
    np.testing.assert_allclose(run.snapshot().alpha, alpha, rtol=1e-6, atol=1e-6 * alpha.max())


@pytest.mark.parametrize("name", ["smo", "gpdt"])
def test_a_method_that_would_never_arrive_has_stalled(name):
    # Without a bias, features near 1e6 make all responses nearly equal: an iteration gains 1e-12 of the rest.
    rng = np.random.default_rng(0)
    y = np.where(rng.random(100) < 0.4, 1.0, -1.0)
    X = (5.0 * rng.normal(size=(100, 3)) + 3.0 * y[:, None] + 1e6).astype(np.float32)
    solver = registry.get(name)
    run = solver(solver.Params()).start(Problem.build(y, C=1.0), Oracle(X, {"name": "linear"}), None)
    run.advance("iterations", 2_000_000)
    assert run.stalled


@pytest.mark.slow
def test_small_gains_on_a_chunk_are_no_stall():
    """The gap over all examples says nothing of how far the optimum of a chunk is."""
    X, y = two_moons()
    solver = registry.get("chunking")
    problem = Problem.build(y, C=1e4, bias="unregularised")
    run = solver(solver.Params(eps=1e-8)).start(
        problem, Oracle(X, {"name": "gaussian", "gamma": 1.0}), Generator(0)
    )
    run.advance("iterations", 10_000_000)
    assert run.converged and not run.stalled


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_what_decides_whether_decomposition_has_converged_is_recomputed_for_few_examples(bias):
    rng = np.random.default_rng(4)
    y = np.where(np.arange(1500) % 2, 1.0, -1.0)
    X = (rng.normal(size=(1500, 2)) + 2.2 * y[:, None] * [1.0, 0.0]).astype(np.float32)
    solver, oracle = registry.get("decomposition"), Oracle(X, KERNEL, 1 << 24)
    problem = Problem.build(y, C=100.0, bias=bias)
    run = solver(solver.Params(eps=1.6e-4)).start(problem, oracle, Generator(0))
    run.advance("iterations", 10_000)
    assert run.converged and run.refinement.rounds == 0
    snapshot = run.snapshot()
    members = np.count_nonzero(snapshot.alpha)
    assert 0 < run.refinement.evaluations < members * y.size / 4
    assert run.refinement.evaluations % members == 0
    v = y - kernel_matrix(X, X, KERNEL) @ (snapshot.alpha * y)
    up = np.where(y > 0.0, snapshot.alpha < 100.0, snapshot.alpha > 0.0)
    down = np.where(y > 0.0, snapshot.alpha > 0.0, snapshot.alpha < 100.0)
    high, low = v[up].max(), v[down].min()
    violation = high - low if bias == "unregularised" else max(high, -low)
    assert violation < 1.6e-4
    maintained = y * (1.0 - snapshot.responses)
    assert maintained[up].max() == pytest.approx(high, abs=1e-11)  # far below what rows leave
    assert maintained[down].min() == pytest.approx(low, abs=1e-11)
    if bias == "unregularised":
        assert snapshot.model.bias == pytest.approx(v[up & down].mean(), abs=1e-11)
