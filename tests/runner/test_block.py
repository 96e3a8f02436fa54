"""Lines at the bottom of a terminal: what is written over after its size has changed."""

import os
import pty
import termios

import pytest

from svmbench.runner.block import Block

UP = "\x1b[A"


@pytest.mark.parametrize(("columns", "rows"), [(200, 2), (100, 3), (60, 4)])
def test_lines_that_a_narrower_terminal_has_wrapped_are_cleared(monkeypatch, columns, rows):
    monkeypatch.delenv("COLUMNS", raising=False)
    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, (24, 200))
    with os.fdopen(writer, "w") as stream:
        block = Block(stream)
        block.draw(["x" * 150, "short"])
        os.read(reader, 4096)
        termios.tcsetwinsize(writer, (24, columns))
        block.draw(["y"])
        written = os.read(reader, 4096).decode()
    os.close(reader)
    assert written.count(UP) == rows - 1 and written.endswith("y")
