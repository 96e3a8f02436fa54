"""Races on small problems: every goal, what is compared, and that every declared job is a valid one."""

import io
import json
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError

import pytest

from svmbench import config
from svmbench.errors import UserError
from svmbench.runner.execute import execute
from svmbench.runner.progress import PlainLines
from svmbench.solvers import registry
from svmbench.speed import baselines, jobs, prediction, record
from svmbench.speed.jobs import JOBS, Job
from svmbench.speed.race import HEADER, Fit, Race
from svmbench.sweep.stored import end_of
from tests.told import answer, output, refusal

SMALL = ("dataset=twonorm", "dataset.n_train=80", "dataset.n_test=50")
BIAS = "problem.bias=unregularised"
LIBSVM = ("solver=sklearn_svc", "solver.tol=[0.001]")


@pytest.fixture(autouse=True)
def program() -> None:
    pytest.importorskip("sklearn")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fits are made in this process, without the second that a new one takes to begin."""

    def run(settings, folder):
        return end_of(settings, execute(settings, progress=PlainLines(io.StringIO())))

    monkeypatch.setattr(baselines, "alone", run)


@pytest.mark.usefixtures("here")
def test_the_gap_of_the_baseline_is_reached():
    job = Job("small", (*SMALL, BIAS), (LIBSVM, ("solver=sklearn_svc", "solver.tol=[0.1]")))
    said: list[str] = []
    tight, _ = baselines.measure("small", job, "smo_pair", 2, said.append)
    assert [line.partition(": ")[2] for line in said[2::3]] == ["smo_pair", "smo_pair"]
    assert (tight.job, tight.baseline, tight.ours) == ("small", "sklearn_svc", "smo_pair")
    assert tight.goal.startswith("gap ")
    assert tight.ratio == pytest.approx(tight.baseline_seconds / tight.our_seconds)
    assert [fit.turn for fit in (*tight.baseline_fits, *tight.our_fits)] == [0, 1, 0, 1]
    for ours, seen in zip(tight.our_fits, tight.warm_ups, strict=True):
        assert ours.iterations == seen.iterations and ours.cpu_seconds > 0.0 and ours.begun >= seen.begun
    assert tight.baseline_error is not None and tight.our_error is not None
    assert len(tight.line()) == len(HEADER)


@pytest.mark.usefixtures("here")
def test_objectives_are_held_against_a_certified_bound():
    problem, ours = (*SMALL, "kernel=linear", "problem.lam=1e-2"), ("solver=dcd", "solver.eps=1e-6")
    against = (("solver=sklearn_linearsvc",),)
    job = Job("small", problem, against, (*ours, "budget.gap=1e-4"), "objective")
    races = baselines.measure("small", job, "unused", 1, lambda line: None)
    assert [race.goal for race in races] == ["within 1 %", "within 0.1 %"]
    assert all(race.ours == "dcd" and race.ratio > 0.0 for race in races)


@pytest.mark.usefixtures("here")
def test_what_is_not_reached_has_no_time():
    problem = (*SMALL, "kernel=linear", "problem.lam=1e-4")
    against = (("solver=sklearn_sgd", "solver.epochs=1"),)
    job = Job("small", problem, against, ("solver=pegasos_linear", "budget.iterations=1"), "objective")
    races = baselines.measure("small", job, "unused", 1, lambda line: None)
    assert races[1].our_seconds is None and races[1].ratio is None
    assert races[1].line()[5:7] == (None, None)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("epochs", "margin"), [(3, 0.0), (1, 0.25)])
def test_the_test_error_of_the_baseline_is_reached_or_missed_by_a_margin(epochs, margin):
    problem = (*SMALL, "kernel=linear", "problem.lam=1e-3")
    against = (("solver=sklearn_sgd", f"solver.epochs={epochs}"),)
    job = Job("small", problem, against, ("solver=dcd", "solver.eps=1e-6"), "test_error", margin=margin)
    (race,) = baselines.measure("small", job, "unused", 1, lambda line: None)
    words, percent = race.goal.removesuffix(" %").rsplit(" ", 1)
    assert words == "test error" and race.our_seconds > 0.0
    assert race.baseline_error + margin <= float(percent) / 100 + 1e-9
    assert race.our_error <= float(percent) / 100 + 1e-9
    if margin:
        assert race.goal == f"test error {100 * (race.baseline_error + margin):.2f} %"
        assert race.our_error > race.baseline_error  # it stopped as soon as it was allowed to


def test_the_cheapest_checkpoint_that_is_as_good_counts():
    rows = [
        {"relative_gap": gap, "cpu_seconds": seconds}
        for gap, seconds in ((None, 1.0), (0.1, 2.0), (0.01, 5.0), (0.005, 4.0), (0.001, 9.0))
    ]
    goal = baselines._goals(Job("any", (), ()), {"relative_gap": 0.01}, None)[0]
    assert goal.reached(rows)["cpu_seconds"] == 4.0
    assert goal.reached(rows[:2]) is None


def test_our_time_is_that_of_a_run_to_the_iteration_that_was_as_good(monkeypatch):
    asked: list[tuple[str, ...]] = []

    def fit(overrides):
        asked.append(tuple(overrides))
        gap = 0.0 if "budget.iterations=7" in overrides else 0.01
        rows = [{"relative_gap": 1.0, "iterations": 3}, {"relative_gap": gap, "iterations": 7}]
        times = dict.fromkeys(("cpu_seconds", "wall_seconds", "test_error"), 2.0 if gap else 1.0)
        return baselines._Run([row | times for row in rows], "2026-01-01T00:00:00Z", 0.5)

    monkeypatch.setattr(baselines, "_run", fit)
    (race,) = baselines.measure("small", Job("small", (*SMALL, BIAS), (LIBSVM,)), "smo_pair", 2, str)
    assert race.ratio == 2.0 and race.load == 0.5
    assert [overrides[-1] for overrides in asked if "solver=smo_pair" in overrides] == [
        *("budget.gap=0.01", "budget.iterations=7") * 2,
    ]
    # Each turn has a seed of its own, and times what it has seen.
    seeds = [word for overrides in asked for word in overrides if word.startswith("seed=")]
    assert seeds == ["seed=0", "seed=0", "seed=1", "seed=1"]


def test_a_fit_that_does_not_reach_its_goal_is_infinitely_slow():
    def median(*seconds):
        fits = tuple(Fit(k, None, each, each, None, "", 0.0) for k, each in enumerate(seconds))
        return Race("job", "theirs", "1", "ours", "goal", fits, (), ()).baseline_seconds

    assert median(3.0, 1.0, None) == 3.0
    assert median(3.0, None) is None
    assert median(None) is None


def test_a_stored_race_has_every_fit_and_its_medians_are_made_when_it_is_read(tmp_path):
    def fits(*seconds):
        return tuple(
            Fit(k, 7, each, each, 0.25, "2026-01-01T00:00:00Z", k / 2) for k, each in enumerate(seconds)
        )

    race = Race("job", "theirs", "1", "ours", "goal", fits(4.0, 6.0, 5.0), fits(1.0, 2.0, 9.0), fits(3.0))
    path = record.save(str(tmp_path), "baselines", {"baselines": [asdict(race)]})
    (document,) = record.stored(str(tmp_path), [str(path)])
    again = record.revived(Race, document["measured"]["baselines"][0])
    assert again == race
    assert record.table(document).lines == [
        ("job", "theirs", "goal", 5.0, "ours", 2.0, 2.5, "25.00 / 25.00", 1.0)
    ]


def test_scores_are_timed_on_the_same_coefficients():
    job = Job("small", (*SMALL, BIAS), (LIBSVM,), goal="prediction")
    (race,) = prediction.measure("small", job, 2, lambda line: None)
    assert (race.baseline, race.ours, len(race.our_fits)) == ("sklearn_svc", "oracle", 2)
    assert [fit.turn for fit in race.warm_ups] == [-1, -1]
    assert race.goal.endswith(" million values") and 0.0 < float(race.goal.split()[0]) <= 80 * 50 / 1e6
    assert race.ratio > 0.0


@pytest.mark.parametrize("name", JOBS)
def test_every_job_is_valid(name):
    job = JOBS[name]
    for baseline in job.baselines:
        solver = config.resolve([*job.problem, *baseline, *baselines._UNLIMITED]).solver.name
        assert registry.get(solver).access == "data"
    ours = job.ours or ("solver=smo_pair",)
    config.resolve([*job.problem, *ours, *baselines._OURS])


def test_an_absent_baseline_is_told_before_anything_is_timed(monkeypatch):
    def absent(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("svmbench.solvers.baselines._baseline.version", absent)
    said: list[str] = []
    with pytest.raises(UserError, match="not installed: pip install "):
        baselines.measure("small", Job("small", (*SMALL, BIAS), (LIBSVM,)), "smo_pair", 1, said.append)
    assert said == []


@pytest.mark.usefixtures("here")
def test_of_several_baselines_an_absent_one_is_left_out(monkeypatch):
    def some(package: str) -> str:
        if package == "snapml":
            raise PackageNotFoundError(package)
        return "1.0"

    monkeypatch.setattr("svmbench.solvers.baselines._baseline.version", some)
    said: list[str] = []
    job = Job(
        *("small", (*SMALL, "kernel=linear", "problem.lam=1e-2")),
        (("solver=snapml_svm",), ("solver=sklearn_linearsvc", "solver.passes=[1]")),
        *(("solver=dcd",), "test_error"),
    )
    (race,) = baselines.measure("small", job, "unused", 1, said.append)
    assert race.baseline == "sklearn_linearsvc"
    assert said[0].startswith("left out: snapml_svm needs snapml, which is not installed: ")


def test_a_fit_that_fails_gives_its_reason():
    job = Job("small", SMALL, (LIBSVM,))
    with pytest.raises(UserError, match=r"sklearn_svc has no time: .*problem.bias=none"):
        baselines.measure("small", job, "smo_pair", 1, lambda line: None)


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
    assert sentence in refusal(capsys, ["speed", "baselines", *arguments])


@pytest.mark.usefixtures("here")
def test_the_command_prints_and_stores(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(jobs.JOBS, "small", Job("small", (*SMALL, BIAS), (LIBSVM,)))
    monkeypatch.setitem(jobs.JOBS, "scores", Job("scores", (*SMALL, BIAS), (LIBSVM,), goal="prediction"))
    results = str(tmp_path / "results")
    arguments = ["--repeats", "1", "--json", "--results", results]
    printed = json.loads(output(capsys, ["speed", "baselines", "small", "scores", *arguments]))
    assert [line["job"] for line in printed["baselines"]] == ["small", "scores"]
    (stored,) = (tmp_path / "results" / "speed").iterdir()
    document = json.loads(stored.read_text())
    assert document["kind"] == "baselines" and document["measured"] == printed
    assert len(document["concurrent_load"]["load"]) == 3
    assert all("scikit-learn" in line["release"] for line in printed["baselines"])


@pytest.mark.usefixtures("here")
def test_all_jobs_can_be_asked_for(tmp_path, monkeypatch, capsys):
    for name in list(jobs.JOBS):
        monkeypatch.delitem(jobs.JOBS, name)
    for name in ("first", "second"):
        monkeypatch.setitem(jobs.JOBS, name, Job(name, (*SMALL, BIAS), (LIBSVM,)))
    words = ["speed", "baselines", "all", "--repeats", "1", "--json", "--results", str(tmp_path)]
    printed = json.loads(output(capsys, words))
    assert [line["job"] for line in printed["baselines"]] == ["first", "second"]


@pytest.mark.usefixtures("here")
def test_jobs_that_were_done_stay_when_a_later_one_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(jobs.JOBS, "small", Job("small", (*SMALL, BIAS), (LIBSVM,)))
    monkeypatch.setitem(jobs.JOBS, "broken", Job("broken", SMALL, (LIBSVM,)))
    results = ["--results", str(tmp_path / "results")]
    said = answer(capsys, ["speed", "baselines", "small", "broken", "--repeats", "1", *results], 2).err
    assert "sklearn_svc cannot solve with problem.bias=none" in said
    (document,) = json.loads(output(capsys, ["speed", "show", "--json", *results]))
    assert [line["job"] for line in document["measured"]["baselines"]] == ["small"]
