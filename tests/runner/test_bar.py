"""The live line of a run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io
import os
import pty
import termios

import pytest

from svmbench.runner.bar import Bar, progress
from svmbench.runner.progress import PlainLines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_no_terminal_gets_lines():
    stream = io.StringIO()
    with progress("sbp adult", stream) as listener:
        assert isinstance(listener, PlainLines)
        listener.say("reading adult")
    assert stream.getvalue() == "reading adult\n"


@pytest.mark.parametrize(("goal", "shown"), [(1000, "50%"), (None, "500 ")])
def test_a_terminal_gets_a_bar(goal, shown, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    stream = Terminal()
    with progress("sbp adult", stream) as listener:
        assert isinstance(listener, Bar)
        listener.say("reading adult")
        listener.advanced("kev_iter", 100, goal, 0.1)
        listener.observed({"test_error": 0.1234, "relative_gap": 1e-3})
        listener.advanced("kev_iter", 500, goal, 0.5)
        listener.doing("certifying")
        listener.observed({"test_error": 0.1, "relative_gap": None, "primal_objective": 0.25})
        listener.doing("training", 12.0)
        listener.advanced("kev_iter", 500, goal, 0.5)
    lines = stream.getvalue()
    assert lines.startswith("reading adult\n")
    assert "sbp adult " in lines
    assert shown in lines
    assert "training, 1e+03/s, error 12.34 %, gap 1.0e-03" in lines
    assert "certifying, 1e+03/s, error 12.34 %, gap 1.0e-03" in lines
    assert "training, 1e+03/s, 12 s left, error 10.00 %, objective 0.25, gap 1.0e-03" in lines
    assert lines.rstrip("\n").endswith("\r")  # the bar is taken away


def test_a_terminal_without_a_size_gets_a_bar_too():
    reader, writer = pty.openpty()
    assert termios.tcgetwinsize(writer) == (0, 0)
    with os.fdopen(writer, "w") as stream, progress("sbp adult", stream) as listener:
        listener.advanced("kev_iter", 500, 1000, 0.1)
        listener.observed({"test_error": 0.1})
        assert b"sbp adult   0%|" in os.read(reader, 4096)
    os.close(reader)


def test_a_goal_that_is_passed_stays_at_its_end():
    stream = Terminal()
    with progress("sbp adult", stream) as listener:
        listener.advanced("kev_iter", 1040, 1000, 0.1)
        listener.observed({"test_error": 0.1})
    assert "100%" in stream.getvalue()


def test_a_run_may_end_before_it_trains():
    stream = Terminal()
    with progress("sbp adult", stream) as listener:
        listener.observed({"test_error": 0.5})
    assert stream.getvalue() == ""
