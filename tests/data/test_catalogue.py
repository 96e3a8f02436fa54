"""The catalogue and the parameters of each set agree."""

import dataclasses
import re
from pathlib import Path

import pytest

from svmbench import data
from svmbench.data import catalogue, folders
from svmbench.data.parameters import digit_set, digits
from svmbench.errors import UserError
from svmbench.files import sha256
from tests.data.server import serving
from tests.told import names

NAMES = catalogue.names()


def test_every_set_has_an_entry_and_a_module():
    modules = {path.stem for path in (Path(catalogue.__file__).parent / "sets").glob("[a-z]*.py")}
    assert set(NAMES) == modules
    assert {"adult", "mnist", "reuters", "covtype", "rcv1", "file", "checkerboard"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_entries_are_whole(name):
    entry = catalogue.entry(name)
    assert entry.title and entry.task and entry.licence and entry.citation
    for file in entry.files.values():
        assert file.forms
        for form in file.forms:
            sums = [sha for sha in (*form.members.values(), form.packed_sha256) if sha]
            assert all(re.fullmatch("[0-9a-f]{64}", sha) for sha in sums)
            assert sums or form.urls
            assert all(url.startswith(("https://", "http://")) for url in form.urls)
        if file.classes and file.rows is not None:
            assert sum(file.classes.values()) == file.rows


def test_an_unknown_attribute_of_the_package_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'lood'"):
        data.lood  # noqa: B018


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        (8, "8"),
        ("8", "8"),
        ([8], "8"),
        ("0-4", "0-4"),
        ([0, 1, 2], "0-2"),
        ("9,1, 2", "1,2,9"),
        ([4, "5-7"], "4-7"),
    ],
)
def test_digit_tasks_have_one_form(given, canonical):
    assert digits(given) == canonical
    assert digits(canonical) == canonical
    assert data.schema("mnist")(task=given) == data.schema("mnist")(task=canonical)


def test_digit_sets():
    assert digit_set("0-4") == {0, 1, 2, 3, 4}
    assert digit_set("1,3,5-7") == {1, 3, 5, 6, 7}


@pytest.mark.parametrize("task", ["x", "10", 10, [], "0-9", "4-2", "", -1, "²", [1.5]])
def test_other_digit_tasks_are_refused(task):
    with pytest.raises(UserError, match=r"dataset\.task=.* is not allowed: give the positive digits, as"):
        data.schema("usps")(task=task)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("covtype", {"positive_class": 8}, ("from 1 to 7",)),
        ("adult", {"split": "ofical"}, ("'official'",)),
        ("twonorm", {"n_train": 1}, ("from 2 to 2e+09",)),
        ("rcv1", {"topic": "CCTA"}, ("topic", "'CCAT'")),
        ("rcv1_subset", {"topic": "MCAT"}, ("topic",)),
        ("file", {"features": 0}, ("at least 1",)),
    ],
)
def test_parameters_are_checked(name, given, said):
    ((key, value),) = given.items()
    with pytest.raises(UserError) as caught:
        data.load({"name": name, **given})
    assert names(str(caught.value), f"dataset.{key}={value} is not", *said)


def test_label_keys():
    keys = {catalogue.label_key(text) for text in ("+1", "1", "1.0", "1.", "1e0")}
    assert keys == {"1"}
    assert [catalogue.label_key(text) for text in ("0.5", "yes", "1_0", "nan")] == [
        "0.5",
        "yes",
        "1_0",
        "nan",
    ]


@pytest.fixture
def small(monkeypatch):
    """Make ``adult`` a set of one small file on a loopback server."""
    with serving() as server:
        content = b"1 1:1\n-1 2:1\n"
        server.files["/a9a"] = content
        form = catalogue.Form("a9a", {"a9a": sha256(content)}, None, (f"{server.address}/a9a",))
        file = catalogue.RawFile("adult", (form,))
        entry = dataclasses.replace(catalogue.entry("adult"), files={"train": file})
        monkeypatch.setattr(catalogue, "entry", lambda name: entry)
        monkeypatch.delenv("SVMBENCH_MIRROR", raising=False)
        yield server


def test_list_fetch_and_verify(tmp_path, small):
    assert not any(about["present"] for about in catalogue.list_sets(str(tmp_path)))
    ((name, right, sentence),) = catalogue.verify("adult", str(tmp_path))
    assert (name, right) == ("adult/a9a", False)
    assert sentence == "not downloaded yet; get it by svmbench datasets fetch adult"
    lines: list[str] = []
    (path,) = catalogue.fetch("adult", directory=str(tmp_path), say=lines.append)
    assert lines == ["a9a: complete and verified"]
    assert all(about["present"] for about in catalogue.list_sets(str(tmp_path)))
    assert catalogue.verify("adult", str(tmp_path)) == [(str(path), True, "its checksum is right")]
    path.write_bytes(b"1 1:1\n")
    ((_, right, sentence),) = catalogue.verify("adult", str(tmp_path))
    assert not right and names(sentence, "another checksum", "'a9a'", "fetch it again")


def test_where_data_lie(tmp_path, monkeypatch):
    monkeypatch.setenv("SVMBENCH_DATA", str(tmp_path / "env"))
    assert folders.data_folder(str(tmp_path / "given")) == tmp_path / "given"
    assert folders.data_folder() == tmp_path / "env"
    monkeypatch.delenv("SVMBENCH_DATA")
    monkeypatch.setattr(folders, "_PACKAGE", tmp_path / "svmbench")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert folders.data_folder() == tmp_path / "cache" / "svmbench"
    with pytest.raises(RuntimeError, match="the catalogue of data sets is missing"):
        folders.catalogue_folder()
    (tmp_path / "datasets" / "catalogue").mkdir(parents=True)
    assert folders.data_folder() == tmp_path / "datasets"
    assert folders.catalogue_folder() == tmp_path / "datasets" / "catalogue"
    (tmp_path / "svmbench" / "catalogue").mkdir(parents=True)
    assert folders.catalogue_folder() == tmp_path / "svmbench" / "catalogue"


def test_mirrors(monkeypatch, tmp_path):
    monkeypatch.setenv("SVMBENCH_MIRROR", f"{tmp_path}:/b")
    assert folders.mirror_folders() == [tmp_path, Path("/b")]
    assert folders.mirror_folders("/c") == [Path("/c")]
    monkeypatch.delenv("SVMBENCH_MIRROR")
    assert folders.mirror_folders() == []
