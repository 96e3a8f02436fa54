import contextlib
import errno
import fcntl
import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from svmbench.files import digest, scratch, sha256, write_whole
from svmbench.locking import Lock, holder

HOLD = """
import sys, time
from pathlib import Path
from svmbench.locking import Lock
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

    def waiting(who):
        told.append(who)
        threading.Timer(0.2, process.stdin.close).start()

    lock = Lock.acquire(tmp_path / "lock", waiting)
    # By then the waiter has as a rule locked the file that the holder removes, and must lock the name again.
    assert holder(tmp_path / "lock").startswith(f"process {os.getpid()} on ")
    assert len(told) == 1 and told[0].startswith(f"process {process.pid} on ")
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


def test_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_whole(path, "é")
    assert path.read_bytes() == "é".encode() and list(tmp_path.iterdir()) == [path]

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert path.read_bytes() == "é".encode() and list(tmp_path.iterdir()) == [path]


def test_an_error_of_the_folder_names_the_file(tmp_path, monkeypatch):
    def fail(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Read-only") as raised:
        write_whole(tmp_path / "a.txt", "x")
    assert raised.value.filename == str(tmp_path / "a.txt")


@pytest.mark.parametrize("supported", [True, False])
def test_files_reach_the_device_where_fsync_stops_at_its_cache(tmp_path, monkeypatch, supported):
    asked = []

    def control(descriptor, command):
        asked.append(command)
        if not supported:
            raise OSError(45, "Operation not supported")

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)  # macOS
    monkeypatch.setattr(fcntl, "fcntl", control)
    monkeypatch.setattr(os, "fsync", lambda descriptor: asked.append("fsync"))
    write_whole(tmp_path / "a.txt", "x")
    assert asked == ([51, 51] if supported else [51, "fsync"] * 2)  # the file, then its folder


def test_digest_of_a_document_ignores_order_and_spelling():
    assert digest({"a": 1.0, "b": [2]}) == digest({"b": (2.0,), "a": 1}) != digest({"a": 1, "b": [3]})
    assert len(digest({}, 12)) == 12


def test_sha256_of_bytes_and_of_a_file_agree(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, example 1
    assert sha256(b"abc") == sha256(tmp_path / "x") == known


WRITE = """
import sys, time
from pathlib import Path
from svmbench import files
files.sync = lambda descriptor: (print("writing", flush=True), time.sleep(60))
files.write_whole(Path(sys.argv[1]), "half")
"""


def test_the_next_writer_removes_what_a_killed_one_left_of_a_file(tmp_path):
    path = tmp_path / "report.html"
    command = [sys.executable, "-c", WRITE, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "writing\n"
    write_whole(path, "whole")
    (left,) = tmp_path.glob(".report.html.*")  # its writer lives
    process.kill()
    end(process)
    others = [tmp_path / ".report.html.12345", tmp_path / ".page.html.svmbench-12345"]
    for other in others:
        other.touch()
    assert left.exists()
    write_whole(path, "again")
    assert path.read_text() == "again" and sorted(tmp_path.iterdir()) == sorted([path, *others])


def test_a_file_that_is_taken_for_a_leftover_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    flock, taken = fcntl.flock, []

    def late(descriptor, how):
        if not taken:
            (begun,) = tmp_path.iterdir()
            begun.unlink()
            taken.append(begun)
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    write_whole(tmp_path / "a.txt", "x")
    assert taken and [path.read_text() for path in tmp_path.iterdir()] == ["x"]


def test_leftovers_stay_where_nobody_can_lock(tmp_path, monkeypatch):
    def refuse(descriptor, how):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (tmp_path / ".a.txt.svmbench-12345").touch()
    write_whole(tmp_path / "a.txt", "x")
    with scratch(tmp_path, ".making-") as made:
        (made / "whole").mkdir()
        os.rename(made / "whole", tmp_path / "kept")
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", ".a.txt.svmbench-12345", "kept"}


def test_the_next_scratch_folder_removes_those_of_killed_processes(tmp_path):
    left, other = tmp_path / ".making-1", tmp_path / ".making"
    for folder in (left, other):
        folder.mkdir()
        (folder / "lock").write_text("process 1 on here")
    with scratch(tmp_path, ".making-") as first, scratch(tmp_path, ".making-") as second:
        assert not left.exists() and other.exists() and first.exists() and second.exists()
    assert list(tmp_path.iterdir()) == [other]


def test_a_scratch_folder_that_another_process_is_removing_is_made_again(tmp_path, monkeypatch):
    make = tempfile.mkdtemp

    def made_and_taken(**given):
        folder = make(**given)
        other = Lock.try_acquire(Path(folder) / "lock")

        def remove():
            other.remove()
            with contextlib.suppress(OSError):  # the waiting process may be quicker
                os.rmdir(folder)

        threading.Timer(0.2, remove).start()  # it waits for its turn on a busy machine
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", made_and_taken)
    with scratch(tmp_path, ".making-") as made:
        time.sleep(0.4)
        assert holder(made / "lock") is not None


@pytest.mark.parametrize(
    "moment", ["shutil.rmtree", "os.rmdir", "os.unlink", "os.pwrite", "os.open", "fcntl.flock"]
)
def test_a_scratch_folder_is_removed_whenever_its_maker_was_killed(tmp_path, moment):
    code = (
        "import fcntl, os, shutil, sys\n"
        "from pathlib import Path\n"
        "from svmbench.files import scratch\n"
        "def arm():\n"
        f"    {moment} = lambda *_, **__: os._exit(9)\n"
        f"if {moment.endswith(('pwrite', 'open', 'flock'))}: arm()\n"
        "with scratch(Path(sys.argv[1]), '.making-') as made:\n"
        "    (made / 'whole').mkdir()\n"
        "    arm()\n"
    )
    assert subprocess.run([sys.executable, "-c", code, tmp_path], check=False).returncode == 9
    assert list(tmp_path.iterdir())
    with scratch(tmp_path, ".making-"):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [None, "", "not of a process"])
def test_a_folder_of_the_user_with_such_a_name_stays(tmp_path, content):
    own = tmp_path / ".making-thesis"
    own.mkdir()
    (own / "thesis.tex").write_text("years of work")
    if content is not None:
        (own / "lock").write_text(content)
    os.utime(own, (0, 0))
    with scratch(tmp_path, ".making-"):
        pass
    assert (own / "thesis.tex").read_text() == "years of work"
    assert content is None or (own / "lock").read_text() == content
