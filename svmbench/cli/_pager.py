"""Text longer than the terminal, shown by the user's pager."""

from __future__ import annotations

import os
import shutil
import sys


def paged(text: str) -> None:
    """Print a text; if it does not fit the terminal, by ``PAGER`` or ``less``."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not on_terminal or text.count("\n") + 2 <= shutil.get_terminal_size().lines:
        print(text)
        return
    import pydoc

    os.environ.setdefault("LESS", "FSX")  # exit if the text fits, cut lines, keep the text on the screen
    pydoc.pager(text + "\n")
