import math

import pytest

from svmbench.figures.tables import count, spread, table


def test_columns_are_aligned():
    text = table(("solver", "error"), [("sbp", 1.5), ("pegasos", None), ("a|b", 123456)])
    assert text.splitlines() == [
        "| solver  |   error |",
        "| ------- | ------: |",
        "| sbp     |     1.5 |",
        "| pegasos |       – |",
        "| a\\|b    | 123,456 |",
    ]


def test_a_table_without_rows():
    assert table(("solver",), []).splitlines() == ["| solver |", "| ------ |"]


@pytest.mark.parametrize(
    ("values", "text"), [([3.0, 1.0, 2.0], "2.00 (1.00 to 3.00)"), ([2.0, 2.0], "2.00"), ([], "–")]
)
def test_spread(values, text):
    assert spread(values) == text


@pytest.mark.parametrize(("value", "text"), [(6.4e7, "6.4e7"), (999.9, "1.0e3"), (math.inf, "not reached")])
def test_count(value, text):
    assert count(value) == text


def test_a_cell_is_one_line_and_nothing_that_a_terminal_obeys():
    text = table(["note"], [["a|b\n\x1b[2J\u202e"]])
    assert text.splitlines()[2] == "| a\\|b\\n\\x1b[2J\\u202e |"
    assert all(line.isprintable() for line in text.splitlines())
