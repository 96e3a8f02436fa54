import json
from pathlib import Path

import pytest

from svmbench.errors import UserError
from svmbench.store import StoredRun, documents

EXAMPLE = Path(__file__).parent / "examples" / "schema1" / "sbp-twonorm-000000000000"


def test_written_whole_under_the_schema(tmp_path):
    path = tmp_path / "a.json"
    documents.write(path, {"x": 0.1})
    assert json.loads(path.read_text()) == {"schema": documents.SCHEMA, "x": 0.1}
    assert documents.read(path) == {"x": 0.1}
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.json"
    documents.write(path, {"x": 1})
    with pytest.raises(ValueError, match="JSON"):
        documents.write(path, {"x": float("nan")})
    assert documents.read(path) == {"x": 1} and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["", '{"schema": 1, "x"', "[]", '{"x": 1}', '{"schema": "one"}'])
def test_a_damaged_file_is_named(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(UserError, match=r"a\.json is damaged"):
        documents.read(path)


def test_a_newer_file_asks_for_a_newer_version(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"schema": 99}')
    with pytest.raises(UserError, match=r"schema 99.*newer svmbench"):
        documents.read(path)


def test_older_files_go_through_every_step(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text('{"schema": 1, "x": 1}')
    monkeypatch.setattr(documents, "SCHEMA", 3)
    steps = {1: lambda old: {"y": old["x"] + 1}, 2: lambda old: {"z": old["y"] * 10}}
    monkeypatch.setattr(documents, "MIGRATIONS", steps)
    assert documents.read(path) == {"z": 20}


def test_there_is_a_step_from_every_older_schema():
    assert sorted(documents.MIGRATIONS) == list(range(1, documents.SCHEMA))


def test_the_example_of_schema_1_is_read():
    run = StoredRun.read(EXAMPLE)
    assert (run.id, run.status, run.solver, run.dataset, run.seed) == (
        EXAMPLE.name,
        "budget",
        "sbp",
        "twonorm",
        3,
    )
    assert run.reason == "budget.kev=100 reached by kev_ondemand" and run.complete
    assert run.manifest["dataset"]["checksum"] == "c0ffee"
    summary = run.summary()
    assert (
        summary["kev_ondemand"] == 100 and summary["test_error"] == 0.25 and summary["dual_objective"] is None
    )
