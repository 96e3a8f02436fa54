import os
import signal

import numpy as np
import pytest

from svmbench import data as datasets
from svmbench.errors import UserError
from svmbench.runner import execute as module
from svmbench.runner import prepare
from svmbench.store import Store

from .conftest import accident, stored


def test_a_run_is_made_and_stored_with_all_that_belongs_to_it(make):
    outcome = make()
    run = outcome.run
    assert (outcome.state, outcome.reason) == ("done", "budget.kev=3000 reached by kev_iter")
    assert (run.status, run.reason) == ("budget", outcome.reason)
    assert run.trace()["kev_iter"].tolist() == [60, 120, 180, 330, 570, 1020, 1800, 3000]
    assert run.manifest["config"] == make.config().document()
    assert run.manifest["dataset"] == {
        "name": "clouds",
        "checksum": "sum-of-clouds-30-0",
        "rows": {"train": 30, "validation": 15, "test": 60},
        "features": 3,
        "columns": None,
    }
    assert run.manifest["solver"] == {"name": "toy", "version": 1, "title": "Toy", "counting": ""}
    assert run.title == "Toy"
    assert 20 < run.peak_memory < 10_000  # MiB of a process with numpy
    problem = {"lam": pytest.approx(1 / 30), "C": 1.0, "nu": None, "radius": None, "bias": "none"}
    assert run.manifest["problem"] == problem
    assert run.manifest["seeds"] == prepare.seeds(make.config())
    load = run.manifest["concurrent_load"]
    assert load["running"] == 0 and len(load["load"]) == 3
    environment = Store(make.config().results).environment(run.manifest["environment"])
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
    monkeypatch.setattr(module, "Training", None)
    again = make(results=make.config().results + "/", data={"mirror": "/elsewhere"}, prefetch=False)
    assert again.state == "found" and again.run.path.samefile(first.run.path)
    assert again.reason == f"stored before: {first.reason}"


def test_force_repeats_and_replaces(make):
    first = make().run
    again = make(force=True)
    assert again.state == "done" and again.run.path == first.path
    assert again.run.started > first.started
    assert stored(make) == [again.run]


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
    ],
)
def test_a_combination_that_no_data_make_possible_stores_nothing(make, monkeypatch, change, sentence):
    monkeypatch.setattr(datasets, "load", None)
    with pytest.raises(UserError) as refused:
        make(**change)
    assert str(refused.value) == sentence and stored(make) == []


def test_what_a_solver_refuses_of_the_data_is_stored_in_words(make):
    change, sentence = {"solver": accident("refuse")}, "toy does not like this data"
    outcome = make(**change)
    assert (outcome.state, outcome.reason) == ("refused", sentence)
    (run,) = stored(make)
    assert (run.status, run.reason) == ("refused", sentence)
    assert run.summary()["iterations"] is None
    # Refused again, not "found": a refusal is no result.
    assert make(**change).state == "refused" and len(stored(make)) == 1


def test_nothing_is_loaded_for_a_cache_that_does_not_fit(make, monkeypatch):
    monkeypatch.setattr(datasets, "load", None)
    with pytest.raises(UserError, match=r"not enough memory for the requested cache: budget\.memory=1e\+12"):
        make(budget={"memory": 1e12})


def test_slack_budget_is_derived_from_the_stored_optimum(make):
    run = make("sbp").run
    record = Store(make.config().results).optimum(run.manifest["optimum"])
    assert run.manifest["problem"]["nu"] == record["derived"]["nu"] > 0
    assert record["nu_interval"][0] <= record["derived"]["nu"] <= record["nu_interval"][1]
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
    record = Store(make.config().results).optimum(run.manifest["optimum"])
    radius = record["derived"]["R"]
    assert run.manifest["problem"]["radius"] == radius > 0
    assert radius == pytest.approx(record["norm"], rel=2e-3)
    assert run.manifest["problem"]["nu"] is None
    assert (run.trace()["norm"] <= radius * (1 + 1e-6)).all()
    given = make({"name": "sgd_ball", "R": radius}).run
    assert given.manifest["problem"]["radius"] == radius
    assert given.trace()["norm"].tolist() == run.trace()["norm"].tolist()


def test_a_solver_without_dual_is_bounded_by_the_optimum_once_it_is_stored(make):
    without = {"name": "sbp", "nu": 0.05}
    alone = make(without).run
    assert alone.manifest["optimum"] is None and alone.trace()["relative_gap"].isna().all()
    optimum = make("sbp").run.manifest["optimum"]
    bounded = make(without, force=True).run
    assert bounded.manifest["optimum"] == optimum
    assert (bounded.trace()["duality_gap"] > 0).all()


@pytest.mark.parametrize("name", ["cpsp", "cpny"])
def test_a_method_on_few_points_converges_by_its_own_rule_alone(make, name):
    few = {"name": name, "k": 1}
    unknown = make(few, budget={"kev": 1e6}).run
    assert unknown.status == "converged" and unknown.flagged and "with no bound" in unknown.reason
    make("sbp")  # which certifies the optimum
    known = make(few, budget={"kev": 1e6}, force=True).run
    assert known.status == "converged" and known.flagged and "at a relative gap of" in known.reason
    assert known.value("relative_gap") > 0.01


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


def test_a_signal_before_the_machine_is_free_leaves_nothing_in_the_store(make):
    def never():
        os.kill(os.getpid(), signal.SIGINT)

    outcome = module.execute(make.config(), progress=make.progress, ready=never)
    assert outcome.run is None and outcome.state == "interrupted" and not stored(make)


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


@pytest.mark.parametrize("solver", ["smo", "pegasos"])
def test_without_a_look_at_the_training_examples_the_rest_is_the_same(make, solver):
    full = make(solver).run.trace()
    test_only = make(solver, observe={"train": False}).run.trace()
    assert len(full) > 3
    seen = ["iterations", "kev_ondemand", "test_error", "test_mistakes", "support_vectors"]
    assert test_only[seen].equals(full[seen])
    left = ["train_error", "primal_objective", "dual_objective", "duality_gap", "relative_gap", "norm"]
    assert test_only[left].isna().all(axis=None) and full["primal_objective"].notna().all()
