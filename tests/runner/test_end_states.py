import gc
import os
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

from svmbench import data as datasets
from svmbench.errors import UserError
from svmbench.runner.memory import Allowance
from svmbench.store import Store

from .conftest import accident, stored
from .fakes import Toy, ToyRun, two_clouds


def test_a_refusal_does_not_outlive_its_cause(make, monkeypatch):
    assert make(solver=accident("refuse")).state == "refused"
    monkeypatch.setattr(Toy, "start", lambda self, problem, oracle, rng: ToyRun(problem, oracle, ""))
    assert make(solver=accident("refuse")).state == "done"
    assert [run.status for run in stored(make)] == ["budget"]


@pytest.mark.parametrize(
    ("what", "state", "status", "reason"),
    [
        ("error", "failed", "failed", "RuntimeError: a bug"),
        ("exit", "failed", "failed", "SystemExit: 3"),
        ("memory", "failed", "out_of_memory", "out of memory: no row"),
        ("overflow", "done", "diverged", "responses are no longer finite"),
        ("nan", "done", "diverged", "the objective is nan after 6 iterations"),
        ("keyboard", "interrupted", "interrupted", "interrupted by SIGINT"),
    ],
)
def test_every_end_is_stored_with_the_checkpoints_until_then(make, what, state, status, reason):
    outcome = make(solver=accident(what))
    log = outcome.run.path / "error.log"
    assert (outcome.state, outcome.run.status) == (state, status)
    assert outcome.run.trace()["iterations"].tolist()[:2] == [2, 4]
    assert log.exists() == (status == "failed")
    assert outcome.reason == reason + ("; see error.log in the run's folder" if log.exists() else "")
    if log.exists():
        assert log.read_text().startswith("Traceback") and log.read_text().endswith(f"{reason}\n")
        assert outcome.run.trace()["iterations"].tolist() == [2, 4]
        assert make(solver=accident(what)).state == "failed"  # made again


def test_bad_input_seen_by_the_solver_leaves_nothing(make):
    with pytest.raises(UserError, match="the data cannot be learned"):
        make(solver=accident("user"))
    assert stored(make) == []
    assert list((Store(make.config().results).root / "runs").iterdir()) == []


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


def test_an_optimum_over_the_memory_of_its_run_is_an_end_with_its_sentence(make, monkeypatch):
    monkeypatch.setattr(Allowance, "passed", lambda *_: "budget.memory=16 reached (too much)")
    outcome = make(solver={"name": "sbp", "nu": "auto"}, budget={"memory": 16.0}, problem={"C": 100.0})
    assert (outcome.run.status, outcome.run.complete) == ("budget", True)
    assert outcome.reason.startswith("budget.memory=16 reached (too much), by the optimum behind it")


def test_an_optimum_that_cannot_be_certified_is_refused_and_no_accident(make, monkeypatch):
    monkeypatch.setattr("svmbench.runner.certifier.TARGET", -1.0)
    outcome = make(solver={"name": "sbp", "nu": "auto"})
    assert outcome.state == outcome.run.status == "refused"
    assert outcome.reason.startswith("the optimum is certified to a relative gap of ")
    assert outcome.reason.endswith("give the parameter that is auto as a number, or a smaller C")
    assert not (outcome.run.path / "error.log").exists()


def test_nu_auto_of_an_optimum_that_is_zero_is_refused(make, monkeypatch):
    clouds = two_clouds()
    zero = replace(clouds, train=replace(clouds.train, X=np.zeros_like(clouds.train.X)))
    monkeypatch.setattr(datasets, "load", lambda *_, **__: zero)
    outcome = make(solver={"name": "sbp", "nu": "auto"}, kernel={"name": "linear"})
    assert outcome.state == outcome.run.status == "refused"
    assert outcome.reason.startswith("nu=auto needs an optimum that is not zero; give solver.nu=NUMBER")


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
    assert not os.path.exists(make.config().results)


def test_a_run_outside_the_main_thread(make):
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(make()))
    thread.start()
    thread.join()
    assert outcomes[0].state == "done"


LARGE = ("Oracle", "LinearData", "BaselineData", "Run", "Dataset", "Observer")


@pytest.mark.parametrize(
    ("solver", "changes"),
    [
        ("sbp", {}),
        ("smo", {}),
        ("dcd", {"kernel": {"name": "linear"}, "budget": {"counter": "inner_products"}}),
        (accident("error"), {}),
        (accident("nan"), {}),
        (accident("keyboard"), {}),
        (accident("refuse"), {}),
    ],
)
def test_what_a_run_took_of_the_memory_is_free_when_it_has_ended(make, solver, changes):
    # A warm worker makes many runs: what waits for the collector of circles may be gigabytes.
    gc.collect()
    gc.disable()
    try:
        make(solver, **changes)
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        held = {type(what).__name__ for what in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.enable()
        gc.garbage.clear()
    assert not held & set(LARGE)
