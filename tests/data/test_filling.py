"""``dataset.missing`` and ``dataset.encode``: missing values and text in the user's own data."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from svmbench import config
from svmbench.data.filling import Filling
from svmbench.data.rows import filled_rows
from svmbench.errors import UserError
from tests.told import names

from .conftest import fault, get

MIXED = (
    b"age,city,income,label\n1.5,Berlin,3,yes\n2.5,Paris,?,no\n,Berlin,4,yes\n"
    b'4,Rome,5,no\n5,"Berlin, x",6,yes\n6,,7,no\n'
)
#: The same by hand: age, income, then Berlin; 'Berlin, x'; Paris; Rome.
BY_HAND = [
    [1.5, 3, 1, 0, 0, 0],
    [2.5, 5, 0, 0, 1, 0],
    [4, 4, 1, 0, 0, 0],
    [4, 5, 0, 0, 0, 1],
    [5, 6, 0, 1, 0, 0],
    [6, 7, 1, 0, 0, 0],
]
GIVEN = {"positive": "yes", "test_fraction": 0}


def test_medians_and_indicators_by_hand(write):
    data = get(write(MIXED), missing="median", encode="onehot", **GIVEN)
    assert data.train.X.tolist() == BY_HAND
    assert data.train.y.tolist() == [1, -1, 1, -1, 1, -1]
    assert data.info["filling"] == {
        "names": ["age", "city", "income"],
        "columns": [
            {"median": 4.0},
            {"words": ["Berlin", "Berlin, x", "Paris", "Rome"], "mode": 0},
            {"median": 5.0},
        ],
    }
    assert Filling.of(data.info["filling"]).document() == data.info["filling"]


@pytest.mark.parametrize("delimiter", [b";", b"\t", b"|"])
def test_other_delimiters_read_the_same(write, delimiter):
    content = MIXED.replace(b'"Berlin, x"', b"Berlin+ x").replace(b",", delimiter).replace(b"+", b",")
    data = get(write(content), missing="median", encode="onehot", delimiter="auto", **GIVEN)
    assert data.train.X.tolist() == BY_HAND


def test_rows_are_dropped_before_the_split_and_told(write):
    lines: list[str] = []
    path = write(MIXED)
    data = get(path, lines, missing="drop", encode="onehot", **GIVEN)
    assert data.train.X[:, :2].tolist() == [[1.5, 3], [4, 5], [5, 6]]
    assert lines == [f"{path}: 3 of 6 rows have a missing value and are left out"]
    halves = get(path, missing="drop", encode="onehot", positive="yes", test_fraction=1 / 3, split_seed=1)
    assert (halves.train.n, halves.test.n) == (2, 1)


def test_the_test_part_changes_no_median_and_no_word(write):
    train = write(MIXED, "train.csv")
    test = write(b"age,city,income,label\n100,Oslo,?,no\n100,Rome,100,yes\n", "test.csv")
    lines: list[str] = []
    both = get(train, lines, test_path=test, missing="median", encode="onehot", positive="yes")
    assert both.train.X.tolist() == BY_HAND
    assert both.test.X.tolist() == [[100, 5, 0, 0, 0, 0], [100, 100, 0, 0, 0, 1]]
    (line,) = lines
    assert names(line, test, "feature 2 ('city') in 1 of 2 rows", "'Oslo' in line 2")


def test_the_same_as_a_pipeline_of_scikit_learn(write):
    rng = np.random.default_rng(0)
    n = 400
    numbers = np.where(rng.random((n, 3)) < 0.1, np.nan, rng.normal(size=(n, 3)).round(2))
    words = np.array(["red", "green", "blue", "rare"])[rng.choice(4, n, p=[0.4, 0.3, 0.295, 0.005])]
    lines = [
        ",".join([*("NA" if np.isnan(v) else repr(float(v)) for v in row), word, str(k % 2)])
        for k, (row, word) in enumerate(zip(numbers, words))
    ]
    path = write("\n".join(lines).encode() + b"\n")
    data = get(path, missing="median", encode="onehot", scaling="standard", split_seed=3)
    order = np.random.default_rng(np.random.SeedSequence(3)).permutation(n)
    table = np.concatenate([numbers.astype(object), words[:, np.newaxis]], axis=1)
    peer = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), [0, 1, 2]),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), [3]),
    ).fit(table[order[:320]])
    for part, rows in ((data.train, order[:320]), (data.test, order[320:])):
        np.testing.assert_allclose(part.X, peer.transform(table[rows]).astype(float), atol=1e-12)


def test_many_words_are_stored_sparse(write):
    content = b"".join(b"%d,w%d,%d\n" % (k, k % 500, k % 2) for k in range(1000))
    data = get(write(content), encode="onehot", test_fraction=0)
    assert isinstance(data.train.X, sp.csr_array) and data.train.X.shape == (1000, 501)
    assert data.train.X.sum(axis=1).tolist() == [k + 1 for k in range(1000)]


def test_a_number_that_no_option_reads_is_told_first(write):
    path = write(b'1;"2,5";yes\n?;3;no\n')
    assert fault(path).startswith(f"{path}, line 1, field 2 (column 3): '2,5' has a decimal comma")


def test_arrays_may_hold_nan_and_have_needs_as_well(tmp_path):
    X = np.array([[1.0, np.nan], [3.0, 4.0], [5.0, 8.0]])
    path = str(tmp_path / "mine.npz")
    np.savez(path, X=X, y=[0, 1, 1])
    assert "give dataset.missing=median or drop" in fault(path)
    assert get(path, missing="median", test_fraction=0).train.X.tolist() == [[1, 6], [3, 4], [5, 8]]
    np.savez(path, X=X, y=[0, 1, 2])
    told = "as 1 value is missing (the first in row 0, feature 2); and dataset.positive=LABEL or"
    assert told in fault(path)
    np.savez(path, X=np.array([[1.0, np.inf], [3.0, 4.0]]), y=[0, 1])
    assert "X, row 0, contains infinity" in fault(path, missing="median")


@pytest.mark.parametrize(
    ("content", "params", "sentence"),
    [
        (b"1,Berlin,yes\n2,Rome,no\n", {}, "line 1, field 2 (column 3): 'Berlin' is not a number; every"),
        (MIXED, {"missing": "median"}, "line 2: 'Berlin' in feature 2 ('city') is not a finite number; "),
        (MIXED, {"encode": "onehot"}, "line 3: feature 3 ('income') has no value; give dataset.missing"),
        (b"1,2,yes\n3,,no\n", {}, "the value is missing; give a number, or give dataset.missing=median"),
        (b"1,2,yes\n3,NaN,no\n", {}, "impute the value, or give dataset.missing=median"),
        (b"1,2,yes\n\n3,no\n", {"missing": "median"}, "line 3: the line has fewer than 3 fields"),
        (b"1,2,yes\n3,4,no,5\n", {"missing": "median"}, "line 2: the line has more than 3 fields"),
        (b'1,"2,yes\n3,4,no\n', {"missing": "median"}, "line 1: a double quote is not closed"),
        (b"1,2,yes\n3,4,\n5,6,no\n", {"missing": "median"}, "line 2: the label is missing; remove the row"),
        (b",,yes\n,,no\n", {"missing": "median"}, "every feature is missing in every row"),
        (b"1,?,yes\n?,2,no\n", {"missing": "drop"}, "every row of"),
        (b"1,inf,yes\n2,3,no\n", {"missing": "median"}, "line 1: 'inf' in feature 2 is not a finite number"),
        (b"yes 1:2\nno 1:3\n", {"missing": "median"}, "is in LIBSVM format, where a feature that is left"),
        (b"1,2,yes\n1e400,3,no\n2,a,no\n", {"encode": "onehot"}, "line 2: 'inf' in feature 1 is not"),
        (b"a,a,y\n1,2,yes\n3,4,no\n", {"drop": "a"}, "dataset.drop=a names 2 columns of"),
        (b"a,b,yes\na,b,no\nb,b,yes\n", {"encode": "onehot"}, "each word of the first line occurs"),
        (b"1,2,yes\n3,4,no\n", {"missing": "mean"}, "dataset.missing=mean is not allowed; did you"),
    ],
)
def test_what_is_refused_is_told_in_one_sentence(write, content, params, sentence):
    told = fault(write(content), **{**GIVEN, **params})
    assert sentence in told and "\n" not in told


TEXT = "dataset.encode=onehot", "feature 2 ('city')", "'Berlin' in line 2"
GAPS = "dataset.missing=median or dataset.missing=drop", "3 values", "line 3, feature 3 ('income')"
CLASSES = "dataset.positive=LABEL", "'no' and 'yes'"


@pytest.mark.parametrize(
    ("content", "params", "needed"),
    [
        (MIXED, {}, [TEXT, GAPS, CLASSES]),
        (MIXED, {"positive": "yes"}, [TEXT, GAPS]),
        (MIXED, {"encode": "onehot"}, [GAPS, CLASSES]),
        (MIXED, {"missing": "median"}, [TEXT, CLASSES]),
        (MIXED, {"missing": "drop"}, [TEXT, CLASSES]),
        (
            b"1,a,yes\n2,b,\n3,a,no\n",
            {"positive": "yes"},
            [("dataset.encode=onehot", "feature 2", "'a' in line 1"), ("dataset.missing=drop", "line 2")],
        ),
        (
            b"a,b,c,d,e,class\nx,x,x,x,1,u\ny,y,y,y,,v\nz,z,z,z,2,w\nz,z,z,z,2,?\n",
            {"missing": "drop", "header": True},
            [
                ("dataset.encode=onehot", "1 ('a')", "2 ('b')", "3 ('c')", "1 more", "'x' in line 2"),
                ("positive=LABEL", "multiclass=one_vs_one", "'u', 'v' and 'w'", "dataset.label_column"),
            ],
        ),
    ],
)
def test_all_that_a_file_needs_is_told_at_once(write, content, params, needed):
    path = write(content)
    told = re.split("; (?:and )?(?=dataset.[emp])", fault(path, **params).removeprefix(f"{path} needs "))
    assert all(names(one, *values) for one, values in zip(told, needed, strict=True))


def test_a_file_can_be_read_with_what_the_sentence_asks_for(write):
    path = write(MIXED)
    asked = re.findall(r"dataset\.(\w+)=(\w+)", fault(path))
    given = {key: value for key, value in asked if value != "drop"}
    assert given == {"encode": "onehot", "missing": "median", "positive": "LABEL"}
    assert get(path, **{**given, "positive": "no"}, test_fraction=0).train.X.tolist() == BY_HAND


def test_a_label_has_the_same_place_with_and_without_replacement(write):
    path = write(b'1,"2","a"\n"3",4,b\n 5 , "6" ,  c\n')
    assert "line 3, field 3 (column 13): 'c' is a third label" in fault(path, missing="median")
    assert fault(path, missing="median") == fault(path)


def test_a_header_like_an_example_can_be_decided(write):
    path = write(b"a,b,yes\na,b,no\nb,b,yes\n")
    rows = get(path, encode="onehot", header=False, **GIVEN).train.X.tolist()
    assert rows == [[1, 0, 1], [1, 0, 1], [0, 1, 1]]
    assert get(path, encode="onehot", header=True, **GIVEN).train.n == 2


def test_test_files_have_the_columns_of_the_training_file(write):
    train = write(MIXED, "train.csv")
    for content, sentence in (
        (b"age,town,income,label\n1,Rome,2,no\n", "feature 2 ('town')"),
        (b"age,city,income,label\nold,Rome,2,no\n", "the training file has numbers in this column"),
        (b"age,city,label\n1,Rome,no\n", "fewer than 4 fields"),
    ):
        test = write(content, "test.csv")
        given = {"positive": "yes", "missing": "median", "encode": "onehot", "test_path": test}
        assert sentence in fault(train, **given)


def test_stored_runs_without_these_keys_keep_their_identity(write):
    path = write(b"1,2,0\n3,4,1\n5,6,0\n7,8,1\n")
    assert get(path).checksum == "962cbdeb8d1d7ab5c66026fbc17633ae4adf8bac8da3c578117bcb113b298b88"
    plain = ["solver=smo", "dataset=file", f"dataset.path={path}", "kernel.gamma=1", "problem.C=1"]
    kept = config.resolve(plain).document()["dataset"]
    assert "missing" not in kept and "encode" not in kept
    assert config.resolve([*plain, "dataset.missing=refuse"]).document()["dataset"] == kept
    more = config.resolve([*plain, "dataset.missing=median"]).document()["dataset"]
    assert more == {**kept, "missing": "median"}
    assert get(path, missing="median").checksum != get(path).checksum


def test_rows_to_predict_are_replaced_as_the_training_rows(write):
    path = write(MIXED)
    dataset = {"name": "mine", "path": path, "missing": "median", "encode": "onehot", "positive": "yes"}
    stored = get(path, missing="median", encode="onehot", **GIVEN).info["filling"]
    bare = write(b"age,city,income\n1.5,Berlin,3\n,Oslo,\n", "rows.csv")
    rows = filled_rows(dataset, bare, stored, lambda line: None, ignore_unseen=True)
    assert rows.X.tolist() == [[1.5, 3, 1, 0, 0, 0], [4, 5, 0, 0, 0, 0]] and not rows.by_files


def test_words_that_training_had_not_are_refused_unless_they_are_ignored(write):
    path = write(b"city,age,job,label\nRome,1,cook,yes\nParis,2,cook,no\n")
    dataset = {"name": "mine", "path": path, "encode": "onehot", "positive": "yes", "scaling": "minmax"}
    stored = get(path, encode="onehot", **GIVEN).info["filling"]
    rows = write(b"city,age,job\nOslo,1,cook\nRome,2,nurse\nBonn,1,cook\n", "rows.csv")
    cities = (rows, "feature 1 ('city') in 2 of 3 rows", "'Oslo' in line 2")
    told = (*cities, "feature 3 ('job') in 1 of 3 rows", "'nurse' in line 3")
    with pytest.raises(UserError) as error:
        filled_rows(dataset, rows, stored, print)
    assert names(str(error.value), *told, "--ignore-unseen")
    lines: list[str] = []
    X = filled_rows({**dataset, "test_fraction": 0}, rows, stored, lines.append, ignore_unseen=True).X
    assert X.tolist() == [[0, 0, 0, 1], [1, 0, 1, 0], [0, 0, 0, 1]]
    (line,) = lines
    assert names(line, *told, "they are 0")


def test_a_delimiter_at_the_end_of_each_line_is_named(write):
    for header in (b"", b"a,b,\n"):
        path = write(header + b"1,2,\n2,1,\n3,4,\n")
        ways = ("dataset.label_column=2", "dataset.missing=drop")
        assert names(fault(path, test_fraction=0), path, "column 3", "empty in every line", *ways)
        lines: list[str] = []
        data = get(path, lines, label_column=2, missing="drop", positive=2, test_fraction=0)
        assert data.train.X.tolist() == [[1], [2], [3]] and data.train.y.tolist() == [1, -1, -1]
        assert lines == [f"{path}: feature 2 is empty in every row and left out"]
    path = write(b",1,2\n,3,4\n")
    assert fault(path, label_column=1).endswith("give dataset.label_column=NUMBER, from 1 to 3")


HOLLOW = b"a,b,c,label\n1,,5,yes\n2,,?,no\n3,NA,7,yes\n"


@pytest.mark.parametrize(
    ("missing", "rows"), [("median", [[1, 5], [2, 6], [3, 7]]), ("drop", [[1, 5], [3, 7]])]
)
def test_an_empty_column_is_left_out_of_all_files(write, missing, rows):
    path, bare = write(HOLLOW), write(b"a,b,c\n1,,5\n9,4,8\n", "rows.csv")
    ways = ("dataset.missing=median", "dataset.missing=drop")
    assert names(fault(path, **GIVEN), path, *ways, "feature 2 ('b') is empty in every line")
    if missing == "drop":
        path = write(HOLLOW + b"4,,1,no\n")
        rows = [*rows, [4, 1]]
    data = get(path, missing=missing, test_path=path, positive="yes")
    assert data.train.X.tolist() == data.test.X.tolist() == rows
    stored = data.info["filling"]
    assert stored["columns"][1] == {} and Filling.of(stored).document() == stored
    dataset = {"name": "mine", "path": path, "missing": missing, "positive": "yes", "test_fraction": 0}
    assert filled_rows(dataset, bare, stored, print).X.tolist() == [[1, 5], [9, 8]]
    scaled = filled_rows({**dataset, "scaling": "minmax"}, bare, stored, print).X
    low, high = np.min(rows, axis=0), np.max(rows, axis=0)
    np.testing.assert_allclose(scaled, ([[1, 5], [9, 8]] - low) / (high - low))
