"""Bounds of the duality gap by few responses in double precision."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from svmbench import config
from svmbench.certify import gap_bounds
from svmbench.certify.gap_bounds import GapBounds, Point
from svmbench.data import Dataset
from svmbench.data.dataset import Part
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.run_config import BudgetConfig
from svmbench.runner.execute import execute
from svmbench.runner.held_out import HeldOutScores
from svmbench.runner.observe import Observer
from svmbench.solvers import registry
from svmbench.solvers.base import KernelExpansion, Snapshot
from tests.kernels.reference import kernel_matrix
from tests.runner.fakes import Silent
from tests.specification.certificate import bounds, two_moons


def solved(
    C: float = 1.0,
    bias: str = "unregularised",
    eps: float = 1e-3,
    name: str = "decomposition",
    weighted: bool = False,
):
    """Return examples, problem, oracle and the last snapshot of a solver."""
    X, y = two_moons(n=1500)
    kernel = {"name": "gaussian", "gamma": 1.0}
    weights = np.random.default_rng(0).uniform(0.1, 3.0, y.size) if weighted else None
    problem, oracle = Problem.build(y, C=C, bias=bias, weights=weights), Oracle(X, kernel)
    solver = registry.get(name)
    run = solver(solver.Params(eps=eps)).start(problem, oracle, Generator(0))
    while not (run.converged or run.stalled):
        run.advance("iterations", run.iterations + 50)
    return X, problem, oracle, run.snapshot()


def test_restored_responses_of_a_run_from_a_first_point_are_within_their_bound():
    X, y = two_moons(n=1500)
    problem, solver = Problem.build(y, C=100.0, bias="unregularised"), registry.get("smo_pair")
    kernel = {"name": "gaussian", "gamma": 1.0}
    first = solver(solver.Params(eps=1e-2)).start(problem, Oracle(X, kernel), Generator(0))
    first.advance("iterations", 10**7)
    oracle = Oracle(X, kernel)
    run = solver(solver.Params(eps=1e-3)).start(problem, oracle, Generator(0))
    run.begin(first.snapshot().alpha)
    bounds, shrunk, restored = GapBounds(problem, oracle), False, 0
    while not (run.converged or run.stalled) and not restored:
        run.advance("iterations", run.iterations + 1)
        snapshot = run.snapshot()
        if snapshot.responses is None:
            shrunk = True
        elif shrunk and run.refinement.rounds == 0:
            at = np.flatnonzero(snapshot.alpha)
            exact = y * oracle.exact_responses(at, (snapshot.alpha * y)[at])
            point = point_of(snapshot)
            assert np.abs(snapshot.responses - exact).max() <= bounds.farthest(point)
            assert not point.exact_at.any()  # made again by rows in single precision
            restored += 1
    assert restored


@pytest.mark.parametrize("coarse", [False, True])
def test_a_method_that_does_not_say_when_it_was_exact_is_observed_in_double_precision(monkeypatch, coarse):
    X, problem, oracle, snapshot = solved(name="platt" if coarse else "decomposition")
    assert (snapshot.exact_at is None) == coarse
    monkeypatch.setattr("svmbench.certify.certificate._FREE_BOUNDED", 0)
    monkeypatch.setattr("svmbench.certify.certificate._SHARE", 10**12)
    data = Dataset("", Part(X, problem.y), None, None, "", {})
    row = Observer(problem, oracle, data, exact=True)(snapshot)
    assert (row["precision"] == "float64") == coarse


def test_an_infeasible_point_of_an_exact_method_is_observed_in_double_precision_at_its_end(monkeypatch):
    X, problem, oracle, snapshot = solved()
    for name in ("_FREE_BOUNDED", "_FREE_COARSE"):
        monkeypatch.setattr(f"svmbench.certify.certificate.{name}", 0)
    monkeypatch.setattr("svmbench.certify.certificate._SHARE", 10**12)
    outside = replace(snapshot, alpha=1.01 * snapshot.alpha)
    observer = Observer(
        problem, oracle, Dataset("", Part(X, problem.y), None, None, "", {}), 0.01, exact=True
    )
    assert "relative_gap" not in observer(outside)
    row = observer(outside, True)
    assert (row["precision"], row["dual_source"]) == ("float64", "optimum")


def test_very_unequal_weights_leave_a_bound():
    X, y = two_moons(n=1500)
    X[:4] = X[0]  # of both classes, so that their coefficients end at C, far from the margin
    weights = np.where(np.arange(y.size) < 4, 250.0, 0.5)
    problem = Problem.build(y, C=1.0, bias="unregularised", weights=weights)
    oracle, solver = Oracle(X, {"name": "gaussian", "gamma": 1.0}), registry.get("decomposition")
    run = solver(solver.Params(eps=1e-3)).start(problem, oracle, Generator(0))
    run.advance("iterations", 10**6)
    point = point_of(run.snapshot())
    bound = GapBounds(problem, oracle).confirmed(point, run.snapshot().model.bias)
    most = GapBounds(problem, oracle).farthest(point)
    assert bound.error <= 0.5 * most * float((weights * (point.alpha > 0.0)).mean()) * (1.0 + 1e-9)


def point_of(snapshot: Snapshot) -> Point:
    assert snapshot.alpha is not None and snapshot.responses is not None and snapshot.exact_at is not None
    return Point(snapshot.alpha, snapshot.responses, snapshot.exact_at)


@pytest.mark.parametrize(
    ("name", "C", "weighted"),
    [
        *itertools.product(["decomposition", "smo_pair", "svm_light", "gpdt"], [1.0, 1e4], [False]),
        ("decomposition", 1e4, True),
        ("smo_pair", 1.0, True),
    ],
)
def test_the_gap_is_that_of_all_responses_by_a_few_of_them(name, C, weighted):
    X, problem, oracle, snapshot = solved(C, name=name, weighted=weighted)
    made = GapBounds(problem, oracle)
    before = oracle.ledger.kev_observation
    few = made.confirmed(point_of(snapshot), snapshot.model.bias)
    spent = oracle.ledger.kev_observation - before
    every = made.exact(snapshot.alpha, snapshot.model.bias)
    assert few.gap == pytest.approx(every.gap, rel=1e-9)
    assert few.relative_gap >= every.relative_gap * (1.0 - 1e-12)
    assert abs(few.primal - every.primal) <= few.error
    if few.kind == "rounding":
        assert spent <= 0.5 * problem.n * np.count_nonzero(snapshot.alpha)
    assert few.kind == "rounding" or C > 1.0
    K = kernel_matrix(X, X, oracle.kernel.document())
    P, D = bounds(K, problem.y, C, snapshot.alpha, True, problem.weights)
    assert every.gap >= (P - D) * (1.0 - 1e-9)


def test_the_quick_bound_is_larger_and_takes_no_kernel_value():
    _, problem, oracle, snapshot = solved()
    made = GapBounds(problem, oracle)
    before = oracle.ledger.kev_observation
    quick = made.quick(point_of(snapshot), snapshot.model.bias)
    assert oracle.ledger.kev_observation == before
    confirmed = made.confirmed(point_of(snapshot), snapshot.model.bias)
    assert quick.gap >= confirmed.gap and quick.error >= confirmed.error
    assert quick.kind == "rounding"


@pytest.mark.parametrize("drift", [1e-3, -1e-3])
def test_responses_that_are_further_off_than_rounding_goes_are_all_made_again(drift):
    _, problem, oracle, snapshot = solved()
    wrong = Point(snapshot.alpha, snapshot.responses + drift, snapshot.exact_at)
    found = GapBounds(problem, oracle).confirmed(wrong, snapshot.model.bias)
    every = GapBounds(problem, oracle).exact(snapshot.alpha, snapshot.model.bias)
    assert found.kind == "float64" and found.gap == every.gap


def test_a_sample_of_terms_lowers_what_rounding_may_do(monkeypatch):
    _, problem, oracle, snapshot = solved()
    monkeypatch.setattr(gap_bounds, "_EFFORT", 1e9)
    monkeypatch.setattr(gap_bounds, "largest_error", lambda error: 1e-5)
    few = GapBounds(problem, oracle).confirmed(point_of(snapshot), snapshot.model.bias)
    monkeypatch.setattr(gap_bounds, "_EFFORT", 0.0)
    many = GapBounds(problem, oracle).confirmed(point_of(snapshot), snapshot.model.bias)
    assert few.kind == "confidence" and few.gap == pytest.approx(many.gap, rel=1e-9)


def test_certificates_of_a_run_share_their_probability_of_failure():
    parts = [gap_bounds.FAILURE / (k * (k + 1)) for k in range(1, 10_000)]
    assert sum(parts) <= gap_bounds.FAILURE


@pytest.mark.parametrize("weighted", [False, True])
def test_the_observer_bounds_the_gap_of_an_exact_method(monkeypatch, weighted):
    X, problem, oracle, snapshot = solved(weighted=weighted)
    monkeypatch.setattr("svmbench.certify.certificate._FREE_BOUNDED", 0)
    monkeypatch.setattr("svmbench.certify.certificate._SHARE", 10**12)
    data = Dataset("none", Part(X, problem.y), None, None, "", {})
    along, last = (Observer(problem, oracle, data, exact=True)(snapshot, end) for end in (False, True))
    exact = Observer(problem, oracle, data)(snapshot)
    assert exact["precision"] == "float64" and "objective_error" not in exact
    for row in (along, last):
        assert row["precision"] == "rounding" and row["dual_source"] == "solver"
        assert row["duality_gap"] >= exact["duality_gap"] * (1.0 - 1e-9)
        assert row["train_error"] == exact["train_error"]
        assert abs(row["primal_objective"] - exact["primal_objective"]) <= row["objective_error"]
    assert last["duality_gap"] == pytest.approx(exact["duality_gap"], rel=1e-9)
    # Responses of unknown origin prove nothing: they are made again.
    strange = Snapshot(snapshot.model, snapshot.responses + 0.1, snapshot.alpha)
    row = Observer(problem, oracle, data, exact=True)(strange, True)
    assert row["duality_gap"] == pytest.approx(exact["duality_gap"], rel=1e-9)


def test_a_checkpoint_without_responses_leaves_out_what_is_too_dear(monkeypatch):
    X, problem, oracle, snapshot = solved()
    for name in ("certify.certificate._FREE_COARSE", "runner.observe._FREE"):
        monkeypatch.setattr(f"svmbench.{name}", 0)
    for name in ("certify.certificate._SHARE", "runner.observe._SHARE"):
        monkeypatch.setattr(f"svmbench.{name}", 10**12)
    data = Dataset("none", Part(X, problem.y), None, Part(X[:100], problem.y[:100]), "", {})
    behind = Snapshot(snapshot.model, alpha=snapshot.alpha, earlier=True)
    observer = Observer(problem, oracle, data, exact=True)
    assert set(observer(behind)) == {"support_vectors"}
    last = observer(behind, True)
    assert last["relative_gap"] < 1e-3 and last["test_error"] is not None
    races = Observer(problem, oracle, data, exact=True, targets=BudgetConfig(test_error=0.5))
    assert races(behind)["relative_gap"] == last["relative_gap"]


def test_scores_of_test_examples_follow_what_changed(monkeypatch):
    monkeypatch.setattr("svmbench.runner.held_out._FEW", 0)
    X, y = two_moons()
    oracle = Oracle(X, {"name": "gaussian", "gamma": 1.0})
    scores, K = HeldOutScores(oracle, X[:50]), kernel_matrix(X[:50], X, oracle.kernel.document())
    beta = np.where(np.arange(y.size) % 2 == 0, y, 0.0)
    for _ in range(3):
        beta[7] += 0.25
        before = oracle.ledger.kev_prediction
        found = scores(KernelExpansion(np.flatnonzero(beta), beta[beta != 0.0], 0.5))
        assert found == pytest.approx(K @ beta + 0.5, abs=1e-5)
    assert oracle.ledger.kev_prediction - before == 50


@pytest.mark.parametrize("words", [["budget.kev=null"], ["budget.gap=1e-2"], ["budget.iterations=3"]])
def test_every_run_of_an_exact_solver_ends_with_a_gap(tmp_path, monkeypatch, words):
    monkeypatch.setattr("svmbench.certify.certificate._FREE_BOUNDED", 0)
    monkeypatch.setattr("svmbench.certify.certificate._SHARE", 10**12)
    given = ["solver=decomposition", "dataset.n_train=3000", "problem.bias=unregularised", *words]
    run = execute(config.resolve([*given, f"results={tmp_path}"]), progress=Silent()).run
    last = run.trace().iloc[-1]
    assert last["precision"] in ("rounding", "float64") and last["relative_gap"] > 0.0


@pytest.mark.parametrize("working_set", [16, 256])
def test_a_target_ends_a_run_before_its_next_checkpoint(tmp_path, monkeypatch, working_set):
    """With 16 of them most checkpoints fall where responses are behind; they catch up in between."""
    monkeypatch.setattr("svmbench.runner.observe._FREE", 0)
    words = ["solver=decomposition", f"solver.working_set={working_set}", "dataset=banana", "problem.C=10"]
    words += ["dataset.n_train=3000", "kernel.gamma=1", "problem.bias=unregularised", "budget.gap=1e-3"]
    runs = [
        execute(
            config.resolve([*words, f"observe.points={points}", f"results={tmp_path}"]), progress=Silent()
        ).run
        for points in (1, 80)
    ]
    coarse, fine = (run.summary() for run in runs)
    assert all(run.reason.startswith("budget.gap=0.001 reached") for run in runs)
    assert len(runs[0].rows()) < 10
    assert coarse["test_error"] is not None
    assert coarse["kev_ondemand"] <= 1.35 * fine["kev_ondemand"]


def test_a_run_pauses_where_its_responses_have_caught_up():
    X, y = two_moons(n=3000)
    problem, oracle = (
        Problem.build(y, C=10.0, bias="unregularised"),
        Oracle(X, {"name": "gaussian", "gamma": 1.0}),
    )
    solver = registry.get("decomposition")
    run = solver(solver.Params(working_set=16)).start(problem, oracle, Generator(0))
    run.advance("iterations", 10**6)
    ended = run.iterations
    run, pauses = solver(solver.Params(working_set=16)).start(problem, oracle, Generator(0)), 0
    run.pauses = True
    while not run.converged:
        run.advance("iterations", 10**6)
        pauses += run.caught_up and not run.converged
        assert run.converged or not run.snapshot().earlier
    assert (run.iterations, pauses > 0) == (ended, True)


def test_a_target_that_is_reached_is_predicted_for_once(tmp_path):
    words = [
        "solver=smo",
        "dataset=twonorm",
        "dataset.n_train=80",
        "dataset.n_test=50",
        "problem.C=1",
        "observe.points=1",
    ]
    words += ["budget.kev=null", "budget.gap=1e-2", f"results={tmp_path}"]
    run = execute(config.resolve(words), progress=Silent()).run
    assert run.reason.startswith("budget.gap=0.01 reached")
    predicted = [row["support_vectors"] * 50 for row in run.rows()]
    assert run.summary()["kev_prediction"] == sum(predicted)
