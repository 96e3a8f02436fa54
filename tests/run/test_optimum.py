import threading
import time
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from svmbench.problem import Problem, dual_objective, mean_hinge, primal_objective
from svmbench.run import optimum as module
from svmbench.run.optimum import TARGET, certify, lookup, optimum, optimum_key
from svmbench.store import Store
from svmbench.store.identity import digest

from .fakes import two_clouds
from .test_observe import GAUSSIAN, expected, gram


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def data():
    return two_clouds()


def solve(store, data, say=lambda text: None, kernel=GAUSSIAN, **problem):
    return optimum(
        Problem.build(data.train.y, **(problem or {"C": 1.0})),
        data,
        kernel,
        store,
        cache_bytes=1 << 20,
        say=say,
    )


def test_it_is_the_optimum(store, data):
    best = solve(store, data)
    y, K = data.train.y, gram(data.train.X, data.train.X)
    problem = Problem.build(y, C=1.0)
    Q = K * np.outer(y, y)
    peer = minimize(
        lambda a: a @ Q @ a / 2 - a.sum(),
        np.full(y.size, 0.5),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, 1)] * y.size,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    assert best.dual == pytest.approx(-problem.lam * peer.fun, rel=1e-5)
    assert best.dual <= best.primal and best.gap == best.primal - best.dual
    assert best.relative_gap == best.gap / best.primal <= TARGET
    assert best.nu == best.mean_hinge / best.norm
    known = expected(data, problem, peer.x, 0.0)
    assert best.norm == pytest.approx(known["norm"], rel=1e-3)
    assert best.mean_hinge == pytest.approx(known["mean_hinge"], rel=1e-3)
    assert (best.test_mistakes, best.test_error) == (known["test_mistakes"], known["test_error"])
    assert best.support_vectors == np.count_nonzero(peer.x > 1e-6)
    assert best.at_bound == np.count_nonzero(peer.x > 1 - 1e-6)
    assert best.cost["iterations"] > 0 and best.cost["kev_observation"] > 0 and best.cost["wall_seconds"] > 0


@pytest.mark.parametrize("C", [0.02, 1.0, 100.0])
def test_it_is_the_optimum_of_a_linear_problem(store, data, C):
    best = solve(store, data, kernel={"name": "linear"}, C=C)
    X, y = np.asarray(data.train.X, dtype=np.float64), data.train.y
    Q = (X @ X.T) * np.outer(y, y)
    problem = Problem.build(y, C=C)
    peer = minimize(
        lambda a: a @ Q @ a / 2 - a.sum(),
        np.full(y.size, C / 2),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, C)] * y.size,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10_000},
    )
    assert best.dual == pytest.approx(-problem.lam * peer.fun, rel=1e-5)
    assert -1e-15 <= best.relative_gap == best.gap / best.primal <= TARGET
    assert best.norm == pytest.approx(np.linalg.norm(X.T @ (peer.x * y)), rel=1e-3)
    assert best.nu == best.mean_hinge / best.norm
    # No kernel is evaluated for it, but for one with a bias, whose dual has a constraint on the labels.
    assert best.cost["kev_computed"] is None and best.cost["inner_products"] > 30
    biased = solve(store, data, kernel={"name": "linear"}, C=C, bias="unregularised")
    assert biased.cost["kev_computed"] > 0 and biased.primal <= best.primal * (1.0 + TARGET)


def test_it_is_computed_once_for_both_spellings_of_a_problem(store, data, monkeypatch):
    best = solve(store, data)
    monkeypatch.setattr(module, "_compute", None)
    assert solve(store, data) == best
    assert solve(store, data, lam=1 / 30) == best
    problem = Problem.build(data.train.y, C=1.0)
    assert lookup(store, optimum_key(problem, data, GAUSSIAN)) == best
    assert [path.suffix for path in (store.root / "optima").iterdir()] == [".json"]


def test_other_problems_have_other_optima(store, data):
    problem = Problem.build(data.train.y, C=1.0)
    solve(store, data)
    for changed in (
        optimum_key(replace(problem, lam=0.1), data, GAUSSIAN),
        optimum_key(replace(problem, bias="unregularised"), data, GAUSSIAN),
        optimum_key(problem, two_clouds(seed=1), GAUSSIAN),
        optimum_key(problem, data, {"name": "gaussian", "gamma": 0.31}),
    ):
        assert lookup(store, changed) is None


def test_a_reference_optimum_is_used(store, data, monkeypatch):
    best = solve(Store(store.root / "reference"), data)
    monkeypatch.setattr(module, "_compute", None)
    assert solve(store, data) == best


def test_a_changed_number_is_noticed(store, data):
    best = solve(store, data)
    (path,) = (store.root / "optima").iterdir()
    path.write_text(path.read_text().replace(f'"nu": {best.nu!r}', '"nu": 0.5'))
    assert lookup(store, best.key) is None
    assert solve(store, data).nu == best.nu


def test_two_at_once_compute_it_once(store, data, monkeypatch):
    real, made, said = module._compute, [], []

    def slow(*arguments):
        made.append(1)
        time.sleep(0.3)
        return real(*arguments)

    monkeypatch.setattr(module, "_compute", slow)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(solve(store, data, said.append))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and asdict(found[0]) == asdict(found[1])
    assert sum("waiting for the optimum that process" in text for text in said) == 1


@pytest.mark.parametrize("C", [0.02, 1.0, 100.0])
def test_it_is_the_optimum_with_a_bias(store, data, C):
    best = solve(store, data, C=C, bias="unregularised")
    # The kernel in single precision, as the solver sees it: at C = 100 the objective feels the difference.
    y, K = data.train.y, module.Oracle(data.train.X, GAUSSIAN).block(np.arange(30)).astype(np.float64)
    peer = SVC(C=C, kernel="precomputed", tol=1e-12).fit(K, y)
    alpha = np.zeros(y.size)
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    # Without free coefficients, at C = 0.02, there is an interval of best biases.
    bias = best.bias if C == 0.02 else float(peer.intercept_[0])
    problem, f = Problem.build(y, C=C, bias="unregularised"), K @ (alpha * y)
    known = expected(data, problem, alpha, bias)
    assert abs(best.relative_gap) <= TARGET
    norm2 = alpha * y @ f
    assert best.dual == pytest.approx(dual_objective(problem.lam, alpha, norm2), rel=1.1e-6)
    loss = mean_hinge(y * f, y * bias)
    assert best.primal == pytest.approx(primal_objective(problem.lam, norm2, loss), rel=1.1e-6)
    assert best.bias == pytest.approx(bias, abs=1e-3)
    assert best.nu == best.mean_hinge / best.norm
    assert best.norm == pytest.approx(known["norm"], rel=1e-3)
    assert (best.test_mistakes, best.test_error) == (known["test_mistakes"], known["test_error"])
    assert lookup(store, best.key) == best
    assert solve(store, data, C=C).bias == 0.0


def test_a_record_from_before_there_was_a_bias_is_read(store, data):
    best = solve(store, data)
    (path,) = (store.root / "optima").iterdir()
    record = asdict(best)
    del record["bias"]
    store.put_optimum(path.stem, {**record, "checksum": digest(record)})
    assert lookup(store, best.key) == best


def test_a_gap_that_is_not_reached_is_no_optimum(store, data, monkeypatch):
    monkeypatch.setattr(module, "TARGET", -1.0)
    with pytest.raises(ArithmeticError, match="certified to a relative gap of"):
        solve(store, data)
    assert list((store.root / "optima").iterdir()) == []


def test_the_certificate_does_not_trust_the_solver(store, data, monkeypatch):
    # Responses that drifted: the maintained gap looks closed long before the true one is.
    real = module.certify

    def optimistic(problem, alpha, responses):
        honest = real(problem, alpha, responses)
        return honest if optimistic.fresh else {**honest, "relative_gap": 0.0}

    class Watched(module.Oracle):
        def training_scores(self, indices, coefficients):
            optimistic.fresh = True
            return super().training_scores(indices, coefficients)

    optimistic.fresh = False
    calls = []

    def certified(problem, alpha, responses):
        result = optimistic(problem, alpha, responses)
        calls.append((optimistic.fresh, result["relative_gap"]))
        optimistic.fresh = False
        return result

    monkeypatch.setattr(module, "certify", certified)
    monkeypatch.setattr(module, "Oracle", Watched)
    best = solve(store, data, C=1000.0)
    assert 0.0 <= best.relative_gap <= TARGET
    assert [gap for fresh, gap in calls if fresh][:-1], "the first certificate was good enough already"


@pytest.mark.parametrize("value", [-1e-9, 1.0000001])
def test_an_infeasible_point_is_no_certificate(data, value):
    alpha = np.full(30, 0.5)
    alpha[3] = value
    with pytest.raises(ArithmeticError, match=r"not within \[0, 1"):
        certify(Problem.build(data.train.y, C=1.0), alpha, np.ones(30))


def test_an_unbalanced_point_is_no_certificate_where_there_is_a_bias(data):
    alpha = np.full(30, 0.5)
    alpha[3] = 0.4
    problem = Problem.build(data.train.y, C=1.0, bias="unregularised")
    with pytest.raises(ArithmeticError, match=r"the signed coefficients sum to -0\.1.*, not to 0"):
        certify(problem, alpha, np.ones(30))
