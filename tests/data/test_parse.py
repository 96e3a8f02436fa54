"""The parser: every value as Python reads it, and a place for every fault."""

import itertools
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svmbench.data._parse import csv, libsvm
from svmbench.errors import UserError
from tests.specification import slow_readers

# From whole numbers, which are drawn much faster than texts by a regular expression.
DIGITS = st.builds("{}{}".format, st.sampled_from(["", "0", "00000000"]), st.integers(0, 10**25 - 1))
MANTISSA = st.one_of(
    DIGITS, DIGITS.map("{}.".format), DIGITS.map(".{}".format), st.builds("{}.{}".format, DIGITS, DIGITS)
)
SIGN = st.sampled_from(["e", "E", "e+", "E-", "e-0"])
EXPONENT = st.just("") | st.builds("{}{}".format, SIGN, st.integers(0, 999))
DECIMAL = st.builds("{}{}{}".format, st.sampled_from(["", "+", "-"]), MANTISSA, EXPONENT)
TENS = st.just("") | st.integers(-99, 99).map("e{}".format)
SHORT = st.builds("{}.{}{}".format, st.integers(-9999, 9999), st.integers(0, 10**8 - 1), TENS)


def bits(value: float) -> bytes:
    return struct.pack(">d", value)


@pytest.mark.slow
@given(st.lists(st.one_of(DECIMAL, SHORT, st.floats(allow_nan=False, allow_infinity=False).map(repr))))
def test_values_equal_those_of_float_bit_for_bit(texts):
    texts = [text for text in texts if np.isfinite(float(text))]
    line = "1 " + " ".join(f"{k + 1}:{text}" for k, text in enumerate(texts))
    *_, indices, values = libsvm(line.encode(), "data")
    assert [bits(value) for value in values] == [bits(float(text)) for text in texts]
    assert indices.tolist() == list(range(len(texts)))


#: Numbers at the edges of the exact path.
EDGES = (
    "9007199254740993 9007199254740992e22 1e23 1e-23 0.1e-22 18446744073709551616 5e-324 "
    "-0 1.7976931348623157e308 0000000000000000000000000000001 1e-999999999999 2.5e+0 .5 5."
)


@pytest.mark.parametrize("text", EDGES.split())
def test_edges_of_the_exact_path(text):
    values = csv(f"1,{text}\n".encode(), "data", 2, 0, ",", False)[3]
    assert bits(values[0, 0]) == bits(float(text))


def test_libsvm_reads_comments_blanks_and_line_ends():
    text = b"\xef\xbb\xbf+1 2:0.5\t7:-1e1 # note\r\n\n   \n# only a note\n-1\n+1 1:1"
    codes, labels, places, indptr, indices, values = libsvm(text, "data")
    assert codes.tolist() == [0, 1, 0]
    assert labels == ["+1", "-1"]
    assert places == [(1, 1, 1), (5, 1, 1)]
    assert indptr.tolist() == [0, 2, 2, 3]
    assert indices.tolist() == [1, 6, 0]
    assert values.tolist() == [0.5, -10.0, 1.0]
    assert indptr.dtype == np.int64 and indices.dtype == np.int32


LIBSVM_FAULTS = {
    b"": "data is empty: it needs lines of the form 'label index:value ...'",
    b"\n  \n# nothing\n": "data is empty: it needs lines of the form 'label index:value ...'",
    b"1 1:2\n-1 3:1 2:5\n": "data, line 2, field 3 (column 8): index 2 comes after index 3; sort",
    b"1 3:1 3:5\n": "data, line 1, field 3 (column 7): index 3 is repeated; give each index once in a line",
    b"1 0:1\n": "data, line 1, field 2 (column 3): index 0 is not allowed; indices begin at 1",
    b"1 1:1\n1 2:abc 3:1\n": "data, line 2, field 2 (column 5): 'abc' is not a number",
    b"1 1:1.5.2\n": "data, line 1, field 2 (column 5): '1.5.2' is not a number",
    b"1 1:2e\n": "data, line 1, field 2 (column 5): '2e' is not a number",
    b"1 1:0x10\n": "data, line 1, field 2 (column 5): '0x10' is not a number",
    b"1 1:1,5\n": "data, line 1, field 2 (column 5): '1,5' has a decimal comma; write the numbers of",
    b"1 1:1_0\n": "data, line 1, field 2 (column 5): '1_0' is not a number",
    b"1 1:nan\n": "data, line 1, field 2 (column 5): nan is not a finite number; remove or impute the value",
    b"1 1:-Inf\n": "data, line 1, field 2 (column 5): -Inf is not a finite number",
    b"1 1:1e400\n": "data, line 1, field 2 (column 5): 1e400 is beyond the range of a number",
    b"1 1:1 2:": "data, line 1, field 3 (column 9): the value is missing",
    b"1 1:1 2: 3:1\n": "data, line 1, field 3 (column 9): the value is missing",
    b"1 1:1 12": "data, line 1, field 3 (column 7): '12' is not a pair index:value (at the end",
    b"1 qid:3 1:1\n": "data, line 1, field 2 (column 3): 'qid:3' is the query of a ranking file; give",
    b"1:0.5 2:1\n": "data, line 1, field 1 (column 1): '1:0.5' stands where the label belongs",
    b"1 9:1\n": "data, line 1, field 2 (column 3): index 9 is larger than the number of features, 8",
    b"1 2147483649:1\n": "data, line 1, field 2 (column 3): index '2147483649' is too large",
    b"1 -2:1\n": "data, line 1, field 2 (column 3): '-2:1' is not a pair index:value",
}


@pytest.mark.parametrize("text", LIBSVM_FAULTS, ids=repr)
def test_libsvm_faults_have_a_place(text):
    with pytest.raises(UserError) as caught:
        libsvm(text, "data", 8)
    assert str(caught.value).startswith(LIBSVM_FAULTS[text])


@given(st.binary(max_size=60) | st.text("01:. -e\n#", max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(text):
    try:
        codes, labels, _, indptr, indices, values = libsvm(text, "data")
    except UserError:
        return
    assert len(codes) == len(indptr) - 1 and indptr[-1] == len(indices) == len(values)
    assert np.isfinite(values).all() and codes.max() == len(labels) - 1


def test_csv_reads_labels_anywhere():
    codes, labels, places, values = csv(b'h,l,h\n 1.5 , "yes" ,2\n\n3,no,-4e0\r\n', "data", 3, 1, ",", True)
    assert labels == ["yes", "no"] and codes.tolist() == [0, 1]
    assert places == [(2, 2, 8), (4, 2, 3)]
    assert values.tolist() == [[1.5, 2.0], [3.0, -4.0]]


@pytest.mark.parametrize(
    ("delimiter", "text"), [("\t", b"1\t2\t-1\n"), (" ", b" 1  2\t-1 \n"), (";", b"1; 2;-1\n")]
)
def test_csv_delimiters(delimiter, text):
    _, labels, _, values = csv(text, "data", 3, 2, delimiter, False)
    assert labels == ["-1"] and values.tolist() == [[1.0, 2.0]]


#: Pieces of files, of which some end or begin a line, a field or a pair.
LIBSVM_PIECES = [
    *b"1 2 0 . - e : # + 1:2 2147483648:1 99999999999999999999 a qid:".split(),
    *(b" ", b"\t", b"\n", b"\r", b" 3:4", b"\n1 ", b"\xef\xbb\xbf", b"\x00", b"\xff"),
]
CSV_PIECES = [
    *b'1 2 . -1 , , " "" a ; "1" | e5 "a,b"'.split(),
    *(b"\n", b" ", b"\t", b"\r", b"1,2,3\n", b"1\t2\t3", b"\n4,5,6"),
]
LIBSVM_TEXT, CSV_TEXT = (
    st.lists(st.sampled_from(pieces)).map(b"".join) for pieces in (LIBSVM_PIECES, CSV_PIECES)
)


def decoded(examples):
    return examples and [(label.decode("utf-8", "backslashreplace"), values) for label, values in examples]


@example(b"1 2147483648:1", 0)
@given(LIBSVM_TEXT, st.sampled_from([0, 3]))
def test_libsvm_reads_and_refuses_what_the_slow_reader_does(text, features):
    try:
        codes, labels, _, indptr, indices, values = libsvm(text, "data", features)
    except UserError:
        assert slow_readers.libsvm(text, features) is None
        return
    rows = [dict(zip(indices[a:b].astype(np.int64) + 1, values[a:b])) for a, b in itertools.pairwise(indptr)]
    assert list(zip([labels[code] for code in codes], rows)) == decoded(slow_readers.libsvm(text, features))


@given(CSV_TEXT, st.integers(2, 3), st.integers(0, 2), st.sampled_from(",;\t |"), st.booleans())
def test_csv_reads_and_refuses_what_the_slow_reader_does(text, columns, label, mark, header):
    label %= columns
    expected = decoded(slow_readers.csv(text, columns, label, mark.encode(), header))
    try:
        codes, labels, _, values = csv(text, "data", columns, label, mark, header)
    except UserError:
        assert expected is None
        return
    assert list(zip([labels[code] for code in codes], map(dict, map(enumerate, values)))) == expected


def test_csv_reads_quoted_fields():
    text = b'"1.5", "a ""b"", c" ,2\n3,  "",4\n'
    with pytest.raises(UserError, match=r"line 2, field 2 \(column 5\): the label is missing"):
        csv(text, "data", 3, 1, ",", False)
    _, labels, _, values = csv(text[: text.index(b"\n")], "data", 3, 1, ",", False)
    assert labels == ['a "b", c'] and values.tolist() == [[1.5, 2.0]]


def test_an_empty_first_field_between_tabs_is_not_skipped():
    with pytest.raises(UserError, match=r"line 2, field 1 \(column 1\): the value is missing"):
        csv(b"1\t2\t-1\n\t1\t2\t-1\n", "data", 3, 2, "\t", False)


def test_labels_in_another_encoding_stay_distinct():
    assert csv(b"1,\xe4\n2,\xf6\n", "data", 2, 1, ",", False)[1] == [r"\xe4", r"\xf6"]


def test_many_empty_lines_below_a_long_one_take_no_memory():
    text = b"1," * 50_000 + b"1\n" + b"\n" * 1_000_000  # as a full table: 400 GB
    assert csv(text, "data", 50_001, 50_000, ",", False)[3].base.nbytes < 10 * len(text)


CSV_FAULTS = {
    b"": "data has no examples: it needs lines of numbers with a label, below its header",
    b"1,2,3\n4,5\n": "data, line 2, field 3 (column 4): the line ends after 2 of 3 fields; the file",
    b"1,2,3\n4,5,6,7\n": "data, line 2, field 4 (column 6): the line has more than 3 fields",
    b"1,2,3\n4,x,6\n": "data, line 2, field 2 (column 3): 'x' is not a number",
    b"p1,2,3\n": "data, line 1, field 1 (column 1): 'p1' is not a number; every column but the label's (data",
    b"1,?,3\n": "data, line 1, field 2 (column 3): '?' is not a number; remove or impute the missing value",
    b'1,"-0,5",3\n': "data, line 1, field 2 (column 3): '-0,5' has a decimal comma; write the numbers of",
    b"1,2,3\n4,,6\n": "data, line 2, field 2 (column 3): the value is missing",
    b"1,NaN,3\n": "data, line 1, field 2 (column 3): NaN is not a finite number",
    b"1,2 5,3\n": "data, line 1, field 3 (column 5): '5' stands where the delimiter ',' belongs; another",
    b'1,"2,3\n': "data, line 1, field 2 (column 3): the quoted field does not end on its line",
    b'1,"2"3,3\n': "data, line 1, field 2 (column 6): '3' follows a closing quote",
    b'1,"x",3\n': "data, line 1, field 2 (column 3): 'x' is not a number",
    b'1,"1e999",3\n': "data, line 1, field 2 (column 3): 1e999 is beyond the range of a number",
    b"1,2,\n": "data, line 1, field 3 (column 5): the label is missing",
}


@pytest.mark.parametrize("text", CSV_FAULTS, ids=repr)
def test_csv_faults_have_a_place(text):
    with pytest.raises(UserError) as caught:
        csv(text, "data", 3, 2, ",", False)
    assert str(caught.value).startswith(CSV_FAULTS[text])
