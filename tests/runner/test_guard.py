"""A limit in seconds is kept from outside where a run is deaf."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from svmbench import config
from svmbench.runner.guard import Guard, needed, watched
from svmbench.store import Store
from svmbench.store.identity import identity


def deaf(resolved, rows):
    """Begin a run in a forked process that stores some checkpoints and then hears nothing."""
    ready, said = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
            writer = Store(resolved["results"]).begin(identity(resolved, "sum", 1), {"config": resolved})
            for row in range(rows):
                writer.checkpoint({"iterations": row + 1, "primal_objective": 0.5, "wall_seconds": 0.001})
            with (writer.path / "trace.csv").open("a") as stream:
                stream.write("17,un")  # killed while it writes
            os.write(said, b"!")
            time.sleep(600)
        finally:
            os._exit(1)
    os.read(ready, 1)
    os.close(ready)
    os.close(said)
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
@pytest.mark.parametrize("rows", [0, 2])
def test_a_deaf_run_ends_as_a_row_with_what_it_has(tmp_path, rows):
    resolved = config.resolve(["solver=smo", "budget.seconds=0.1", f"results={tmp_path}"])
    process = deaf(resolved, rows)
    try:
        assert not Guard(resolved, process, grace=600.0).late()
        assert not Guard(resolved, os.getpid(), grace=0.0).late()  # another process's
        guard = Guard(resolved, process, grace=0.0)
        while not guard.late():
            time.sleep(0.05)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    run = guard.conclude()
    assert (run.status, run.complete, len(run.rows())) == ("timeout", True, rows)
    assert run.reason.startswith("budget.seconds=0.1 reached; deaf to signals")
    (stored,) = Store(tmp_path).runs()
    assert stored.summary()["iterations"] == (rows or None)
    assert not list((tmp_path / "runs").glob("*.running"))
    assert guard.conclude() is None


DEAF = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""


def test_a_second_signal_ends_a_deaf_process(tmp_path):
    resolved = config.resolve(["solver=smo", "budget.seconds=600", f"results={tmp_path}"])
    deaf, over = tmp_path / "deaf", threading.Event()

    def press():
        while not over.wait(0.3):
            if deaf.exists():
                os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, lambda number, frame: None)  # for one that comes too late
    thread = threading.Thread(target=press)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            watched(resolved, [sys.executable, "-c", DEAF, str(deaf)], os.environ)
    finally:
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


def test_a_process_that_was_killed_has_no_run(tmp_path):
    resolved = config.resolve(["solver=smo", "budget.seconds=600", f"results={tmp_path}"])
    program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert watched(resolved, [sys.executable, "-c", program], os.environ) == (-signal.SIGKILL, None)


def test_a_guard_is_for_programs_of_others_with_a_limit():
    assert not needed(config.resolve(["solver=smo", "budget.seconds=1"]))
    assert not needed(config.resolve(["solver=sklearn_svc", "budget.iterations=1"]))
    assert needed(config.resolve(["solver=sklearn_svc", "budget.seconds=1"]))
