"""The script ``svmbench``: an interrupt ends it with a sentence also while it is still being imported.

The handler is set before anything that takes time is imported. What Python does before that, from its start
until this line, belongs to Python: there an interrupt may still end with a traceback.
"""

from __future__ import annotations

import os
import signal
from types import FrameType


def _end(number: int, frame: FrameType | None) -> None:
    """End the process. It holds and has written nothing yet, so nothing needs to be put in order."""
    os.write(2, b"svmbench: interrupted\n")
    os._exit(130)


def _serve_while_importing() -> bool:
    """Set the handler, unless the process was started to ignore SIGINT; return whether it is set."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return False
    signal.signal(signal.SIGINT, _end)
    return True


_serving = _serve_while_importing()

from svmbench.cli import main as command  # noqa: E402  # what takes time


def main() -> int:
    """Run the command line of this process and return the exit code."""
    if _serving:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return command.main()
