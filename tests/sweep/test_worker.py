"""What a warm worker keeps between runs, and what a sweep's record survives."""

from __future__ import annotations

import pytest

from svmbench import data
from svmbench.errors import UserError
from svmbench.runner.environment import peak_memory, reset_peak_memory
from svmbench.sweep.record import Record
from svmbench.sweep.status import duration
from svmbench.sweep.worker import LastDataset

SMALL = {"name": "checkerboard", "n_train": 10, "n_test": 0, "seed": 0}


def test_the_same_data_are_loaded_once(monkeypatch):
    asked = []
    real = data.load
    monkeypatch.setattr(data, "load", lambda *given, **keys: asked.append(given) or real(*given, **keys))
    load = LastDataset()
    first = load(SMALL)
    assert load(dict(SMALL)) is first
    other = load({**SMALL, "seed": 1})
    assert other.checksum != first.checksum
    assert load({**SMALL, "seed": 1}, directory=None) is other
    assert len(asked) == 2


def test_the_peak_of_memory_is_reset():
    block = bytearray(64 << 20)
    block[:: 1 << 12] = b"x" * len(block[:: 1 << 12])
    high = peak_memory()
    del block
    reset_peak_memory()
    assert peak_memory() < high - 32


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_times_in_words(seconds, text):
    assert duration(seconds) == text


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
