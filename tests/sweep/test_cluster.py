"""Sweeps on a cluster whose machines are processes here. `tests/cluster` has the real engines."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from svmbench.cli.main import main
from svmbench.config import resolve
from svmbench.config.validation import sweep_options
from svmbench.store import Store
from svmbench.sweep import bundle as bundles
from svmbench.sweep import cluster, launch, on_ray, probe
from svmbench.sweep.cluster import Bundle, Cluster, Fate
from svmbench.sweep.planning import Job, Plan
from svmbench.sweep.record import Record
from svmbench.sweep.stored import without_run
from tests.told import output, refusal

from .test_slurm import engine

DATA = ("dataset=twonorm", "dataset.n_train=60", "dataset.n_test=20", "budget.kev=null")


def jobs(count, *overrides):
    configs = [resolve([*DATA, *overrides, f"seed={seed}"], []) for seed in range(count)]
    return [Job(number, str(number), [], config) for number, config in enumerate(configs)]


class Listener:
    def __init__(self):
        self.said, self.ticks = [], lambda: None

    def began(self, job):
        self.said.append(f"began {job.number}")

    def ended(self, job, end):
        self.said.append(f"{end['state']} {job.number}: {end['reason']}")

    def waits(self, text):
        self.waited = text

    def tick(self):
        self.ticks()

    def states(self):
        return sorted(line.partition(":")[0] for line in self.said if not line.startswith("began"))


class Fixed:
    """Bundles of a fixed size."""

    def __init__(self, size, seconds=None):
        self.size, self.seconds = size, seconds

    def divided(self, jobs):
        parts = [jobs[i : i + self.size] for i in range(0, len(jobs), self.size)]
        return [Bundle(list(part), {}, self.seconds) for part in parts]

    def learn(self, job, end):
        pass


class Processes:
    """Jobs as processes of this machine, at most so many; they end as they like."""

    def __init__(self, folder, size=2, kind="died"):
        self.folder, self.size, self.kind = folder, size, kind
        self.processes, self.arrays, self.doomed = {}, [], {}

    def room(self, live):
        return self.size - len(live)

    def submit(self, array, documents, options):
        self.arrays.append([sorted(map(int, document["runs"])) for document in documents])
        for line in range(len(documents)):
            self.start(array, line)
        return True

    def start(self, array, line):
        words = [str(self.folder / "cluster" / f"{array}.jsonl"), str(line), str(time.time())]
        process = subprocess.Popen([sys.executable, "-m", "svmbench.sweep.bundle", *words], process_group=0)
        self.processes[f"{array}-{line}"] = process

    def attach(self, arrays):
        pass

    def fates(self, bundles):
        found = {b.name: self.doomed[b.name] for b in bundles if b.name in self.doomed}
        for bundle in bundles:
            process = self.processes.get(bundle.name)
            if process is None or process.poll() is not None:
                found[bundle.name] = Fate("ended", self.kind)
        return found

    def waiting(self):
        return "2 queued (Resources)"

    def cancel(self, bundles):
        for bundle in bundles:
            self.processes[bundle.name].terminate()

    def close(self):
        for process in self.processes.values():
            process.wait(30)


def when(condition, action):
    """Return a function that acts once, when the condition is true."""
    done = []

    def look():
        if not done and condition():
            done.append(True)
            action()

    return look


def test_bundles_store_what_a_sweep_of_this_machine_stores(here):
    listener, engine = Listener(), Processes(here)
    assert not Cluster(here, engine, Fixed(2)).run(jobs(3, "budget.iterations=20"), listener)
    assert listener.states() == ["done 0", "done 1", "done 2"]
    assert engine.arrays == [[[0, 1], [2]]] and listener.waited
    stored = {run.id: run.summary()["primal_objective"] for run in Store("results").runs()}
    assert main(["run", "-m", *DATA, "budget.iterations=20", "seed=0,1,2", "results=own"]) == 0
    assert {run.id: run.summary()["primal_objective"] for run in Store("own").runs()} == stored
    assert not (here / "cluster").exists()  # nothing is left to be collected


def test_a_bundle_that_dies_fails_one_run_and_gives_the_others_back(here):
    def kill():
        process = next(iter(engine.processes.values()))
        os.killpg(process.pid, signal.SIGKILL)

    engine, listener = Processes(here, 1), Listener()
    listener.ticks = when(lambda: "began 1" in listener.said, kill)
    many = jobs(3, "solver=pegasos", "budget.iterations=20")
    many[1] = replace(many[1], config=resolve([*DATA, "solver=pegasos", "budget.iterations=1000000000"], []))
    assert not Cluster(here, engine, Fixed(3)).run(many, listener)
    assert listener.states() == ["done 0", "done 2", "failed 1"]
    assert "failed 1: its job ended" in listener.said
    assert engine.arrays == [[[0, 1, 2]], [[2]]]


@pytest.mark.parametrize(("kind", "ended"), [("lost", "done 0"), ("cancelled", "interrupted 0")])
def test_a_run_whose_job_was_lost_is_continued_and_a_cancelled_one_is_not(here, kind, ended):
    engine, listener = Processes(here, 1, kind), Listener()
    trace = lambda: list(here.glob("results/runs/*.running/trace.csv"))  # noqa: E731
    kill = lambda: next(iter(engine.processes.values())).terminate()  # noqa: E731
    listener.ticks = when(lambda: trace() and len(trace()[0].read_bytes().splitlines()) > 2, kill)
    assert not Cluster(here, engine, Fixed(1)).run(
        jobs(1, "solver=pegasos", "budget.iterations=300000"), listener
    )
    assert listener.states() == [ended]
    (run,) = Store("results").runs()
    assert ("continued" in run.manifest) == (kind == "lost")


def test_a_restarted_job_omits_what_has_ended_and_is_no_end(here):
    """SLURM requeues the job; its first attempt was interrupted in the second run."""
    engine = Processes(here, 1)
    many = jobs(2, "budget.iterations=20", "force=true")
    (here / "cluster" / "told").mkdir(parents=True)
    told = here / "cluster" / "told" / "a-0.jsonl"
    told.write_text('{"host": "n1"}\n{"began": 0}\n{"state": "done", "number": 0}\n{"began": 1}\n{"stat')
    write_bundle(here / "cluster" / "a.jsonl", many, told)
    engine.start("a", 0)
    engine.processes["a-0"].wait(60)
    lines, size = bundles.heard(told)
    assert size == told.stat().st_size
    assert [line["began"] for line in lines if "began" in line] == [0, 1, 1]
    assert lines[-1]["state"] == "done" and len(Store("results").runs()) == 1


def write_bundle(path, many, told, seconds=None):
    """Write what a job on a node reads: its runs, and where it tells what it has done."""
    folder = os.getcwd()
    document = {"folder": folder, "cwd": folder, "told": str(told), "threads": 1, "seconds": seconds}
    document["runs"] = {str(job.number): job.config.document() for job in many}
    path.write_text(json.dumps(document) + "\n")


def test_a_process_that_comes_later_collects_and_never_submits_twice(here):
    many = jobs(3, "budget.iterations=20")
    first, listener = Processes(here, 1), Listener()
    leader = Cluster(here, first, Fixed(2))
    listener.ticks = when(lambda: first.arrays, lambda: (_ for _ in ()).throw(RuntimeError("killed")))
    with pytest.raises(RuntimeError):
        leader.run(many, listener)
    second, again = Processes(here, 1), Listener()
    second.processes = first.processes
    assert not Cluster(here, second, Fixed(2)).run(many, again)
    assert again.states() == ["done 0", "done 1", "done 2"]
    assert second.arrays == [[[2]]]
    assert len(Store("results").runs()) == 3


def test_a_process_that_comes_later_repeats_what_has_failed(here):
    """The folder was full when jobs of the killed process stored their runs; now there is room."""
    many = jobs(2, "budget.iterations=20")
    (here / "cluster" / "told").mkdir(parents=True)
    former = Cluster(here, Processes(here), Fixed(2))
    document = former._document(Bundle(many), "a-0")
    (here / "cluster" / "a.jsonl").write_text(f"{json.dumps(document)}\n")
    ends = [{**without_run("failed", "No space left on device"), "number": number} for number in (0, 1)]
    told = [{"host": "n1"}, *ends]
    (here / "cluster" / "told" / "a-0.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in told))
    engine, listener = Processes(here), Listener()
    assert not Cluster(here, engine, Fixed(2)).run(many, listener)
    assert listener.states() == ["done 0", "done 1", "failed 0", "failed 1"]


class Reported(Processes):
    """Jobs that are over at once, with these reports."""

    def __init__(self, folder, *reports):
        super().__init__(folder, 1)
        self.reports = [*reports]

    def start(self, array, line):
        self.processes[f"{array}-{line}"] = subprocess.Popen(["true"])
        (self.folder / "cluster" / "told" / f"{array}-{line}.jsonl").write_text(self.reports.pop(0))


def test_an_end_near_the_limit_gives_back_what_it_did_not_make(here):
    """The first run of a job had all the time there is; another one gets a job of its own."""
    done = json.dumps({**without_run("done", ""), "number": 0})
    first = f'{{"host": "n"}}\n{{"began": 0}}\n{done}\n{{"began": 1}}\n{{"stopped": "time"}}\n'
    engine = Reported(here, first, '{"host": "n"}\n{"began": 1}\n{"stopped": "time"}\n')
    listener = Listener()
    assert not Cluster(here, engine, Fixed(2, 480.0)).run(jobs(2), listener)
    assert listener.states() == ["done 0", "interrupted 1"]
    assert listener.said[-1] == "interrupted 1: launcher.minutes=8 reached; svmbench resume continues it"
    assert engine.arrays == [[[0, 1]], [[1]]]


def test_a_job_whose_time_ends_before_its_first_run_is_not_submitted_again(here):
    """Its launcher.setup takes longer than the job."""
    engine, listener = Reported(here, '{"host": "n"}\n{"stopped": "time"}\n'), Listener()
    assert not Cluster(here, engine, Fixed(2, 60.0)).run(jobs(2), listener)
    assert listener.states() == ["interrupted 0", "interrupted 1"]
    assert listener.said[-1] == "interrupted 1: launcher.minutes=1 reached; svmbench resume continues it"


def test_a_job_ends_before_its_time_does(here):
    many = jobs(1, "solver=pegasos", "budget.iterations=100000000")
    write_bundle(here / "a", many, here / "told", seconds=400.0)
    begun = time.time() - 309.0  # 90 s before its end, a second from now
    words = [sys.executable, "-m", "svmbench.sweep.bundle", str(here / "a"), "0", str(begun)]
    assert subprocess.run(words, timeout=100).returncode == 0
    lines, _ = bundles.heard(here / "told")
    assert lines[-1] == {"stopped": "time"}


def test_a_job_that_would_wait_for_ever_or_begins_nothing_fails(here):
    class Dead(Processes):
        def start(self, array, line):
            self.processes[f"{array}-{line}"] = subprocess.Popen(["true"])

    listener = Listener()
    assert not Cluster(here, Dead(here), Fixed(2)).run(jobs(2), listener)
    assert listener.states() == ["failed 0", "failed 1"]

    class Endless(Dead):
        def fates(self, bundles):
            return {bundle.name: Fate("would wait for ever", "never") for bundle in bundles}

    listener = Listener()
    assert not Cluster(here, Endless(here), Fixed(1)).run(jobs(1), listener, fail_fast=True)
    assert listener.said == ["began 0", "failed 0: its job would wait for ever"]


def test_ctrl_c_stores_what_runs_and_drops_what_waits(here):
    engine, listener = Processes(here, 1), Listener()
    trace = lambda: any(here.glob("results/runs/*.running/trace.csv"))  # noqa: E731
    running = lambda: trace() and "began 0" in listener.said  # noqa: E731  a report takes up to a second
    listener.ticks = when(running, lambda: signal.default_int_handler(signal.SIGINT, None))
    many = jobs(2, "solver=pegasos", "budget.iterations=100000000")
    assert Cluster(here, engine, Fixed(1)).run(many, listener)
    assert listener.states() == ["interrupted 0"]
    assert [run.status for run in Store("results").runs()] == ["interrupted"]


def test_looks_are_rarer_the_more_runs_wait(here):
    one = Cluster(here, Processes(here), Fixed(1))
    for count, seconds in ((10, 0.3), (2000, 2.0), (10_000, 10.0), (100_000, 10.0)):
        one._waiting = [None] * count
        assert one._pause() == pytest.approx(seconds if count > 10 else cluster._LOOK)


def planned(count, **launcher):
    options = sweep_options({"jobs": 2, "launcher": {"name": "slurm", **launcher}})
    return Plan(jobs(count, "solver=smo"), options)


def test_bundles_follow_forecasts(here, monkeypatch):
    plan = planned(100)
    seconds = {}
    monkeypatch.setattr(launch, "forecast", lambda plan, store: type("", (), {"seconds": seconds}))
    bundler = launch.Bundler(plan, lambda partition: 10.0)
    found = bundler.divided(plan.jobs)  # nothing is known: one run for each job, to learn from
    assert [len(one.jobs) for one in found] == [1, 1] and found[0].options["minutes"] == 10.0
    bundler.learn(plan.jobs[0], {**without_run("done", ""), "seconds": 3.0})
    found = bundler.divided(plan.jobs)  # 300 s for two jobs at a time
    assert {len(one.jobs) for one in found} <= {12, 4} and sum(len(one.jobs) for one in found) == 100
    assert found[0].options["minutes"] == 5 and found[0].seconds == 300.0
    seconds |= dict.fromkeys(range(100), 120.0)
    assert {len(one.jobs) for one in launch.Bundler(plan, lambda partition: 10.0).divided(plan.jobs)} == {1}
    fixed = planned(5, bundle=2, minutes=3, solvers={"smo": {"memory": 500}})
    found = launch.Bundler(fixed, lambda partition: 10.0).divided(fixed.jobs)
    assert [len(one.jobs) for one in found] == [2, 2, 1]
    assert found[0].options["memory"] == 500 and found[0].seconds == 180.0


def test_a_plan_of_an_older_version_is_read(here):
    options = sweep_options({"launcher": {"name": "slurm"}})
    former = {"name": "slurm", "cluster": "slurm", "requeue": True, "minutes": 60.0, "partition": "p"}
    record = Record.create(here, replace(Plan(jobs(1), options), options={**options, "launcher": former}))
    assert record.plan().options["launcher"]["partition"] == "p"
    assert record.plan().options["launcher"]["bundle"] == "auto"


def test_cancel_ends_the_process_or_says_that_there_is_nothing(here, capfd, monkeypatch):
    record = Record.create(Path("results"), Plan(jobs(1), sweep_options({})))
    assert "is not running, and has no jobs in a queue" in refusal(capfd, ["cancel"])
    lock = record.lock()
    received = []
    kept = signal.signal(signal.SIGTERM, lambda *about: received.append(about))
    try:
        assert main(["cancel", record.name]) == 0
    finally:
        signal.signal(signal.SIGTERM, kept)
        lock.remove()
    assert received and "is asked to end" in capfd.readouterr().out
    (record.folder / "cluster").mkdir()
    (record.folder / "cluster" / "a.jsonl").write_text("{}\n")
    (record.folder / "cluster" / "a.id").write_text("7")
    shell = engine(monkeypatch, squeue=(0, "7|0|RUNNING|None\n7|1|COMPLETED|None\n", ""))
    assert "stopped, but SLURM still has 1 of its jobs" in output(capfd, ["status", record.name])
    assert main(["cancel", record.name]) == 0
    assert ["scancel", "7", ""] in shell.commands


def test_the_check_of_a_folder_says_what_holds(here, capfd):
    said = output(capfd, ["cluster", "check", "results=shared"]).splitlines()
    assert len(said) == 7 and all(line.startswith("ok ") for line in said)
    assert "a lock that this machine holds is respected" in said[3]
    assert not list((here / "shared").iterdir())


def test_the_check_of_a_folder_names_what_does_not_hold(here):
    def elsewhere():
        probe.report(here, "n1")
        found = json.loads((here / "n1.json").read_text())
        found |= {"host": "n1", "locked": False, "ahead": found["ahead"] + 5, "isa": "sse2"}
        (here / "n1.json").write_text(json.dumps(found))
        return ["n1"]

    said = [sentence for holds, sentence in probe.findings(here, elsewhere, lambda: None) if not holds]
    assert [one.partition(": ")[0] for one in said] == ["n1"] * 3
    assert "its clock is +5.0" in said[1] and "isa sse2, here " in said[2]


def test_an_engine_that_is_not_there_is_told_before_anything_is_made(here, capfd, monkeypatch):
    monkeypatch.setattr(launch.importlib.util, "find_spec", lambda name: None)
    assert "launcher=ray needs ray: pip install ray" in refusal(capfd, ["run", "-m", "launcher=ray"])
    monkeypatch.undo()
    monkeypatch.chdir(here)
    monkeypatch.setattr(launch.shutil, "which", lambda name: None)
    assert "there is no sbatch on this machine" in refusal(capfd, ["run", "-m", "launcher=slurm"])
    assert "launcher belongs to a sweep: add -m" in refusal(capfd, ["run", "launcher=slurm"])
    assert not list(here.iterdir())


def test_an_address_where_nothing_listens_is_told_at_once():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert on_ray._knock(f"127.0.0.1:{port}")
    for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}"):
        with pytest.raises(OSError):
            on_ray._knock(address)
    assert not on_ray._knock("auto") and not on_ray._knock("local")


def test_messages_of_ray_are_plain():
    assert on_ray._plain(ValueError("\x1b[36mtask\x1b[39m died. Then more.\nand more")) == "task died"
    assert on_ray._plain(ValueError()) == "ValueError"
