"""``dataset=file``: formats found by themselves, labels, splits, and a sentence for every fault."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.data import Dataset, load
from svmbench.errors import UserError

LIBSVM = b"1 1:0.5 3:2\n-1 2:1\n1 1:1\n-1 3:0.25\n1 2:3\n"
CSV = b"a,b,class\n0.5,1,1\n2,3,0\n4,5,1\n6,7,0\n8,9,1\n"


@pytest.fixture
def write(tmp_path):
    def to(content: bytes, name: str = "mine.txt") -> str:
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return to


def get(path: str | None, lines: list[str] | None = None, **params: object) -> Dataset:
    say = lines.append if lines is not None else lambda line: None
    return load({"name": "file", "path": path, **params}, directory="/nonexistent", say=say)


def fault(path: str | None, **params: object) -> str:
    with pytest.raises(UserError) as caught:
        get(path, **params)
    return str(caught.value)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_libsvm_in_any_compression(write, pack):
    data = get(write(pack(LIBSVM), "mine.any"), test_fraction=0)
    assert data.train.X.tolist() == [[0.5, 0, 2], [0, 1, 0], [1, 0, 0], [0, 0, 0.25], [0, 3, 0]]
    assert data.train.y.tolist() == [1.0, -1.0, 1.0, -1.0, 1.0]
    assert data.test is None and data.validation is None


@pytest.mark.parametrize(
    ("content", "params"),
    [
        (CSV, {}),
        (CSV, {"label_column": "class"}),
        (CSV, {"label_column": 3, "format": "csv", "header": True, "delimiter": ","}),
        (CSV.replace(b",", b";"), {}),
        (CSV.replace(b",", b"\t"), {}),
        (CSV.replace(b",", b" "), {"delimiter": "space"}),
        (CSV.split(b"\n", 1)[1], {}),
        (
            b"\n".join(b",".join(line.split(b",")[::-1]) for line in CSV.splitlines()),
            {"label_column": "first"},
        ),
    ],
)
def test_delimited_text(write, content, params):
    data = get(write(content), test_fraction=0, **params)
    expected = [[0.5, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    if params.get("label_column") == "first":
        expected = [row[::-1] for row in expected]
    assert data.train.X.tolist() == expected
    assert data.train.y.tolist() == [1.0, -1.0, 1.0, -1.0, 1.0]


def test_wide_and_thin_data_are_sparse(write):
    lines = "".join(f"{(-1) ** k} {k + 1}:1 999:0.5\n" for k in range(20)).encode()
    data = get(write(lines))
    assert isinstance(data.train.X, sp.csr_array) and data.test.X.shape == (4, 999)


def test_a_random_split_has_its_fraction_and_seed(write):
    path = write(b"".join(b"%d 1:%d\n" % ((-1) ** k, k) for k in range(40)))
    data, again, other = get(path), get(path), get(path, split_seed=1)
    assert (data.train.n, data.test.n) == (32, 8)
    assert np.array_equal(data.train.X, again.train.X) and not np.array_equal(data.train.X, other.train.X)
    assert sorted(np.vstack([data.train.X, data.test.X])[:, 0].tolist()) == list(range(40))
    assert get(path, test_fraction=0.5).test.n == 20


def test_a_test_file_may_be_narrower_or_wider(write):
    path = write(LIBSVM)
    narrow = get(path, test_path=write(b"-1 1:1\n", "narrow"))
    assert narrow.train.n == 5 and narrow.test.X.tolist() == [[1, 0, 0]] and narrow.test.y.tolist() == [-1.0]
    assert get(path, test_path=write(b"1 5:1\n", "wide")).train.X.shape == (5, 5)
    assert get(path, features=9).train.X.shape[1] == 9


def test_a_test_file_has_the_layout_of_the_training_file(write):
    data = get(write(CSV), label_column="class", test_path=write(b"a,b,class\n1,2,0\n", "test.csv"))
    assert data.test.X.tolist() == [[1, 2]] and data.test.y.tolist() == [-1.0]


@pytest.mark.parametrize(
    ("labels", "params", "expected"),
    [
        ("0 1", {}, [-1, 1]),
        ("2 1", {}, [1, -1]),
        ("+1 -1.0", {}, [1, -1]),
        ("1 -1 +1 -1.0 1.", {}, [1, -1, 1, -1, 1]),
        ("2 1", {"positive": 1}, [-1, 1]),
        ("yes no", {"positive": "yes"}, [1, -1]),
        ("3 5 7", {"positive": 5.0}, [-1, 1, -1]),
    ],
)
def test_which_label_is_positive(write, labels, params, expected):
    path = write("".join(f"{label} 1:1\n" for label in labels.split()).encode())
    assert get(path, test_fraction=0, **params).train.y.tolist() == expected


def test_the_checksum_is_of_the_content_not_of_the_place(write):
    first = get(write(LIBSVM, "a")).checksum
    assert get(write(gzip.compress(LIBSVM), "b.gz")).checksum == first
    assert get(write(LIBSVM + b"1 1:1\n", "c")).checksum != first
    assert get(write(LIBSVM, "d"), split_seed=1).checksum != first
    assert get(write(LIBSVM, "d"), test_path=write(LIBSVM, "a")).checksum != first


def test_a_missing_last_line_end_is_told(write):
    lines: list[str] = []
    path = write(LIBSVM[:-1])
    get(path, lines)
    assert lines == [f"{path}: the last line has no line end; if the file was cut off there, make it anew"]
    get(write(LIBSVM), lines)
    assert len(lines) == 1


def test_faults_of_the_file(write, tmp_path):
    assert fault(None) == "dataset=file needs a file: give dataset.path=FILE"
    assert fault(str(tmp_path / "none")) == f"cannot read {tmp_path}/none: No such file or directory"
    assert fault(str(tmp_path)) == f"cannot read {tmp_path}: Is a directory"
    assert fault(write(b"")).endswith("mine.txt is empty: it needs one example per line")
    assert fault(write(b" \n\n")).endswith("mine.txt is empty: it needs one example per line")
    assert "mine.txt: the compressed file is damaged or cut off" in fault(write(gzip.compress(LIBSVM)[:-10]))
    assert "mine.txt: the compressed file is damaged" in fault(write(bz2.compress(LIBSVM * 50)[:-30]))
    assert "mine.txt: the compressed file is damaged" in fault(write(lzma.compress(LIBSVM)[:-30]))
    assert "line 2, field 3 (column 8): index 1 comes after index 2" in fault(write(b"1 1:1\n-1 2:1 1:1\n"))
    assert "line 2, field 2 (column 4): index 0 is not allowed" in fault(write(b"1 1:1\n-1 0:1\n"))
    assert "line 3, field 1 (column 1): 'x' is not a number" in fault(write(b"1,2,1\n2,1,0\nx,1,1\n"))
    assert "line 2, field 3 (column 4): the line ends after 2 of 3 fields" in fault(write(b"1,2,1\n2,1\n"))


def test_faults_of_the_labels(write):
    merged = write(b"1 1:1\n1.0 1:1\n-1 1:2\n+3 1:1\n")
    assert f"{merged}, line 4, field 1 (column 1): '3' is a third label beside '1' and '-1'" in fault(merged)
    path = write(b"1 1:1\n-1 1:2\n\n0 1:3\n")
    assert fault(path) == (
        f"{path}, line 4, field 1 (column 1): '0' is a third label beside '1' and '-1'; give two classes, "
        "or choose one against the rest by dataset.positive=LABEL"
    )
    assert fault(path, positive=3) == f"no example of {path} has the label dataset.positive=3"
    same = write(b"1 1:1\n+1 1:2\n")
    one = f"all examples of {same} have the label '1': a classifier needs examples of two classes"
    assert fault(same) == fault(same, positive=1) == one
    words = write(b"1,2,yes\n3,4,no\n")
    assert fault(words) == (
        f"the labels of {words} are 'yes' and 'no': say which is the positive class by dataset.positive=LABEL"
    )
    assert "line 2, field 3 (column 5): the label 'nan' is not a finite number" in fault(
        write(b"1,2,1\n3,4,nan\n")
    )


def test_faults_of_the_test_file(write):
    path, test = write(LIBSVM), write(b"1 1:1\n2 1:1\n", "test")
    assert fault(path, test_path=test) == (
        f"{test}, line 2, field 1 (column 1): no training example has the label '2'; "
        "the training file has 1, -1"
    )
    assert "test is empty" in fault(path, test_path=write(b"", "test"))


def test_faults_of_the_layout(write):
    path = write(CSV)
    assert fault(path, label_column="clas").startswith(
        f"dataset.label_column=clas is not a column of {path}; did you mean 'class'? give first, "
        "last, a number from 1 to 3, or a name in its header"
    )
    assert "give first, last, a number from 1 to 3" in fault(path, label_column=4)
    assert f"{path} has 2 feature columns where dataset.features=7 is given" == fault(path, features=7)
    assert "has one column only" in fault(write(b"1\n2\n"), format="csv")
    assert "line 1, field 2 (column 3): index 3 is larger than the number of features, 2" in fault(
        write(b"1 3:1\n"), features=2
    )


def test_a_split_without_both_classes_is_refused(write):
    assert fault(write(b"1 1:1\n-1 1:2\n"), test_fraction=0.5).startswith(
        "the training examples are all of one class"
    )


def test_values_beyond_single_precision_are_refused(write):
    assert fault(write(b"1 1:1e39\n-1 1:2\n"), test_fraction=0) == (
        "the data hold values beyond the range of single precision, 3.4e38: rescale them"
    )


def test_relative_and_home_paths(write, monkeypatch):
    path = Path(write(LIBSVM))
    monkeypatch.chdir(path.parent)
    assert get("mine.txt").train.n == 4
    monkeypatch.setenv("HOME", str(path.parent))
    assert get("~/mine.txt").train.n == 4
