"""``dataset=file``: formats found by themselves, encodings, labels, splits, scalings, and its name."""

import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench import config
from svmbench.data import columns, load
from svmbench.data.delimited import split_fields
from svmbench.data.loading import catalogue
from svmbench.errors import UserError
from tests.told import names

from .conftest import CSV, LIBSVM, fault, get


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_libsvm_in_any_compression(write, pack):
    data = get(write(pack(LIBSVM), "mine.any"), test_fraction=0)
    assert data.train.X.tolist() == [[0.5, 0, 2], [0, 1, 0], [1, 0, 0], [0, 0, 0.25], [0, 3, 0]]
    assert data.train.y.tolist() == [1.0, -1.0, 1.0, -1.0, 1.0]
    assert data.test is None and data.validation is None


FIRST = {"label_column": "first"}


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
        (b"\n".join(b",".join(line.split(b",")[::-1]) for line in CSV.splitlines()), FIRST),
    ],
)
def test_delimited_text(write, content, params):
    data = get(write(content), test_fraction=0, **params)
    expected = [[0.5, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    if params is FIRST:
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
    assert lines == [f"{path}: the last line has no line end; if the file was cut off there, write it again"]
    get(write(LIBSVM), lines)
    assert len(lines) == 1


def test_relative_and_home_paths(write, monkeypatch):
    path = Path(write(LIBSVM))
    monkeypatch.chdir(path.parent)
    assert get("mine.txt").train.n == 4
    monkeypatch.setenv("HOME", str(path.parent))
    assert get("~/mine.txt").train.n == 4


QUOTED = b'"a, the first",b,"the ""class"""\n"0.5",1,"yes, it is"\n2,"3",no\n4,5,"yes, it is"\n'


def test_quoted_fields_and_names(write):
    data = get(write(QUOTED), test_fraction=0, positive="yes, it is", label_column='the "class"')
    assert data.train.X.tolist() == [[0.5, 1], [2, 3], [4, 5]] and data.train.y.tolist() == [1, -1, 1]


@pytest.mark.parametrize(
    ("line", "mark", "fields"),
    [
        ('"a,b",c', ",", ["a,b", "c"]),
        (' "x ""y"" z" ; 2', ";", ['x "y" z', "2"]),
        ("a,,c,", ",", ["a", "", "c", ""]),
        ("\t1\t2", "\t", ["", "1", "2"]),
        ("a  b\tc ", " ", ["a", "b", "c"]),
        ('1,"open', ",", ["1", "open"]),
    ],
)
def test_fields_of_the_first_line(line, mark, fields):
    assert split_fields(line, mark) == fields


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(write, encoding, end):
    text = end.join(["1,ä", "2,ö", "3,ä", ""])
    data = get(write(text.encode(encoding)), test_fraction=0, positive="ä")
    assert data.train.X.tolist() == [[1], [2], [3]] and data.train.y.tolist() == [1, -1, 1]


def test_what_is_no_text_is_refused(write):
    assert "mine.txt is not text: it begins like UTF-16 but is not" in fault(write(b"\xff\xfe1\x00\n"))
    assert names(fault(write(b"1,2\n1,\x00\n")), "mine.txt", "byte 7 is zero", "31 2c 32 0a 31 2c 00 0a;")


def test_ranking_files_are_named(write):
    told = fault(write(b"2 qid:1 1:0.5\n1 qid:1 1:1\n"))
    assert names(told, "line 1, field 2 (column 3): 'qid:1'", "ranking file")


def test_scalings_know_the_training_rows_only(write):
    path, test = write(b"0,5,1\n4,5,0\n2,5,1\n"), write(b"8,9,1\n", "test")
    minmax = get(path, test_path=test, scaling="minmax")
    assert minmax.train.X.tolist() == [[0, 0], [1, 0], [0.5, 0]] and minmax.test.X.tolist() == [[2, 4]]
    standard = get(path, test_path=test, scaling="standard").train.X
    assert np.allclose(standard.mean(axis=0), 0) and np.allclose(standard.std(axis=0), [1, 0])
    assert np.allclose(get(path, scaling="unit", test_fraction=0).train.X[0], [0, 1])
    assert minmax.checksum != get(path, test_path=test).checksum
    assert minmax.info["scaling"] == "each column to [0, 1] by the training rows"


def test_wide_sparse_data_stay_sparse_when_scaled(write):
    lines = "".join(f"{(-1) ** k} {k + 1}:{k + 1} 999:{-2 - k}\n" for k in range(20)).encode()
    data = get(write(lines), scaling="minmax", test_fraction=0)
    assert isinstance(data.train.X, sp.csr_array) and data.train.X[[3]].data.tolist() == [
        1.0,
        np.float32(-5 / 21),
    ]
    assert data.info["scaling"].startswith("each column divided by its largest absolute value")
    assert "would fill the zeros of sparse data; give minmax" in fault(write(lines), scaling="standard")
    assert np.allclose(abs(get(write(lines), scaling="unit").train.X).power(2).sum(axis=1), 1.0)


def test_values_too_far_apart_are_not_scaled(write):
    path = write(b"1e308,1\n-1e308,0\n")
    assert "column 1 are too far apart" in fault(path, scaling="minmax", test_fraction=0)


def test_empty_columns_of_very_wide_data_are_left_out(write):
    lines: list[str] = []
    path = write(b"1 3:5 2147483648:1\n-1 3:6 7:2\n1 7:1\n")
    data = get(path, lines, test_path=write(b"-1 5:9 7:3 2000000000:4\n", "test"))
    assert lines == [f"{path}: 5 of the 2147483648 columns are not empty; the others are left out"]
    # The training file's columns first: 3, 7, 2147483648, and then those of the test file: 5, 2000000000.
    assert data.train.X.tolist() == [[5, 0, 1, 0, 0], [6, 2, 0, 0, 0], [0, 1, 0, 0, 0]]
    assert data.test.X.tolist() == [[0, 3, 0, 9, 4]]


def test_wide_data_without_empty_columns_stay_as_they_are():
    X = sp.csr_array(([1.0], [3], [0, 1]), shape=(1, columns.ALWAYS))
    assert columns.occurring([X])[0] is X
    full = sp.csr_array(np.ones((1, columns.ALWAYS + 1)))
    assert columns.occurring([full])[0] is full


def called(path: str, *overrides: str) -> str:
    given = ["dataset=file", f"dataset.path='{path}'", "kernel.gamma=1", "problem.C=1", *overrides]
    return config.resolve(given).dataset.name


def test_the_data_set_is_called_like_the_file():
    names = ("/x/my iris.csv.gz", "heart_scale", "a.b.svm", "adult.txt", "/x/.csv", "file")
    assert list(map(called, names)) == ["my_iris", "heart_scale", "a.b", "adult-file", "csv", "file"]
    assert called("x.csv", "dataset.name=wine") == "wine"


def test_a_name_that_is_no_folders_name_is_refused():
    for name in ("../x", "a b", "x" * 41, "-x"):
        with pytest.raises(UserError, match=r"dataset\.name=.* is not allowed: give at most 40 letters"):
            called("x.csv", f"dataset.name='{name}'")


def test_a_resolved_configuration_loads_under_its_name(write):
    path = write(LIBSVM, "wine.svm")
    resolved = config.resolve(["dataset=file", f"dataset.path={path}", "kernel.gamma=1", "problem.C=1"])
    data = load(resolved.dataset.document(), directory="/nonexistent")
    assert data.name == "wine" and data.checksum == get(path).checksum
    assert catalogue.set_of({"name": "wine", "path": path}) == "file"
