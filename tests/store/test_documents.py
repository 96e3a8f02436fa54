import json
import shutil
from pathlib import Path

import pytest

from svmbench.errors import UserError
from svmbench.files import digest
from svmbench.store import StoredRun, documents

EXAMPLES = Path(__file__).parent / "examples"
EXAMPLE = EXAMPLES / "schema1" / "sbp-twonorm-000000000000"


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


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", r"a\.json is damaged \("),
        ('{"schema": 1, "x"', r"a\.json is damaged \("),
        ("[]", r"a\.json is damaged \(it is not a JSON object\)"),
        ('{"x": 1}', r"a\.json is damaged \(its schema is not a whole number"),
        ('{"schema": "one"}', r"a\.json is damaged \(its schema is not a whole number"),
        ('{"schema": 99}', "schema 99.*newer svmbench"),
    ],
)
def test_a_damaged_file_is_named_and_a_newer_one_asks_for_a_newer_version(tmp_path, text, what):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(UserError, match=what):
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
    assert (run.id, run.status, run.solver) == (EXAMPLE.name, "budget", "sbp")
    assert (run.dataset, run.seed) == ("twonorm", 3)
    assert run.reason == "budget.kev=100 reached by kev_ondemand" and run.complete
    assert run.manifest["dataset"]["checksum"] == "c0ffee"
    summary = run.summary()
    assert (summary["kev_ondemand"], summary["test_error"]) == (100, 0.25)
    assert summary["dual_objective"] is None


def test_the_example_of_schema_2_is_read():
    (path,) = (EXAMPLES / "schema2").glob("sbp-twonorm-*")
    run = StoredRun.read(path)
    assert run.complete and run.key == run.id
    assert run.manifest["identity"]["derived"] == {"nu": 0.0262292}
    summary, model = run.summary(), run.model()
    assert model.iterations == summary["iterations"] == 20 and summary["test_error"] == 0.0


@pytest.mark.parametrize("schema", [1, 2, 3])
def test_the_load_of_older_runs_has_its_present_name(schema):
    (path,) = (EXAMPLES / f"schema{schema}").glob("sbp-twonorm-*")
    run = StoredRun.read(path)
    for document in (run.manifest, documents.read(path / "status.json")):
        assert "company" not in document and document["concurrent_load"]["running"] >= 0


def test_an_older_status_that_was_changed_stays_so(tmp_path):
    (path,) = (EXAMPLES / "schema3").glob("sbp-twonorm-*")
    copy = tmp_path / path.name
    shutil.copytree(path, copy)
    text = (copy / "status.json").read_text()
    (copy / "status.json").write_text(text.replace('"budget"', '"converged"'))
    with pytest.raises(UserError, match="checksum mismatch"):
        StoredRun.read(copy)


@pytest.mark.parametrize(("schema", "precision"), [(1, "float32"), (2, "float64")])
def test_an_older_optimum_says_of_what_precision_it_is(schema, precision):
    record = documents.read(EXAMPLES / f"schema{schema}" / "optimum.json")
    assert (record["bias"], record["precision"]) == (0.0, precision)
    assert record.pop("checksum") == digest(record)


def test_an_older_optimum_that_was_changed_stays_so(tmp_path):
    record = json.loads((EXAMPLES / "schema1" / "optimum.json").read_text())
    path = tmp_path / "optimum.json"
    path.write_text(json.dumps({**record, "primal": record["primal"] / 2}))
    migrated = documents.read(path)
    assert migrated.pop("checksum") != digest(migrated)
