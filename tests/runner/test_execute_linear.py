import json
import time

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.runner import loop, prepare
from svmbench.store import Store
from tests.told import names

from .conftest import stored

NYSTROM = {"name": "nystrom", "s": 12, "eps_d": 1e-12, "rank": None}
FOURIER = {"name": "fourier", "frequencies": 7, "form": "phase", "lazy": False}
BIAS = {"problem": {"bias": "unregularised"}}
UNTIMED = ["wall_seconds", "cpu_seconds"]


LINEAR = {"name": "linear"}
LINEAR_SOLVERS = ("dcd", "pegasos_linear")


@pytest.mark.parametrize("solver", LINEAR_SOLVERS)
def test_a_linear_run_counts_inner_products_and_no_kernel_evaluations(make, solver):
    outcome = make(solver, kernel=LINEAR, budget={"counter": "inner_products", "kev": 100.0})
    trace = outcome.run.trace()
    assert outcome.state == "done"
    # One for each visit; dcd has made those of the 30 norms before it begins.
    first = {"dcd": [32, 56, 100], "pegasos_linear": [1, 2, 3, 6, 10, 18, 32, 56, 100]}[solver]
    assert trace["inner_products"].tolist() == first
    assert trace["iterations"].tolist() == [count - 30 * (solver == "dcd") for count in first]
    for column in [name for name in trace if name.startswith("kev_")]:
        assert trace[column].isna().all()
    for column in ("test_error", "validation_error", "train_error", "primal_objective", "norm"):
        assert trace[column].notna().all()
    assert trace["relative_gap"].notna().all() == trace["support_vectors"].notna().all() == (solver == "dcd")
    summary = outcome.run.summary()
    assert summary["kev_ondemand"] is None and summary["inner_products"] == 100
    scores = outcome.predict(outcome.data.test.X)
    assert np.mean(scores * outcome.data.test.y <= 0) == summary["test_error"]


SQUARE = {"name": "polynomial", "degree": 2, "gamma": 1.0, "coef0": 1.0}


@pytest.mark.parametrize(
    ("solver", "change", "values"),
    [
        ("dcd", {}, ("dcd", "kernel=gaussian", "kernel=linear", "features=nystrom")),
        (
            "dcd",
            {"kernel": SQUARE, "features": FOURIER},
            ("features=fourier", "kernel=polynomial", "gaussian"),
        ),
        ("dcd", {"kernel": LINEAR, "budget": {"counter": "kev_iter"}}, ("dcd", "budget.counter=kev_iter")),
        ("sbp", {"features": NYSTROM}, ("sbp", "features=nystrom", "features=none")),
    ],
)
def test_what_a_solver_cannot_do_is_refused(make, solver, change, values):
    with pytest.raises(UserError) as refused:
        make(solver, **change)
    assert names(str(refused.value), *values)


def with_features(make, features, solver="dcd", **changes):
    budget = {"counter": "inner_products", "kev": 2000.0, "memory": None}
    return make(solver, features=features, budget=budget, **changes)


def test_features_are_charged_before_the_first_iteration(make):
    # 12 evaluations for each of 30 examples, then 30 inner products for the norms.
    first = with_features(make, NYSTROM).run.trace().iloc[0]
    assert first["inner_products"] == 12 * 30 + 30 + first["iterations"]
    for column in ("kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed", "kev_setup"):
        assert first[column] == 12 * 30
    first = with_features(make, FOURIER).run.trace().iloc[0]
    assert first["inner_products"] == 7 * 30 + 30 + first["iterations"]
    assert first.filter(like="kev_").isna().all()


def test_predictions_go_through_the_features(make):
    for features in (NYSTROM, FOURIER, {**FOURIER, "lazy": True, "form": "pairs"}):
        outcome = with_features(make, features)
        X, y = outcome.data.test.X, outcome.data.test.y
        summary = outcome.run.summary()
        assert np.mean(outcome.predict(X) * y <= 0.0) == summary["test_error"]
        assert summary["dual_source"] == "solver" and 0.0 <= summary["relative_gap"] < 0.1


def test_features_are_the_same_for_all_solvers_and_others_for_another_seed(make):
    seeds = [
        with_features(make, NYSTROM, solver, seed=seed).run.manifest["seeds"]
        for solver, seed in (("dcd", 0), ("asset", 0), ("dcd", 1))
    ]
    assert seeds[0]["features"] == seeds[1]["features"] != seeds[2]["features"]
    assert seeds[0]["generator"] != seeds[1]["generator"]


@pytest.mark.parametrize("features", [NYSTROM, FOURIER, {**FOURIER, "lazy": True}], ids=str)
def test_how_a_run_on_features_is_cut_changes_nothing(make, monkeypatch, features):
    def trace():
        return with_features(make, features, "asset", force=True).run.trace().drop(columns=UNTIMED)

    whole = trace()
    assert trace().equals(whole)
    monkeypatch.setattr(loop, "SLICE", 0.0)
    assert trace().equals(whole)


def test_making_features_is_training_time(make, monkeypatch):
    make_features = prepare.feature_map

    def slow(config, X, seed):
        time.sleep(0.3)
        return make_features(config, X, seed)

    monkeypatch.setattr(prepare, "feature_map", slow)
    assert with_features(make, NYSTROM).run.trace()["wall_seconds"].iloc[0] >= 0.3


def test_the_optimum_of_the_kernel_bounds_no_run_on_features(make):
    make({"name": "sbp", "nu": "auto"})
    stored = make("pegasos", budget={"kev": 1e4}).run.summary()
    assert stored["dual_source"] == "optimum"
    mapped = with_features(make, FOURIER, "asset").run
    assert mapped.summary()["dual_source"] is None and mapped.manifest["optimum"] is None


def test_nu_of_a_linear_run_comes_from_the_optimum_that_later_runs_are_measured_against(make):
    given = {"kernel": LINEAR, "budget": {"kev": None, "counter": "inner_products", "iterations": 40_000}}
    assert make({"name": "pegasos_linear"}, **given).run.summary()["dual_source"] is None
    sublinear = make({"name": "simba", "nu": "auto", "T": 40_000}, **given)
    assert (sublinear.run.status, sublinear.run.summary()["iterations"]) == ("converged", 40_000)
    (path,) = (Store(make.config().results).root / "optima").iterdir()
    best = json.loads(path.read_text())
    assert sublinear.run.manifest["problem"]["nu"] == best["derived"]["nu"]
    assert sublinear.run.summary()["native_objective"] == pytest.approx(1.0 / best["norm"], rel=0.1)
    for solver in ("pegasos_linear", "asset", "l2svm_mfn"):
        trace = make({"name": solver}, **given, force=True).run.trace()
        assert set(trace["dual_source"]) == {"optimum"} and set(trace["dual_objective"]) == {best["dual"]}
        gap = (trace["primal_objective"] - best["dual"]) / trace["primal_objective"]
        np.testing.assert_allclose(trace["relative_gap"], gap, rtol=1e-9, atol=1e-15)
        assert 0.0 <= trace["relative_gap"].iloc[-1] < 0.2  # l2svm_mfn minimises another loss
    exact = make({"name": "svm_light_linear"}, **given).run.summary()
    assert exact["dual_source"] == "solver" and exact["dual_objective"] == pytest.approx(
        best["dual"], rel=1e-4
    )


def test_features_that_do_not_fit_the_machine_or_the_data_are_an_error(make, monkeypatch):
    with pytest.raises(UserError, match=r"features\.s=31 is not allowed: give at most 30, the number"):
        with_features(make, {**NYSTROM, "s": 31})
    monkeypatch.setattr(prepare, "available_bytes", lambda: 2**20)
    many = {**FOURIER, "frequencies": 10_000}
    with pytest.raises(UserError) as caught:
        with_features(make, many)
    parts = ("features=fourier", "30 examples take 1 MiB", "1 MiB available", "features.lazy=true")
    assert names(str(caught.value), *parts)
    assert with_features(make, {**many, "lazy": True}).state == "done"
    assert [run.config.features.parameters["lazy"] for run in stored(make)] == [True]


def test_with_a_bias_nu_comes_from_the_optimum_and_the_answer_predicts_with_it(make):
    exact = make({"name": "smo_pair", "eps": 1e-9}, budget={"kev": 1e6}, **BIAS)
    assert exact.run.status == "converged"
    best = exact.run.summary()
    assert best["dual_source"] == "solver" and 0.0 <= best["relative_gap"] < 1e-6
    outcome = make("sbp", budget={"kev": 3e5}, **BIAS)
    problem, last = outcome.run.manifest["problem"], outcome.run.summary()
    low, high = outcome.run.manifest["optimum_values"]["nu_interval"]
    assert low <= problem["nu"] <= high and low <= best["mean_hinge"] / best["norm"] <= high
    assert last["dual_source"] == "optimum" and 0.0 <= last["relative_gap"] < 0.02
    assert last["native_objective"] == pytest.approx(1.0 / best["norm"], rel=0.02)
    assert last["native_bound"] is None
    X = outcome.data.test.X
    np.testing.assert_allclose(outcome.predict(X), exact.predict(X), atol=0.2)
    assert np.mean(outcome.predict(X) * outcome.data.test.y <= 0.0) == last["test_error"]
