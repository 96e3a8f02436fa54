"""The rows of the jobs that run, and the notes that they are made of."""

import io
import json
import time

import pytest

from svmbench.sweep import job_state
from svmbench.sweep.job_state import NotedLines, Now, read, write
from svmbench.sweep.view import Running, table

ROW = {
    "iterations": 7,
    "test_error": 0.125,
    "primal_objective": 0.25,
    "relative_gap": 1e-3,
    "wall_seconds": 1.0,
}


@pytest.fixture
def job():
    now = time.time()
    return Running(
        "3", "solver=sbp seed=1", 125.0, Now("training", now - 2, 0.456, 62.2, 0.125, 0.25, 1e-3, now - 7)
    )


def test_a_row_says_phase_times_share_numbers_and_their_age(job):
    header, row = table([job], 120, 10)
    assert header.split() == [
        *("job", "overrides", "phase", "time", "done", "left", "error", "objective", "gap", "age")
    ]
    told = "3 solver=sbp seed=1 training 2 min 5 s 46 % 1 min 0 s 12.50 % 0.25 1e-03 7 s"
    assert " ".join(row.split()) == told
    assert len(header) == len(row)  # the last column stands at the right


@pytest.mark.parametrize("columns", range(50, 120, 10))
def test_a_narrow_terminal_has_fewer_columns_and_no_longer_lines(job, columns):
    lines = table([job, Running("12", "solver=pegasos seed=1", 0.2, None)], columns, 10)
    assert max(map(len, lines)) <= columns
    assert lines[0].startswith("job  overrides") and "error" in lines[0] and "gap" in lines[0]
    assert "objective" in lines[0] or columns < 100


def test_a_low_terminal_says_how_many_jobs_are_not_shown(job):
    lines = table([job] * 9, 120, 6)
    assert len(lines) == 6 and lines[-1] == "and 5 more"
    assert table([job] * 5, 120, 6)[-1].startswith("  3")
    assert table([], 120, 6) == []


def test_a_job_notes_its_phase_and_numbers_once_a_second(tmp_path, monkeypatch):
    clock = 100.0
    monkeypatch.setattr("svmbench.sweep.job_state.time.monotonic", lambda: clock)
    path, log = tmp_path / "3.now", io.StringIO()
    lines = NotedLines(log, path)
    assert read(path).phase == "loading"
    lines.doing("training", 50.0)
    lines.advanced("kev_iter", 25, 100, 0.1)
    assert read(path).phase == "loading"
    clock += 1.0
    lines.observed(ROW)
    note = read(path)
    assert (note.phase, note.share, note.left) == ("training", 0.25, 50.0)
    assert (note.error, note.objective, note.gap) == (0.125, 0.25, 1e-3)
    assert note.seen is not None and 0.0 <= note.time - note.seen < 60.0
    lines.doing("certifying")  # which may take long
    assert read(path).phase == "certifying"


@pytest.mark.parametrize(
    "content", ["", "{}", "[1]", '{"phase": 3}', json.dumps({"phase": "training", "time": None})]
)
def test_a_damaged_note_is_none(tmp_path, content):
    path = tmp_path / "3.now"
    assert read(path) is None
    path.write_text(content)
    assert read(path) is None


def test_a_folder_that_has_gone_ends_no_run(tmp_path):
    lines = NotedLines(io.StringIO(), tmp_path / "gone" / "3.now")
    lines.doing("certifying")
    assert not (tmp_path / "gone").exists()


def test_a_note_follows_no_link(tmp_path):
    (tmp_path / "precious").write_text("mine")
    (tmp_path / ".3.now").symlink_to(tmp_path / "precious")
    write(tmp_path / "3.now", Now("training", 1.0))
    assert (tmp_path / "precious").read_text() == "mine"
    assert read(tmp_path / "3.now") == Now("training", 1.0)
    assert job_state._EVERY == 1.0


def test_a_note_that_was_changed_is_not_shown(tmp_path):
    path = tmp_path / "3.now"
    write(path, Now("training", 1.0, error=0.25))
    path.write_text(path.read_text().replace("0.25", "0.01"))
    assert read(path) is None
