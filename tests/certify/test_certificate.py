"""Bounds of certificates and traces are those of an independent program in double precision."""

import numpy as np
import pytest

from svmbench import config
from svmbench.certify.certificate import (
    ROUGH,
    TrainingScores,
    certify,
    diagonal,
    norm_interval,
    nu_interval,
    proved,
)
from svmbench.data import Dataset
from svmbench.data.dataset import Part
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem, dual_bound, objectives_rounding
from svmbench.rng import Generator
from svmbench.runner.execute import execute
from svmbench.runner.observe import Observer
from svmbench.solvers import registry
from svmbench.solvers.base import KernelExpansion, Snapshot
from tests.kernels.reference import kernel_matrix
from tests.runner.fakes import Silent, two_clouds
from tests.specification.certificate import bounds, many_features, two_moons

SETS = {"plane": (two_moons(), 1.0), "many": (many_features(), 0.03)}


def large_dual_point(name: str, C: float, bias: str):
    """Return examples, kernel, problem and a dual point with coefficients of the size of C."""
    (X, y), gamma = SETS[name]
    kernel = {"name": "gaussian", "gamma": gamma}
    problem = Problem.build(y, C=C, bias=bias)
    rng = np.random.default_rng(0)
    alpha = np.where(rng.random(y.size) < 0.5, rng.uniform(0.0, C, y.size), 0.0)
    if bias != "none":  # balanced but for rounding
        sums = [alpha[y == sign].sum() for sign in (1.0, -1.0)]
        alpha = np.where(y > 0, alpha * (min(sums) / sums[0]), alpha * (min(sums) / sums[1]))
    return X, y, kernel, problem, alpha


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize(("name", "C"), [("plane", 1e4), ("many", 1e6)])
def test_the_bounds_of_a_trace_are_those_of_the_kernel_and_not_of_rows_in_single_precision(name, C, bias):
    X, y, kernel, problem, alpha = large_dual_point(name, C, bias)
    oracle = Oracle(X, kernel)
    model = KernelExpansion.from_alpha(alpha, y)
    # What a solver maintains on rows in float32.
    rough = y * (oracle.block(np.arange(y.size)).astype(np.float64) @ (alpha * y))
    data = Dataset("none", Part(X, y), None, None, "", {})
    row = Observer(problem, oracle, data)(Snapshot(model, rough, alpha))
    K = kernel_matrix(X, X, kernel)
    primal, dual = bounds(K, y, C, alpha, bias != "none")
    assert row["precision"] == "float64"
    assert row["dual_objective"] == pytest.approx(dual, rel=1e-10)
    wrong = certify(problem, alpha, rough)["dual"]
    assert abs(wrong - dual) > 1e-6, "rows in float32 would have done"
    certificate = certify(problem, alpha, y * (K @ (alpha * y)))
    assert certificate["primal"] == pytest.approx(primal, rel=1e-10)
    assert certificate["dual"] == pytest.approx(dual, rel=1e-10)
    assert certificate["gap"] == certificate["primal"] - certificate["dual"]
    assert certificate["relative_gap"] == certificate["gap"] / certificate["primal"]


def test_the_gap_of_two_objectives_that_are_zero_is_zero():
    problem = Problem.build(np.array([1.0, -1.0]), C=1.0, bias="none")
    certificate = certify(problem, np.zeros(2), np.array([1.0, 2.0]))
    assert (certificate["primal"], certificate["dual"], certificate["relative_gap"]) == (0.0, 0.0, 0.0)


def test_a_dual_point_that_balances_but_for_rounding_gives_no_more_than_the_balanced_one_next_to_it():
    X, y, kernel, problem, alpha = large_dual_point("plane", 1.0, "unregularised")
    K = kernel_matrix(X, X, kernel)
    i = int(np.argmax(alpha * (y > 0)))
    alpha[i] += 9e-10 * alpha.sum()
    alpha[i] = min(alpha[i], 1.0)
    responses = y * (K @ (alpha * y))
    bound = dual_bound(problem, alpha, responses, lambda i: 1.0)
    t = abs(float(alpha @ y))
    heavier = np.flatnonzero(y * (alpha @ y) > 0)
    level = alpha.copy()
    level[heavier[np.argmax(alpha[heavier])]] -= t
    w2 = level * y @ K @ (level * y)
    assert bound == pytest.approx(problem.lam * (level.sum() - 0.5 * w2), rel=1e-13)
    assert bound != problem.lam * (alpha.sum() - 0.5 * float(alpha @ responses))


@pytest.mark.parametrize("one_class", [False, True])
def test_models_are_followed_by_what_changed(one_class):
    X, y, kernel, _, alpha = large_dual_point("plane", 1.0, "none")
    oracle = Oracle(X, kernel)
    scores, K = TrainingScores(oracle), kernel_matrix(X, X, kernel)
    beta, costs = -alpha if one_class else alpha * y, []
    for change in (1.0, 1.0, 4.0, 12.0):
        beta = beta / change  # up to rounding a multiple by one factor
        beta[7] += 0.125
        before = oracle.ledger.kev_observation
        found = scores(KernelExpansion(np.flatnonzero(beta), beta[beta != 0.0]))
        costs.append((oracle.ledger.kev_observation - before) // y.size)
        assert found == pytest.approx(K @ beta, abs=1e-12 * np.abs(beta).sum())
    assert costs[0] == np.count_nonzero(beta) and costs[1:] == [1, 1, 1]


def test_scores_that_were_once_far_larger_are_made_anew():
    X, y, kernel, _, alpha = large_dual_point("plane", 1.0, "none")
    oracle, K = Oracle(X, kernel), kernel_matrix(X, X, kernel)
    scores, beta = TrainingScores(oracle), alpha * y
    place = np.flatnonzero(beta)[0]
    large = beta.copy()
    large[place] = 1e15
    for weights in (beta, large, beta):
        found = scores(KernelExpansion(np.flatnonzero(weights), weights[weights != 0.0]))
    assert found == pytest.approx(K @ beta, abs=1e-12 * np.abs(beta).sum())


@pytest.mark.parametrize(("size", "anew"), [(0.9e4, False), (1.1e4, True)])
def test_scores_that_shrank_by_more_than_four_digits_are_made_anew_if_that_is_affordable(
    size, anew, monkeypatch
):
    # No example is similar to another: the scores are the coefficients.
    n, beta = 20, np.full(20, 0.5)
    X = 10.0 * np.arange(n, dtype=np.float32)[:, None]
    large = beta.copy()
    large[3] = size
    monkeypatch.setattr("svmbench.certify.certificate._FREE", 0)
    # All coefficients, then one, then one or all: 22 rows or 42.
    for rows in (22, 42):
        oracle = Oracle(X, {"name": "gaussian", "gamma": 1.0})
        oracle.ledger.charge(evaluations=int(oracle.exact_price * rows * n))
        scores = TrainingScores(oracle)
        found = [scores(KernelExpansion(np.arange(n), weights)) for weights in (beta, large, beta)]
        assert found[1] == pytest.approx(large)
        if anew and rows < 42:
            assert found[2] is None
        else:
            assert found[2] == pytest.approx(beta, abs=1e-11)
            assert oracle.ledger.kev_observation == n * (42 if anew else 22)


def test_where_double_precision_would_take_longer_than_the_training_there_is_no_gap(monkeypatch):
    X, y, kernel, problem, alpha = large_dual_point("plane", 1.0, "none")
    monkeypatch.setattr("svmbench.certify.certificate._FREE", 0)
    oracle = Oracle(X, kernel)
    data = Dataset("none", Part(X, y), None, None, "", {})
    observer = Observer(problem, oracle, data, bound=1e-3)
    snapshot = Snapshot(KernelExpansion.from_alpha(alpha, y), alpha=alpha)
    row = observer(snapshot)
    assert row["precision"] == "float32"
    assert not {"dual_objective", "duality_gap", "relative_gap"} & set(row)
    oracle.ledger.charge(iterations=10_000, n=y.size)
    assert observer(snapshot)["precision"] == "float64"


@pytest.mark.parametrize(
    ("layout", "price"), [("dense", 2.0), ("double", 1.0), ("bytes", 1.0), ("bits", 2.0), ("mixed", 21.0)]
)
def test_the_allowance_takes_an_evaluation_at_the_price_of_its_layout(layout, price, monkeypatch):
    monkeypatch.setattr("svmbench.certify.certificate._FREE", 0)
    n, s = 50, 7
    X = np.eye(20, dtype=np.float32)[np.arange(n) % 20]
    if layout not in ("bits", "bytes"):
        X = np.hstack([X, np.linspace(0.5, 1.0, n, dtype=np.float32)[:, None]])
    oracle = Oracle(X, {"name": "gaussian", "gamma": 1.0}, layout=layout)
    scores, model = TrainingScores(oracle), KernelExpansion(np.arange(s), np.ones(s))
    oracle.ledger.charge(evaluations=int(price * s * n) - 1)
    assert scores(model) is None
    oracle.ledger.charge(evaluations=1)
    assert scores(model) is not None


@pytest.mark.parametrize("gap", [0.1, None])
def test_a_run_of_an_exact_method_bounds_its_gap_however_dear_double_precision_is(tmp_path, monkeypatch, gap):
    monkeypatch.setattr("svmbench.certify.certificate._FREE", 0)
    words = ["solver=smo", "dataset.n_train=300", "dataset.n_test=10", "budget.kev=null", "observe.points=20"]
    given = [f"budget.gap={gap or 'null'}", f"results={tmp_path}"]
    run = execute(config.resolve([*words, *given]), progress=Silent()).run
    unknown = run.trace()["relative_gap"].isna()
    assert run.status == ("budget" if gap else "converged")
    assert not unknown.any()  # without a gap to end at they are bounds by rounding analysis
    assert set(run.trace()["precision"]) <= {"float64", "rounding", "confidence"}


def test_the_last_look_may_take_what_earlier_ones_have_taken_too(monkeypatch):
    X, _, kernel, _, _ = large_dual_point("plane", 1e4, "none")
    monkeypatch.setattr("svmbench.certify.certificate._FREE", 0)
    oracle = Oracle(X, kernel)
    scores, s = TrainingScores(oracle), 8
    oracle.ledger.charge(evaluations=int(oracle.exact_price * s * oracle.n))
    first, second, larger = (
        KernelExpansion(np.arange(k), np.random.default_rng(k).random(k)) for k in (s, s - 1, s + 1)
    )
    assert scores(first) is not None
    assert scores(second) is None
    assert scores(larger, last=True) is None
    assert scores(second, last=True) is not None


def test_where_single_precision_cannot_stand_for_the_model_observation_is_in_double_at_any_price(monkeypatch):
    X, y, kernel, problem, alpha = large_dual_point("plane", 1e4, "none")
    monkeypatch.setattr("svmbench.certify.certificate._FREE", 0)
    oracle = Oracle(X, kernel)
    data = Dataset("none", Part(X, y), None, None, "", {})
    model = KernelExpansion.from_alpha(alpha, y)
    exact = y * (kernel_matrix(X, X, kernel) @ (alpha * y))
    # The solver's own responses have drifted, at a point where that changes the loss.
    for drift, precision in ((0.0, "float32"), (0.01 * np.abs(exact).max(), "float64")):
        row = Observer(problem, oracle, data)(Snapshot(model, exact + drift, alpha))
        assert row["precision"] == precision
        loss = np.maximum(0.0, 1.0 - exact).mean()
        true = 0.5 * problem.lam * (alpha @ exact) + loss
        assert row["primal_objective"] == pytest.approx(true, rel=1e-12)


@pytest.mark.parametrize("weight", [None, 2.0])
def test_single_precision_stands_for_a_model_if_it_changes_the_objective_by_little(weight):
    X, y, kernel, _, alpha = large_dual_point("plane", 1.0, "none")
    exact, times = y * (kernel_matrix(X, X, kernel) @ (alpha * y)), weight or 1.0
    problem = Problem.build(y, C=1.0, weights=None if weight is None else np.full(y.size, weight))
    primal = 0.5 * problem.lam * (alpha @ exact) + times * np.maximum(0.0, 1.0 - exact).mean()
    most = ROUGH * primal / (times * (1.0 + 0.5 * problem.lam * alpha.sum()))
    scores, model = TrainingScores(Oracle(X, kernel)), KernelExpansion.from_alpha(alpha, y)
    assert scores.support(model, problem, exact + 0.98 * most)
    assert not scores.support(model, problem, exact + 1.02 * most)


def test_the_diagonal_is_that_of_the_kernel():
    X = np.array([[3.0, 4.0], [0.0, 1.0]], dtype=np.float32)
    assert diagonal(Oracle(X, {"name": "linear"}))(0) == 25.0


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("exact", [True, False])
def test_at_a_large_c_kernel_values_that_round_to_one_lift_no_bound(bias, exact):
    lifted = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(8, 2)).astype(np.float32)
        y = np.where(np.arange(8) < 3, 1.0, -1.0)
        problem = Problem.build(y, C=1e12, bias=bias)
        oracle = Oracle(X, {"name": "gaussian", "gamma": 1e-12}, 1 << 20)
        solver = registry.get("decomposition")
        run = solver(solver.Params()).start(problem, oracle, Generator(seed))
        run.advance("iterations", 20_000)
        snapshot = run.snapshot()
        data = Dataset("", Part(X, y), None, None, "", {})
        row = Observer(problem, oracle, data, exact=exact)(snapshot, True)
        assert row["precision"] == "float64"
        wide = X.astype(np.longdouble)
        distances = np.square(wide[:, None] - wide).sum(axis=2)
        beta = snapshot.alpha.astype(np.longdouble) * y
        norm2 = beta @ np.expm1(np.longdouble(-1e-12) * distances) @ beta + beta.sum() ** 2
        dual = float(np.longdouble(problem.lam) * (np.abs(beta).sum() - 0.5 * norm2))
        size = problem.lam * float(np.abs(beta).sum())
        assert dual - 1e-2 * size <= row["dual_objective"] <= dual
        assert row["duality_gap"] == pytest.approx(row["primal_objective"] - row["dual_objective"])
        rounded = snapshot.alpha * y
        lifted += dual < problem.lam * float(np.abs(rounded).sum() - 0.5 * rounded.sum() ** 2)
    assert lifted > 0  # as a bound is where rounding does not count


def test_ordinary_bounds_do_not_know_of_rounding():
    y, alpha = np.ones(100), np.full(100, 1e12)
    ordinary, extreme = (Problem.build(y, lam=lam) for lam in (1e-4, 1e-14))
    assert objectives_rounding(ordinary, np.full(100, 100.0), 0.3) == 0.0
    assert objectives_rounding(extreme, alpha, 0.3) == pytest.approx(2.0**-52 * 2e14)
    weighted = Problem.build(y, lam=1e-14, weights=np.full(100, 3.0))
    assert objectives_rounding(weighted, alpha, 0.3) == pytest.approx(2.0**-52 * 4e14)


def test_beside_another_bound_double_precision_takes_a_twentieth_of_the_training_at_its_price(monkeypatch):
    X, _ = two_moons(n=300)
    oracle = Oracle(X, {"name": "gaussian", "gamma": 1.0})
    model = KernelExpansion(np.arange(300), np.ones(300))
    monkeypatch.setattr("svmbench.certify.certificate._FREE_BOUNDED", 0)
    price = int(300 * 300 * oracle.exact_price)
    scores = TrainingScores(oracle, bounded=True)
    oracle.ledger.charge(iterations=price * 19 // 300, maintained_changes=0, n=300)
    assert scores(model) is None
    oracle.ledger.charge(iterations=price * 2 // 300, maintained_changes=0, n=300)
    assert scores(model) is not None


def test_the_last_gap_of_an_exact_method_takes_at_most_a_quarter_of_its_evaluations():
    X, y = two_moons(n=4000, noise=0.4)
    problem, oracle = Problem.build(y, C=1.0), Oracle(X, {"name": "gaussian", "gamma": 1.0}, 1 << 26)
    solver = registry.get("decomposition")
    run = solver(solver.Params(eps=1e-3)).start(problem, oracle, Generator(0))
    run.advance("iterations", 20_000)
    row = Observer(problem, oracle, Dataset("", Part(X, y), None, None, "", {}), exact=True)(
        run.snapshot(), True
    )
    assert row["relative_gap"] <= 1e-3 and row["precision"] in ("rounding", "confidence")
    assert oracle.ledger.kev_observation * oracle.exact_price <= 0.25 * oracle.ledger.kev_iter


def test_the_gap_bounds_the_norm_and_nu_of_the_optimum():
    assert norm_interval(0.1, 2.0, 1.9, 3.0) == pytest.approx((2.0, 4.0))  # |w*| is at most 1 from 3
    assert norm_interval(0.1, 2.0, 1.9, 0.5) == pytest.approx((0.0, 1.5))
    # Each objective may be off by 1e-12 of itself.
    assert norm_interval(0.5, 1.0, 1.0, 3.0) == pytest.approx((3.0 - 2e-6, 3.0 + 2e-6), abs=1e-8)
    low, high = nu_interval(0.1, 0.5, 0.5, 1.0)
    assert high is not None and low < 0.45 - 1e-6 and high > 0.45 + 1e-6
    assert nu_interval(0.1, 2.0, 1.9, 3.0) == pytest.approx((1.9 / 4.0 - 0.2, 2.0 / 2.0 - 0.1))
    assert nu_interval(0.1, 1.0, 0.9, 0.5)[1] is None  # w* = 0 is possible
    assert nu_interval(0.1, 1.0, 0.0, 0.0) == nu_interval(0.1, 0.0, 0.0, 0.0) == (0.0, None)


def test_a_squared_norm_that_rounding_takes_below_0_is_0():
    problem = Problem.build(np.array([1.0, -1.0]), C=1.0)
    found = certify(problem, np.full(2, 0.5), np.full(2, -1e-20))
    assert (found["norm"], found["primal"], found["dual"]) == (0.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("value", "low", "high", "digits"),
    [
        (0.00352107, 0.003520, 0.003522, 0.00352),
        (0.00352107, 0.0035205, 0.003522, 0.003521),
        (0.00352107, 0.003, 0.004, 0.004),
        (0.5, 0.49, 0.51, 0.5),
        (0.123456789, 0.123456788, 0.12345679, 0.123457),
        (12345678.0, 12345000.0, 12346000.0, 12346000.0),
    ],
)
def test_a_derived_number_has_the_digits_that_are_proved(value, low, high, digits):
    assert proved(value, low, high) == digits


@pytest.mark.parametrize("value", [-1e-9, 1.0000001])
def test_an_infeasible_point_is_no_certificate(value):
    alpha = np.full(30, 0.5)
    alpha[3] = value
    with pytest.raises(ArithmeticError, match=r"not within \[0, 1"):
        certify(Problem.build(two_clouds().train.y, C=1.0), alpha, np.ones(30))


def test_an_unbalanced_point_is_no_certificate_where_there_is_a_bias():
    alpha = np.full(30, 0.5)
    alpha[3] = 0.4
    problem = Problem.build(two_clouds().train.y, C=1.0, bias="unregularised")
    with pytest.raises(ArithmeticError, match=r"the signed coefficients sum to -0\.1.*, not to 0"):
        certify(problem, alpha, np.ones(30))
