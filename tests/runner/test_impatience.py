"""Ctrl-C while an iteration or a look takes long: it is given up, and what is stored is whole."""

import os
import signal
import threading

import numpy as np
import pytest

from svmbench import config
from svmbench.runner import loop, signals
from svmbench.runner.execute import execute
from svmbench.runner.observe import Observer
from svmbench.solvers import registry

from . import fakes
from .fakes import Silent
from .test_continuation import make, same

pytestmark = pytest.mark.usefixtures("impatient")


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(signals, "PATIENCE", 0.01)


def for_ever():
    """Press Ctrl-C and be busy from then on."""
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(60.0)
    raise AssertionError("nobody has given this up")


@pytest.fixture
def look(monkeypatch):
    """Let the look of that number take for ever, after it has seen everything."""

    def prepare(number):
        seen = Observer._seen
        calls = []

        def slow(self, *given):
            row = seen(self, *given)
            calls.append(row)
            if len(calls) == number:
                for_ever()
            return row

        monkeypatch.setattr(Observer, "_seen", slow)

    return prepare


def test_an_iteration_is_given_up_and_the_last_checkpoint_stays(make_toy, monkeypatch):
    whole = make_toy()
    advance = fakes.ToyRun.advance

    def torn(self, *parameters):
        if self.iterations == 6:
            self.alpha[:] = self.responses[:] = np.nan
            for_ever()
        advance(self, *parameters)

    monkeypatch.setattr(fakes.ToyRun, "advance", torn)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM)]
    outcome = make_toy(force=True)
    assert (outcome.state, outcome.reason) == (
        "interrupted", "interrupted by SIGINT within an iteration, which was given up, after 6 iterations",
    )  # fmt: skip
    kept = outcome.run.trace()["iterations"].tolist()
    assert kept == whole["iterations"].tolist()[: len(kept)] and kept[-1] <= 6
    assert outcome.run.model().iterations == kept[-1]
    assert np.isfinite(outcome.run.model().coefficients).all()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM)] == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.fixture
def make_toy(tmp_path, monkeypatch):
    """Run the toy solver; return its trace where it was not interrupted, else the outcome."""
    real = registry.get
    monkeypatch.setattr(registry, "get", lambda name: fakes.Toy if name == "toy" else real(name))

    def run(force=False):
        about = config.resolve(
            ["solver=pegasos", "dataset.n_train=30", "budget.kev=3000", f"results={tmp_path}"]
        )
        about = {**about, "solver": {"name": "toy", "accident": ""}, "force": force}
        outcome = execute(about, progress=Silent())
        return outcome if outcome.state == "interrupted" else outcome.run.trace()

    return run


PARTS = ["problem.C=100", "budget.counter=kev_iter", "budget.kev=2e5"]


@pytest.mark.parametrize("solver", ["pegasos", "sdca", "sbp"])
@pytest.mark.parametrize("number", [1, 5])
def test_a_look_is_given_up_and_made_when_the_run_goes_on(tmp_path, look, monkeypatch, solver, number):
    own = ["solver.nu=0.1"] if solver == "sbp" else []
    whole = make(tmp_path / "b", solver, *PARTS, *own)
    look(number)
    broken = make(tmp_path / "a", solver, *PARTS, *own)
    monkeypatch.undo()
    assert broken.status == "interrupted" and len(broken.rows()) == number - 1
    assert broken.rows() == [] or broken.model().iterations == broken.rows()[-1]["iterations"]
    again = make(tmp_path / "a", solver, *PARTS, *own)
    assert again.manifest["continued"]["run"] == broken.id
    same(again, whole)


def test_between_two_checkpoints_it_goes_on_from_there(tmp_path, monkeypatch):
    pressed = threading.Event()

    class Stopper(Silent):
        def advanced(self, counter, value, goal, seconds):
            if value == 97 * 120:
                pressed.set()
                os.kill(os.getpid(), signal.SIGINT)

    def slow(self, *given):
        row = seen(self, *given)
        if pressed.is_set():
            threading.Event().wait(60.0)
        return row

    whole = make(tmp_path / "b", "pegasos", *PARTS)
    marks = [row["iterations"] for row in whole.rows()]
    seen = Observer._seen
    monkeypatch.setattr(Observer, "_seen", slow)
    monkeypatch.setattr(loop, "SLICE", 0.0)  # an iteration each
    broken = make(tmp_path / "a", "pegasos", *PARTS, progress=Stopper())
    monkeypatch.undo()
    assert broken.status == "interrupted" and broken.reason.endswith(" after 97 iterations")
    assert [row["iterations"] for row in broken.rows()] == [mark for mark in marks if mark < 97]
    again = make(tmp_path / "a", "pegasos", *PARTS)
    assert again.manifest["continued"] == {"run": broken.id, "iterations": 97}
    same(again, whole)
