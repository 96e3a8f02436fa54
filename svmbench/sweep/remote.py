"""One job of a sweep on a machine of a cluster."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from svmbench.sweep.stored import RemoteJob


def make(document: RemoteJob) -> None:
    """Make the run of a job, and write how it ended to the folder of the sweep."""
    from svmbench.files import write_whole
    from svmbench.sweep.worker import LastDataset, serve

    os.chdir(document["cwd"])
    if threading.current_thread() is threading.main_thread():
        # With this signal, SLURM announces through submitit that the time of the job is nearly over.
        signal.signal(signal.SIGUSR2, _ask_to_end)
    answer = serve(document, LastDataset(), 0)
    write_whole(Path(document["end"]), json.dumps(answer))


def _ask_to_end(number: int, frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGTERM)
