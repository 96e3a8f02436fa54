import math

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.store import TRACE_COLUMNS
from svmbench.store.trace import header, line, read_frame, read_rows

ROW = {
    "iterations": np.int64(7),
    "kev_ondemand": 2**62 + 1,
    "test_error": 1 / 3,
    "test_mistakes": 5,
    "primal_objective": np.float64(0.1) + 0.2,
    "dual_source": "solver",
    "norm": np.float32(0.1),
    "wall_seconds": 1e-300,
}


def write(path, *lines):
    path.write_text("".join([header(), *lines]))
    return path


def test_every_value_comes_back_exactly(tmp_path):
    (row,) = read_rows(write(tmp_path / "trace.csv", line(ROW)))
    assert tuple(row) == TRACE_COLUMNS
    assert {key: value for key, value in row.items() if value is not None} == ROW
    assert type(row["kev_ondemand"]) is int


def test_unknown_is_empty_and_never_zero(tmp_path):
    path = write(tmp_path / "trace.csv", line({"iterations": 0, "test_error": None}))
    assert path.read_text().splitlines()[1] == "0" + "," * (len(TRACE_COLUMNS) - 1)
    frame = read_frame(path)
    assert math.isnan(frame["test_error"][0])
    assert frame["test_mistakes"].isna().all()


def test_frame_keeps_counts_whole(tmp_path):
    frame = read_frame(write(tmp_path / "trace.csv", line(ROW), line({**ROW, "test_mistakes": None})))
    assert tuple(frame.columns) == TRACE_COLUMNS
    assert frame["kev_ondemand"].dtype == "int64" and frame["kev_ondemand"][0] == 2**62 + 1
    assert frame["test_mistakes"].dtype == "Int64" and frame["test_mistakes"][0] == 5
    assert frame["dual_source"].tolist() == ["solver", "solver"]


def test_diverged_values_are_kept(tmp_path):
    rows = read_rows(write(tmp_path / "trace.csv", line({"primal_objective": math.nan, "norm": math.inf})))
    assert math.isnan(rows[0]["primal_objective"]) and rows[0]["norm"] == math.inf


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_unfinished_last_line_is_dropped(tmp_path, cut):
    path = write(tmp_path / "trace.csv", line(ROW), line({**ROW, "iterations": 8})[:-cut])
    assert [row["iterations"] for row in read_rows(path)] == [7]


@pytest.mark.parametrize("text", ["", "iterations,kev_ond"])
def test_trace_without_a_whole_line_is_empty(tmp_path, text):
    path = tmp_path / "trace.csv"
    path.write_text(text)
    assert read_rows(path) == []
    assert tuple(read_frame(path).columns) == TRACE_COLUMNS


def test_trace_that_does_not_exist_yet_is_empty(tmp_path):
    assert read_rows(tmp_path / "trace.csv") == []


@pytest.mark.parametrize("bad", ["7,x" + "," * (len(TRACE_COLUMNS) - 2) + "\n", "7,8\n"])
def test_damaged_line_is_named(tmp_path, bad):
    path = write(tmp_path / "trace.csv", line(ROW), bad, line(ROW))
    with pytest.raises(UserError, match=r"trace\.csv is damaged \(line 3"):
        read_rows(path)


def test_a_key_that_is_no_column_is_an_error():
    with pytest.raises(KeyError, match="test_eror"):
        line({"test_eror": 0.5})
