"""Artifacts about seconds: which runs they use, and how `paper run` makes them."""

import dataclasses
from dataclasses import replace
from types import SimpleNamespace

import pytest

from svmbench.config.validation import sweep_options
from svmbench.errors import UserError
from svmbench.papers import making
from svmbench.papers.claims import claim
from svmbench.papers.drawing import draw
from svmbench.papers.estimate import NOT_ATTEMPTED, REPRODUCED
from svmbench.papers.predicates import Order
from svmbench.papers.quantities import Value
from svmbench.papers.runs import Group, Panel
from svmbench.store import Store, StoredRun
from tests.figures.stored import ALONE
from tests.told import names

from .written import artifact, material, store

BUSY = {**ALONE, "others": 0.7}
LESS = Order("c", Value("sbp", "cpu_seconds"), Value("smo", "cpu_seconds"))
FASTER = claim("faster", "p", "t", replace(LESS, name="f"))


def timed(seeds=2):
    return artifact(["sbp", "smo"], seeds=seeds, claims=[FASTER], metrics="test_error")


def put(paper, root, load=lambda planned: ALONE, machine=lambda planned: "mine"):
    for planned in paper.runs.planned():
        cpu = 1.0 if planned.solver == "sbp" else 5.0
        environment = Store(root).put_environment({"processor": machine(planned)})
        rows = [{"test_error": 0.1, "cpu_seconds": cpu}]
        store(root, planned, rows, load=load(planned), environment=environment)


def last_busy(planned):
    """The load of a run: that of the last one of two seeds was not its own."""
    return BUSY if (planned.solver, planned.seed) == ("smo", 1) else ALONE


def verdict(paper, root):
    ((_, ((_, (finding, *_)),)),) = material(paper, root).judged()
    return finding.verdict, finding.text


def test_seconds_of_runs_that_were_alone_on_one_machine_are_judged(tmp_path):
    put(timed(), tmp_path)
    assert verdict(timed(), tmp_path)[0] == REPRODUCED
    assert material(timed(), tmp_path).tally().endswith("4 of them ran alone on one machine")


@pytest.mark.parametrize(
    ("given", "alone", "who", "why"),
    [
        ({"load": last_busy}, 3, "smo: 1", "other processes used 0.70 cores)"),
        ({"machine": lambda planned: planned.solver}, 2, "sbp: 0", "it had another machine"),
    ],
)
def test_a_run_beside_others_or_of_another_machine_is_no_evidence(tmp_path, given, alone, who, why):
    put(timed(), tmp_path, **given)
    found, text = verdict(timed(), tmp_path)
    begin = f"{who} of 2 runs ran alone on one machine (its seconds cannot be compared: {why}"
    assert found == NOT_ATTEMPTED and text.startswith(begin)
    tally = f"4 of 4 runs are stored, {alone} of them ran alone on one machine"
    assert material(timed(), tmp_path).tally() == tally


def test_another_data_set_of_a_front_may_have_another_machine(tmp_path):
    panels = [
        Panel(name, name, f"dataset=checkerboard dataset.n_test={size}")
        for name, size in (("one", 10), ("two", 20))
    ]
    paper = artifact(["sbp", "smo"], kind="front", panels=panels, counters="cpu_seconds")
    put(paper, tmp_path, machine=lambda planned: planned.panel)
    found = material(paper, tmp_path)
    assert not found.untimed
    assert found.tally() == "4 of 4 runs are stored, 4 of them ran alone on one machine for each data set"
    put(paper, tmp_path / "b", machine=lambda planned: planned.panel + planned.solver)
    assert len(material(paper, tmp_path / "b").untimed) == 2  # one of two on each data set
    curves = artifact(["sbp", "smo"], panels=panels, metrics="test_error", counters="cpu_seconds")
    assert curves.timed and len(material(curves, tmp_path).untimed) == 2


def test_an_artifact_about_counts_takes_any_run(tmp_path):
    paper = artifact(["sbp", "smo"], seeds=2)
    put(paper, tmp_path, load=lambda planned: None)
    assert not paper.timed and not material(paper, tmp_path).untimed
    assert material(paper, tmp_path).tally() == "4 of 4 runs are stored"


def test_curves_against_seconds_leave_disturbed_runs_out(tmp_path):
    paper = replace(timed(), counters="cpu_seconds", metrics="test_error")
    put(paper, tmp_path, load=lambda planned: BUSY)
    with pytest.raises(UserError, match=r"nothing to draw .*other processes used 0\.70 cores"):
        draw(material(paper, tmp_path), tmp_path)


@pytest.fixture
def pool(monkeypatch):
    """Store each run as if it had been made, under the load that `loads` gives in turn."""
    made, loads = [], []

    class Fake:
        def __init__(self, folder, size, threads, *, pin, reuse):
            self.size = size
            assert reuse is (size > 1)  # a run whose seconds matter has a process of its own

        def run(self, jobs, listener):
            for job in jobs:
                listener.began(job)
                made.append((job.config.solver.name, job.config.seed, job.config.budget.quiet, self.size))
                root = job.config.results
                planned = next(p for p in timed().runs.planned() if (p.solver, p.seed) == made[-1][:2])
                environment = Store(root).put_environment({"processor": "mine"})
                rows = [{"test_error": 0.1, "cpu_seconds": 1.0}]
                with_load = {"load": loads.pop(0) if loads else ALONE, "environment": environment}
                store(root, planned, rows, anew=job.config.force, **with_load)
            return False

    monkeypatch.setattr(making, "Pool", Fake)
    return made, loads


def test_runs_are_made_by_turns_one_at_a_time_on_a_quiet_machine(pool, tmp_path, capsys):
    made, _ = pool
    assert making.make([timed()], tmp_path, jobs=2) == 0
    told = "4 runs whose seconds matter, one at a time, each after up to 600 s of waiting for a quiet machine"
    lines = capsys.readouterr().out.splitlines()
    assert told in lines
    labels = [line.split(":")[0] for line in lines if line.startswith("[")]
    assert labels == [
        f"[{k}/4] {name} board seed {seed}"
        for k, (seed, name) in enumerate(((s, n) for s in (0, 1) for n in ("sbp", "smo")), start=1)
    ]
    assert made == [(name, seed, making.QUIET, 1) for seed in (0, 1) for name in ("sbp", "smo")]


def test_a_disturbed_run_is_made_again_up_to_three_times(pool, tmp_path, capsys):
    made, loads = pool
    loads += [ALONE, ALONE, BUSY, ALONE, BUSY, BUSY]  # the third run, each time
    assert making.make([timed()], tmp_path) == 0
    assert [entry[:2] for entry in made[4:]] == [("sbp", 1)] * 2
    assert "still disturbed: sbp board seed 1: other processes used 0.70 cores" in capsys.readouterr().err


def test_a_run_that_had_this_machine_is_not_repeated_because_the_others_had_another(
    pool, tmp_path, monkeypatch
):
    monkeypatch.setattr(making, "environment", lambda threads: {"processor": "mine", "threads": threads})
    *others, last = timed().runs.planned()
    for planned in others:
        theirs = Store(tmp_path).put_environment({"processor": "theirs"})
        store(tmp_path, planned, [{"test_error": 0.1, "cpu_seconds": 1.0}], load=ALONE, environment=theirs)
    made, _ = pool
    assert making.make([timed()], tmp_path) == 0
    assert [entry[:2] for entry in made] == [(last.solver, last.seed)]
    assert making.make([timed()], tmp_path) == 0
    assert len(made) == 1


@pytest.mark.parametrize("theirs", ["m0", "m2"])  # before and after this one in the alphabet
def test_a_time_can_be_mended_here_if_others_ran_beside_it_or_it_had_another_machine(monkeypatch, theirs):
    monkeypatch.setattr(making, "disturbed", lambda run: run.reason)
    monkeypatch.setattr(making, "machine", lambda run: run.machine)
    assert making._helps(SimpleNamespace(machine=theirs, reason=""), "m1")
    assert making._helps(SimpleNamespace(machine="m1", reason="other processes used 0.7 cores"), "m1")
    assert not making._helps(SimpleNamespace(machine="m1", reason=""), "m1")


def test_the_first_reason_is_said_and_the_runs_that_were_alone_are_counted(tmp_path):
    loads = {("smo", 0): ALONE, ("smo", 1): BUSY, ("smo", 2): {**ALONE, "others": 0.4}}
    put(timed(3), tmp_path, load=lambda planned: loads.get((planned.solver, planned.seed), ALONE))
    assert names(verdict(timed(3), tmp_path)[1], "smo: 1 of 3 runs", "0.70 cores")


def test_errors_are_judged_by_all_runs_where_seconds_are_not(tmp_path):
    errors = Order("c", Value("sbp"), Value("smo") + 1.0)
    claims = [
        FASTER,
        claim("better", "p", "t", replace(errors, name="b")),
    ]
    paper = artifact(["sbp", "smo"], seeds=2, claims=claims, metrics="test_error")
    put(paper, tmp_path, load=lambda planned: BUSY)
    found = [findings[0].verdict for _, ((_, findings),) in material(paper, tmp_path).judged()]
    assert found == [NOT_ATTEMPTED, REPRODUCED]


def test_the_seconds_of_an_artifact_are_those_of_its_runs_and_of_its_check(tmp_path):
    paper = artifact(["sbp", "smo", "sdca"])
    for planned, rows in zip(paper.runs.planned(), ([{}, {}], [{}], [{"wall_seconds": None}]), strict=True):
        store(tmp_path, planned, rows)
    found = material(paper, tmp_path)
    assert found.seconds == pytest.approx(0.3)
    assert dataclasses.replace(found, outcome={"seconds": "7"}).seconds == pytest.approx(7.3)


def test_one_run_is_announced_as_one(pool, tmp_path, capsys):
    *others, _ = timed().runs.planned()
    environment = Store(tmp_path).put_environment({"processor": "mine"})
    for planned in others:
        rows = [{"test_error": 0.1, "cpu_seconds": 1.0}]
        store(tmp_path, planned, rows, load=ALONE, environment=environment)
    assert making.make([timed()], tmp_path) == 0
    assert "\n1 run whose seconds matter, one at a time, " in capsys.readouterr().out


def test_runs_that_failed_are_listed_and_the_exit_code_is_1(tmp_path, capsys, monkeypatch):
    def failing(missing, results, jobs, failed, **given):
        failed.extend(f"{planned.solver}: why" for _, _, planned, _ in missing)

    monkeypatch.setattr(making, "_make_all", failing)
    assert making.make([artifact(["sbp", "sdca"])], tmp_path) == 1
    assert capsys.readouterr().err == "2 runs failed:\nsbp: why\nsdca: why\n"


@pytest.mark.parametrize("place", [0, 1])
def test_nothing_is_made_after_an_interrupt(tmp_path, monkeypatch, place):
    made = []

    def interrupted(missing, results, jobs, failed, **given):
        made.append([(planned.solver, jobs) for _, _, planned, _ in missing])
        return len(made) == place + 1

    monkeypatch.setattr(making, "_make_all", interrupted)
    groups = [
        Group(1, "sbp", "", "budget.seconds=9"),
        Group(1, "smo"),
    ]
    assert making.make([artifact(["sbp", "smo"], groups=groups)], tmp_path, jobs=2) == 130
    assert made == [[("smo", 2)], [("sbp", 1)]][: place + 1]  # what stops by seconds is made alone


@pytest.mark.parametrize(
    ("state", "fails"),
    [("done", False), ("found", False), ("interrupted", False), ("failed", True), ("out_of_memory", True)],
)
def test_a_run_that_neither_ended_nor_was_interrupted_has_failed(state, fails):
    failed = []
    lines = making._Lines([("key", timed(), timed().runs.planned()[-1], False)], failed)
    lines.ended(SimpleNamespace(number=1), {"state": state, "reason": "why"})
    assert failed == (["[1/1] smo board seed 1: why"] if fails else [])


@pytest.mark.parametrize("reuse", [False, True])
def test_a_process_makes_one_run_or_several(tmp_path, monkeypatch, reuse):
    monkeypatch.setattr(making, "QUIET", 0.01)  # other tests compute meanwhile
    made = [("", paper, planned, False) for paper in [timed()] for planned in paper.runs.planned()]
    assert not making._make_all(made, tmp_path, 1, failed := [], reuse=reuse)
    assert not failed
    runs = [StoredRun.read(path) for path in (tmp_path / "runs").iterdir()]
    before = sorted(run.manifest["runs_before"] for run in runs)
    assert before == ([0, 1, 2, 3] if reuse else [0, 0, 0, 0])


def test_on_a_cluster_a_timed_run_asks_for_a_node_of_its_own(tmp_path, monkeypatch):
    plans = []

    class Nobody:
        def run(self, jobs, listener):
            listener.waits("1 queued (Resources)")
            return False

    monkeypatch.setattr(making.launch, "launcher", lambda plan, folder: plans.append(plan) or Nobody())
    slurm = sweep_options({"launcher": {"name": "slurm", "partition": "cpu"}})["launcher"]
    making.make([timed()], tmp_path, jobs=3, launcher=slurm)
    assert [plan.options["jobs"] for plan in plans] == [3]
    chosen = plans[0].options["launcher"]
    assert (chosen["exclusive"], chosen["bundle"], chosen["partition"]) == (True, 1, "cpu")
