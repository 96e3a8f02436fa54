"""First lines that may be a header or an example: refused, until ``dataset.header`` says which."""

import pytest

from .conftest import fault, get

#: Five rows of two features and a label.
ROWS = b"5,6,0\n6,5,1\n7,5,0\n5,8,1\n8,8,0\n"
WORDS = ROWS.replace(b",0\n", b",no\n").replace(b",1\n", b",yes\n")
WIDE = b"5,6,7,0\n6,5,6,1\n7,5,5,0\n5,8,7,1\n"
DECIDE = "so it may name the columns: give dataset.header=true, or dataset.header=false if it is an example"


@pytest.mark.parametrize(
    ("content", "given", "why"),
    [
        (b"0,1,label\n" + ROWS, {}, "alone has the label 'label'"),
        (b"0,1,label\n" + ROWS, {"positive": 1}, "alone has the label 'label'"),
        (b"0,1,label\n" + ROWS, {"missing": "median"}, "alone has the label 'label'"),
        (b"0,1,label\n" + ROWS + b"9,9,2\n", {"task": "all"}, "alone has the label 'label'"),
        (b"0,1,label\n" + WORDS, {}, "alone has the label 'label'"),
        (b"0,1,label\n" + WORDS, {"positive": "yes"}, "alone has the label 'label'"),
        (b"2001,2002,2003\n" + ROWS, {}, "alone has the label '2003'"),
        (b"0,1,2,3\n" + WIDE, {}, "counts the columns"),
        (b"1,2,3,4\n" + WIDE, {"positive": 1}, "counts the columns"),
        (b"0,1,2,3\n" + WIDE + b"4,4,4,3\n", {"task": "all"}, "counts the columns"),
        (b"age,1,2\n" + ROWS, {}, "has 'age' above the numbers of feature 1"),
        (b"age,1,2\n" + ROWS, {"positive": 1}, "has 'age' above the numbers of feature 1"),
        (b"age,1,2\n" + ROWS, {"encode": "onehot"}, "has 'age' above the numbers of feature 1"),
    ],
)
def test_a_first_line_like_a_header_is_refused_until_it_is_called_one(write, content, given, why):
    path = write(content)
    assert fault(path, **given) == f"{path}: the first line {why}, {DECIDE}"
    more = {} if WORDS not in content or "positive" in given else {"positive": "yes"}
    data = get(path, header=True, test_fraction=0, **given, **more)
    assert data.train.X[0].tolist()[:2] == [5, 6] and data.train.n == content.count(b"\n") - 1


@pytest.mark.parametrize(
    ("content", "given", "sentence"),
    [
        (b"0,1,label\n" + ROWS, {}, "'1' is a third label beside 'label' and '0'"),
        (b"age,1,2\n" + ROWS, {"positive": 1}, "'age' is not a number"),
    ],
)
def test_called_an_example_it_is_refused_as_one(write, content, given, sentence):
    assert sentence in fault(write(content), header=False, **given)


@pytest.mark.parametrize(
    "content",
    [
        ROWS,  # its first label occurs again
        b"0.5,1,2\n" + ROWS,  # no name is a fraction
        b"3,3,2\n" + ROWS,  # no two columns have one name
        b"0,1,1\n" + ROWS,  # three columns may count by chance
        b"1,0,2,3\n" + WIDE,
    ],
)
def test_an_ordinary_first_line_is_an_example(write, content):
    assert get(write(content), positive=0, test_fraction=0).train.n == content.count(b"\n")


def test_called_an_example_a_line_that_counts_is_read(write):
    data = get(write(b"0,1,2,3\n" + WIDE), header=False, positive=0, test_fraction=0)
    assert data.train.X[0].tolist() == [0, 1, 2]


def test_a_typing_error_in_the_first_line_of_fractions_is_named(write):
    assert "'x' is not a number" in fault(write(b"x,1.5,0\n" + ROWS))


@pytest.mark.parametrize(
    ("content", "given", "sentence"),
    [
        (b"sep=;\n" + ROWS.replace(b",", b";"), {}, "the first line only tells Excel the delimiter: remove"),
        (b"y,a,y\n" + ROWS, {"label_column": "y"}, "label_column=y names columns 1 and 3 of"),
        (b"[[1, 2, 0],\n [2, 1, 1]]\n", {}, "row 1 of the JSON is not an object of numbers and words"),
    ],
)
def test_first_lines_that_name_no_columns_are_said_to_be_what_they_are(write, content, given, sentence):
    assert sentence in fault(write(content), **given)
