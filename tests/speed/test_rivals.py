"""Races on small problems: every goal, what is compared, and that every declared job is a valid one."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError

import pytest

from svmbench import config
from svmbench.cli import main
from svmbench.errors import UserError
from svmbench.solvers import registry
from svmbench.speed import jobs, prediction, rivals
from svmbench.speed.jobs import JOBS, Job

SMALL = ("dataset=twonorm", "dataset.n_train=80", "dataset.n_test=50")
BIAS = "problem.bias=unregularised"
LIBSVM = ("solver=sklearn_svc", "solver.tol=[0.001]")


@pytest.fixture(autouse=True)
def program() -> None:
    pytest.importorskip("sklearn")


def test_the_gap_of_the_rival_is_reached():
    job = Job("small", (*SMALL, BIAS), (LIBSVM, ("solver=sklearn_svc", "solver.tol=[0.1]")))
    said: list[str] = []
    tight, _ = rivals.measure("small", job, "smo_pair", 2, said.append)
    assert [line.partition(": ")[2] for line in said[2::3]] == ["smo_pair", "smo_pair"]
    assert (tight.job, tight.rival, tight.ours, tight.repeats) == ("small", "sklearn_svc", "smo_pair", 2)
    assert tight.goal.startswith("gap ")
    assert tight.ratio == pytest.approx(tight.rival_seconds / tight.our_seconds)
    assert tight.rival_error is not None and tight.our_error is not None
    assert len(tight.line()) == len(rivals.HEADER)


def test_objectives_are_held_against_a_certified_bound():
    ours = ("solver=dcd", "solver.eps=1e-6", "budget.gap=1e-4")
    job = Job(
        *("small", (*SMALL, "kernel=linear", "problem.lam=1e-2"), (("solver=sklearn_linearsvc",),)),
        *(ours, "objective"),
    )
    races = rivals.measure("small", job, "unused", 1, lambda line: None)
    assert [race.goal for race in races] == ["within 1 %", "within 0.1 %"]
    assert all(race.ours == "dcd" and race.ratio > 0.0 for race in races)


def test_what_is_not_reached_has_no_time():
    job = Job(
        *(
            "small",
            (*SMALL, "kernel=linear", "problem.lam=1e-4"),
            (("solver=sklearn_sgd", "solver.epochs=1"),),
        ),
        *(("solver=pegasos_linear", "budget.iterations=1"), "objective"),
    )
    races = rivals.measure("small", job, "unused", 1, lambda line: None)
    assert races[1].our_seconds is None and races[1].ratio is None
    assert races[1].line()[5:7] == (None, None)


def test_the_test_error_of_the_rival_is_reached():
    problem = (*SMALL, "kernel=linear", "problem.lam=1e-3")
    against = (("solver=sklearn_sgd", "solver.epochs=3"),)
    job = Job("small", problem, against, ("solver=dcd", "solver.eps=1e-6"), "test_error")
    (race,) = rivals.measure("small", job, "unused", 1, lambda line: None)
    words, percent = race.goal.removesuffix(" %").rsplit(" ", 1)
    assert words == "test error"
    assert race.rival_error <= float(percent) / 100 + 1e-9
    assert race.our_error is None or race.our_error <= float(percent) / 100 + 1e-9
    assert (race.our_error is None) == (race.our_seconds is None)


def test_the_test_error_may_be_above_by_a_margin():
    problem = (*SMALL, "kernel=linear", "problem.lam=1e-3")
    against = (("solver=sklearn_sgd", "solver.epochs=1"),)
    job = Job("small", problem, against, ("solver=dcd",), "test_error", margin=0.25)
    (race,) = rivals.measure("small", job, "unused", 1, lambda line: None)
    allowed = race.rival_error + 0.25
    assert race.goal == f"test error {100 * allowed:.2f} %"
    assert race.our_error <= allowed
    assert race.our_error > race.rival_error  # it stopped as soon as it was allowed to


def test_the_cheapest_checkpoint_that_is_as_good_counts():
    rows = [
        {"relative_gap": gap, "cpu_seconds": seconds}
        for gap, seconds in ((None, 1.0), (0.1, 2.0), (0.01, 5.0), (0.005, 4.0), (0.001, 9.0))
    ]
    goal = rivals._goals(Job("any", (), ()), {"relative_gap": 0.01}, None)[0]
    assert goal.reached(rows)["cpu_seconds"] == 4.0
    assert goal.reached(rows[:2]) is None


def test_our_time_is_that_of_a_run_to_the_iteration_that_was_as_good(monkeypatch):
    asked: list[tuple[str, ...]] = []

    def fit(overrides):
        asked.append(tuple(overrides))
        gap = 0.0 if "budget.iterations=7" in overrides else 0.01
        rows = [{"relative_gap": 1.0, "iterations": 3}, {"relative_gap": gap, "iterations": 7}]
        times = dict.fromkeys(("cpu_seconds", "wall_seconds", "test_error"), 2.0 if gap else 1.0)
        return rivals._Fit([row | times for row in rows], 0.0)

    monkeypatch.setattr(rivals, "_fit", fit)
    (race,) = rivals.measure("small", Job("small", (*SMALL, BIAS), (LIBSVM,)), "smo_pair", 2, str)
    assert race.ratio == 2.0
    assert [overrides[-1] for overrides in asked if "solver=smo_pair" in overrides] == [
        *("budget.gap=0.01", "budget.iterations=7") * 2,
    ]
    # Each turn has a seed of its own, and times what it has seen.
    seeds = [word for overrides in asked for word in overrides if word.startswith("seed=")]
    assert seeds == ["seed=0", "seed=0", "seed=1", "seed=1"]


def test_a_fit_that_does_not_reach_its_goal_is_infinitely_slow():
    rows = [{"cpu_seconds": seconds} for seconds in (3.0, 1.0)]
    assert rivals._median([*rows, None], "cpu_seconds") == 3.0
    assert rivals._median([rows[0], None], "cpu_seconds") is None
    assert rivals._median([None], "cpu_seconds") is None


def test_scores_are_timed_on_the_same_coefficients():
    job = Job("small", (*SMALL, BIAS), (LIBSVM,), goal="prediction")
    (race,) = prediction.measure("small", job, 2, lambda line: None)
    assert (race.rival, race.ours, race.repeats) == ("sklearn_svc", "oracle", 2)
    assert race.goal.endswith(" million values") and 0.0 < float(race.goal.split()[0]) <= 80 * 50 / 1e6
    assert race.ratio > 0.0


@pytest.mark.parametrize("name", JOBS)
def test_every_job_is_valid(name):
    job = JOBS[name]
    for rival in job.rivals:
        solver = config.resolve([*job.problem, *rival, *rivals._RIVAL])["solver"]["name"]
        assert registry.get(solver).access == "data"
    ours = job.ours or ("solver=smo_pair",)
    if ours[0].removeprefix("solver=") not in registry.names():
        pytest.skip(f"there is no {ours[0]} yet")
    config.resolve([*job.problem, *ours, *rivals._OURS])


def test_an_absent_rival_is_told_before_anything_is_timed(monkeypatch):
    def absent(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("svmbench.solvers.peers._peer.version", absent)
    said: list[str] = []
    with pytest.raises(UserError, match="not installed: pip install 'svmbench\\[peers\\]'"):
        rivals.measure("small", Job("small", (*SMALL, BIAS), (LIBSVM,)), "smo_pair", 1, said.append)
    assert said == []


def test_of_several_rivals_an_absent_one_is_left_out(monkeypatch):
    def some(package: str) -> str:
        if package == "snapml":
            raise PackageNotFoundError(package)
        return "1.0"

    monkeypatch.setattr("svmbench.solvers.peers._peer.version", some)
    said: list[str] = []
    job = Job(
        *("small", (*SMALL, "kernel=linear", "problem.lam=1e-2")),
        (("solver=snapml_svm",), ("solver=sklearn_linearsvc", "solver.passes=[1]")),
        *(("solver=dcd",), "test_error"),
    )
    (race,) = rivals.measure("small", job, "unused", 1, said.append)
    assert race.rival == "sklearn_linearsvc"
    assert said[0].startswith("left out: snapml_svm needs snapml, which is not installed: ")


def test_a_fit_that_fails_gives_its_reason():
    job = Job("small", SMALL, (LIBSVM,))
    with pytest.raises(UserError, match=r"sklearn_svc has no time: .*problem.bias=none"):
        rivals.measure("small", job, "smo_pair", 1, lambda line: None)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["ijcnn"], "job 'ijcnn' is unknown: give one of adult-c1, "),
        (["adult-c1", "--repeats", "0"], "--repeats 0 is not allowed: give at least 1"),
        (["adult-c1", "--solver", "smoo"], "smoo"),
        ([], "the following arguments are required: JOB"),
    ],
)
def test_one_wrong_option_gives_one_sentence(arguments, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["speed", "rivals", *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1


def test_the_command_prints_and_stores(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(jobs.JOBS, "small", Job("small", (*SMALL, BIAS), (LIBSVM,)))
    monkeypatch.setitem(jobs.JOBS, "scores", Job("scores", (*SMALL, BIAS), (LIBSVM,), goal="prediction"))
    results = str(tmp_path / "results")
    arguments = ["--repeats", "1", "--json", "--results", results]
    assert main(["speed", "rivals", "small", "scores", *arguments]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [line["job"] for line in printed["rivals"]] == ["small", "scores"]
    (stored,) = (tmp_path / "results" / "speed").iterdir()
    document = json.loads(stored.read_text())
    assert document["kind"] == "rivals" and document["measured"] == printed
    assert len(document["company"]["load"]) == 3
    assert all("scikit-learn" in line["release"] for line in printed["rivals"])


def test_all_jobs_can_be_asked_for(tmp_path, monkeypatch, capsys):
    for name in list(jobs.JOBS):
        monkeypatch.delitem(jobs.JOBS, name)
    for name in ("first", "second"):
        monkeypatch.setitem(jobs.JOBS, name, Job(name, (*SMALL, BIAS), (LIBSVM,)))
    assert main(["speed", "rivals", "all", "--repeats", "1", "--json", "--results", str(tmp_path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [line["job"] for line in printed["rivals"]] == ["first", "second"]


def test_jobs_that_were_done_stay_when_a_later_one_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(jobs.JOBS, "small", Job("small", (*SMALL, BIAS), (LIBSVM,)))
    monkeypatch.setitem(jobs.JOBS, "broken", Job("broken", SMALL, (LIBSVM,)))
    results = str(tmp_path / "results")
    assert main(["speed", "rivals", "small", "broken", "--repeats", "1", "--results", results]) == 2
    assert "sklearn_svc has no time" in capsys.readouterr().err
    assert main(["speed", "show", "--json", "--results", results]) == 0
    (document,) = json.loads(capsys.readouterr().out)
    assert [line["job"] for line in document["measured"]["rivals"]] == ["small"]
