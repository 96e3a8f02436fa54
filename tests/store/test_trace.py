import math
import os
import zlib
from pathlib import Path

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.store import TRACE_COLUMNS, _cells
from svmbench.store.trace import (
    COUNTS,
    WORDS,
    TraceWriter,
    header,
    last_row,
    line,
    read_frame,
    read_numbers,
    read_numbers_of_many,
    read_rows,
)

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


def test_a_column_of_two_places_is_no_column(tmp_path):
    # Otherwise, `list` could show one of them and `plot` draw the other.
    path = tmp_path / "trace.csv"
    path.write_text("iterations,norm,norm\n1,2.0,3.0\n")
    for read in (read_rows, lambda path: read_numbers(str(path), ["norm"])):
        with pytest.raises(UserError, match="a column has two places"):
            read(path)
    with pytest.raises(UserError, match="a column has two places"):
        last_row(path.read_bytes(), path)


def test_a_key_that_is_no_column_is_an_error():
    with pytest.raises(KeyError, match="test_eror"):
        line({"test_eror": 0.5})


NUMERIC = [name for name in TRACE_COLUMNS if name not in WORDS]
AWKWARD = (
    0.1,
    -0.0,
    5e-324,
    1.7976931348623157e308,
    1 / 3,
    1e22,
    123456789012345678,
    math.nan,
    math.inf,
    -math.inf,
)


def written(path, rows):
    writer = TraceWriter(path)
    for row in rows:
        writer.checkpoint(row)
    writer.close()
    return path


def slowly(path, names):
    return np.array([[row[name] for row in read_rows(Path(path))] for name in names], dtype=np.float64)


def awkward_rows(count=40):
    chance = np.random.default_rng(0)
    for _ in range(count):
        row = {}
        for name in NUMERIC:
            if chance.random() < 0.3:
                continue
            row[name] = (
                int(chance.integers(-(2**62), 2**62)) if name in COUNTS else AWKWARD[chance.integers(10)]
            )
        yield {**row, "dual_source": "solver"}


@pytest.mark.parametrize("names", [NUMERIC, NUMERIC[:1], NUMERIC[-1:], NUMERIC[::-3]])
def test_columns_of_numbers_are_those_of_the_rows_bit_for_bit(tmp_path, monkeypatch, names):
    path = written(tmp_path / "trace.csv", awkward_rows())
    expected = slowly(path, names)
    monkeypatch.setattr("svmbench.store.trace.read_rows", None)  # every number comes from the compiled reader
    found = read_numbers(str(path), names)
    assert found.shape == (len(names), 40)
    assert np.array_equal(
        found.view(np.int64)[~np.isnan(found)], expected.view(np.int64)[~np.isnan(expected)]
    )
    assert np.array_equal(np.isnan(found), np.isnan(expected))


def test_no_checkpoint_is_no_number(tmp_path):
    assert read_numbers(str(tmp_path / "missing"), ["iterations", "norm"]).shape == (2, 0)
    assert read_numbers(str(written(tmp_path / "trace.csv", [])), ["iterations"]).shape == (1, 0)
    (tmp_path / "one").write_text("iterations\n")
    assert read_numbers(str(tmp_path / "one"), ["iterations"]).shape == (1, 0)


@pytest.mark.parametrize("place", [0, 30, -5])
def test_a_changed_byte_is_noticed_by_the_reader_of_columns(tmp_path, place):
    path = written(tmp_path / "trace.csv", awkward_rows(3))
    content = bytearray(path.read_bytes())
    content[len(header()) + 20 + place if place >= 0 else place] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"is damaged \(line"):
        read_numbers(str(path), ["iterations", "norm"])


def sealed(path, names, *bodies):
    """Write a trace with these columns and lines, and right checksums."""
    text = f"{names},check\n"
    for body in bodies:
        text += f"{body},"
        text += f"{zlib.crc32(text.encode()):08x}\n"
    path.write_text(text)
    return str(path)


def compiled(path, name, whole=False):
    """Return a column as the compiled reader has it, None if it refuses the trace."""
    return _cells.columns([path], [name], [whole], 1 << 20)[0]


def cells():
    """Return numbers as texts: of any size and precision, and between two doubles."""
    chance = np.random.default_rng(1)
    doubles = chance.integers(0, 1 << 64, 2000, dtype=np.uint64).view(np.float64)
    yield from map(repr, doubles[np.isfinite(doubles)].tolist())
    yield from map(repr, chance.random(2000).tolist())
    yield from (repr(k / 4687) for k in range(4688))
    for digits in range(1, 23):
        for decimals in range(25):
            number = "".join(map(str, chance.integers(0, 10, digits)))
            yield f"-{number[:-decimals] if decimals < digits else ''}.{number[-decimals:].zfill(decimals)}"
            yield number
    yield from ("9007199254740993", "9007199254740993e-3", "900719925474099.3", "18446744073709551615")
    yield from ("1.", "-.5", "007.50", "1e22", "1E+23", "-0", "1e999", "-1e-999", "0.1e1", "1" * 40)


def test_each_cell_is_read_as_float_reads_it(tmp_path):
    texts = list(cells())
    found = compiled(sealed(tmp_path / "trace.csv", "a,b", *(f",{text}" for text in texts)), "b")
    assert found.tobytes() == np.array([float(text) for text in texts]).tobytes()


def test_each_changed_byte_is_noticed_by_the_compiled_reader(tmp_path):
    path = written(tmp_path / "trace.csv", awkward_rows(2))
    content = path.read_bytes()
    assert compiled(str(path), "norm").size == 2
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        found = compiled(str(path), "norm")
        # Without its line feed, the last line counts as one that was never completed.
        assert found is None or (place == len(content) - 1 and found.size == 1)


@pytest.mark.parametrize("cell", ["1.5", "x", " 1", "-", "1_0", "0x1", "1" * 60, "nan", "1e3"])
def test_the_compiled_reader_refuses_what_no_trace_holds(tmp_path, cell):
    good = sealed(tmp_path / "good", "a,b", "5,7", ",", "6,-8")
    assert np.array_equal(compiled(good, "b", whole=True), [[7.0, np.nan, -8.0]], equal_nan=True)
    assert compiled(good, "c") is None
    assert _cells.columns([good, good], ["b", "a"], [True] * 2, 1 << 20)[1][1].tolist()[::2] == [5.0, 6.0]
    assert compiled(sealed(tmp_path / "bad", "a,b", "5,7", f"5,{cell}"), "b", whole=True) is None


@pytest.mark.parametrize("cell", ["x", " 1", "-", ".", "e5", "1e", "1_0", "0x1", "infinity", "1.2.3", "--1"])
def test_the_compiled_reader_refuses_other_texts_than_decimals(tmp_path, cell):
    assert compiled(sealed(tmp_path / "trace.csv", "a,b", "5,7", f"5,{cell}"), "b") is None


@pytest.mark.parametrize("names", ["a,b,b", "b,a,a", "b,a,b", ",b,"])
def test_the_compiled_reader_refuses_two_columns_of_one_name(tmp_path, names):
    assert compiled(sealed(tmp_path / "trace.csv", names, "1,2,3"), "b") is None


def test_a_line_with_too_few_cells_is_left_to_the_reader_of_lines(tmp_path):
    path = sealed(tmp_path / "trace.csv", "iterations,norm", "5,1.5", "6")
    assert compiled(path, "norm") is None
    with pytest.raises(UserError, match="line 3: 2 fields instead of 3"):
        read_numbers(path, ["norm"])


def many_traces(folder):
    """Write traces in every state that is not damage."""
    for number in range(12):
        written(folder / f"{number}", list(awkward_rows(number)))
    write(folder / "unchecked", line(ROW), line({**ROW, "iterations": 8}))
    sealed(folder / "few-columns", "norm,iterations", "1.5,3", "0.1,")
    content = (folder / "7").read_bytes()
    (folder / "unfinished").write_bytes(content[:-5])
    (folder / "empty").touch()
    return [str(folder / name) for name in (*map(str, range(12)), "missing", "unchecked", "few-columns",
                                             "unfinished", "empty", "11")]  # fmt: skip


@pytest.mark.parametrize("batch", [1, 4, 500])
def test_many_traces_are_read_as_each_of_them(tmp_path, monkeypatch, batch):
    monkeypatch.setattr("svmbench.store.trace._BATCH", batch)
    paths, names = many_traces(tmp_path), ["iterations", "norm"]
    found = list(read_numbers_of_many(paths, names))
    assert len(found) == len(paths)
    for path, numbers in zip(paths, found):
        expected = slowly(path, names)
        assert numbers.shape == expected.shape
        assert np.array_equal(numbers, expected, equal_nan=True)


@pytest.mark.parametrize("what", ["changed", "fifo", "folder"])
def test_what_cannot_be_read_among_many_traces_is_named(tmp_path, what):
    paths = many_traces(tmp_path)
    bad = tmp_path / "5"
    content = bytearray(bad.read_bytes())
    bad.unlink()
    if what == "changed":
        content[-30] ^= 1
        bad.write_bytes(content)
    else:
        os.mkfifo(bad) if what == "fifo" else bad.mkdir()
    found = read_numbers_of_many(paths, ["norm"])
    assert [next(found).shape for _ in range(5)] == [(1, number) for number in range(5)]
    with pytest.raises(UserError, match=rf"{bad} is damaged \(.*(line|regular)"):
        next(found)
