"""Sweeps on a cluster: submitit's local executor in place of SLURM. `tests/cluster` has the real engines."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from svmbench.cli.main import main
from svmbench.run_config import Choice, RunConfig
from svmbench.store import Store
from svmbench.sweep import launch, on_ray
from svmbench.sweep.cluster import Cluster
from svmbench.sweep.planning import Job

GIVEN = (
    "dataset=twonorm",
    "dataset.n_train=60",
    "dataset.n_test=20",
    "launcher=slurm",
    "launcher.cluster=local",
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ends(results: Path) -> dict[int, str]:
    # There is no file before the first event is written, and only one sweep.
    lines = [
        line for path in (results / "sweeps").glob("*/events.jsonl") for line in path.read_text().splitlines()
    ]
    return {event["job"]: event["state"] for event in map(json.loads, lines) if event["event"] == "ended"}


def test_a_sweep_by_submitit_is_a_sweep_like_any_other(here, capfd):
    assert main(["run", "-m", "solver=pegasos,sdca", "budget.iterations=20", *GIVEN]) == 0
    out = capfd.readouterr().out
    assert "solver=sdca: done, budget.iterations=20 reached" in out
    assert ends(here / "results") == {0: "done", 1: "done"}
    plain = {run.id: run.summary()["primal_objective"] for run in Store("results").runs()}
    assert (
        main(["run", "-m", "solver=pegasos,sdca", "budget.iterations=20", *GIVEN[:3], "results=other"]) == 0
    )
    assert {run.id: run.summary()["primal_objective"] for run in Store("other").runs()} == plain


def test_jobs_that_die_fail_and_a_signal_stores_what_runs(here):
    arguments = ["solver=pegasos", "budget.kev=1e14", "budget.iterations=null", "seed=0,1", "jobs=2", *GIVEN]
    process = subprocess.Popen(
        [sys.executable, "-m", "svmbench.cli.main", "run", "-m", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        deadline = time.monotonic() + 120.0
        while len(list(here.glob("results/runs/*.running/trace.csv"))) < 2:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        one, _ = sorted(here.glob("results/runs/*.running/lock"))
        victim = int(one.read_text().split()[1])
        os.kill(victim, signal.SIGKILL)
        while not ends(here / "results"):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert list(ends(here / "results").values()) == ["failed"]
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "failed, its job ended as " in out
    assert sorted(run.status for run in Store("results").runs()) == ["interrupted", "killed"]


class Engine:
    """Plays a cluster: job 0 ends by itself, job 1 dies, job 2 waits for ever."""

    most = 2

    def submit(self, documents):
        self.given = [*getattr(self, "given", []), *(document["number"] for document in documents)]
        if 0 not in [document["number"] for document in documents]:
            return
        Path(documents[0]["log"]).write_text("")
        end = {"state": "done", "reason": "it is", "run": "a", "seconds": 1.0, "numbers": {}}
        Path(documents[0]["end"]).write_text(json.dumps(end))
        self.cancelled = []

    def over(self, numbers):
        return {number: "lost its node" for number in numbers if number == 1}

    def cancel(self, numbers):
        self.cancelled = numbers

    def close(self):
        self.closed = True


class Listener:
    def __init__(self):
        self.said = []

    def began(self, job):
        self.said.append(f"began {job.number}")

    def ended(self, job, end):
        self.said.append(f"{end['state']} {job.number}: {end['reason']}")

    def tick(self):
        pass


def test_a_dead_job_fails_once_and_fail_fast_forgets_what_never_began(tmp_path, monkeypatch):
    monkeypatch.setattr("svmbench.sweep.cluster._GRACE", 0.0)
    monkeypatch.setattr("svmbench.sweep.cluster._LOOK", 0.001)
    config = RunConfig(Choice("smo"), Choice("twonorm"), Choice("linear"), results=str(tmp_path))
    jobs = [Job(number, str(number), [], config) for number in range(3)]
    engine, listener = Engine(), Listener()
    assert not Cluster(tmp_path, engine).run(jobs, listener, fail_fast=True)
    assert listener.said == ["began 0", "done 0: it is", "began 1", "failed 1: its job lost its node"]
    assert engine.given == [0, 1, 2]  # the last one as the first had ended
    assert engine.cancelled == [2] and engine.closed


def test_an_engine_that_is_not_there_is_told_before_anything_is_made(here, capfd, monkeypatch):
    monkeypatch.setattr(launch.importlib.util, "find_spec", lambda name: None)
    assert main(["run", "-m", "launcher=ray"]) == 2
    assert "launcher=ray needs ray: pip install 'svmbench[ray]'" in capfd.readouterr().err
    monkeypatch.undo()
    monkeypatch.chdir(here)
    monkeypatch.setattr(launch.shutil, "which", lambda name: None)
    assert main(["run", "-m", "launcher=slurm"]) == 2
    assert "there is no sbatch on this machine" in capfd.readouterr().err
    assert main(["run", "launcher=slurm"]) == 2
    assert "launcher belongs to a sweep: add -m" in capfd.readouterr().err
    assert not list(here.iterdir())


def test_an_address_where_nothing_listens_is_told_at_once():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        on_ray._knock(f"127.0.0.1:{port}")
    for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}"):
        with pytest.raises(OSError):
            on_ray._knock(address)
    on_ray._knock("auto")
    on_ray._knock("local")
