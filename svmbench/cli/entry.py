"""The script ``svmbench``: an interrupt during its imports ends it with one sentence.

The handler is set before any slow import. Before that, during the start of Python, an interrupt may still end
with a traceback.
"""

from __future__ import annotations

import gc
import os
import signal
from types import FrameType


def _end(number: int, frame: FrameType | None) -> None:
    """End the process. It has written nothing yet, so there is nothing to clean up."""
    os.write(2, b"svmbench: interrupted\n")
    os._exit(130)


def _serve_while_importing() -> bool:
    """Set the handler, unless SIGINT was ignored when the process started; return whether it is set."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return False
    signal.signal(signal.SIGINT, _end)
    return True


_serving = _serve_while_importing()

from svmbench import leftover_threads  # noqa: E402
from svmbench.cli import main as command  # noqa: E402  # slow


def main() -> int:
    """Run the command line of this process and return the exit code."""
    if _serving:
        signal.signal(signal.SIGINT, command.interrupt)
    gc.set_threshold(200_000)  # imports and runs are kept, and looked through each time for garbage
    code = leftover_threads.ended(command.main())
    gc.freeze()  # Python would look for garbage once more in all that the end of the process frees
    return code
