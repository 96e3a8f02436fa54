"""One stored run: reading it in any state, and writing it while it runs."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.store import documents, trace
from svmbench.store.lock import Lock, holder

if TYPE_CHECKING:
    import pandas as pd

#: Ends of a run that are its result; a run with any other end is repeated when it is asked for again.
COMPLETE = ("converged", "budget", "timeout", "diverged")
END_STATES = (*COMPLETE, "out_of_memory", "refused", "failed", "interrupted")

RUNNING = ".running"
LOCK = "lock"

#: Keys of `StoredRun.summary`: the run, its end, its last checkpoint, its configuration.
SUMMARY_KEYS = (
    *("run", "solver", "dataset", "seed", "status", "reason"),
    *trace.TRACE_COLUMNS,
    *("peak_memory", "started", "ended", "path", "config"),
)

#: How solvers are called whose runs were stored before run.json held the title.
_TITLES = {
    "sbp": "SBP",
    "pegasos": "Pegasos",
    "sdca": "SDCA",
    "smo": "SMO",
    "perceptron": "Perceptron",
    "smo_pair": "SMO with bias",
}


def now() -> str:
    """Return the time as it is stored: ISO 8601, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True)
class StoredRun:
    """A run as it lies in the store, ended or not.

    Attributes
    ----------
    path : Path
        Its folder.
    manifest : dict
        run.json: identity, configuration, data set, solver version, problem, seeds, environment hash.
    status : str
        One of `END_STATES`, or ``running`` or ``killed`` for a run without an end.
    reason : str
        Why it ended, one sentence.
    ended : str or None
        When it ended.
    peak_memory : float or None
        Most resident memory of its process, MiB; None if it has not ended or was not asked.
    """

    path: Path
    manifest: dict[str, Any]
    status: str
    reason: str
    ended: str | None = None
    peak_memory: float | None = None

    @classmethod
    def read(cls, path: Path) -> StoredRun:
        """Read the run in a folder; FileNotFoundError if there is none, or none yet."""
        manifest = documents.read(path / "run.json")
        try:
            end = documents.read(path / "status.json")
        except FileNotFoundError:
            who = holder(path / LOCK)
            if who is None:
                reason = "its process ended without storing an end; the checkpoints until then are whole"
                return cls(path, manifest, "killed", reason)
            return cls(path, manifest, "running", who)
        return cls(path, manifest, end["status"], end["reason"], end["ended"], end.get("peak_memory"))

    @property
    def id(self) -> str:
        """Name of the run: solver, data set, hash of its identity."""
        return self.path.name.removesuffix(RUNNING)

    @property
    def config(self) -> dict[str, Any]:
        """Resolved configuration."""
        return dict(self.manifest["config"])

    @property
    def solver(self) -> str:
        """Name of the solver."""
        return str(self.config["solver"]["name"])

    @property
    def title(self) -> str:
        """Name of the solver in figures and tables."""
        return str(self.manifest.get("solver", {}).get("title") or _TITLES.get(self.solver, self.solver))

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return str(self.config["dataset"]["name"])

    @property
    def seed(self) -> int:
        """Seed as the user gave it."""
        return int(self.config["seed"])

    @property
    def started(self) -> str:
        """When it began."""
        return str(self.manifest["started"])

    @property
    def complete(self) -> bool:
        """Whether it ended with a result, so that an identical run need not be repeated."""
        return self.status in COMPLETE

    def trace(self) -> pd.DataFrame:
        """Return the checkpoints so far, one row each, columns `TRACE_COLUMNS`."""
        return trace.read_frame(self.path / "trace.csv")

    def summary(self) -> dict[str, Any]:
        """Return the run's end and its last checkpoint under `SUMMARY_KEYS`; None where unknown."""
        rows = trace.read_rows(self.path / "trace.csv")
        last = rows[-1] if rows else dict.fromkeys(trace.TRACE_COLUMNS)
        return {
            "run": self.id,
            "solver": self.solver,
            "dataset": self.dataset,
            "seed": self.seed,
            "status": self.status,
            "reason": self.reason,
            # JSON has no NaN or infinity: a diverged objective is unknown to its readers.
            **{key: None if _not_finite(value) else value for key, value in last.items()},
            "peak_memory": self.peak_memory,
            "started": self.started,
            "ended": self.ended,
            "path": str(self.path),
            "config": self.config,
        }


def _not_finite(value: Any) -> bool:
    return isinstance(value, float) and not -float("inf") < value < float("inf")


class RunWriter:
    """The writing end of a run: owns the lock of its folder until the run ends.

    Attributes
    ----------
    path : Path
        The folder: ``<id>.running`` until `finish`, then ``<id>``.
    """

    def __init__(self, path: Path, lock: Lock, manifest: dict[str, Any]) -> None:
        self.path = path
        self._lock = lock
        self._manifest = {**manifest, "started": now()}
        for leftover in path.iterdir():  # of a run of the same identity that was killed
            if leftover != lock.path:
                shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
        documents.write(path / "run.json", self._manifest)
        self._trace = (path / "trace.csv").open("w", encoding="utf-8", newline="")
        self._append(trace.header())

    def amend(self, **fields: Any) -> None:
        """Add to run.json what became known after the beginning."""
        self._manifest.update(fields)
        documents.write(self.path / "run.json", self._manifest)

    def checkpoint(self, row: dict[str, Any]) -> None:
        """Append one checkpoint; it is on the disk when this returns."""
        self._append(trace.line(row))

    def log(self, text: str) -> None:
        """Write error.log, what a person needs to understand a failure."""
        (self.path / "error.log").write_text(text, encoding="utf-8")

    def finish(self, status: str, reason: str, **fields: Any) -> StoredRun:
        """Store the end and give the folder its final name, in place of an older run of the same identity."""
        if status not in END_STATES:
            raise ValueError(f"no such end state: {status}")
        self._trace.close()
        end = {"status": status, "reason": reason, "started": self._manifest["started"], "ended": now()}
        documents.write(self.path / "status.json", {**end, **fields})
        final = self.path.with_name(self.path.name.removesuffix(RUNNING))
        old = final.with_name(f".{final.name}.replaced")
        shutil.rmtree(old, ignore_errors=True)
        if final.exists():
            # Killed between the two renames, the new run is still read, from its folder `.running`.
            os.rename(final, old)
        os.rename(self.path, final)
        documents.sync_folder(final.parent)
        shutil.rmtree(old, ignore_errors=True)
        self.path = final
        # Only now: a lock removed before the renames would make the folder look like that of a killed run.
        self._lock.path = final / LOCK
        self._lock.remove()
        return StoredRun.read(final)

    def discard(self) -> None:
        """Remove the run as if it had never begun."""
        self._trace.close()
        aside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        os.rename(self.path, aside)
        self._lock.path = aside / LOCK
        self._lock.remove()
        shutil.rmtree(aside)

    def _append(self, text: str) -> None:
        self._trace.write(text)
        self._trace.flush()
        os.fsync(self._trace.fileno())
