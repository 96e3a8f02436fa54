"""Real processes, real solvers, a small generated data set."""

import json
import signal
import subprocess
import sys

import pytest

from svmbench import config as configuration
from svmbench.runner.spawn import run_in_process
from svmbench.store import Store

SMALL = ["dataset=twonorm", "dataset.n_train=60", "dataset.n_test=40", "budget=debug", "observe.points=3"]
ENDLESS = ["budget.kev=null"]


@pytest.fixture
def configure(tmp_path):
    def configure(*overrides):
        places = [f"results={tmp_path}/results", f"data.dir={tmp_path}/data"]
        return configuration.resolve([*SMALL, *places, *overrides], [])

    return configure


@pytest.fixture
def start(configure):
    started = []

    def start(*overrides, **changes):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        worker = subprocess.Popen([sys.executable, "-m", "svmbench.runner.worker"], text=True, **pipes)
        started.append(worker)
        json.dump({**configure(*overrides).document(), **changes}, worker.stdin)
        worker.stdin.close()
        worker.stdin = None
        return worker

    yield start
    for worker in started:
        worker.kill()
        worker.communicate()


def end(worker):
    out, _ = worker.communicate(timeout=60)
    assert out.count("\n") == 1
    return json.loads(out), worker.returncode


def wait_for_checkpoints(worker, count):
    for line in worker.stderr:
        count -= line.startswith("iterations")
        if count == 0:
            return
    raise AssertionError("the worker ended early")


def test_done_then_found(start, tmp_path):
    first, code = end(start())
    assert code == 0 and first["state"] == "done" and first["reason"].startswith("budget.kev=1e+06 reached")
    assert first["path"] == str(tmp_path / "results" / "runs" / first["run"])
    again, code = end(start())
    assert code == 0 and again == {**first, "state": "found", "reason": again["reason"]}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_worker_stores_its_end(start, configure, number):
    worker = start("solver=sbp", *ENDLESS)
    wait_for_checkpoints(worker, 3)
    worker.send_signal(number)
    outcome, code = end(worker)
    assert (outcome["state"], code) == ("interrupted", 130)
    (run,) = Store(configure().results).runs()
    assert run.status == "interrupted" and run.reason.startswith(f"interrupted by {number.name} after")
    assert len(run.trace()) >= 3


def test_a_refusal_has_its_own_exit_code(start, configure):
    outcome, code = end(start("solver=smo", "problem.bias=unregularised"))
    assert (outcome["run"], code) == (None, 2)
    assert outcome["reason"].startswith("smo cannot solve with problem.bias=unregularised")
    assert Store(configure().results).runs() == []


def test_bad_input_is_a_sentence_and_not_a_traceback(start, tmp_path):
    (tmp_path / "file").write_text("")
    worker = start(results=str(tmp_path / "file" / "results"))
    outcome, code = end(worker)
    assert (outcome["state"], outcome["run"], outcome["path"], code) == ("failed", None, None, 2)
    assert outcome["reason"].endswith("is not a folder; give another results=DIR")


def test_no_kernel_is_forced_on_the_libraries_of_a_worker(configure, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    config = configure("solver=sbp")
    outcome, _ = run_in_process(config, tmp_path / "log")
    store = Store(config.results)
    libraries = store.environment(store.find(outcome["run"]).manifest["environment"])["libraries"]
    assert libraries and all(library["architecture"] != "Nehalem" for library in libraries)
