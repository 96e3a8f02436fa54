"""Threads that a solver has started and left running, which would keep a process from ending."""

from __future__ import annotations

import os
import sys
import threading

#: Seconds that they have to end by themselves.
_GRACE = 1.0


def ended(code: int) -> int:
    """Return an exit code, or end the process with it at once if such a thread still runs.

    Python itself would wait for it, for ever if it never ends. Our own threads have ended by then, or are
    daemons, for which Python does not wait.
    """
    threads = [one for one in threading.enumerate() if not (one is threading.main_thread() or one.daemon)]
    for thread in threads:
        thread.join(_GRACE / len(threads))
    running = sum(thread.is_alive() for thread in threads)
    if running:
        which = "a thread" if running == 1 else f"{running} threads"
        print(f"svmbench: ended {which} that a solver had left running", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code
