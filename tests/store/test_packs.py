import json
import lzma
import shutil

import pytest

from svmbench.cli.main import main
from svmbench.figures.series import optimum_of
from svmbench.store import Store, packs
from tests.figures.stored import OPTIMUM, store_optimum, stored_run
from tests.told import output


@pytest.fixture
def packed(tmp_path):
    """A results folder with nothing but a reference: two runs in a pack, the first one thinned."""
    made = tmp_path / "made"
    runs = [stored_run(made, seed=s, costs=[10, 20, 40], errors=[30, 20, 10 + s]) for s in range(2)]
    store_optimum(made)
    root = tmp_path / "clone"
    packs.write(root / "reference" / "packs" / "x.jsonl.xz", zip(runs, ([0, 2], [0, 1, 2]), strict=True))
    shutil.copytree(made / "optima", root / "reference" / "optima")
    return root, runs


def test_runs_of_a_pack_are_found_and_read_like_others(packed):
    root, runs = packed
    store = Store(root)
    found = store.runs()
    assert [run.id for run in found] == [run.id for run in runs]
    thinned, whole = (store.find(run.id) for run in runs)
    assert [row["kev_ondemand"] for row in thinned.rows()] == [10, 40]
    assert whole.rows() == runs[1].rows() and whole.summary()["test_error"] == 0.11
    assert (whole.status, whole.reason, whole.ended) == (runs[1].status, runs[1].reason, runs[1].ended)
    assert store.get(runs[0].manifest["identity"]).id == runs[0].id  # so that nothing is made again


def test_the_optimum_of_a_packed_run_is_found(packed):
    root, runs = packed
    assert runs[0].manifest["optimum"] == OPTIMUM
    assert optimum_of(Store(root).find(runs[0].id))["nu"] == 0.01


def test_the_same_runs_give_the_same_bytes_and_lines_that_can_be_read(packed, tmp_path):
    root, runs = packed
    path = root / "reference" / "packs" / "x.jsonl.xz"
    packs.write(tmp_path / "again.jsonl.xz", zip(reversed(runs), ([0, 1, 2], [0, 2]), strict=True))
    assert (tmp_path / "again.jsonl.xz").read_bytes() == path.read_bytes()
    lines = lzma.decompress(path.read_bytes()).decode().splitlines()
    assert len(lines) == 2 and runs[0].id in lines[0] + lines[1]


def test_mistakes_are_left_out_where_nothing_asks_for_them(packed, tmp_path):
    _, (run, *_) = packed
    ended = run.path / "status.json"
    end = {key: value for key, value in json.loads(ended.read_text()).items() if key != "check"}
    ended.write_text(json.dumps({**end, "wrong_tests": "AAAA"}))
    for mistakes in (True, False):
        path = tmp_path / f"{mistakes}.jsonl.xz"
        packs.write(path, [(run, [2])], mistakes=mistakes)
        assert ("wrong_tests" in json.loads(lzma.decompress(path.read_bytes()))["status"]) == mistakes


def test_another_pack_of_the_name_takes_the_place_of_the_old_one(packed):
    root, runs = packed
    assert len(Store(root).runs()) == 2
    packs.write(root / "reference" / "packs" / "x.jsonl.xz", [(runs[0], [2])])
    (run,) = Store(root).runs()
    assert [row["kev_ondemand"] for row in run.rows()] == [40]
    assert len(list((root / "unpacked").iterdir())) == 1


def test_a_damaged_pack_is_told_and_hides_no_other_run(packed):
    root, _ = packed
    path = root / "reference" / "packs" / "x.jsonl.xz"
    path.write_bytes(path.read_bytes()[:-30])
    other, told = stored_run(root, seed=7, costs=[10], errors=[10]), []
    store = Store(root, warn=told.append)
    assert [run.id for run in store.runs()] == [other.id] == [run.id for run in store.runs()]
    (sentence,) = told
    assert "x.jsonl.xz is damaged" in sentence and "restore it" in sentence


def test_a_pack_too_large_to_be_one_is_damaged_without_being_read(packed, monkeypatch):
    root, _ = packed
    monkeypatch.setattr(packs, "sha256", None)
    with open(root / "reference" / "packs" / "x.jsonl.xz", "ab") as stream:
        stream.truncate(1 << 36)
    told = []
    assert Store(root, warn=told.append).runs() == []
    assert "x.jsonl.xz is damaged" in told[0] and "bytes, at most" in told[0]


def test_verify_reads_packs_through_and_says_that_they_have_no_models(packed, capsys):
    root, runs = packed
    for results in (root, root / "reference"):
        out = output(capsys, ["verify", "--results", str(results)])
        assert "packed       x.jsonl.xz: 2 runs are what was written; a pack holds no models" in out
    assert main(["verify", "--results", str(root), runs[0].id]) == 0
    assert f"packed       {runs[0].id}: a pack holds no models" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"gamma":', '"gamma":1', "run 1 has the id of another identity"),
        (",0.11,", ",0.1x1,", "a value has a wrong type or form"),
        ('"trace":', '"tracks":', "'trace' is missing or unknown"),
    ],
)
def test_verify_tells_a_pack_that_was_edited(old, new, said, packed, capsys):
    root, _ = packed
    path = root / "reference" / "packs" / "x.jsonl.xz"
    text = lzma.decompress(path.read_bytes()).decode()
    assert old in text
    path.write_bytes(lzma.compress(text.replace(old, new).encode()))
    out = output(capsys, ["verify", "--results", str(root / "reference")], 1)
    assert "damaged      x.jsonl.xz" in out and said in out


@pytest.mark.parametrize("name", ["../../../outside", "..", "", "a\0b", "a/b", 5, []])
def test_no_run_of_a_pack_is_written_outside_its_folder(packed, tmp_path, name):
    root, _ = packed
    path = root / "reference" / "packs" / "x.jsonl.xz"
    record = json.loads(lzma.decompress(path.read_bytes()).split(b"\n")[0])
    record["run"]["id"] = name
    path.with_name("y.jsonl.xz").write_bytes(lzma.compress(json.dumps(record).encode()))
    told = []
    assert len(Store(root, warn=told.append).runs()) == 2
    (sentence,) = told
    assert "y.jsonl.xz is damaged" in sentence
    assert not list(tmp_path.rglob("outside"))


@pytest.mark.parametrize(
    "change", [lambda content: content + b"more", lambda content: lzma.compress(b"[1]\n" * 100000)]
)
def test_a_pack_with_more_than_it_may_hold_is_damaged(packed, change, monkeypatch):
    monkeypatch.setattr(packs, "_FREE", 1000)
    root, _ = packed
    path = root / "reference" / "packs" / "x.jsonl.xz"
    path.write_bytes(change(path.read_bytes()))
    told = []
    assert Store(root, warn=told.append).runs() == []
    assert "x.jsonl.xz is damaged" in told[0]


def test_a_pack_that_cannot_be_unpacked_hides_no_other_run(packed):
    root, _ = packed
    other, told = stored_run(root, seed=7, costs=[10], errors=[10]), []
    shutil.rmtree(root / "unpacked")
    (root / "unpacked").write_text("no folder")
    assert [run.id for run in Store(root, warn=told.append).runs()] == [other.id]
    assert "cannot be unpacked" in told[0] and "make it writable" in told[0]


def test_of_two_first_readers_the_later_one_uses_the_folder_of_the_other(packed, monkeypatch):
    root, _ = packed
    unpack, winner = packs._unpack, []

    def unusable(path, error):
        pytest.fail(f"{path}: {error}")

    def overtaken(path, runs):
        if not winner:
            winner.append(None)  # once
            (folder,) = packs.folders(root, unusable)
            winner[0] = root / folder, (root / folder).stat().st_ino
        unpack(path, runs)

    monkeypatch.setattr(packs, "_unpack", overtaken)
    (folder,) = packs.folders(root, unusable)
    assert (root / folder, (root / folder).stat().st_ino) == winner[0]
    assert len(Store(root).runs()) == 2 and len(list((root / "unpacked").iterdir())) == 1


def test_what_a_killed_reader_left_is_removed_by_the_next(packed):
    root, _ = packed
    left = root / "unpacked" / ".unpacking-1"
    left.mkdir(parents=True)
    (left / "lock").write_text("process 1 on here")
    assert len(Store(root).runs()) == 2 and not left.exists()
