"""Ctrl-C while an iteration runs Python."""

import os
import signal
import threading

import numpy as np
import pytest

from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from svmbench.solvers.run import Uninterrupted


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_waits_for_the_end():
    done = []

    def work():
        with Uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(sum(1 for _ in range(1000)))
        done.extend(0 for _ in range(1000))  # Python looks for signals here

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1000]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("name", ["getsignal", "signal"])
@pytest.mark.parametrize("call", [1, 2])
@pytest.mark.parametrize("before", [True, False])
def test_ctrl_c_while_it_is_begun_or_ended_waits_too(monkeypatch, name, call, before):
    original, calls, done = getattr(signal, name), [], []

    def pressed(*given):
        calls.append(given)
        if before and len(calls) == call:
            signal.raise_signal(signal.SIGINT)
        result = original(*given)
        if not before and len(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return result

    def work():
        with Uninterrupted():
            done.append("whole")
        done.extend(0 for _ in range(1000))  # Python looks for signals here

    monkeypatch.setattr(signal, name, pressed)
    if name == "getsignal" and call == 2:  # which comes only after one that was interrupted
        work()
    else:
        with pytest.raises(KeyboardInterrupt):
            work()
    monkeypatch.undo()
    assert done[0] == "whole"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_an_error_leaves_the_handler_as_it_was():
    with pytest.raises(ZeroDivisionError), Uninterrupted():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_are_never_interrupted():
    failures = []

    def work():
        try:
            with Uninterrupted():
                pass
        except ValueError as error:  # signals can be handled in the main thread only
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failures


def test_a_handler_that_defers_is_asked_at_once():
    class Deferring:
        defers = True

        def __call__(self, number, frame):
            done.append("asked")

    done = []
    before = signal.signal(signal.SIGINT, Deferring())
    try:
        with Uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            done.extend(0 for _ in range(3))
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["asked", 0, 0, 0]


def begun(name, parameters):
    """Return a run that does not end soon, and its counts."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 20)).astype(np.float32)
    y = np.where(rng.random(600) < 0.4, 1.0, -1.0)
    solver = registry.get(name)
    if solver.access == "linear":
        reader, problem = LinearData(X), Problem.build(y, lam=1e-4, bias="none")
    else:
        reader = Oracle(X, {"name": "gaussian", "gamma": 0.05}, 1 << 26)
        problem = Problem.build(y, C=1e4, bias="unregularised")
    return solver(solver.Params(**parameters)).start(problem, reader, Generator(1)), reader.ledger


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("name", "parameters", "function", "call"),
    [
        *(("decomposition", {"eps": 1e-9, "working_set": 64}, "full", call) for call in (1, 2)),
        *(("svm_perf", {"eps": 1e-12}, "pad", call) for call in (1, 3, 5)),
        ("svm_perf", {"eps": 1e-12}, "concatenate", 1),
        ("ocas", {"eps": 1e-12}, "concatenate", 1),
    ],
)
def test_where_numpy_runs_in_the_middle_of_an_iteration(monkeypatch, name, parameters, function, call):
    original, calls = getattr(np, function), []

    def pressed(*given, **options):
        calls.append(given)
        if len(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return original(*given, **options)

    run, ledger = begun(name, parameters)
    monkeypatch.setattr(np, function, pressed)
    with pytest.raises(KeyboardInterrupt):
        any(run.advance("iterations", iteration) for iteration in range(1, 100))
    monkeypatch.undo()
    assert len(calls) >= call
    run.advance("iterations", 60)
    twin, counted = begun(name, parameters)
    twin.advance("iterations", 60)
    assert run.iterations == twin.iterations
    assert ledger.as_dict() == counted.as_dict()
    for mine, its in zip(
        vars(run.snapshot().model).values(), vars(twin.snapshot().model).values(), strict=True
    ):
        assert np.array_equal(mine, its)
