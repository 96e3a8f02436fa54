"""Text that is longer than the terminal, shown by the user's pager."""

from __future__ import annotations

import os
import shutil
import sys


def paged(text: str) -> None:
    """Print a text; on a terminal that has fewer lines, by ``PAGER``, or ``less``."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not on_terminal or text.count("\n") + 2 <= shutil.get_terminal_size().lines:
        print(text)
        return
    import pydoc

    os.environ.setdefault("LESS", "FSX")  # end if it all fits after all, cut lines, leave the text there
    pydoc.pager(text + "\n")
