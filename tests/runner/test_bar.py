"""What a run shows while it is made: live lines on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io
import os
import pty
import termios
import time

import pytest

from svmbench.runner import bar as live
from svmbench.runner.bar import LiveLines, clock, lines, progress
from svmbench.runner.progress import PlainLines, Standing
from tests.cli.conftest import SMALL
from tests.cli.screen import Command, Screen
from tests.cli.test_run import ENDLESS

ROW = {"test_error": 0.1234, "primal_objective": 0.25, "relative_gap": 1e-3}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_once(monkeypatch):
    for name in ("_LOOK", "_DRAW", "_FIRST"):
        monkeypatch.setattr(live, name, 0.001)


@pytest.mark.parametrize("dumb", [False, True])
def test_no_terminal_gets_lines(monkeypatch, dumb):
    monkeypatch.setenv("TERM", "dumb" if dumb else "xterm")
    stream = Terminal() if dumb else io.StringIO()
    with progress("sbp adult", stream) as listener:
        assert isinstance(listener, PlainLines)
        listener.say("reading adult")
    assert stream.getvalue() == "reading adult\n"


def test_a_terminal_gets_lines_that_are_written_over_and_taken_away(monkeypatch, at_once):
    monkeypatch.setenv("TERM", "xterm")
    stream, screen = Terminal(), Screen()
    with progress("sbp adult", stream) as listener:
        assert isinstance(listener, LiveLines)
        listener.say("reading adult")
        listener.doing("training", 12.0)
        listener.advanced("kev_iter", 500, 1000, 0.5)
        listener.observed(ROW)
        deadline = time.monotonic() + 20
        while "error 12.34 %" not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        listener.say("halfway")
    screen.take(stream.getvalue())
    assert "sbp adult: training, 0:00  [######------] 50 %  about 12 s left\n" in stream.getvalue()
    assert (
        "error 12.34 %, objective 0.25, best gap 1.0e-03\nkev_iter 500 of 1e+03, 1e+03/s" in stream.getvalue()
    )
    assert screen.text == "reading adult\nhalfway"


def test_the_lines_say_phase_wall_time_and_the_age_of_the_numbers(monkeypatch):
    now = 1000.0
    monkeypatch.setattr("svmbench.runner.progress.time.monotonic", lambda: now)
    standing = Standing()
    now += 5.0
    assert lines("sbp adult", standing, 79) == ["sbp adult: loading, 0:05"]
    standing.doing("training", 3700.0)
    standing.advanced("kev_iter", 1040, 1000, 0.5)  # a method may pass its goal by part of an iteration
    standing.observed(ROW)
    standing.observed({**ROW, "relative_gap": 2e-3, "test_error": None})
    standing.doing("certifying")
    now += 128.0
    assert lines("sbp adult", standing, 79) == [
        "sbp adult: certifying, 2:13  [############] 100 %",
        "error 12.34 %, objective 0.25, best gap 1.0e-03 (2 min 8 s ago)",
        "kev_iter 1.04e+03 of 1e+03, 2.08e+03/s",
    ]
    standing.doing("training", 3700.0)
    assert lines("sbp adult", standing, 79)[0].endswith("100 %  about 1 h 1 min left")
    assert lines("sbp adult", standing, 50)[0].endswith("[############] 100 %")
    assert [clock(seconds) for seconds in (0.9, 61, 3723)] == ["0:00", "1:01", "1:02:03"]


def test_a_terminal_without_a_size_gets_lines_too(monkeypatch, at_once):
    monkeypatch.setenv("TERM", "xterm")
    reader, writer = pty.openpty()
    assert termios.tcgetwinsize(writer) == (0, 0)
    with os.fdopen(writer, "w") as stream, progress("sbp adult", stream) as listener:
        listener.advanced("kev_iter", 500, 1000, 0.1)
        assert b"sbp adult: loading" in os.read(reader, 4096)
    os.close(reader)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "encoding"), [(80, "utf-8"), (34, "ascii")])
def test_a_run_in_a_terminal_is_seen_and_leaves_its_end_alone(here, columns, encoding):
    with Command("run", *ENDLESS, columns=columns, encoding=encoding) as command:
        shown = command.until(lambda text: ": training," in text and "error" in text)
        assert shown.isascii()
        command.interrupt()
        assert command.end() == 130
    assert command.screen.text.startswith("pegasos on checkerboard, seed 0: interrupted by SIGINT")
    assert ": training," not in command.screen.text
    live = [part for part in command.raw.split("\x1b[K") if ": training," in part]
    assert live and all(len(line.strip("\r\n")) < columns for part in live for line in part.split("\n"))


@pytest.mark.slow
def test_a_sweep_in_a_terminal_is_a_live_table(here):
    with Command("run", "-m", *ENDLESS, "seed=1,2", "jobs=2", "oversubscribe=true") as command:
        shown = command.until(lambda text: text.count(" training ") == 2)
        table = shown.splitlines()[-4:]
        assert table[0].startswith("0 of 2 done, 2 running, 0 failed, ")
        assert table[1].split()[:4] == ["job", "overrides", "phase", "time"] and table[1].endswith("age")
        assert [row.split()[:3] for row in table[2:]] == [
            ["1", "seed=1", "training"],
            ["2", "seed=2", "training"],
        ]
        with Command("watch", "2", columns=60) as watch:
            assert "0 of 2 done, 2 running" in watch.until(lambda text: text.count(" training ") == 2)
            command.interrupt()
            assert command.end() == 130
            assert watch.end() == 0
    assert "2 interrupted" in command.screen.text and "phase" not in command.screen.text
    assert "0 of 2 done, 0 running, 2 failed; continue with: svmbench resume 2" in watch.screen.text
    assert "phase" not in watch.screen.text


def test_the_log_of_a_job_has_a_note_beside_it(here, capfd):
    from svmbench.cli.main import main
    from svmbench.sweep.noted import read

    assert main(["run", "-m", "solver=pegasos", "seed=0,1", *SMALL]) == 0
    (sweep,) = (here / "results" / "sweeps").iterdir()
    note = read(sweep / "1.now")
    assert note is not None and note.phase in ("loading", "training", "checkpoint", "certifying")
