"""The index is a cache: what it says is checked, and nothing depends on it."""

import contextlib
import os
import random
import sqlite3
import struct
import subprocess
import sys

import pytest

from svmbench.run_config import RunConfig
from svmbench.store import Store, StoredRun, documents
from svmbench.store.identity import identity
from svmbench.store.state import beginnings


@pytest.fixture
def make(begin):
    """Make a run that ends, with another seed."""

    def make(seed=0, **manifest):
        writer = begin(seed, **manifest)
        for k in (1, 2):
            writer.checkpoint({"iterations": k, "test_error": 0.25, "dual_source": "solver"})
        return writer.finish("budget", "enough", peak_memory=12.5)

    return make


@pytest.fixture
def unread(monkeypatch):
    """Fail where a file of a run is opened."""

    def refuse():
        monkeypatch.setattr(
            "svmbench.store.runs.read_regular", lambda path: pytest.fail(f"{path} was opened")
        )

    return refuse


def edit(store, text, *values):
    with contextlib.closing(sqlite3.connect(store.root / "index.sqlite")) as database, database:
        assert database.execute(text, values).rowcount > 0


def selected(store, text, *values):
    with contextlib.closing(sqlite3.connect(store.root / "index.sqlite")) as database:
        return database.execute(text, values).fetchall()


def test_found_runs_open_no_file_of_theirs(store, make, unread):
    runs = [make(seed, problem={"lam": 0.5}) for seed in range(3)]
    first = store.runs()
    unread()
    assert store.runs() == first == runs
    assert [run.summary() for run in store.runs()] == [run.summary() for run in runs]
    assert [dict(run.facts) for run in store.runs()] == [dict(run.facts) for run in runs]
    assert store.runs()[0].summary()["dual_source"] == "solver"


def test_a_store_in_the_current_folder_has_the_same_runs_in_its_index_and_folders(store, make, monkeypatch):
    name = make().id
    monkeypatch.chdir(store.root)
    (run,) = Store(".").runs()
    assert run == StoredRun.read(run.path) and run.summary()["path"] == f"runs/{name}"


@pytest.mark.parametrize(
    ("column", "value"),
    [("config", "''"), ("about", "''"), ("facts", "'{}'"), ("facts", "x'ff'"), ("facts", "7"), ("crc", "0"),
     ("signature", "x''"), ("facts", "CAST(x'ff' AS TEXT)")],
)  # fmt: skip
def test_an_edited_row_is_not_believed(store, make, column, value):
    runs = [make(seed) for seed in range(3)]
    edit(store, f"UPDATE runs SET {column} = {value} WHERE name = ?", runs[1].id)
    assert store.runs() == runs
    assert store.runs() == runs  # and the row is made again
    changed = f"SELECT count(*) FROM runs WHERE {column} = {value}"
    assert selected(store, changed) == [(0,)]
    assert len(selected(store, f"SELECT {column} FROM runs")) == 3


def test_a_row_of_another_run_is_not_believed(store, make):
    one, other = make(0), make(1)
    edit(store, "DELETE FROM runs WHERE name = ?", one.id)
    edit(store, "UPDATE runs SET name = ?", one.id)
    assert store.runs() == [one, other]


def test_a_damaged_database_is_made_again(store, make, unread):
    runs = [make(seed) for seed in range(4)]
    path, chance = store.root / "index.sqlite", random.Random(1)
    whole = path.read_bytes()
    contents = [b"", b"SQLite format 3\0", b"garbage" * 1000, whole[: len(whole) // 2], whole[:-1]]
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(chance.choice((1, 1, 3, 40))):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        contents.append(bytes(content))
    for content in contents:
        path.write_bytes(content)
        assert store.runs() == runs
        assert next(beginnings(store.root, runs[0].manifest["identity"])) == runs[0]
    path.unlink()
    store.runs()
    unread()
    assert store.runs() == runs


def test_another_layout_or_schema_is_made_again(store, make, unread):
    runs = [make(seed) for seed in range(2)]
    for text in ("PRAGMA user_version = 7", "PRAGMA journal_mode = WAL", "CREATE TABLE more (a)",
                 "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END"):  # fmt: skip
        selected(store, text)
        assert store.runs() == runs
        assert selected(store, "SELECT count(*) FROM sqlite_master WHERE sql IS NOT NULL") == [(2,)]
    assert not list(store.root.glob("index.sqlite-*"))


def test_a_database_behind_a_link_is_left_alone(store, make, tmp_path):
    runs = [make(seed) for seed in range(2)]
    elsewhere = tmp_path / "elsewhere.sqlite"
    os.rename(store.root / "index.sqlite", elsewhere)
    before = elsewhere.read_bytes()
    (store.root / "index.sqlite").symlink_to(elsewhere)
    make(2)
    assert store.runs()[:2] == runs and elsewhere.read_bytes() == before
    assert not (store.root / "index.sqlite").is_symlink()


def _naming(victim):
    """Return a journal of SQLite for a transaction over several databases, which names a file in common."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(victim).encode()
    head = (magic + struct.pack(">5I", 0, 1, 3, 512, 4096)).ljust(512, b"\0")
    return head + struct.pack(">I", 2**18 + 1) + name + struct.pack(">2I", len(name), sum(name)) + magic


def test_a_journal_cannot_remove_a_file(store, make, tmp_path):
    runs, victim = [make(0), make(1)], tmp_path / "victim"
    victim.write_text("precious")
    (store.root / "index.sqlite-journal").write_bytes(_naming(victim))
    assert store.runs() == runs and victim.read_text() == "precious"
    assert not (store.root / "index.sqlite-journal").exists() and (store.root / "index.sqlite").exists()


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("content", [None, ""])
def test_no_file_is_written_behind_a_link_beside_the_database(store, make, tmp_path, ending, content):
    run, target = make(0), tmp_path / "target"
    if content is not None:
        target.write_text(content)
    (store.root / f"index.sqlite{ending}").symlink_to(target)
    assert [run, make(1)] == store.runs()
    assert target.exists() == (content is not None) and (content is None or target.read_text() == content)


def test_a_journal_of_ours_is_rolled_back(store, make):
    runs = [make(0), make(1)]
    with contextlib.closing(sqlite3.connect(store.root / "index.sqlite", isolation_level=None)) as database:
        database.execute("PRAGMA cache_size = 1")  # pages are written before the end of the transaction
        database.execute("BEGIN IMMEDIATE")
        database.execute("UPDATE runs SET facts = hex(randomblob(20000))")
        copies = {
            path.name: path.read_bytes() for path in store.root.iterdir() if path.name.startswith("index")
        }
        database.execute("ROLLBACK")
    assert "index.sqlite-journal" in copies
    for name, content in copies.items():
        (store.root / name).write_bytes(content)
    assert store.runs() == runs and not (store.root / "index.sqlite-journal").exists()


def test_the_file_of_older_versions_goes(store, make):
    store.root.mkdir()
    (store.root / "index.json").write_text("{}")
    make()
    assert not (store.root / "index.json").exists() and (store.root / "index.sqlite").exists()


def test_a_changed_or_removed_run_is_told_from_its_row(store, make, begin, tmp_path):
    runs = [make(seed) for seed in range(3)]
    begin(1, force=True).finish("timeout", "other")
    assert [run.reason for run in store.runs()] == ["enough", "enough", "other"]
    os.rename(runs[0].path, tmp_path / "away")
    assert [run.seed for run in store.runs()] == [2, 1]
    assert selected(store, "SELECT count(*) FROM runs") == [(2,)]
    os.rename(tmp_path / "away", runs[0].path)
    assert len(store.runs()) == 3


def test_a_change_that_keeps_size_and_time_is_noticed(store, make):
    run = make()
    path = run.path / "trace.csv"
    before = path.stat()
    content = path.read_bytes().replace(b"0.25", b"0.15")
    assert store.runs() == [run]
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == before.st_mtime_ns and path.stat().st_size == before.st_size
    told = []
    assert Store(store.root, warn=told.append).runs() == []
    assert "trace.csv is damaged" in told[0]


def test_a_store_that_is_only_read_works_with_its_index_and_without(store, make, monkeypatch, unread):
    runs = [make(seed) for seed in range(2)]

    def refuse(*arguments, **options):
        raise sqlite3.OperationalError("attempt to write a readonly database")

    with monkeypatch.context() as patch:
        patch.setattr("svmbench.store.index.created", refuse)
        (store.root / "index.sqlite").unlink()
        assert store.runs() == runs and not (store.root / "index.sqlite").exists()
    store.runs()
    (store.root / "index.sqlite").chmod(0o400)
    unread()
    assert store.runs() == runs


def test_a_database_in_use_is_done_without(store, make, monkeypatch):
    monkeypatch.setattr("svmbench.store.database._PATIENCE", 0.1)
    run = make()
    with contextlib.closing(sqlite3.connect(store.root / "index.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert store.runs() == [run]
        second = make(1)
        assert store.runs() == [run, second]
    assert store.runs() == [run, second]


_WRITER = """
import sys
from svmbench.cli.main import main
from svmbench.run_config import RunConfig
from svmbench.store import Store
from svmbench.store.identity import identity
from svmbench.store.integrity import check_store
from tests.store.conftest import CONFIG
store = Store(sys.argv[1])
for seed in range(int(sys.argv[2]), int(sys.argv[2]) + 15):
    config = {**CONFIG, "seed": seed}
    store.begin(identity(RunConfig.of(config), "sum", 1), {"config": config}).finish("budget", "enough")
    store.runs()
"""


def test_processes_write_the_index_at_the_same_time(store, unread):
    command = [sys.executable, "-c", _WRITER, str(store.root)]
    children = [subprocess.Popen([*command, str(start)]) for start in (0, 100, 200)]
    assert [child.wait(120) for child in children] == [0, 0, 0]
    assert len(store.runs()) == 45
    unread()
    assert len(store.runs()) == 45


def test_a_new_run_reads_no_other(store, make, config, monkeypatch):
    def asked(seed):
        budget = {**config["budget"], "kev": 2.0e8}
        return identity(RunConfig.of({**config, "seed": seed, "budget": budget}), "sum", 1)

    runs = [make(seed) for seed in range(3)]
    with monkeypatch.context() as patch:
        patch.setattr("svmbench.store.runs.read_regular", lambda path: pytest.fail(f"{path} was opened"))
        patch.setattr(documents, "read", lambda path: pytest.fail(f"{path} was opened"))
        assert list(beginnings(store.root, asked(7))) == []
        assert store.get(asked(7)) is None and store.running() == 0
    assert list(beginnings(store.root, asked(1))) == [runs[1]]
    (store.root / "index.sqlite").unlink()
    assert list(beginnings(store.root, asked(1))) == [runs[1]]


def test_one_run_is_found_without_the_others(store, make, monkeypatch):
    first, second = make(0), make(1)
    read = StoredRun.read
    opened = []
    monkeypatch.setattr(StoredRun, "read", lambda path: opened.append(path.name) or read(path))
    assert store.find(first.id) == first and store.find(second.id[:-2]) == second
    assert opened == [first.id, second.id]
