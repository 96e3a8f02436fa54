import json
import os
import signal
import threading
import time

import numpy as np
import pytest

from svmbench import data as datasets
from svmbench.errors import UserError
from svmbench.runner import execute as module
from svmbench.runner import loop, prepare
from svmbench.store import Store

from .conftest import accident
from .fakes import Toy, two_clouds

SOLVERS = ("sbp", "pegasos", "sdca", "smo", "perceptron", "smo_pair")
NYSTROM = {"name": "nystrom", "s": 12, "eps_d": 1e-12, "rank": None}
FOURIER = {"name": "fourier", "frequencies": 7, "form": "phase", "lazy": False}
BIAS = {"problem": {"bias": "unregularised"}}
UNTIMED = ["wall_seconds", "cpu_seconds"]


def stored(make):
    return Store(make.config()["results"]).runs()


def test_a_run_is_made_and_stored_with_all_that_belongs_to_it(make):
    outcome = make()
    run = outcome.run
    assert (outcome.state, outcome.reason) == ("done", "budget.kev=3000 reached by kev_iter")
    assert (run.status, run.reason) == ("budget", outcome.reason)
    assert run.trace()["kev_iter"].tolist() == [60, 120, 180, 330, 570, 1020, 1800, 3000]
    assert run.manifest["config"] == make.config()
    assert run.manifest["dataset"] == {
        "name": "clouds",
        "checksum": "sum-of-clouds-30-0",
        "rows": {"train": 30, "validation": 15, "test": 60},
        "features": 3,
    }
    assert run.manifest["solver"] == {"name": "toy", "version": 1, "title": "Toy", "counting": ""}
    assert run.title == "Toy"
    assert 20 < run.peak_memory < 10_000  # MiB of a process with numpy
    problem = {"lam": pytest.approx(1 / 30), "C": 1.0, "nu": None, "radius": None, "bias": "none"}
    assert run.manifest["problem"] == problem
    assert run.manifest["seeds"] == prepare.seeds(make.config())
    load = run.manifest["concurrent_load"]
    assert load["running"] == 0 and len(load["load"]) == 3
    environment = Store(make.config()["results"]).environment(run.manifest["environment"])
    assert environment["threads"] == 1 and environment["numpy"] == np.__version__
    assert all(library["num_threads"] == 1 for library in environment["libraries"])
    assert len(make.progress.rows) == 8 and make.progress.values[-1] == ("kev_iter", 3000, 3000)


def test_the_last_checkpoint_is_the_summary(make):
    summary = make().run.summary()
    assert summary["iterations"] == 100 and summary["kev_iter"] == 3000
    assert summary["test_error"] == summary["test_mistakes"] / 60
    assert summary["dual_source"] == "solver" and 0 <= summary["relative_gap"] < 0.05
    assert summary["wall_seconds"] > 0 and summary["native_objective"] is None


def test_an_identical_run_is_found_and_not_repeated(make, monkeypatch):
    first = make()
    monkeypatch.setattr(module, "Loop", None)
    again = make(results=make.config()["results"] + "/", data={"mirror": "/elsewhere"}, prefetch=False)
    assert again.state == "found" and again.run.path.samefile(first.run.path)
    assert again.reason == f"stored before: budget, {first.reason}"


@pytest.mark.parametrize("counter", ["kev_ondemand", "kev_computed"])
def test_rows_made_ahead_change_no_checkpoint_but_what_was_computed(make, monkeypatch, counter):
    monkeypatch.setattr(datasets, "load", lambda dataset, **_: two_clouds(n=200, d=100))
    given = {"budget": {"counter": counter, "kev": 8000.0}, "force": True}
    ahead = make("sdca", **given).run.trace().drop(columns=UNTIMED)
    plain = make("sdca", **given, prefetch=False).run.trace().drop(columns=UNTIMED)
    computed = ["kev_computed", "inner_products", "kev_discarded"]
    assert ahead.drop(columns=computed).equals(plain.drop(columns=computed))
    # A budget in evaluations that are really made has none made ahead.
    assert ahead[computed].equals(plain[computed]) == (counter == "kev_computed")


def test_force_repeats_and_replaces(make):
    first = make().run
    again = make(force=True)
    assert again.state == "done" and again.run.path == first.path
    assert again.run.started > first.started
    assert stored(make) == [again.run]


def test_same_seed_same_trace(make):
    first = make("sbp").run.trace().drop(columns=UNTIMED)
    assert make("sbp", force=True).run.trace().drop(columns=UNTIMED).equals(first)
    other = make("sbp", seed=1).run.trace().drop(columns=UNTIMED)
    assert not other.equals(first)
    assert other["kev_iter"].equals(first["kev_iter"])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("counter", ["kev_ondemand", "kev_rowupdate"])
def test_how_a_real_run_is_cut_changes_nothing(make, monkeypatch, solver, counter):
    problem = BIAS if solver == "smo_pair" else {}
    whole = make(solver, budget={"counter": counter}, **problem)
    monkeypatch.setattr(loop, "SLICE", 0.0)
    cut = make(solver, budget={"counter": counter}, force=True, **problem)
    assert cut.state == whole.state == "done"
    assert cut.run.trace().drop(columns=UNTIMED).equals(whole.run.trace().drop(columns=UNTIMED))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"kernel": {"name": "polynomial", "degree": 2, "gamma": 1.0, "coef0": 1.0}},
            "toy cannot use kernel=polynomial: it needs kernel=gaussian or kernel=linear; "
            "give that, or another solver",
        ),
        (
            {"problem": {"bias": "unregularised"}},
            "toy cannot solve with problem.bias=unregularised: it needs problem.bias=none; "
            "give that, or another solver",
        ),
        ({"solver": accident("refuse")}, "toy does not like this data"),
    ],
)
def test_a_combination_that_cannot_be_done_is_refused_in_words_and_stored(make, change, sentence):
    outcome = make(**change)
    assert (outcome.state, outcome.reason) == ("refused", sentence)
    (run,) = stored(make)
    assert (run.status, run.reason) == ("refused", sentence)
    assert run.summary()["iterations"] is None
    # Refused again, not "found": a refusal is no result.
    assert make(**change).state == "refused" and len(stored(make)) == 1


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


@pytest.mark.parametrize("solver", LINEAR_SOLVERS)
@pytest.mark.parametrize("counter", ["inner_products", "iterations"])
@pytest.mark.parametrize("iterations", [None, 777])
def test_how_a_linear_run_is_cut_changes_nothing(make, monkeypatch, solver, counter, iterations):
    budget = {"counter": counter, "iterations": iterations}
    whole = make(solver, kernel=LINEAR, budget=budget)
    monkeypatch.setattr(loop, "SLICE", 0.0)
    cut = make(solver, kernel=LINEAR, budget=budget, force=True)
    assert cut.run.trace().drop(columns=UNTIMED).equals(whole.run.trace().drop(columns=UNTIMED))
    assert iterations is None or whole.run.summary()["iterations"] <= iterations


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {},
            "dcd cannot use kernel=gaussian: it needs kernel=linear; give that, features=nystrom, or another "
            "solver",
        ),
        (
            {"kernel": {"name": "polynomial", "degree": 2, "gamma": 1.0, "coef0": 1.0}, "features": FOURIER},
            "features=fourier cannot approximate kernel=polynomial: it needs kernel=gaussian; give that, or "
            "other features",
        ),
        (
            {"kernel": LINEAR, "budget": {"counter": "kev_iter"}},
            "dcd evaluates no kernels, so that budget.counter=kev_iter stands still: "
            "give budget.counter=inner_products or budget.counter=iterations",
        ),
    ],
)
def test_what_a_linear_solver_cannot_do_is_refused(make, change, sentence):
    outcome = make("dcd", **change)
    assert (outcome.state, outcome.reason) == ("refused", sentence)


def test_a_kernel_solver_takes_no_features(make):
    outcome = make("sbp", features=NYSTROM)
    assert (outcome.state, outcome.reason) == (
        "refused",
        "sbp evaluates the kernel itself and takes no features=nystrom: give features=none, or a linear "
        "solver",
    )


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
    whole = with_features(make, features, "asset").run.trace()
    assert (
        with_features(make, features, "asset", force=True)
        .run.trace()
        .drop(columns=UNTIMED)
        .equals(whole.drop(columns=UNTIMED))
    )
    monkeypatch.setattr(loop, "SLICE", 0.0)
    cut = with_features(make, features, "asset", force=True).run.trace()
    assert cut.drop(columns=UNTIMED).equals(whole.drop(columns=UNTIMED))


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
    (path,) = (Store(make.config()["results"]).root / "optima").iterdir()
    best = json.loads(path.read_text())
    assert sublinear.run.manifest["problem"]["nu"] == best["nu"]
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
    assert str(caught.value) == (
        "not enough memory for features=fourier: 30 examples take 1 MiB, available are 1 MiB; "
        "give fewer features, or features.lazy=true"
    )
    assert with_features(make, {**many, "lazy": True}).state == "done"
    assert [run.config["features"]["lazy"] for run in stored(make)] == [True]


def test_with_a_bias_nu_comes_from_the_optimum_and_the_answer_predicts_with_it(make):
    exact = make({"name": "smo_pair", "eps": 1e-9}, budget={"kev": 1e6}, **BIAS)
    assert exact.run.status == "converged"
    best = exact.run.summary()
    assert best["dual_source"] == "solver" and 0.0 <= best["relative_gap"] < 1e-6
    outcome = make("sbp", budget={"kev": 3e5}, **BIAS)
    problem, last = outcome.run.manifest["problem"], outcome.run.summary()
    assert problem["nu"] == pytest.approx(best["mean_hinge"] / best["norm"], rel=1e-3)
    assert last["dual_source"] == "optimum" and 0.0 <= last["relative_gap"] < 0.02
    assert last["native_objective"] == pytest.approx(1.0 / best["norm"], rel=0.02)
    assert last["native_bound"] is None
    X = outcome.data.test.X
    np.testing.assert_allclose(outcome.predict(X), exact.predict(X), atol=0.2)
    assert np.mean(outcome.predict(X) * outcome.data.test.y <= 0.0) == last["test_error"]


def test_a_refusal_does_not_outlive_its_cause(make, monkeypatch):
    assert make(problem={"bias": "unregularised"}).state == "refused"
    monkeypatch.setattr(Toy, "biases", ("none", "unregularised"))
    assert make(problem={"bias": "unregularised"}).state == "done"
    assert [run.status for run in stored(make)] == ["budget"]


def test_a_failure_is_stored_with_type_message_and_traceback(make):
    outcome = make(solver=accident("error"))
    assert (outcome.state, outcome.run.status) == ("failed", "failed")
    assert outcome.reason == "RuntimeError: a bug; see error.log in the run's folder"
    log = (outcome.run.path / "error.log").read_text()
    assert log.startswith("Traceback") and log.endswith("RuntimeError: a bug\n")
    assert outcome.run.trace()["iterations"].tolist() == [2, 4]
    assert make(solver=accident("error")).state == "failed"


@pytest.mark.parametrize(
    ("what", "state", "status", "reason"),
    [
        ("memory", "failed", "out_of_memory", "out of memory: no row"),
        ("overflow", "done", "diverged", "responses are no longer finite"),
        ("nan", "done", "diverged", "the objective is nan after 6 iterations"),
        ("keyboard", "interrupted", "interrupted", "interrupted by SIGINT"),
    ],
)
def test_every_end_is_stored_with_the_checkpoints_until_then(make, what, state, status, reason):
    outcome = make(solver=accident(what))
    assert (outcome.state, outcome.run.status, outcome.reason) == (state, status, reason)
    assert outcome.run.trace()["iterations"].tolist()[:2] == [2, 4]
    assert not (outcome.run.path / "error.log").exists()


def test_bad_input_seen_by_the_solver_leaves_nothing(make):
    with pytest.raises(UserError, match="the data cannot be learned"):
        make(solver=accident("user"))
    assert stored(make) == []
    assert list((Store(make.config()["results"]).root / "runs").iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_with_its_checkpoints(make, number):
    def observed(row):
        if row["iterations"] == 4:  # once: the last look is not repeated, or a second signal would end it
            os.kill(os.getpid(), number)

    make.progress.observed = observed
    before = [signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)]
    outcome = make(budget={"kev": 1e9})
    name = signal.Signals(number).name
    assert outcome.state == outcome.run.status == "interrupted"
    assert outcome.reason == f"interrupted by {name} after 4 iterations"
    assert outcome.run.trace()["iterations"].tolist() == [2, 4]
    assert [signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)] == before


def test_what_another_process_stored_meanwhile_is_found(make, monkeypatch):
    first = make()
    seen = []

    def late(self, identity):
        seen.append(identity)
        return None if len(seen) == 1 else get(self, identity)

    get = Store.get
    monkeypatch.setattr(Store, "get", late)
    again = make()
    assert (again.state, again.run) == ("found", first.run)


def test_an_optimum_that_cannot_be_certified_is_refused_and_no_accident(make, monkeypatch):
    monkeypatch.setattr("svmbench.runner.optimum.TARGET", -1.0)
    outcome = make(solver={"name": "sbp", "nu": "auto"})
    assert outcome.state == outcome.run.status == "refused"
    assert outcome.reason.startswith("the optimum is certified to a relative gap of ")
    assert outcome.reason.endswith("give the parameter that is auto as a number, or a smaller C")
    assert not (outcome.run.path / "error.log").exists()


def test_a_run_started_by_nohup_outlives_its_terminal(make):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        make.progress.observed = lambda row: os.kill(os.getpid(), signal.SIGHUP)
        assert make().state == "done"
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_second_signal_ends_at_once(make):
    def observed(row):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    make.progress.observed = observed
    outcome = make()
    assert outcome.state == "interrupted" and outcome.reason == "interrupted by SIGINT"
    assert outcome.run.trace()["iterations"].tolist() == [2]


def test_a_signal_before_there_is_a_run(make, monkeypatch):
    monkeypatch.setattr(datasets, "load", lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM))
    outcome = make()
    assert (outcome.run, outcome.state) == (None, "interrupted")
    assert not os.path.exists(make.config()["results"])


def test_a_run_outside_the_main_thread(make):
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(make()))
    thread.start()
    thread.join()
    assert outcomes[0].state == "done"


def test_nothing_is_loaded_for_a_folder_that_cannot_be_written(make, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(datasets, "load", None)
    with pytest.raises(UserError, match="is not a folder; give another results=DIR"):
        make(results=str(tmp_path / "file" / "results"))


def test_nothing_is_loaded_for_a_cache_that_does_not_fit(make, monkeypatch):
    monkeypatch.setattr(datasets, "load", None)
    with pytest.raises(
        UserError, match=r"not enough memory for the requested cache: budget\.memory=1e\+12 MiB"
    ):
        make(budget={"memory": 1e12})


def test_slack_budget_is_derived_from_the_stored_optimum(make):
    run = make("sbp").run
    record = Store(make.config()["results"]).optimum(run.manifest["optimum"])
    assert run.manifest["problem"]["nu"] == record["nu"] > 0
    assert "computing the optimum" in make.progress.said[-1]
    frame = run.trace()
    assert set(frame["dual_source"]) == {"optimum"} and set(frame["dual_objective"]) == {record["dual"]}
    make("sbp", seed=1)
    assert sum("computing the optimum" in text for text in make.progress.said) == 1


def test_a_given_slack_budget_needs_no_optimum(make):
    run = make({"name": "sbp", "nu": 0.05}).run
    assert run.manifest["problem"]["nu"] == 0.05 and run.manifest["optimum"] is None
    assert run.trace()["dual_objective"].isna().all() and make.progress.said == []


def test_the_radius_of_a_ball_is_the_norm_of_the_stored_optimum(make):
    run = make({"name": "sgd_ball", "R": "auto"}).run
    record = Store(make.config()["results"]).optimum(run.manifest["optimum"])
    assert run.manifest["problem"]["radius"] == record["norm"] > 0
    assert run.manifest["problem"]["nu"] is None
    assert (run.trace()["norm"] <= record["norm"] * (1 + 1e-6)).all()
    given = make({"name": "sgd_ball", "R": record["norm"]}).run
    assert given.manifest["problem"]["radius"] == record["norm"]
    assert given.trace()["norm"].tolist() == run.trace()["norm"].tolist()


def test_a_solver_without_dual_is_bounded_by_the_optimum_once_it_is_stored(make):
    without = {"name": "sbp", "nu": 0.05}
    alone = make(without).run
    assert alone.manifest["optimum"] is None and alone.trace()["relative_gap"].isna().all()
    optimum = make("sbp").run.manifest["optimum"]
    bounded = make(without, force=True).run
    assert bounded.manifest["optimum"] == optimum
    assert (bounded.trace()["duality_gap"] > 0).all()


def test_all_solvers_meet_at_the_optimum(make):
    runs = {name: make(name, budget={"kev": 2e6}).run for name in ("sbp", "smo", "sdca", "pegasos")}
    record = Store(make.config()["results"]).optimum(runs["sbp"].manifest["optimum"])
    least = record["dual"] * (1 - 1e-12)  # an objective may be that of the optimum but for rounding
    for name, run in runs.items():
        assert least <= run.summary()["primal_objective"] <= 1.02 * record["primal"], name


def test_a_running_twin_is_named(make):
    config = make.config()
    seen = []

    def observed(row):
        if not seen:
            with pytest.raises(UserError, match=f"is being made by process {os.getpid()} on") as caught:
                module.execute(config, progress=type(make.progress)())
            seen.append(caught.value)

    make.progress.observed = observed
    assert make().state == "done" and seen


def test_runs_at_the_same_time_are_counted(make):
    inner = []

    def observed(row):
        if not inner:
            inner.append(module.execute(make.config(seed=1), progress=type(make.progress)()).run)

    make.progress.observed = observed
    make()
    assert inner[0].manifest["concurrent_load"]["running"] == 1


def test_without_a_limit_the_whole_kernel_matrix_is_kept(make):
    # 30 rows of 30 values: computed once each, however long the run.
    assert make(budget={"memory": None}).run.summary()["kev_computed"] == 900
