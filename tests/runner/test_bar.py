"""What a run shows while it is made: live lines on a terminal, plain lines elsewhere."""

import io
import os
import pty
import termios
import time

import pytest

from svmbench.runner import bar as live
from svmbench.runner.bar import LiveLines, clock, lines, progress
from svmbench.runner.progress import PlainLines, Standing
from tests.cli.screen import Screen

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
    assert "best gap 1.0e-03\nkev_iter 500 of 1e+03, 1e+03/s" in stream.getvalue()
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
