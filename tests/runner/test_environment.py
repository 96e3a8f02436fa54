import ctypes
import json
import subprocess

import pytest

from svmbench import simd
from svmbench.runner import environment as environment_module
from svmbench.runner.environment import (
    available_bytes,
    environment,
    peak_memory,
    processor,
    reset_peak_memory,
)


def git(folder, *arguments):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def test_commit_and_whether_files_differ(tmp_path):
    source = environment_module.source.__wrapped__  # a process asks once: what it has loaded stays as it is
    assert source(tmp_path) is None
    git(tmp_path, "init")
    assert source(tmp_path) is None
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-m", "a")
    clean = source(tmp_path)
    assert len(clean["commit"]) == 40 and clean["dirty"] is False
    (tmp_path / "new").write_text("not part of the source")
    assert source(tmp_path) == clean
    (tmp_path / "a").write_text("2")
    assert source(tmp_path) == {**clean, "dirty": True}


def test_the_record_names_what_can_change_a_number():
    record = environment(3)
    assert record["threads"] == 3 and record["isa"] == simd.isa()
    assert record["cython"].count(".") == 2 and record["compiler"].split()[-1][0].isdigit()
    assert record == environment(3)
    json.dumps(record)


def test_the_record_names_no_folder():
    assert not [library for library in environment(1)["libraries"] if "filepath" in library]


def test_what_the_machine_says_of_itself():
    assert processor()
    assert 1 << 20 < available_bytes() < 1 << 50


def test_the_peak_of_memory_is_reset():
    block = bytearray(64 << 20)
    block[:: 1 << 12] = b"x" * len(block[:: 1 << 12])
    high = peak_memory()
    del block
    reset_peak_memory()
    assert peak_memory() < high - 32


def test_memory_that_was_freed_is_returned_to_the_system():
    if not hasattr(ctypes.CDLL(None), "malloc_trim"):
        pytest.skip("only the GNU C library has it")
    blocks = [bytearray(b"x" * (64 << 10)) for _ in range(1024)]
    high = peak_memory()
    del blocks[:-1]  # the last one keeps the end of the heap in use, below which nothing is returned
    reset_peak_memory()
    assert peak_memory() < high - 32
