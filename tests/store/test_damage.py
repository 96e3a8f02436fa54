"""Every file of a run cut, emptied, changed, garbled, removed: noticed, named, nobody else's trouble."""

import dataclasses
import json
import os
import shutil

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.run_config import RunConfig
from svmbench.store import StorageError, Store
from svmbench.store.identity import identity
from svmbench.store.integrity import check_store, set_aside
from svmbench.store.joint_model import load_model
from svmbench.store.model import StoredModel
from svmbench.store.state import State

MODEL = StoredModel(
    kernel={"name": "linear"},
    checksum="sum",
    bias=0.5,
    iterations=2,
    indices=np.array([0, 3]),
    coefficients=np.array([1.0, -0.25]),
    dual="coefficients",
)

DAMAGE = {
    "cut": lambda content: content[: len(content) // 2],
    "emptied": lambda content: b"",
    "one byte changed": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "garbage": lambda content: bytes(range(256)) * 3,
    "removed": None,
}


def make(begin, seed=0, **manifest):
    writer = begin(seed, **manifest)
    for k in (1, 2):
        writer.checkpoint({"iterations": k, "test_error": 0.25})
    writer.put_model(MODEL)
    return writer.finish("budget", "enough")


def damage(path, how):
    change = DAMAGE[how]
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_bytes()))


@pytest.fixture
def warned(store):
    told = []
    store._warn = told.append
    return told


def test_a_model_comes_back_exactly_and_without_pickle(begin):
    run = make(begin)
    model = run.model()
    about = (model.bias, model.kernel, model.iterations, model.dual)
    assert about == (0.5, {"name": "linear"}, 2, "coefficients")
    assert model.indices.tolist() == [0, 3] and model.coefficients.tolist() == [1.0, -0.25]
    assert model.weights is None and model.points is None
    with np.load(run.path / "model.npz", allow_pickle=False) as content:
        assert sorted(content.files) == ["about", "coefficients", "indices_steps"]


def test_rows_come_back_from_their_steps(tmp_path):
    rows, none = np.array([2, 3, 70_000]), np.array([], dtype=np.int64)
    for indices, dual_indices in ((rows, none), (none, rows)):
        model = dataclasses.replace(MODEL, indices=indices, coefficients=np.ones(indices.size))
        own = {"dual": "own", "dual_indices": dual_indices, "dual_values": np.ones(dual_indices.size)}
        model = dataclasses.replace(model, **own)
        model.save(tmp_path / "model.npz")
        found = load_model(tmp_path / "model.npz")
        assert found.indices.tolist() == indices.tolist()
        assert found.dual_indices.tolist() == dual_indices.tolist()


def test_a_model_of_an_older_version_holds_its_rows_themselves(tmp_path):
    about = {"kernel": {"name": "linear"}, "checksum": "x", "bias": 0.0, "iterations": 1}
    arrays = {"indices": np.array([2, 5]), "coefficients": np.ones(2)}
    np.savez(tmp_path / "model.npz", about=np.array(json.dumps(about)), **arrays)
    assert load_model(tmp_path / "model.npz").indices.tolist() == [2, 5]


def test_equal_models_give_equal_bytes(tmp_path):
    for name in ("a", "b"):
        MODEL.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_model_that_is_damaged_is_a_sentence_or_read_as_it_was(tmp_path):
    path = tmp_path / "model.npz"
    MODEL.save(path)
    whole, refused = path.read_bytes(), []
    assert load_model(path).indices.tolist() == [0, 3]
    places = range(len(whole) - 3)
    for place in places:
        content = bytearray(whole)
        content[place : place + 3] = b"\xff\x00\xff"
        path.write_bytes(content)
        try:
            assert load_model(path).indices.tolist() == [0, 3], place
        except UserError:
            refused.append(place)
    assert 0 < len(refused) < len(places)  # some bytes are time stamps, or as they were


def test_a_pickled_object_is_no_model(tmp_path):
    path = tmp_path / "model.npz"
    np.savez(path, about=np.array([{}], dtype=object))
    with pytest.raises(UserError, match="damaged"):
        load_model(path)


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", ["run.json", "trace.csv", "status.json"])
def test_a_damaged_run_is_skipped_with_one_warning(store, begin, warned, name, how):
    sound, broken = make(begin), make(begin, seed=1)
    assert len(store.runs()) == 2
    damage(broken.path / name, how)
    assert [run.id for run in store.runs()] == [sound.id]
    assert store.runs() == [sound] and store.find(sound.id) == sound
    (sentence,) = warned
    assert broken.id in sentence and "\n" not in sentence
    with pytest.raises(UserError, match="damaged"):
        store.find(broken.id)


def test_a_run_that_is_removed_while_it_is_read_is_no_run_without_checkpoints(store, begin):
    run = make(begin)
    assert run.numbers(["iterations"]).tolist() == [[1.0, 2.0]]
    shutil.rmtree(run.path)
    for read in (run.rows, run.trace, lambda: run.numbers(["iterations"])):
        with pytest.raises(UserError, match=f"{run.id} was removed while it was read; repeat the command"):
            read()


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", ["run.json", "trace.csv", "status.json"])
def test_a_damaged_run_is_made_again(store, begin, warned, config, name, how):
    damage(make(begin).path / name, how)
    assert store.get(identity(RunConfig.of(config), "sum", 1)) is None
    assert make(begin).trace()["iterations"].tolist() == [1, 2]
    assert store.get(identity(RunConfig.of(config), "sum", 1)).complete


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", ["run.json", "trace.csv", "status.json", "model.npz"])
def test_what_is_damaged_is_found_and_set_aside(store, begin, warned, name, how):
    sound, broken = make(begin), make(begin, seed=1)
    damage(broken.path / name, how)
    findings = {finding.path.name: finding for finding in check_store(store)}
    assert findings[sound.id].state == "ok" and findings[broken.id].state == "damaged"
    target = set_aside(findings[broken.id], store)
    assert target == store.root / "damaged" / broken.id and target.is_dir()
    assert [finding.state for finding in check_store(store)] == ["ok"]
    damage(make(begin, seed=1).path / name, how)
    (second,) = [finding for finding in check_store(store) if finding.state == "damaged"]
    assert set_aside(second, store).name == f"{broken.id}-2"


def test_reference_and_running_runs_are_left_where_they_are(store, begin, warned):
    kept = make(begin, into=Store(store.root / "reference"))
    writer = begin(1)
    writer.checkpoint({"iterations": 1})
    for path in (kept.path, writer.path):
        (path / "run.json").write_text("{")
    findings = list(check_store(store))
    assert [finding.state for finding in findings] == ["damaged", "damaged"]
    assert [set_aside(finding, store) for finding in findings] == [None, None]
    assert kept.path.is_dir() and writer.path.is_dir()
    writer.discard()


def test_an_optimum_that_was_replaced_is_told(store, begin):
    values = {"primal": 1.0, "dual": 0.5}
    hash = store.put_optimum({"key": "abc", **values})
    make(begin, optimum=hash, optimum_values=values)
    finding, _ = check_store(store)
    assert finding.state == "ok" and "replaced" not in finding.sentence
    store.put_optimum({"key": "abc", **values, "dual": 0.75})
    finding, _ = check_store(store)
    assert finding.state == "ok" and f"optimum {hash} was replaced since the run was made" in finding.sentence


def full(*arguments):
    raise OSError(28, "No space left on device")


def test_a_full_disk_is_one_sentence_and_keeps_the_checkpoints(store, begin, monkeypatch):
    writer = begin()
    writer.checkpoint({"iterations": 1})
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        for write in (lambda: writer.put_model(MODEL), lambda: writer.finish("budget", "enough")):
            with pytest.raises(StorageError, match=r"No space left on device; what was stored") as caught:
                write()
            assert "\n" not in str(caught.value)
        writer.abandon()
    (run,) = store.runs()
    assert run.status == "killed" and run.trace()["iterations"].tolist() == [1]
    assert make(begin).complete


def test_a_disk_that_is_full_from_the_start_is_one_sentence_and_leaves_no_lock(store, begin, monkeypatch):
    said = r"^run \S+ could not be stored in \S+: No space left"
    for name in ("pwrite", "fsync"):  # of the lock, and of run.json
        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            with pytest.raises(StorageError, match=said) as caught:
                begin()
            assert "\n" not in str(caught.value)
        assert store.running() == 0
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        for put in (lambda: store.put_environment({"a": 1}), lambda: store.put_optimum({"key": 1})):
            with pytest.raises(StorageError, match="No space left"):
                put()
    assert make(begin).complete


def test_a_derived_parameter_is_part_of_the_identity_and_older_names_are_found(store, config):
    plain = identity(RunConfig.of(config), "sum", 1)
    new = identity(RunConfig.of(config), "sum", 1, derived={"nu": 0.1234567})
    assert new == {**plain, "derived": {"nu": 0.123457}}
    # As version 1 stored it: a name without ν, which is found through the migration.
    problem = {"lam": 1.0, "C": 1.0, "nu": 0.1234569, "radius": None, "bias": "none"}
    old = store.begin(plain, {"config": config, "problem": problem}).finish("budget", "old")
    document = json.loads((old.path / "run.json").read_text())
    del document["check"]
    (old.path / "run.json").write_text(json.dumps({**document, "schema": 1}))
    end = json.loads((old.path / "status.json").read_text())
    del end["files"], end["check"]
    (old.path / "status.json").write_text(json.dumps({**end, "schema": 1}))
    assert store.get(new).reason == "old"
    assert store.get(identity(RunConfig.of(config), "sum", 1, derived={"nu": 0.2})) is None
    assert [run.reason for run in store.like(plain)] == ["old"]
    assert store.runs()[0].title == "SBP"
    store.begin(new, {"config": config}, force=True).finish("budget", "new")
    assert [run.reason for run in store.runs()] == ["new"] and store.get(new).reason == "new"


def test_a_run_interrupted_before_its_nu_was_known_is_found_by_its_first_name(store, config):
    first = store.begin(identity(RunConfig.of(config), "sum", 1), {"config": config}).finish(
        "interrupted", ""
    )
    known = identity(RunConfig.of(config), "sum", 1, derived={"nu": 0.1})
    ended = store.begin(known, {"config": config}).finish("budget", "new")
    assert [run.id for run in store.runs()] == [ended.id] != [first.id]
    assert store.find(first.id) == ended


def test_a_missing_state_is_told_and_ends_no_check(store, begin):
    writer = begin(0)
    writer.checkpoint({"iterations": 1})
    writer.put_state(State(1, 0.0, 0.0, {}, {"scores": np.zeros(2)}))
    run = writer.finish("budget", "enough")
    (run.path / "state.npz").unlink()
    (finding,) = check_store(store)
    assert finding.state == "ok" and "state.npz is missing" in finding.sentence
    os.mkfifo(run.path / "state.npz")
    assert State.load(run) is None
    (finding,) = check_store(store)
    assert finding.state == "damaged" and "not a regular file" in finding.sentence


def test_an_edited_configuration_is_noticed_before_the_run_has_an_end(store, begin, warned):
    writer = begin(0, environment="0123456789abcdef")
    writer.checkpoint({"iterations": 1})
    writer.abandon()
    (finding,) = check_store(store)
    assert finding.state == "killed"
    path = writer.path / "run.json"
    path.write_text(path.read_text().replace("0123456789abcdef", "0123456789abcdee"))
    assert store.runs() == [] and len(warned) == 1
    (finding,) = check_store(store)
    assert finding.state == "damaged" and "run.json" in finding.sentence
