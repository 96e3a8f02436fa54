"""The folder that is kept of a sweep."""

import json
import shutil
import subprocess
import sys
import time

import pytest

from svmbench.run_config import RunConfig
from svmbench.store import StorageError
from svmbench.sweep.planning import Job, Plan
from svmbench.sweep.record import Record
from tests.store.conftest import CONFIG


def planned(**options):
    """Return the plan of a sweep of one job, as an older version wrote it that had no other options."""
    return Plan([Job(0, "seed=0", ["seed=0"], RunConfig.of(CONFIG))], options)


def test_sweeps_begun_within_one_second_have_folders_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "strftime", lambda form: "20260102-030405")
    folders = [Record.create(tmp_path, Plan(jobs=[], options={})).folder for _ in range(3)]
    assert len(set(folders)) == 3
    assert all((folder / "plan.json").is_file() for folder in folders)
    assert Record.find(tmp_path, None).folder == folders[-1]
    assert Record.find(tmp_path, folders[0].name).folder == folders[0]  # the others begin with its name


def test_a_sweep_killed_at_its_beginning_leaves_nothing_after_the_next(tmp_path):
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from svmbench.sweep.planning import Plan\n"
        "from svmbench.sweep.record import Record\n"
        "os.fsync = lambda descriptor: os._exit(9)\n"
        "Record.create(Path(sys.argv[1]), Plan(jobs=[], options={}))\n"
    )
    assert subprocess.run([sys.executable, "-c", code, tmp_path], check=False).returncode == 9
    assert list((tmp_path / "sweeps").iterdir())
    record = Record.create(tmp_path, Plan(jobs=[], options={}))
    assert list((tmp_path / "sweeps").iterdir()) == [record.folder]


def test_a_folder_that_is_gone_is_a_sentence(tmp_path):
    record = Record.create(tmp_path, Plan(jobs=[], options={}))
    lock = record.lock()
    record.add({"job": 0, "event": "began"})
    shutil.rmtree(tmp_path)
    with pytest.raises(StorageError, match=r"^what became of sweep \S+ could not be stored in \S+: No such"):
        record.add({"job": 0, "event": "ended"})
    lock.remove()


END = {"event": "ended", "state": "done", "reason": "", "seconds": 1.0, "numbers": {}, "run": None}


def test_an_unfinished_event_is_left_out(tmp_path, capsys):
    record = Record(tmp_path)
    record.add({"job": 0, **END})
    with (tmp_path / "events.jsonl").open("a") as stream:
        stream.write('{"job": 1, "ev')
    assert list(record.ends()) == [0]
    record.add({"job": 2, **END})
    assert list(record.ends()) == [0, 2]
    assert capsys.readouterr().err == ""  # what a kill leaves


@pytest.mark.parametrize("job", [0, 1])
def test_a_line_that_has_lost_its_end_is_told_unless_a_kill_can_have_left_it(tmp_path, capsys, job):
    record, path = Record(tmp_path), tmp_path / "events.jsonl"
    for number in range(2):
        record.add({"job": number, **END})
    content = path.read_bytes().splitlines()
    content[job] = content[job][:-9]
    path.write_bytes(b"\n".join(content) + b"\n" * (job == 0))
    assert list(record.ends()) == [1 - job]
    assert ("1 damaged line of" in capsys.readouterr().err) == (job == 0)


def test_options_that_an_older_version_did_not_write_have_their_defaults(tmp_path):
    options = Record.find(tmp_path, Record.create(tmp_path, planned(jobs=2)).name).plan().options
    assert (options["jobs"], options["retry"], options["launcher"]) == (2, "failed", {"name": "local"})


def test_a_plan_of_an_older_version_has_no_digest_and_is_read(tmp_path):
    record = Record.create(tmp_path, planned(jobs=2))
    path = record.folder / "plan.json"
    path.write_text(
        json.dumps({key: value for key, value in json.loads(path.read_text()).items() if key != "check"})
    )
    assert record.plan().options["jobs"] == 2


def test_events_of_an_older_version_have_no_digest_and_are_read(tmp_path):
    line = json.dumps({"job": 4, "time": 1.0, **END})
    (tmp_path / "events.jsonl").write_text(f"{line}\n")
    assert list(Record(tmp_path).ends()) == [4]
