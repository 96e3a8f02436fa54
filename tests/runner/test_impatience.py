"""Ctrl-C while an iteration or a look takes long: it is given up, and what is stored is whole."""

import os
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

from svmbench import config
from svmbench.run_config import Choice
from svmbench.runner import loop, signals
from svmbench.runner.execute import execute
from svmbench.runner.observe import Observer
from svmbench.solvers import registry, run

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


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(loop, "grace", lambda seconds: 0.2)


@pytest.mark.parametrize(
    ("stops", "words", "ends", "why"),
    [
        (for_ever, (), ("interrupted", "interrupted"), "interrupted by SIGINT"),
        (
            lambda: threading.Event().wait(60.0),
            ("budget.seconds=0.3",),
            ("done", "timeout"),
            "budget.seconds=0.3 reached",
        ),
    ],
    ids=["signal", "limit"],
)
def test_an_iteration_is_given_up_and_the_last_checkpoint_stays(
    make_toy, monkeypatch, short, stops, words, ends, why
):
    whole = make_toy()
    advance = fakes.ToyRun.advance

    def torn(self, *parameters):
        if self.iterations == 6:
            self.alpha[:] = self.responses[:] = np.nan
            stops()
        advance(self, *parameters)

    monkeypatch.setattr(fakes.ToyRun, "advance", torn)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM)]
    outcome = make_toy(*words, force=True)
    run = outcome.run
    assert (outcome.state, run.status) == ends
    assert run.reason == f"{why} within an iteration, which was given up, after 6 iterations"
    kept = run.trace()["iterations"].tolist()
    assert kept == whole["iterations"].tolist()[: len(kept)] and kept[-1] <= 6
    assert run.model().iterations == kept[-1] and np.isfinite(run.model().coefficients).all()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM)] == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.fixture
def make_toy(tmp_path, monkeypatch):
    """Run the toy solver; return its trace where it was not interrupted, else the outcome."""
    real = registry.get
    monkeypatch.setattr(registry, "get", lambda name: fakes.Toy if name == "toy" else real(name))

    def run(*parts, force=False):
        about = config.resolve(
            ["solver=pegasos", "dataset.n_train=30", "budget.kev=3000", f"results={tmp_path}", *parts]
        )
        about = replace(about, solver=Choice("toy", {"accident": ""}), force=force)
        outcome = execute(about, progress=Silent())
        return outcome if force else outcome.run.trace()

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


def test_a_limit_passed_between_two_iterations_loses_none(tmp_path, monkeypatch, short):
    """The timer may ring when the last iteration has just ended: what it made is observed and kept."""
    parts = [*PARTS, "budget.seconds=0.3"]

    def slow(self, goal):
        self._run.advance(self._counter, goal, 97)
        if self._run.iterations >= 97:
            threading.Event().wait(60.0)

    monkeypatch.setattr(loop.Loop, "_slice", slow)
    broken = make(tmp_path / "a", "pegasos", *parts)
    monkeypatch.undo()
    assert (broken.status, broken.reason) == ("timeout", "budget.seconds=0.3 reached")
    assert broken.rows()[-1]["iterations"] == broken.model().iterations >= 97
    again = make(tmp_path / "a", "pegasos", *PARTS)
    assert again.manifest["continued"] == {"run": broken.id, "iterations": broken.rows()[-1]["iterations"]}
    same(again, make(tmp_path / "b", "pegasos", *PARTS))


def test_what_has_converged_has_not_passed_the_limit(tmp_path, monkeypatch, short):
    """The timer may ring in the last step, which ends first."""
    parts = ["problem.C=1", "budget.kev=null"]
    whole = make(tmp_path / "b", "decomposition", *parts)

    def slow(self, goal):
        self._run.advance(self._counter, goal, 10**9)
        if self._run.converged:
            threading.Event().wait(60.0)

    monkeypatch.setattr(loop.Loop, "_slice", slow)
    late = make(tmp_path / "a", "decomposition", *parts, "budget.seconds=0.3")
    assert (late.status, late.reason) == (whole.status, whole.reason) and whole.status == "converged"
    assert late.rows()[-1]["iterations"] == late.model().iterations == whole.model().iterations


def test_a_fold_without_a_checkpoint_ends_the_run(make_toy, monkeypatch, short):
    monkeypatch.setattr(fakes.ToyRun, "advance", lambda *_: threading.Event().wait(60.0))
    run = make_toy("budget.seconds=0.3", "validate.folds=3", force=True).run
    assert run.status == "timeout" and run.reason.endswith("in fold 1 of 3")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_the_callers_timer_is_left_alone():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with signals.handling() as interrupt:
            assert not interrupt.timed
            with interrupt.deferred(), interrupt.cuttable(0.01):
                os.kill(os.getpid(), signal.SIGINT)
                threading.Event().wait(0.4)
            assert interrupt.requested == "SIGINT" and rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_a_solver_that_holds_signals_back_does_not_make_a_limit_a_signal(monkeypatch):
    """`Uninterrupted` catches a Ctrl-C while it takes it over, and sends it again later."""
    with signals.handling() as interrupt, interrupt.deferred():

        class Ringing:
            SIGINT = signal.SIGINT
            calls = 0

            def getsignal(self, number):
                self.calls += 1
                if self.calls == 1:
                    interrupt.ring(signal.SIGALRM, None)
                return signal.getsignal(number)

        monkeypatch.setattr(run, "signal", Ringing())
        monkeypatch.setattr(signals, "_EARLY", 99.0)
        with interrupt.cuttable(60.0), pytest.raises(signals.Overdue), run.Uninterrupted():
            raise AssertionError("it goes on")
        assert interrupt.requested is None
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupt.requested == "SIGINT"


def test_the_alarm_of_another_program_ends_nothing():
    with signals.handling() as interrupt, interrupt.deferred(), interrupt.cuttable(60.0):
        os.kill(os.getpid(), signal.SIGALRM)
        threading.Event().wait(0.05)


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
