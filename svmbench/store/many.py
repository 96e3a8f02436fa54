"""Read thousands of runs into the index by several processes at once.

``python -m svmbench.store.many RESULTS FOLDER`` reads the runs whose names are on standard input, separated
by NUL. Its only result is rows of the index; a run that still has no row is read when it is needed.
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
from collections.abc import Collection
from itertools import chain
from pathlib import Path

from svmbench.errors import UserError
from svmbench.store.index import BATCH, Index
from svmbench.store.reading import read

#: Fewest runs without a row for which processes are started: about a second of work for one process.
MANY = 4000
#: Most processes. Each writes to the database in turn.
_MOST = 8
#: Seconds that they wait for each other: what one of them gives up is read by a single process.
_PATIENCE = 60.0


def fill(root: Path, folder: str, names: Collection[str]) -> None:
    """Add the ended runs without a row to the index, if they are many and there are several cores.

    Parameters
    ----------
    root : Path
        The results folder.
    folder : str
        A folder of runs in it.
    names : collection of str
        Names in that folder.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if len(names) < MANY or cores < 2 or not os.access(root, os.W_OK):
        return
    with Index(root) as index:
        new = index.missing(folder, names)
    if len(new) >= MANY:
        count = min(cores, _MOST)
        # Neighbours are written together, by one process, so that each page of the database is written once.
        batches = [new[start : start + BATCH] for start in range(0, len(new), BATCH)]
        _read_by_processes(root, folder, [list(chain(*batches[k::count])) for k in range(count)])


def _read_by_processes(root: Path, folder: str, shares: list[list[str]]) -> None:
    command = [sys.executable, "-P", "-m", "svmbench.store.many", str(root), folder]
    workers: list[subprocess.Popen[bytes]] = []
    try:
        # Without memory for a process, or if one ends early, fewer runs are read here.
        with contextlib.suppress(OSError):
            for share in shares:
                worker = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                workers.append(worker)
                assert worker.stdin is not None
                with worker.stdin as names:
                    names.write(os.fsencode("\0".join(share)))
        for worker in workers:
            worker.wait()
    finally:
        for worker in workers:  # of an interrupted command; others have ended
            worker.kill()
            worker.wait()


def _main() -> None:
    root, folder = Path(sys.argv[1]), sys.argv[2]
    home = root / folder
    gc.disable()  # what is read is kept in rows, and the process ends soon
    with Index(root, _PATIENCE) as index:
        names = os.fsdecode(sys.stdin.buffer.read()).split("\0")
        for start in range(0, len(names), BATCH):
            some = names[start : start + BATCH]
            for name, signature in zip(some, index.signatures(folder, some), strict=True):
                with contextlib.suppress(UserError, OSError):  # told when it is asked for
                    run = read(home / name)
                    if run is not None and signature is not None:
                        index.put(folder, name, signature, run)


if __name__ == "__main__":
    _main()
