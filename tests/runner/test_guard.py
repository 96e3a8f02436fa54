"""Limits in seconds and in memory are kept from outside where a run is deaf."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from svmbench import config
from svmbench.locking import Lock
from svmbench.runner import guard as module
from svmbench.runner import memory
from svmbench.runner.guard import Guard, grace, needed, watched
from svmbench.runner.memory import held
from svmbench.runner.outcome import Outcome
from svmbench.store import Store, documents
from svmbench.store.identity import identity
from svmbench.store.runs import LOCK
from svmbench.store.writer import now, seal

LIMITED = ("solver=smo", "budget.seconds=1")
PATIENT = ("solver=smo", "budget.seconds=600")


def deaf(resolved, rows, *, spent=None, takes=0):
    """Begin a run in a forked process that stores some checkpoints and then hears nothing.

    It trains, after ``spent`` seconds of it, or looks, and takes so many MiB.
    """
    ready, said = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
            about = {"config": resolved.document(), "memory": {"before": held(), "beside": 100.0}}
            writer = Store(resolved.results).begin(identity(resolved, "sum", 1), about)
            for row in range(rows):
                writer.checkpoint({"iterations": row + 1, "primal_objective": 0.5, "wall_seconds": 0.001})
            with (writer.path / "trace.csv").open("a") as stream:
                stream.write("17,un")  # killed while it writes
            with contextlib.nullcontext() if spent is None else writer.training(spent):
                taken = bytearray(b"!") * (takes << 20)
                os.write(said, b"!")
                time.sleep(600)
                assert taken
        finally:
            os._exit(1)
    os.read(ready, 1)
    os.close(ready)
    os.close(said)
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
@pytest.mark.parametrize("rows", [0, 2])
def test_a_deaf_run_ends_as_a_row_with_what_it_has(tmp_path, rows):
    run, seconds = ended(config.resolve([*LIMITED, f"results={tmp_path}"]), rows=rows, spent=0.0)
    assert (run.status, run.complete, len(run.rows())) == ("timeout", True, rows)
    assert run.reason == "budget.seconds=1 reached; its process was ended from outside"
    # It did not come to record the load itself.
    assert 1.0 < run.load["seconds"] < seconds and run.load["others"] is not None
    assert 1.0 + grace(1.0) < seconds < module.ASIDE
    (stored,) = Store(tmp_path).runs()
    assert stored.summary()["iterations"] == (rows or None)
    assert not list((tmp_path / "runs").glob("*.running"))
    assert not list(stored.path.glob("training"))


def ended(resolved, **given):
    """Return a deaf run that was ended from outside, and the seconds that it took."""
    process, began = deaf(resolved, **given), time.monotonic()
    try:
        other, guard = Guard(resolved, os.getpid()), Guard(resolved, process)
        while not guard.exceeded():
            assert not other.exceeded()  # of a process that makes no run
            time.sleep(0.05)
        seconds = time.monotonic() - began
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    run = guard.conclude()
    assert guard.conclude() is None
    return run, seconds


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_a_fit_has_what_the_fits_before_have_left(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "grace", lambda seconds: 1.0)
    _, seconds = ended(config.resolve([*PATIENT, f"results={tmp_path}"]), rows=1, spent=599.0)
    assert 2.0 < seconds < 300.0  # not the 600 of a first fit


def test_the_grace_of_a_fit_grows_with_its_limit():
    assert [grace(seconds) for seconds in (0.1, 4.0, 60.0, 1e6)] == [2.0, 2.0, 6.0, 20.0]


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_a_look_has_its_time_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "ASIDE", 1.0)
    run, seconds = ended(config.resolve([*LIMITED, f"results={tmp_path}"]), rows=1)
    assert run.reason == "budget.seconds=1 reached, not by training; its process was ended from outside"
    assert seconds > 2.0


@pytest.mark.skipif(held() is None, reason="the system does not say what a process holds")
@pytest.mark.parametrize("limits", [("budget.seconds=600",), ()])
def test_a_deaf_run_that_takes_too_much_ends_likewise(tmp_path, limits):
    given = ["solver=smo", "budget.memory=7", *limits, f"results={tmp_path}"]
    run, _ = ended(config.resolve(given), rows=2, spent=0.0, takes=150)
    assert (run.status, run.complete, len(run.rows())) == ("budget", True, 2)
    assert run.reason.startswith("budget.memory=7 reached (15")
    assert run.reason.endswith(" 100 allowed); its process was ended from outside")


def test_a_run_that_has_ended_is_over_no_limit(tmp_path, monkeypatch):
    resolved = config.resolve(["solver=smo", "budget.memory=7", f"results={tmp_path}"])
    about = {"config": resolved.document(), "memory": {"before": 0.0, "beside": 100.0}}
    writer = Store(tmp_path).begin(identity(resolved, "sum", 1), about)
    guard = Guard(resolved, os.getpid())
    monkeypatch.setattr(memory, "held", lambda process: 0.0)
    assert not guard.exceeded()
    writer.checkpoint({"iterations": 1, "primal_objective": 0.5, "wall_seconds": 0.001})
    writer.finish("budget", "budget.memory=7 reached")
    monkeypatch.setattr(memory, "held", lambda process: 1e6)  # of its pictures, say
    assert not guard.exceeded()
    assert guard.conclude() is None


def begun(tmp_path, monkeypatch, beside=100.0):
    """Begin a run in this process, which takes far more memory than it may."""
    resolved = config.resolve(["solver=smo", "budget.memory=7", f"results={tmp_path}"])
    about = {"config": resolved.document(), "memory": {"before": 0.0, "beside": beside}}
    monkeypatch.setattr(memory, "held", lambda process: 1e6)
    return Guard(resolved, os.getpid()), Store(tmp_path).begin(identity(resolved, "sum", 1), about)


def test_a_lock_file_that_its_process_does_not_hold_names_no_run(tmp_path, monkeypatch):
    """Processes of a container, or of other machines, have the same few numbers again and again."""
    guard, writer = begun(tmp_path, monkeypatch)
    lock = writer.path / LOCK
    text = lock.read_text()

    def write(said):
        lock.write_text(said)
        os.utime(lock, (0, 0))  # as before: younger than run.json it would be that of a run that begins

    write(f"process {os.getpid()} on elsewhere")
    assert not guard.exceeded()
    write(text)
    writer.abandon()
    assert not guard.exceeded() and guard.conclude() is None
    with lock.open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert guard.exceeded()


def test_what_an_earlier_run_may_take_is_not_asked(tmp_path, monkeypatch):
    guard, writer = begun(tmp_path, monkeypatch)
    writer.abandon()
    os.utime(writer.path / "run.json", (0, 0))
    lock = Lock.try_acquire(writer.path / LOCK)
    assert lock is not None and not guard.exceeded()
    documents.write(writer.path / "run.json", {"memory": {"before": 0.0, "beside": 1e7}})
    assert not guard.exceeded()
    lock.release()


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("status", "state"), [("converged", "done"), ("out_of_memory", "failed")])
def test_an_end_that_was_stored_before_the_kill_is_told(tmp_path, monkeypatch, named, status, state):
    guard, writer = begun(tmp_path, monkeypatch)
    writer.checkpoint({"iterations": 1, "primal_objective": 0.5, "wall_seconds": 0.001})
    assert guard.exceeded()
    if named:
        writer.finish(status, "its own")
    else:  # killed before the folder had its final name
        seal(writer.path, {"status": status, "reason": "its own", "started": now(), "ended": now()})
        writer.abandon()
    run = guard.conclude()
    assert run is not None and (run.status, run.reason) == (status, "its own")
    assert run.path.name == run.id and Outcome.of(run).state == state
    assert guard.conclude() is None


def test_an_older_run_of_the_same_identity_is_not_told(tmp_path, monkeypatch):
    _, writer = begun(tmp_path, monkeypatch)
    writer.finish("failed", "older")
    guard, writer = begun(tmp_path, monkeypatch)
    assert guard.exceeded()
    writer.discard()
    assert guard.conclude() is None


DEAF = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""


def test_a_second_signal_ends_a_deaf_process(tmp_path):
    resolved = config.resolve([*PATIENT, f"results={tmp_path}"])
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
    resolved = config.resolve([*PATIENT, f"results={tmp_path}"])
    program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert watched(resolved, [sys.executable, "-c", program], os.environ) == (-signal.SIGKILL, None)


FOLLOWS = """
import os, subprocess, sys, time
child = "import os, sys, time; from svmbench.runner.guard import follow; " \
    "follow(os.getppid()); print(os.getpid(), flush=True); time.sleep(600)"
subprocess.Popen([sys.executable, "-c", child])
time.sleep(600)
"""


def test_a_watched_process_does_not_outlive_its_guard():
    with subprocess.Popen([sys.executable, "-c", FOLLOWS], stdout=subprocess.PIPE, text=True) as guard:
        assert guard.stdout is not None
        watched = int(guard.stdout.readline())
        os.kill(watched, 0)
        guard.kill()
        # Its end closes the last writing end of the pipe.
        assert guard.stdout.read() == ""


def test_a_guard_is_for_programs_of_others_with_a_limit():
    assert not needed(config.resolve(["solver=smo", "budget.seconds=1"]))
    assert not needed(config.resolve(["solver=sklearn_svc", "budget.iterations=1", "budget.memory=null"]))
    assert needed(config.resolve(["solver=sklearn_svc"]))
    assert needed(config.resolve(["solver=sklearn_svc", "budget.seconds=1"]))
