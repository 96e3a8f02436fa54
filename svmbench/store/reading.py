"""Reading the folder of a run that may be renamed or replaced at the same time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from svmbench.errors import UserError
from svmbench.store import documents
from svmbench.store.runs import RUNNING, StoredRun


def _rank(run: StoredRun) -> tuple[bool, bool, str]:
    """Return a sort key of runs: a result, the name of its identity (copies have others), the newest."""
    return run.complete, run.id == run.key, run.started


def best(runs: Iterable[StoredRun]) -> list[StoredRun]:
    """Return one run per identity: its result if there is one, else the newest."""
    found: dict[str, StoredRun] = {}
    for run in runs:
        key = run.key
        other = found.setdefault(key, run)
        if other is not run and _rank(run) > _rank(other):
            found[key] = run
    return list(found.values())


def read(path: Path) -> StoredRun | None:
    """Read the run in a folder, even if it is being renamed; None if it does not exist (yet).

    Raises
    ------
    UserError
        If the run is damaged.
    """
    final = path.with_name(path.name.removesuffix(RUNNING)) if path.name.endswith(RUNNING) else path
    try:
        run = StoredRun.read(path)
    except NotADirectoryError:
        return None
    except FileNotFoundError:
        run = None
    except OSError as error:
        raise documents.Unreadable(path, error) from error
    except UserError:
        if path == final or path.exists() or not final.exists():
            raise
        run = None  # it ended during the reading
    if (run is None or run.status == "killed") and final.exists() and not path.exists():
        return StoredRun.read(final)
    if run is None and ((path / "status.json").exists() or (path / "trace.csv").exists()):
        raise documents.damaged(path, "run.json is missing")
    return run
