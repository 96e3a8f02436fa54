"""Loading: the prepared cache and its checksums."""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.data import Dataset, cache, catalogue, loading
from svmbench.errors import UserError

from .conftest import Small, put_adult


def same(a: Dataset, b: Dataset) -> bool:
    def arrays(part):
        if part is None:
            return []
        X = part.X
        return [part.y, *((X.data, X.indices, X.indptr) if sp.issparse(X) else (X,))]

    pairs = [(arrays(getattr(a, key)), arrays(getattr(b, key))) for key in cache.PARTS]
    equal = all(
        len(x) == len(y) and all(np.array_equal(i, j) and i.dtype == j.dtype for i, j in zip(x, y))
        for x, y in pairs
    )
    return equal and (a.name, a.checksum, a.info) == (b.name, b.checksum, b.info)


def test_second_start_reads_the_prepared_data(small, monkeypatch):
    put_adult(small)
    lines: list[str] = []
    first = small.load("adult", lines)
    assert lines[0] == "adult: preparing"
    monkeypatch.setattr(loading, "RawFiles", lambda *args: None)  # nothing raw may be touched
    lines.clear()
    assert same(small.load("adult", lines), first)
    assert lines == []


def test_sparse_data_come_back_from_the_cache(small):
    small.put("reuters", {"train": b"1 2:0.5 8315:1e-3\n-1\n", "test": b"-1 1:1\n"})
    first = small.load("reuters")
    assert isinstance(first.train.X, sp.csr_array) and first.train.X.indices.dtype == np.int32
    assert first.train.X.shape == (2, 8315)
    again = small.load("reuters")
    assert same(again, first)
    assert (again.train.X @ np.ones(8315))[0] == pytest.approx(0.501)
    assert again.test.X[[0]].toarray()[0, 0] == 1.0
    assert again.train.X.has_sorted_indices


def prepared(small: Small, name: str) -> tuple[Dataset, Path]:
    """A small set, and the folder where it is prepared."""
    if name == "adult":
        put_adult(small)
    else:
        small.put("reuters", {"train": b"1 2:0.5 8315:1e-3\n-1\n", "test": b"-1 1:1\n"})
    first = small.load(name)
    (folder,) = (small.data / "prepared").iterdir()
    return first, folder


@pytest.mark.parametrize("damage", ["manifest", "array", "cut", "overwritten"])
def test_a_damaged_cache_is_made_anew(small, damage):
    first, folder = prepared(small, "adult")
    content = (folder / "train.X.npy").read_bytes()
    if damage == "manifest":
        (folder / cache.MANIFEST).write_text("{")
    elif damage == "array":
        (folder / "train.y.npy").unlink()
    elif damage == "overwritten":
        (folder / "train.X.npy").write_bytes(content[:-8] + bytes(8 * [63]))
        states = [state for state in catalogue.verify("adult", str(small.data)) if state[0] == str(folder)]
        assert [right for _, right, _ in states] == [False]
    else:
        (folder / "train.X.npy").write_bytes(content[:-8])
    lines: list[str] = []
    assert same(small.load("adult", lines), first)
    assert lines == ["adult: preparing again: what was prepared is damaged"]
    assert cache.load(folder) is not None
    assert [path.name for path in (small.data / "prepared").iterdir()] == [folder.name]


def edited(manifest: dict, field: str) -> dict:
    """Return a manifest with one field of it changed."""
    old = manifest[field]
    if field == "parts":
        return {**manifest, "parts": {**old, "train": [old["train"][0], 4315]}}
    if field == "info":
        return {**manifest, "info": {**old, "features": 4315}}
    if field == "files":
        return {**manifest, "files": {name: stamp for name, stamp in old.items() if "test" not in name}}
    return {**manifest, field: old[:-1] + ("0" if old[-1] != "0" else "1")}


@pytest.mark.parametrize("field", ["name", "checksum", "parts", "info", "files", "check"])
def test_an_edited_field_of_the_manifest_is_not_believed(small, field):
    first, folder = prepared(small, "reuters")
    path = folder / cache.MANIFEST
    path.write_text(json.dumps(edited(json.loads(path.read_text()), field)))
    states = [state for state in catalogue.verify("reuters", str(small.data)) if state[0] == str(folder)]
    ((_, right, sentence),) = states
    assert not right and "manifest.json does not match its digest" in sentence
    assert cache.checksum(folder) is None
    assert same(small.load("reuters"), first)


@pytest.mark.parametrize("shape", [[2, 4315], [2, 9000], [3, 8315], [1, 8315], [2, 8315, 1]])
def test_shapes_are_held_against_the_arrays_even_without_a_digest(small, shape):
    first, folder = prepared(small, "reuters")
    path = folder / cache.MANIFEST
    manifest = json.loads(path.read_text())
    del manifest["check"]  # as an older version wrote it
    path.write_text(json.dumps(manifest))
    right, sentence = cache.verify(folder)
    assert right and "manifest.json has no digest" in sentence
    assert same(small.load("reuters"), first)
    path.write_text(json.dumps({**manifest, "parts": {**manifest["parts"], "train": shape}}))
    assert not cache.verify(folder)[0]
    assert same(small.load("reuters"), first)  # prepared again


def test_a_part_that_was_taken_out_of_a_manifest_without_a_digest_is_missed(small):
    first, folder = prepared(small, "adult")
    manifest = json.loads((folder / cache.MANIFEST).read_text())
    del manifest["check"], manifest["parts"]["test"]
    (folder / cache.MANIFEST).write_text(json.dumps(manifest))
    assert "test.X.npy, test.y.npy belongs to no part" in cache.verify(folder)[1]
    assert same(small.load("adult"), first) and first.test is not None


def test_a_failed_preparation_leaves_nothing(small):
    small.put("adult", {"train": b"-1 3:1\n+1 5:x\n", "test": b"-1 1:1\n"})
    with pytest.raises(UserError, match=r"a9a, line 2, field 2 \(column 6\): 'x' is not a number"):
        small.load("adult")
    assert not list((small.data / "prepared").iterdir())


def test_the_checksum_follows_payload_and_parameters_but_not_the_wrapper(small, tmp_path):
    put_adult(small)
    official = small.load("adult").checksum
    assert small.load("adult", split="asset").checksum != official
    content = (small.mirror / "a9a").read_bytes()
    (small.mirror / "a9a").unlink()
    (small.mirror / "a9a.gz").write_bytes(gzip.compress(content))
    small.data = tmp_path / "elsewhere"
    assert small.load("adult").checksum == official
    small.put("adult", {"train": b"-1 3:1 12:1\n+1 5:1\n", "test": (small.mirror / "a9a.t").read_bytes()})
    small.data = tmp_path / "third"
    assert small.load("adult").checksum != official


def test_info_describes_the_data(small):
    put_adult(small)
    info = small.load("adult").info
    assert info["rows"] == {"train": 2, "test": 9} and info["positives"] == {"train": 1, "test": 3}
    assert info["features"] == 123 and info["density"] == pytest.approx(3 / 246)
    assert [source["file"] for source in info["sources"]] == ["a9a", "a9a.t"]
    assert info["licence"].startswith("CC BY") and "Platt" in info["citation"]
    assert json.loads(json.dumps(info)) == info


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rows": 3}, "a9a has 2 examples but the catalogue says 3: it is not the published file"),
        ({"classes": {"1": 2}}, "a9a has 1 examples of class '1' but the catalogue says 2"),
    ],
)
def test_wrong_counts_are_refused(small, changes, said):
    put_adult(small)
    small.counts("adult", "train", **changes)
    with pytest.raises(UserError, match=said):
        small.load("adult")


def test_a_stored_file_that_went_bad_is_refused(small):
    put_adult(small)
    small.load("adult")
    (small.data / "raw" / "adult" / "a9a").write_bytes(b"-1 1:1\n")
    with pytest.raises(UserError, match=r"a9a: its content has another checksum .* delete it and start"):
        small.load("adult", split="asset")


def test_unknown_names_and_parameters(small):
    with pytest.raises(UserError, match=r"there is no data set 'mnits'; did you mean 'mnist'\?"):
        small.load("mnits")
    with pytest.raises(UserError, match=r"unknown key dataset.taks; did you mean 'dataset.task'\?"):
        small.load("mnist", taks=3)


def test_a_changed_array_whose_time_was_set_back_is_not_believed(small):
    sound, folder = prepared(small, "adult")
    path = folder / "train.X.npy"
    content, state = bytearray(path.read_bytes()), path.stat()
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert cache.load(folder) is None
    assert same(small.load("adult"), sound)  # prepared again


def test_a_set_that_is_there_already_is_not_written_again(small):
    first, folder = prepared(small, "adult")
    before = (folder / cache.MANIFEST).stat().st_ino
    cache.save(folder, first)
    assert (folder / cache.MANIFEST).stat().st_ino == before


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), r"cannot write data to .*prepared: No space left on device"),
        # numpy's words for the same
        (OSError("4005003 requested and 631776 written"), r"prepared: the disk .* full \(4005003 re"),
    ],
)
def test_an_unwritable_place_for_prepared_data_is_named(small, monkeypatch, error, said):
    def full(*args, **kwargs):
        raise error

    put_adult(small)
    monkeypatch.setattr(np, "save", full)
    with pytest.raises(UserError, match=said):
        small.load("adult")
    assert [path.name for path in (small.data / "prepared").iterdir()] == []
