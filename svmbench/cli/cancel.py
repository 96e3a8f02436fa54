"""``svmbench cancel``: the end of a sweep, from any shell."""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Sequence
from pathlib import Path

from svmbench.cli._parser import Parser
from svmbench.errors import UserError


def main(arguments: Sequence[str]) -> int:
    """Interrupt the process that runs a sweep, or cancel the jobs that one has left in SLURM."""
    parser = Parser("cancel", "End a sweep: its runs store their state, and svmbench resume continues them.")
    parser.add_sweep()
    parser.add_results()
    given = parser.parse_args(arguments)

    from svmbench.sweep import slurm
    from svmbench.sweep.record import Record

    record = Record.find(Path(given.results), given.sweep)
    maker = record.maker()
    if maker is None:
        count = slurm.cancel_all(record.folder)
        if not count:
            raise UserError(f"sweep {record.name} is not running, and has no jobs in a queue")
        print(f"sweep {record.name}: {count} jobs cancelled; continue with: {record.command('resume')}")
        return 0
    process = re.fullmatch(r"process (\d+) on (.+)", maker)
    if process is None or process[2] != socket.gethostname():
        raise UserError(
            f"sweep {record.name} is being made by {maker}: there, run {record.command('cancel')}"
        )
    os.kill(int(process[1]), signal.SIGTERM)
    print(f"sweep {record.name}: {maker} is asked to end; its runs store their state")
    return 0
