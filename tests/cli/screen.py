"""A terminal for tests: a command runs in it, and what it shows can be read at any time."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

#: Ends of lines, what goes back and clears, and everything else.
_PARTS = re.compile(r"\r\n|\n|\r|\x1b\[K|\x1b\[A|[^\r\n\x1b]+|\x1b")


class Screen:
    """The lines that a terminal shows, and the longest line that ever was on it."""

    def __init__(self) -> None:
        self.lines = [""]
        self.longest = 0
        self._row = self._column = 0

    def take(self, text: str) -> None:
        """Write as a terminal does; unknown commands are an error."""
        for part in _PARTS.findall(text):
            if part in ("\n", "\r\n"):
                self._row, self._column = self._row + 1, 0
                self.lines += [""] * (self._row + 1 - len(self.lines))
            elif part == "\r":
                self._column = 0
            elif part == "\x1b[K":
                self.lines[self._row] = self.lines[self._row][: self._column]
            elif part == "\x1b[A":
                self._row -= 1
            else:
                assert part != "\x1b", f"a command that this terminal does not know: {text!r}"
                line = self.lines[self._row].ljust(self._column)
                self.lines[self._row] = line[: self._column] + part + line[self._column + len(part) :]
                self._column += len(part)
                self.longest = max(self.longest, self._column)

    @property
    def text(self) -> str:
        """What is shown."""
        return "\n".join(line.rstrip() for line in self.lines).rstrip("\n")


class Command:
    """A command of svmbench in a terminal of some columns, in the current folder."""

    def __init__(
        self, *arguments: str, columns: int = 80, term: str = "xterm", encoding: str = "utf-8"
    ) -> None:
        self._reader, writer = pty.openpty()
        about = {"COLUMNS": str(columns), "LINES": "24", "TERM": term, "PYTHONIOENCODING": encoding}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "svmbench.cli.main", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            env=os.environ | about,
            cwd=Path.cwd(),
            start_new_session=True,
        )
        os.close(writer)
        self.screen = Screen()
        self.raw = ""

    def __enter__(self) -> "Command":
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):  # closed at the end
            os.close(self._reader)

    def until(self, shown: Callable[[str], object], seconds: float = 60.0) -> str:
        """Return the text on the screen as soon as it is as wanted."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            ended = not self._read()
            if shown(self.screen.text):
                return self.screen.text
            assert not ended, f"the command ended with this on the screen:\n{self.screen.text}"
        raise AssertionError(f"not shown within {seconds} s:\n{self.screen.text}")

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self, seconds: float = 60.0) -> int:
        """Read to the end and return the exit code."""
        deadline = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < deadline, f"it does not end:\n{self.screen.text}"
        return self.process.wait(10)

    def _read(self) -> bool:
        """Take what was written for a moment; return whether more may come."""
        if not select.select([self._reader], [], [], 0.05)[0]:
            return True
        try:
            piece = os.read(self._reader, 1 << 16)
        except OSError:  # the other side is closed
            return False
        self.raw += piece.decode(errors="replace")
        self.screen.take(piece.decode(errors="replace"))
        return bool(piece)
