import os
import subprocess
import sys
import threading
import time

from svmbench.store.lock import Lock, holder

HOLD = """
import sys, time
from pathlib import Path
from svmbench.store.lock import Lock
lock = Lock.try_acquire(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
lock.remove()
"""


def hold(path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    return process


def end(process):
    process.stdin.close()
    process.stdout.close()
    process.wait(10)


def test_held_by_one_and_named(tmp_path):
    path = tmp_path / "new" / "lock"
    lock = Lock.try_acquire(path)
    assert holder(path).startswith(f"process {os.getpid()} on ")
    assert Lock.try_acquire(path) is None
    lock.remove()
    assert holder(path) is None and not path.exists()
    Lock.try_acquire(path).remove()


def test_the_end_of_the_process_frees_it(tmp_path):
    process = hold(tmp_path / "lock")
    assert holder(tmp_path / "lock").startswith(f"process {process.pid} on ")
    process.kill()
    end(process)
    assert holder(tmp_path / "lock") is None
    Lock.try_acquire(tmp_path / "lock").remove()


def test_waiting_ends_when_it_is_free(tmp_path):
    process = hold(tmp_path / "lock")
    told = []
    threading.Thread(target=lambda: (time.sleep(0.2), process.stdin.close())).start()
    lock = Lock.acquire(tmp_path / "lock", told.append)
    # The waiter locked the file that the holder then removed, and must have locked the name again.
    assert holder(tmp_path / "lock").startswith(f"process {os.getpid()} on ")
    assert told and told[0].startswith(f"process {process.pid} on ")
    lock.remove()
    process.stdout.close()
    process.wait(10)


def test_a_reader_does_not_look_like_a_holder(tmp_path):
    # `list` asks for the holder while a run begins: its instant of a shared lock once refused the run.
    path = tmp_path / "lock"
    path.touch()
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            holder(path)

    reader = threading.Thread(target=ask)
    reader.start()
    try:
        for _ in range(50):
            lock = Lock.try_acquire(path)
            assert lock is not None
            os.close(lock._descriptor)
    finally:
        stop.set()
        reader.join()
