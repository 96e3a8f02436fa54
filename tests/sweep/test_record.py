"""The folder that is kept of a sweep."""

from __future__ import annotations

import shutil
import time

import pytest

from svmbench.errors import UserError
from svmbench.store import StorageError
from svmbench.sweep.plan import Plan
from svmbench.sweep.record import Record


def test_sweeps_begun_within_one_second_have_folders_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "strftime", lambda form: "20260102-030405")
    folders = [Record.create(tmp_path, Plan(jobs=[], options={})).folder for _ in range(3)]
    assert len(set(folders)) == 3
    assert all((folder / "plan.json").is_file() for folder in folders)
    assert Record.find(tmp_path, None).folder == folders[-1]
    assert Record.find(tmp_path, folders[0].name).folder == folders[0]  # the others begin with its name


def test_a_folder_that_is_gone_is_a_sentence(tmp_path):
    record = Record.create(tmp_path, Plan(jobs=[], options={}))
    lock = record.lock()
    record.add(job=0, event="began")
    shutil.rmtree(tmp_path)
    with pytest.raises(
        StorageError, match=r"^what became of sweep \S+ could not be stored in \S+: No such file"
    ):
        record.add(job=0, event="ended")
    lock.remove()


def test_a_damaged_plan_is_told(tmp_path):
    folder = tmp_path / "sweeps" / "20260101-000000-1"
    folder.mkdir(parents=True)
    (folder / "plan.json").write_text('{"jobs": [{"num')
    with pytest.raises(UserError, match=r"plan.json is damaged: start the sweep again"):
        Record.find(tmp_path, None).plan()


def test_an_unfinished_event_is_left_out(tmp_path):
    record = Record(tmp_path)
    record.add(job=0, event="ended", state="done")
    with (tmp_path / "events.jsonl").open("a") as stream:
        stream.write('{"job": 1, "ev')
    assert list(record.ends()) == [0]
    record.add(job=2, event="ended", state="failed")
    assert list(record.ends()) == [0, 2]
