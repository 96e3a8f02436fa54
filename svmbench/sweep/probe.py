"""Whether a folder serves a sweep on several machines: locks, renames, clocks, software.

The machine that starts sweeps holds a lock and a file open. Each other one runs ``python -m
svmbench.sweep.probe FOLDER NAME``, which tries both and writes what it finds to the folder.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from svmbench.files import read_json, write_whole
from svmbench.locking import Lock
from svmbench.runner.environment import environment

#: Seconds by which clocks may differ, and between two looks for reports.
_SKEW, _LOOK = 1.0, 0.5

#: What all machines must have alike, by its name in the environment of a run, and what differs otherwise.
_ALIKE = {"svmbench": "results may differ", "isa": "the last digits of results differ"}

#: Whether something holds, and a sentence.
Finding = tuple[bool, str]


def report(folder: Path, name: str) -> None:
    """Try the folder from this machine, and write what was found to ``NAME.json``."""
    lock = Lock.try_acquire(folder / "held.lock")
    if lock is not None:
        lock.release()
    write_whole(folder / "open", name)  # renamed over the file that is open elsewhere
    found = {
        "host": os.environ.get("SLURMD_NODENAME", os.uname().nodename),
        "locked": lock is None,
    }
    write_whole(
        folder / f"{name}.json", json.dumps({**found, "ahead": _ahead(folder, name), **environment(1)})
    )


def findings(folder: Path, start: Callable[[], list[str]], tick: Callable[[], None]) -> Iterator[Finding]:
    """Yield what the other machines found about a new folder; the first is about the folder alone.

    Parameters
    ----------
    folder : Path
        The folder, which exists.
    start : callable
        Starts `report` on other machines, under the names that it returns.
    tick : callable
        Called while they are awaited.
    """
    lock = Lock.acquire(folder / "held.lock", lambda who: None)  # a `UserError` where there are no locks
    yield True, "files can be locked"
    path = folder / "open"
    path.write_bytes(b"old")
    with path.open("rb") as stream:
        names = start()
        while not all((folder / f"{name}.json").exists() for name in names):
            tick()
            time.sleep(_LOOK)
        found: list[dict[str, Any]] = [read_json((folder / f"{name}.json").read_bytes()) for name in names]
        try:
            kept = stream.read() == b"old"
        except OSError as error:  # ESTALE of NFS
            kept = False
            yield False, f"a file that is open cannot be read after another one was renamed over it ({error})"
        else:
            yield kept, "a file that is open keeps its content when another one is renamed over it"
    yield path.read_text() in names, "a renamed file is seen by its new content"
    ahead, own = _ahead(folder, "own"), environment(1)
    for one in found:
        where = one["host"]
        yield one["locked"], f"{where}: a lock that this machine holds is respected"
        skew = one["ahead"] - ahead
        yield abs(skew) < _SKEW, f"{where}: its clock is {skew:+.2f} s ahead"
        for key, otherwise in _ALIKE.items():
            same = one[key] == own[key]
            yield same, f"{where}: {key} {one[key]}" + ("" if same else f", here {own[key]}: {otherwise}")
    lock.remove()


def _ahead(folder: Path, name: str) -> float:
    """Return by how much the clock of this machine is ahead of that of the file system, in seconds."""
    path = folder / f"{name}.time"
    before = time.time()
    path.write_bytes(b"x")
    return (before + time.time()) / 2 - path.stat().st_mtime


if __name__ == "__main__":
    report(Path(sys.argv[1]), sys.argv[2])
