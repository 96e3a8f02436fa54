"""Removal of the folders of runs: for readers at once, and after a kill completed by the next removal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from svmbench.locking import CAREFUL

#: Names of folders during their removal: ``.ID.PID`` or ``.ID.running.PID``; formerly also ``.ID.replaced``.
_ASIDE = re.compile(r"\..+-[0-9a-f]{12}(\.running)?\.([0-9]+|replaced)")


def remove(folder: Path) -> None:
    """Remove the folder of a run, of which readers see all or nothing."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):  # a file system without locks on folders: there, leftovers stay
            held.enter_context(_locked(folder))
        aside = folder.with_name(f".{folder.name}.{os.getpid()}")
        os.rename(folder, aside)
        shutil.rmtree(aside, ignore_errors=True)


def remove_leftovers(runs: Path) -> None:
    """Remove what killed removals left in a folder of runs, but nothing that a process is removing."""
    for name in filter(_ASIDE.fullmatch, os.listdir(runs)):
        with contextlib.suppress(OSError), _locked(runs / name):
            shutil.rmtree(runs / name, ignore_errors=True)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder itself, since a file in it would be removed before it; OSError if it is locked."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | CAREFUL)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
