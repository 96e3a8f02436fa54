"""Folders that somebody else prepared: nothing outside is copied or overwritten, and the rest still works."""

import errno
import io
import json
import os
import shutil
import time
import zipfile

import numpy as np
import pytest

from svmbench.cli.main import main
from svmbench.errors import UserError, csv_cell
from svmbench.files import digest, read_npz, sha256, write_whole
from svmbench.locking import Lock, holder, own_folder
from svmbench.run_config import RunConfig
from svmbench.store import Store, documents
from svmbench.store.export import export
from svmbench.store.identity import identity
from svmbench.store.integrity import check_store, set_aside
from svmbench.store.joint_model import load_model
from svmbench.store.model import StoredModel
from svmbench.store.notes import Notes
from svmbench.sweep.planning import Plan
from svmbench.sweep.record import Record
from tests.store.test_damage import MODEL, make
from tests.told import answer, output


@pytest.fixture
def victim(tmp_path):
    path = tmp_path / "victim"
    path.write_text("precious")
    yield path
    assert path.read_text() == "precious"


def reseal(path, change):
    """Change run.json of a run, and its checksums with it."""
    about = json.loads((path / "run.json").read_text())
    change(about)
    (path / "run.json").write_text(json.dumps(about))
    end = json.loads((path / "status.json").read_text())
    end["files"]["run.json"] = sha256(path / "run.json")
    end.pop("check"), end.pop("schema")
    documents.write(path / "status.json", {**end, "check": digest(end)})


def test_a_lock_follows_no_link_and_truncates_no_file_of_others(tmp_path, victim):
    (tmp_path / "soft").symlink_to(victim)
    os.link(victim, tmp_path / "hard")
    os.mkfifo(tmp_path / "pipe")
    for name in ("soft", "hard", "pipe"):
        with pytest.raises(UserError, match="no regular file, and would be overwritten as a lock: remove it"):
            Lock.try_acquire(tmp_path / name)
        assert holder(tmp_path / name) is None


def test_a_temporary_file_follows_no_link(tmp_path, victim):
    (tmp_path / f".file.svmbench-{os.getpid()}").symlink_to(victim)
    write_whole(tmp_path / "file", "mine")
    assert (tmp_path / "file").read_text() == "mine" and not (tmp_path / "file").is_symlink()


def test_a_run_empties_no_folder_behind_a_link(begin, victim, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    victim.rename(mine / "thesis")
    writer = begin()
    writer.abandon()
    (writer.path / "pictures").symlink_to(mine)
    again = begin()
    assert not (again.path / "pictures").exists()
    again.discard()
    again.path.symlink_to(mine)
    with pytest.raises(UserError, match=r"\.running is a link, and a run would replace what it leads to"):
        begin()
    assert os.listdir(mine) == ["thesis"]
    (mine / "thesis").rename(victim)


def test_a_sweep_and_its_repair_write_behind_no_link(tmp_path, victim):
    record = Record.create(tmp_path, Plan(jobs=[], options={}))
    (record.folder / "0.log").symlink_to(victim)
    with pytest.raises(UserError, match=r"0\.log is a link, and the sweep would write to what it leads to"):
        record.lock()
    (record.folder / "0.log").unlink()
    record.lock().remove()
    (record.folder / "events.jsonl").write_text("ssh-ed25519 AAAA mallory\n")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / f"{record.name}-events.jsonl").symlink_to(victim)
    store = Store(tmp_path)
    (finding,) = (one for one in check_store(store) if one.kind == "events")
    assert "mallory" in set_aside(finding, store).read_text()


def test_the_folder_of_locks_is_ours_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    told, name = [], f"svmbench-{os.getuid()}"
    (tmp_path / "tmp").mkdir()
    (tmp_path / "elsewhere").mkdir()
    assert own_folder(told.append) == tmp_path / "tmp" / name
    assert (tmp_path / "tmp" / name).stat().st_mode & 0o777 == 0o700
    (tmp_path / "tmp" / name).chmod(0o777)
    assert own_folder(told.append).stat().st_mode & 0o777 == 0o700 and told == []
    (tmp_path / "tmp" / name).rmdir()
    (tmp_path / "tmp" / name).symlink_to(tmp_path / "elsewhere")
    assert own_folder(told.append) == tmp_path / "runtime" / "svmbench"
    assert name in told[0] and "remove it, or ask its owner to" in told[0]
    (tmp_path / "runtime" / "svmbench").rmdir()
    (tmp_path / "runtime" / "svmbench").write_text("")
    assert own_folder(told.append) == tmp_path / "home" / ".cache" / "svmbench" / "locks"
    lstat = os.lstat
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: lstat(tmp_path).st_uid + 1)
        assert own_folder(told.append) is None


def test_an_export_copies_nothing_that_is_elsewhere(store, begin, victim, tmp_path):
    run = make(begin)
    (run.path / "curve.png").symlink_to(victim)
    with pytest.raises(UserError, match=r"curve.png is a link or not a regular file.* is not exported"):
        export([run], tmp_path / "out", store.root, [])
    assert not (tmp_path / "out").exists()
    (run.path / "curve.png").unlink()
    (tmp_path / "secret.json").write_text('{"secret": 1}')
    for name in ("../../secret", str(tmp_path / "secret")):
        reseal(run.path, lambda about, name=name: about.update(optimum=name))
        hostile = store.find(run.id)
        with pytest.raises(UserError, match="which is not a valid name"):
            export([hostile], tmp_path / "out", store.root, [])
        assert store.optimum(name) is None
    reseal(run.path, lambda about: about.update(optimum=None))
    export([store.find(run.id)], tmp_path / "out", store.root, [])
    assert (tmp_path / "out" / "runs" / run.id / "run.json").is_file()


def test_an_export_that_does_not_fit_says_so_and_leaves_nothing(store, begin, tmp_path, monkeypatch):
    run, before = make(begin), sorted(tmp_path.iterdir())

    def fail(source, target, **given):
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    monkeypatch.setattr(shutil, "copyfile", fail)
    with pytest.raises(UserError, match=r"could not be stored in .*: No space left on device; .* Make room"):
        export([run], tmp_path / "out", store.root, [])
    assert sorted(tmp_path.iterdir()) == before


def test_an_export_holds_no_escape_sequence(store, begin, tmp_path):
    run = make(begin)
    export([run], tmp_path / "out", store.root, ["svmbench run dataset.path='\x1b[2J'"])
    told = (tmp_path / "out" / "README.txt").read_text()
    assert "\x1b" not in told and r"svmbench run dataset.path='\x1b[2J'" in told


def test_what_killed_commands_left_is_removed_by_the_next(store, begin, tmp_path):
    run = make(begin)
    killed, running = tmp_path / ".export-killed", tmp_path / ".export-running"
    for folder in (killed, running):
        (folder / "results").mkdir(parents=True)
    (killed / "lock").write_text("process 1 on here")
    lock = Lock.try_acquire(running / "lock")
    old = tmp_path / ".export-old"
    old.mkdir()
    os.utime(old, (time.time() - 1000, time.time() - 1000))
    export([run], tmp_path / "out", store.root, [])
    assert not killed.exists() and not old.exists() and running.exists()
    lock.remove()
    leftover = store.root / ".notes.json.svmbench-12345"
    leftover.write_text("{")
    Notes(store.root).tag([run.id], "mine")
    assert not leftover.exists() and Notes(store.root).tagged("mine") == [run.id]


@pytest.mark.parametrize(
    ("section", "change", "sentence"),
    [
        ("budget", {"counter": "kev_\x1b[2J"}, "which no trace has"),
        ("kernel", {"gamma": [1, 2]}, "a list in place of a number or a text"),
        ("problem", {"C": [1]}, "a list in place of"),
        ("dataset", {f"k{number}": number for number in range(100_000)}, "a section of 100,0"),
    ],
    ids=["counter", "gamma", "C", "keys"],
)
def test_a_configuration_that_no_command_can_group_is_damage(store, begin, capsys, section, change, sentence):
    run, other = make(begin), make(begin, seed=1)
    reseal(run.path, lambda about: about["config"][section].update(change))
    shown = answer(capsys, ["list", "--results", str(store.root)])
    assert sentence in shown.err and "\x1b" not in shown.out + shown.err
    assert [one.id for one in Store(store.root, warn=lambda sentence: None).runs()] == [other.id]


@pytest.mark.parametrize("key", ["title", "name", "reason"])
def test_a_text_that_no_picture_holds_is_damage(store, begin, key):
    run = make(begin)
    long = "x" * 1_000_000
    if key == "reason":
        end = json.loads((run.path / "status.json").read_text())
        end.pop("check"), end.pop("schema")
        end["reason"] = long
        documents.write(run.path / "status.json", {**end, "check": digest(end)})
    elif key == "title":
        reseal(run.path, lambda about: about.update(solver={"name": "sbp", "title": long}))
    else:
        reseal(run.path, lambda about: about["config"]["dataset"].update(name=long))
    (finding,) = (one for one in check_store(store) if one.kind == "run")
    assert finding.state == "damaged" and "a text of 1,000,000 characters" in finding.sentence


@pytest.mark.parametrize(
    "text",
    [
        '{"schema": Infinity}', '{"schema": NaN}', '{"schema": -1}', '{"schema": true}', '{"schema": 1e400}',
        '{"schema": [1]}', '{"schema": ' + "1" * 100_000 + "}", "[" * 100_000, '{"schema": 4, "identity": '
        + "[" * 900 + "]" * 900 + "}", '{"schema": 4, "x": "' + "y" * 10_000_000 + '"}', "[]", "null", '"x"',
        '{"schema": 4, "identity": {"config": {}}, "config": {"seed": Infinity}, "started": 1}',
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["run.json", "status.json"])
def test_a_document_of_any_content_hides_no_other_run(store, begin, name, text):
    sound, broken = make(begin), make(begin, seed=1)
    (broken.path / name).write_text(text)
    told = []
    store = Store(store.root, warn=told.append)
    assert store.runs() == [sound]
    assert len(told) == 1 and len(told[0]) < 2500 and "\n" not in told[0]
    states = {finding.path.name: finding.state for finding in check_store(store)}
    assert states[sound.id] == "ok" and states[broken.id] == "damaged"


def test_arrays_that_unpack_to_gigabytes_are_refused(tmp_path):
    stream = io.BytesIO()
    np.savez_compressed(stream, x=np.zeros(40 << 20))  # 320 MiB in 0.3
    with pytest.raises(ValueError, match="would become"):
        read_npz(stream.getvalue())
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)}
        )
        archive.writestr("x.npy", header.getvalue() + b"12345678")
    with pytest.raises(ValueError, match="not as large as its shape says"):
        read_npz(content.getvalue())


@pytest.mark.parametrize(
    "arrays",
    [
        {"indices": np.array([3, 0])}, {"indices": np.array([-1, 3])}, {"indices": np.array([1])},
        {"coefficients": np.ones((2, 2))}, {"indices": np.zeros((2, 2), dtype=int)},
        {"dual_indices": np.array([1, 2]), "dual_values": np.ones(3)}, {"kernel": "rbf"}, {"bias": "0"},
        {"iterations": None}, {"features": [1]},
    ],
)  # fmt: skip
def test_a_model_of_the_wrong_shape_is_a_sentence(tmp_path, arrays):
    import dataclasses

    dataclasses.replace(MODEL, **arrays).save(tmp_path / "model.npz")
    with pytest.raises(UserError, match="damaged"):
        load_model(tmp_path / "model.npz")


def test_a_model_of_other_examples_is_a_sentence():
    MODEL.check_fits(4, 1)
    with pytest.raises(UserError, match=r"refers to training example 3 \(counted from 0\) of 3"):
        MODEL.check_fits(3, 1)
    wide = StoredModel({"name": "linear"}, "x", 0.0, 1, weights=np.ones(3))
    with pytest.raises(UserError, match="the model has 3 features, the data have 2"):
        wide.check_fits(3, 2)


def test_a_cell_of_csv_is_no_formula_and_no_escape():
    for text in ("=1+1", "+x", "-x", "@SUM(A1)", "-1+1"):
        assert csv_cell(text) == f"'{text}"
    assert csv_cell("\x1b[2J") == r"\x1b[2J" and csv_cell("plain") == "plain"
    assert [csv_cell(value) for value in (-0.5, 7, None, "-1e-5", "+.5")] == [-0.5, 7, None, "-1e-5", "+.5"]


def test_a_sentence_has_an_end():
    sentence = str(UserError("a label '" + "x" * 10_000_000 + "' is not allowed"))
    assert len(sentence) < 2100 and sentence.startswith("a label") and sentence.endswith("is not allowed")


def test_a_run_that_claims_the_identity_of_another_hides_it_not(store, config):
    same = identity(RunConfig.of(config), "sum", 1, derived={"nu": 0.1})
    genuine = store.begin(same, {"config": config}).finish("budget", "genuine")
    claims = identity(RunConfig.of({**config, "seed": 1}), "sum", 1, derived={"nu": 0.1})
    forged = store.begin(claims, {"config": config}).finish("budget", "forged")
    reseal(forged.path, lambda about: about.update(identity=same))
    assert forged.started > genuine.started
    assert [run.reason for run in Store(store.root).runs()] == ["genuine"]
    assert store.find(genuine.id) == genuine


@pytest.fixture
def closed(monkeypatch):
    """Close paths to this user, who may be one to whom no path is closed."""
    paths, real_open, real_list = set(), os.open, os.listdir

    def refuse(path):
        if str(path) in paths:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(
        os, "open", lambda path, *more, **named: (refuse(path), real_open(path, *more, **named))[1]
    )
    monkeypatch.setattr(os, "listdir", lambda path=".": (refuse(path), real_list(path))[1])
    return paths


def test_a_folder_that_is_closed_hides_nothing_else_from_verify(store, begin, closed, capsys):
    make(begin)
    for name in ("optima", "sweeps"):
        (store.root / name).mkdir()
        closed.add(str(store.root / name))
    told = output(capsys, ["verify", "--results", str(store.root)], 1)
    assert "optima cannot be read: Permission denied; make it readable" in told
    assert "sweeps cannot be read: Permission denied; make it readable" in told
    assert "1 ok, 2 unreadable" in told
    assert main(["status", "--results", str(store.root)]) == 1
    assert f"svmbench: {store.root / 'sweeps'}: Permission denied" in capsys.readouterr().err


def test_what_is_closed_is_not_called_damaged(store, begin, closed, capsys):
    run, results = make(begin), ["--results", str(store.root)]
    Notes(store.root).note(run.id, "mine")
    record = Record.create(store.root, Plan([], {}))
    closed |= {str(store.root / "notes.json"), str(record.folder / "plan.json")}
    states = {one.path.name: one.state for one in check_store(store)}
    assert states["notes.json"] == states["plan.json"] == "unreadable"
    assert " aside" not in output(capsys, ["verify", "--repair", *results], 1)
    assert not (store.root / "damaged").exists()
    said = answer(capsys, ["status", *results], 2).err
    assert "plan.json cannot be read: Permission denied; make it readable" in said


@pytest.mark.parametrize("name", ["run.json", "status.json", "trace.csv"])
def test_a_file_that_never_ends_or_cannot_be_read_hides_no_other_run(store, begin, name, monkeypatch):
    sound, broken = make(begin), make(begin, seed=1)
    path, told = broken.path / name, []
    endless, circle = lambda path: os.symlink("/dev/zero", path), lambda path: os.symlink(path, path)
    for put in (os.mkfifo, os.mkdir, endless, circle):
        path.rmdir() if path.is_dir() else path.unlink()
        put(path)
        assert Store(store.root, warn=told.append).runs() == [sound]
    assert len(told) == 4
    assert {finding.state for finding in check_store(store)} == {"ok", "unreadable"}  # a circle of links


def test_a_folder_that_cannot_be_removed_again_is_not_called_read_only(store, monkeypatch):
    def refuse(path, **options):
        raise OSError(5, "Input/output error", path)

    monkeypatch.setattr(os, "rmdir", refuse)
    with pytest.raises(UserError, match=r"made to try it, cannot be removed \(Input/output error\)"):
        store.check_writable()
