"""Small files in the raw format of every set, and what is wrong with them."""

import dataclasses
import io
import struct
import tarfile

import numpy as np
import pytest

from svmbench.data import catalogue
from svmbench.data.sets import covtype, forest, rcv1_subset
from svmbench.data.sets.mnist import read_idx
from svmbench.data.unpack import sha256
from svmbench.errors import UserError

from .conftest import Small, put_adult


def test_adult_halves_its_test_set_for_asset(small):
    put_adult(small)
    data = small.load("adult", split="asset", split_seed=3)
    assert (data.train.n, data.validation.n, data.test.n) == (2, 4, 5)
    assert data.validation.y.sum() + data.test.y.sum() == -3
    assert data.train.X.dtype == np.float32 and data.train.X.flags.c_contiguous
    assert data.train.X[0].nonzero()[0].tolist() == [2, 10] and data.train.y.tolist() == [-1.0, 1.0]


def idx(values: np.ndarray) -> bytes:
    return bytes((0, 0, 8, values.ndim)) + struct.pack(f">{values.ndim}I", *values.shape) + values.tobytes()


def put_mnist(small: Small) -> tuple[np.ndarray, np.ndarray]:
    pixels = np.random.default_rng(0).integers(0, 256, (30, 2, 2)).astype(np.uint8)
    labels = np.arange(30, dtype=np.uint8) % 10
    train = {"train_images": idx(pixels[:20]), "train_labels": idx(labels[:20])}
    small.put("mnist", {**train, "test_images": idx(pixels[20:]), "test_labels": idx(labels[20:])})
    return pixels, labels


def test_mnist(small):
    pixels, labels = put_mnist(small)
    data = small.load("mnist", task=[0, 1, 2, 3, 4])
    assert data.train.X.tolist() == (pixels[:20].reshape(20, 4) / 255.0).astype(np.float32).tolist()
    assert data.test.y.tolist() == np.where(labels[20:] < 5, 1.0, -1.0).tolist()
    assert data.checksum == small.load("mnist", task="0-4").checksum != small.load("mnist").checksum
    assert small.load("mnist").train.y.sum() == 2 - 18
    parts = small.load("mnist", split="asset")
    assert (parts.train.n, parts.validation.n, parts.test.n) == (26, 2, 2)


def test_mnist_files_are_checked(small):
    put_mnist(small)
    small.counts("mnist", "train_labels", classes={"8": 3})
    with pytest.raises(UserError, match="2 examples of class '8' but the catalogue says 3"):
        small.load("mnist")
    small.data = small.mirror / "anew"
    small.put("mnist", dict.fromkeys(catalogue.entry("mnist").files, b"\x00\x00\x08\x01\x00\x00\x00\t"))
    with pytest.raises(UserError, match="is not an IDX file of bytes with 3 axes"):
        small.load("mnist")


def test_idx_axes_that_no_array_has_are_refused():
    """Found by fuzzing: sizes whose product is 0, or overflows to the length of the file."""
    for sizes, said in (
        ((0x912C00FB, 0, 0xFF2E9191), "is empty: an axis in its header has size 0"),
        ((1 << 31, 1 << 31, 4), "has 16 bytes where its header says 18446744073709551632"),
    ):
        with pytest.raises(UserError, match=said):
            read_idx(b"\0\0\x08\x03" + struct.pack(">3I", *sizes), "images", 3)


def test_mnist_header_and_length_must_agree(small):
    put_mnist(small)
    name = "train-images-idx3-ubyte"
    content = (small.mirror / name).read_bytes()[:-1]
    (small.mirror / name).write_bytes(content)
    form = catalogue.Form(name, {name: sha256(content)})
    small.counts("mnist", "train_images", forms=(form,))
    with pytest.raises(UserError, match="has 95 bytes where its header says 96"):
        small.load("mnist")


def covtype_text(rows: int) -> tuple[np.ndarray, np.ndarray, bytes]:
    rng = np.random.default_rng(1)
    X = np.hstack([rng.integers(-50, 3000, (rows, 10)), rng.integers(0, 2, (rows, 44))])
    classes = 1 + np.arange(rows) % 7
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), classes.tolist())]
    return X, classes, "\n".join(lines).encode() + b"\n"


def test_covtype(small, monkeypatch):
    X, classes, text = covtype_text(105)
    small.put("covtype", {"data": text})
    data = small.load("covtype", scaling="none", positive_class=3)
    assert (data.train.n, data.test.n) == (95, 10)
    joined = np.vstack([data.train.X, data.test.X])
    order = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in joined]
    assert sorted(order) == list(range(105)) and order != list(range(105))
    assert (
        np.concatenate([data.train.y, data.test.y]).tolist() == np.where(classes[order] == 3, 1, -1).tolist()
    )
    other = small.load("covtype", scaling="none", positive_class=3, split_seed=1)
    assert not np.array_equal(other.train.X, data.train.X)
    monkeypatch.setattr(covtype, "SMALL", 40)
    half = small.load("covtype", split="50k")
    assert (half.train.n, half.test.n) == (40, 40)
    three = small.load("covtype", split="asset")
    assert (three.train.n, three.validation.n, three.test.n) == (84, 11, 10)
    numeric = three.train.X[:, :10]
    assert numeric.min(axis=0).tolist() == [0.0] * 10 and numeric.max(axis=0).tolist() == [1.0] * 10
    assert set(np.unique(three.train.X[:, 10:])) == {0.0, 1.0}


def test_forest(small, monkeypatch):
    X, classes, text = covtype_text(63)
    small.put("forest", {"data": text})
    monkeypatch.setattr(forest, "TEST", 14)
    monkeypatch.setattr(forest, "VALIDATION", 7)
    data = small.load("forest", scaling="none", split="position")
    assert np.array_equal(data.test.X, X[:14]) and np.array_equal(data.validation.X, X[14:21])
    assert np.array_equal(data.train.X, X[21:])
    assert data.train.y.tolist() == np.where(classes[21:] == 2, 1.0, -1.0).tolist()
    mixed = small.load("forest", scaling="none")
    rows = np.vstack([mixed.test.X, mixed.validation.X, mixed.train.X]).tolist()
    assert (mixed.test.n, mixed.validation.n) == (14, 7) and sorted(rows) == sorted(X.astype(float).tolist())
    assert not np.array_equal(mixed.test.X, X[:14])
    other = small.load("forest", scaling="none", split_seed=1)
    assert not np.array_equal(mixed.test.X, other.test.X)
    scaled = small.load("forest").train.X[:, :10].astype(np.float64)
    assert np.allclose(scaled.mean(axis=0), 0.0, atol=1e-6) and np.allclose(scaled.std(axis=0), 1.0)
    assert small.load("forest", split="cvm").test.n == 6


def test_covtype_refuses_a_cut_line(small):
    text = covtype_text(20)[2]
    small.put("covtype", {"data": text[:-41]})
    with pytest.raises(UserError, match=r"covtype\.data, line 20, field \d+ .*: the line ends after \d+ of"):
        small.load("covtype")


def test_ijcnn1(small):
    train = "".join(f"{(-1) ** k} 1:{k} 13:0.0\n" for k in range(6)).encode()
    test = "".join(f"{(-1) ** k}.0 2:{k + 1}\n" for k in range(5)).encode()
    small.put("ijcnn1", {"train": train, "test": test})
    data = small.load("ijcnn1")
    assert data.train.X.shape == (6, 22) and data.validation is None
    assert data.test.y.tolist() == [1.0, -1.0, 1.0, -1.0, 1.0]
    parts = small.load("ijcnn1", split="asset")
    assert (parts.train.n, parts.validation.n, parts.test.n) == (8, 2, 1)


def test_w8a(small):
    rows = [f"{'+1' if k % 7 == 0 else '-1'} {k + 1}:1 " for k in range(25)]
    small.put("w8a", {"data": ("\n".join(rows) + "\n").encode()})
    data = small.load("w8a")
    assert (data.train.n, data.validation.n, data.test.n) == (15, 5, 5) and data.train.X.shape[1] == 300
    parts = (data.train, data.validation, data.test)
    seen = [int(row.nonzero()[0][0]) for part in parts for row in dense(part)]
    labels = np.concatenate([part.y for part in parts])
    assert sorted(seen) == list(range(25)) and seen != list(range(25))
    assert labels.tolist() == [1.0 if k % 7 == 0 else -1.0 for k in seen]
    assert not np.array_equal(dense(small.load("w8a", split_seed=1).train), dense(data.train))
    whole = small.load("w8a", split="all")
    assert whole.train.n == 25 and whole.validation is None and whole.test is None
    assert whole.train.y.tolist() == [1.0 if k % 7 == 0 else -1.0 for k in range(25)]


def dense(part) -> np.ndarray:
    return part.X.toarray() if hasattr(part.X, "toarray") else part.X


def test_letter_is_the_first_half_of_the_alphabet_against_the_second(small):
    text = "".join(f"{k} 1:-0.5 16:{k / 26}\n" for k in range(1, 27)).encode()
    small.put("letter", {"train": text, "test": text})
    data = small.load("letter")
    assert data.train.X.shape == (26, 16) and data.validation is None
    assert data.train.y.tolist() == data.test.y.tolist() == [1.0] * 13 + [-1.0] * 13


def test_magic(small):
    rng = np.random.default_rng(3)
    X = np.round(rng.uniform(-50.0, 300.0, (20, 10)), 4)
    lines = [",".join([*map(repr, row), "g" if k < 12 else "h"]) for k, row in enumerate(X.tolist())]
    small.put("magic", {"data": ("\n".join(lines) + "\n").encode()})
    small.counts("magic", "data", classes={"g": 12, "h": 8}, rows=20)
    data = small.load("magic", scaling="none")
    assert (data.train.n, data.validation.n, data.test.n) == (12, 4, 4)
    for part in (data.train, data.validation, data.test):
        at = [int(np.flatnonzero((row == X.astype(np.float32)).all(axis=1))[0]) for row in part.X]
        assert part.y.tolist() == [1.0 if k < 12 else -1.0 for k in at]
    scaled = small.load("magic").train.X.astype(np.float64)
    assert np.allclose(scaled.mean(axis=0), 0.0, atol=1e-6) and np.allclose(scaled.std(axis=0), 1.0)
    small.counts("magic", "data", classes={"g": 13})
    with pytest.raises(UserError, match="12 examples of class 'g' but the catalogue says 13"):
        small.load("magic", split_seed=1)


def test_skin_has_tabs_and_line_ends_of_windows(small):
    X = np.random.default_rng(4).integers(0, 256, (20, 3))
    lines = ["\t".join([*map(str, row), "1" if k < 8 else "2"]) for k, row in enumerate(X.tolist())]
    small.put("skin", {"data": ("\r\n".join(lines) + "\r\n").encode()})
    data = small.load("skin")
    assert (data.train.n, data.validation.n, data.test.n) == (16, 2, 2)
    rows = {tuple(row): k for k, row in enumerate((X / 255.0).astype(np.float32).tolist())}
    for part in (data.train, data.validation, data.test):
        assert part.y.tolist() == [1.0 if rows[tuple(row)] < 8 else -1.0 for row in part.X.tolist()]


@pytest.mark.parametrize("form", ["libsvm", "published"])
def test_usps_in_both_forms(small, form):
    grey = np.round(np.random.default_rng(2).uniform(-1, 1, (12, 256)), 3)
    lines = []
    for k, row in enumerate(grey):
        if form == "libsvm":
            lines.append(f"{k % 10} " + " ".join(f"{j + 1}:{value:g}" for j, value in enumerate(row)))
        else:
            lines.append(f"{k % 10}.0000 " + " ".join(f"{value:.4f}" for value in row) + " ")
    text = ("\n".join(lines) + "\n").encode()
    small.put("usps", {"train": text, "test": text})
    small.counts("usps", "train", classes={"0": 2, "9": 1}, rows=12)
    data = small.load("usps", task="0,9", scaling="none")
    assert np.array_equal(data.train.X, grey.astype(np.float32))
    assert np.flatnonzero(data.test.y > 0).tolist() == [0, 9, 10]
    data = small.load("usps")
    assert np.allclose(data.train.X, grey / np.linalg.norm(grey, axis=1, keepdims=True), rtol=1e-6)
    assert np.flatnonzero(data.test.y > 0).tolist() == [0, 10]


def test_rcv1_subset(small, monkeypatch):
    monkeypatch.setattr(rcv1_subset, "TEST", 2)
    small.put("rcv1_subset", {"data": b"0,33 1:0.6 47236:0.8\n59 2:1\n33 3:1\n133 3:1\n10,33 5:1\n"})
    data = small.load("rcv1_subset")
    assert data.train.y.tolist() == [1.0, -1.0, 1.0] and data.test.y.tolist() == [-1.0, 1.0]
    assert small.load("rcv1_subset", topic="c11").train.y.tolist() == [1.0, -1.0, -1.0]


def put_rcv1(small: Small) -> None:
    numbers = iter(range(2286, 2400))
    vectors = {}
    for key, rows in (("train", 5), ("test0", 7), ("test1", 6), ("test2", 5), ("test3", 5)):
        lines = [
            f"{number}  {number % 40 + 1}:0.6 100:{8e-1}" for number in (next(numbers) for _ in range(rows))
        ]
        vectors[key] = ("\n".join(lines) + "\n").encode()
    topics = "".join(f"{'CCAT' if k % 2 else 'C11'} {k} 1\nECAT {k} 1\n" for k in range(2286, 2314))
    small.put("rcv1", {**vectors, "topics": topics.encode()})


def test_rcv1_reads_the_published_form(small):
    put_rcv1(small)
    data = small.load("rcv1")
    assert data.train.X.shape == (5, 47236) and data.test.X.shape == (23, 47236)
    assert data.train.y.tolist() == [-1.0, 1.0, -1.0, 1.0, -1.0]  # documents 2286, 2287, ...
    assert data.train.X[[0]].nonzero()[1].tolist() == [2286 % 40, 99]
    assert small.load("rcv1", topic="C11").train.y.tolist() == (-data.train.y).tolist()


def test_rcv1_splits(small):
    put_rcv1(small)
    official, swapped = small.load("rcv1"), small.load("rcv1", split="pegasos")
    assert np.array_equal(swapped.train.y, official.test.y) and np.array_equal(
        swapped.test.y, official.train.y
    )
    assert (swapped.test.X != official.train.X).nnz == 0
    asset = small.load("rcv1", split="asset", split_seed=1)
    assert (asset.train.n, asset.validation.n, asset.test.n) == (3, 3, 2)
    both = np.concatenate([asset.validation.y, asset.test.y])
    assert sorted(both) == sorted(official.train.y)
    randsvm = small.load("rcv1", split="randsvm")
    assert (randsvm.train.n, randsvm.test.n) == (24, 4)


def test_rcv1_refuses_what_it_does_not_know(small):
    put_rcv1(small)
    with pytest.raises(UserError, match="0 documents of topic GCAT but at least one is needed"):
        small.load("rcv1", topic="GCAT")
    small.counts("rcv1", "topics", classes={"CCAT": 381327})
    with pytest.raises(UserError, match="14 documents of topic CCAT but the catalogue says 381327"):
        small.load("rcv1")


def test_rcv1_documents_must_be_distinct_numbers(small):
    put_rcv1(small)
    forms = {key: file.forms[0].name for key, file in catalogue.entry("rcv1").files.items()}
    contents = {key: (small.mirror / name).read_bytes() for key, name in forms.items()}
    small.put("rcv1", {**contents, "test2": b"2300 1:1\n2300 2:1\n"})
    with pytest.raises(UserError, match="'test2' of rcv1 does not begin each line with the number of"):
        small.load("rcv1")


def story(number: int, split: str, topics: str, body: str, flag: str = "YES") -> str:
    marked = "".join(f"<D>{topic}</D>" for topic in topics.split())
    return (
        f'<REUTERS TOPICS="{flag}" LEWISSPLIT="{split}" CGISPLIT="x" OLDID="1" NEWID="{number}">\n'
        f"<TOPICS>{marked}</TOPICS>\n<PLACES><D>usa</D></PLACES>\n"
        f"<TEXT>&#2;\n<TITLE>Dollar &lt;GM> up</TITLE>\n<BODY>{body}\n"
        " REUTER\n&#3;</BODY></TEXT>\n</REUTERS>\n"
    )


def put_reuters(small: Small) -> None:
    bodies = ["yen rates rose", "wheat crop", "yen wheat market", "rates fell"]
    stories = [
        *(story(k, "TRAIN", "money-fx" if k % 2 else "wheat", bodies[k % 4]) for k in range(8)),
        story(90, "TRAIN", "rare", "only here"),
        story(91, "TRAIN", "", "no topic"),
        story(92, "TRAIN", "money-fx", "not indexed", "NO"),
        story(93, "NOT-USED", "money-fx", "not used"),
        *(story(100 + k, "TEST", topic, "yen") for k, topic in enumerate(["money-fx wheat", "", "other"])),
    ]
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        text = "".join(stories).encode("latin-1")
        item = tarfile.TarInfo("reut2-000.sgm")
        item.size = len(text)
        archive.addfile(item, io.BytesIO(text))
    (small.mirror / "reuters21578.tar.gz").write_bytes(stream.getvalue())
    form = catalogue.Form("reuters21578.tar", {"reut2-000.sgm": sha256(text)})
    file = catalogue.RawFile("reuters21578", (form,), None, {"money-fx": 4})
    rows = {"train": 8, "test": 3}
    small.entries["reuters_text"] = dataclasses.replace(
        catalogue.entry("reuters_text"), files={"texts": file}, rows=rows
    )


def test_reuters_text_takes_the_mod_apte_split(small):
    put_reuters(small)
    data = small.load("reuters_text")
    assert data.train.y.tolist() == [-1.0, 1.0] * 4 and data.test.y.tolist() == [1.0, -1.0, -1.0]
    # At least three training stories: dollar, gm, reuter in all, rates in four, wheat in four, yen in four.
    assert data.train.X.shape == (8, 6)
    assert np.allclose(np.linalg.norm(data.train.X, axis=1), 1.0)
    assert small.load("reuters_text", topic="wheat").test.y.tolist() == [1.0, -1.0, -1.0]


def test_reuters_text_refuses_other_archives_and_topics(small):
    put_reuters(small)
    with pytest.raises(UserError, match=r"topic=money-f is not a topic .*; did you mean 'money-fx'\?"):
        small.load("reuters_text", topic="money-f")
    small.counts("reuters_text", "texts", classes={"money-fx": 5})
    with pytest.raises(UserError, match="4 training stories of money-fx but the catalogue says 5"):
        small.load("reuters_text")
    small.entries["reuters_text"] = dataclasses.replace(
        small.entries["reuters_text"], rows={"train": 9, "test": 3}
    )
    with pytest.raises(UserError, match="8 TRAIN stories but the catalogue says 9"):
        small.load("reuters_text")
