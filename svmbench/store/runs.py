"""Stored runs in any state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.errors import Damage, UserError, fault, kind_of
from svmbench.files import digest, read_regular, sha256
from svmbench.locking import holder
from svmbench.run_config import Document, RunConfig
from svmbench.store import documents, lines, trace
from svmbench.store.documents import RUNNING as RUNNING
from svmbench.store.facts import LONGEST, Facts, Load, check_lengths, check_load, facts_of
from svmbench.store.trace import Row

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from svmbench.store.joint_model import JointModel
    from svmbench.store.model import StoredModel

#: End states with a result; a run with any other end state is repeated when requested again.
COMPLETE = ("converged", "stalled", "budget", "timeout", "diverged")
#: End states that a larger budget would not change.
SETTLED = ("converged", "stalled")
END_STATES = (*COMPLETE, "out_of_memory", "refused", "failed", "interrupted")

#: Part of the reason of runs that converged far from the optimum, or with no known bound.
FLAG = "by its own rule alone"
#: The same in runs that an older version stored.
_OLD_FLAG = "by its tolerance alone"

LOCK = "lock"
#: File with the seconds trained before, present while a run trains.
TRAINING = "training"
MODEL = "model.npz"
STATE = "state.npz"
#: Folder of the binary problems of a run of several, until it has a result (`svmbench.store.kept_problems`).
PROBLEMS = "problems"

#: Keys of `StoredRun.summary`: the run, its end, its last checkpoint, its configuration.
SUMMARY_KEYS = (
    *("run", "solver", "dataset", "seed", "status", "reason"),
    *trace.TRACE_COLUMNS,
    *("peak_memory", "started", "ended", "path", "config"),
)

#: Titles of solvers that older runs have, and what they are now.
_RENAMED = {"decomposition": "Decomposition"}

#: Properties of a run that have another name in the summary.
_PROPERTIES = {"run": "id", "config": "document"}

#: Files of a run with checksums in status.json.
CHECKED = ("run.json", "trace.csv", MODEL, STATE)


class StoredRun:
    """A stored run, ended or not.

    Parameters
    ----------
    path : path or str
        Folder of the run.
    facts : Facts
        Content known without opening its files again, from `read` or the store's index.
    manifest : dict, optional
        run.json, if it has been read.
    """

    __slots__ = ("_manifest", "_path", "facts")

    def __init__(self, path: str | Path, facts: Facts, manifest: Document | None = None) -> None:
        self._path = str(path)
        self.facts = facts
        self._manifest = manifest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoredRun) and (
            (self._path, self.facts, self.document) == (other._path, other.facts, other.document)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"StoredRun({self._path!r}, {self.status})"

    def __str__(self) -> str:
        """Return three lines: how it ended, its numbers, and their cost."""
        from svmbench.store.display import text

        return text(self)

    def _repr_html_(self) -> str:
        """Return a table, which a notebook shows."""
        from svmbench.store.display import html

        return html(self)

    @classmethod
    def read(cls, path: Path) -> StoredRun:
        """Read the run in a folder, with cheap checks of run.json, trace.csv and status.json.

        Raises
        ------
        FileNotFoundError
            If there is no run (yet).
        UserError
            If one of its files is damaged or missing.
        """
        try:
            content = read_regular(f"{path}/run.json")
        except ValueError as error:
            raise documents.damaged(path / "run.json", error) from error
        sealed = documents.parse(content, f"{path}/run.json")
        manifest = {key: value for key, value in sealed.items() if key != lines.CHECK}
        try:
            if len(content) > LONGEST:
                check_lengths(manifest)
            end = _end(path)
            if "run.json" not in end.get("files", {}) and lines.unchecked(sealed) is None:
                raise _changed(path / "run.json")  # of a run without an end, which would have its checksum
            last = _last_checkpoint(path, content, end.pop("files", {}))
            facts = facts_of(path.name.removesuffix(RUNNING), manifest, end, last)
            if facts["status"] not in (*END_STATES, "running", "killed"):
                raise Damage(f"{facts['status']} is not an end state of a run")
        except FileNotFoundError as error:
            raise documents.damaged(path, f"{Path(error.filename).name} is missing") from error
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise documents.damaged(path / "run.json", error) from error
        return cls(path, facts, manifest)

    @property
    def path(self) -> Path:
        """Folder of the run."""
        return Path(self._path)

    @property
    def manifest(self) -> Document:
        """run.json: identity, configuration, data set, solver version, problem, seeds, environment hash."""
        if self._manifest is None:
            self._manifest = documents.read(self.path / "run.json")
            self._manifest.pop(lines.CHECK, None)
        return self._manifest

    def copy(self) -> StoredRun:
        """Return a copy of the run, so that its run.json, once read, is not kept with this one."""
        return StoredRun(self._path, self.facts, self._manifest)

    @property
    def status(self) -> str:
        """One of `END_STATES`, or ``running`` or ``killed`` for a run without an end."""
        return str(self.facts["status"])

    @property
    def reason(self) -> str:
        """Why it ended, in one sentence."""
        return str(self.facts["reason"])

    @property
    def ended(self) -> str | None:
        """Time of its end."""
        ended: str | None = self.facts["ended"]
        return ended

    @property
    def peak_memory(self) -> float | None:
        """Peak resident memory of its process in MiB; None if it has not ended or is unknown."""
        size: float | None = self.facts["peak_memory"]
        return size

    @property
    def key(self) -> str:
        """Current name of its identity; the folder of an older run may have an older name."""
        return str(self.facts["key"])

    @property
    def id(self) -> str:
        """Name of the run: solver, data set, hash of its identity."""
        return self._path.rpartition("/")[2].removesuffix(RUNNING)

    @property
    def homes(self) -> list[Path]:
        """Results folders that may contain what it refers to; a packed run is two folders deeper."""
        return [self.path.parents[1], *self.path.parents[3:4]]

    @property
    def config(self) -> RunConfig:
        """Resolved configuration."""
        return replace(self.facts.common.config, seed=self.seed)

    @property
    def document(self) -> Document:
        """Resolved configuration as in run.json."""
        return {**self.facts.common.document, "seed": self.seed}

    @property
    def solver(self) -> str:
        """Name of the solver."""
        return self.facts.common.config.solver.name

    @property
    def title(self) -> str:
        """Name of the solver in figures and tables."""
        title = str(self.facts["title"])
        return _RENAMED.get(title, title)

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return self.facts.common.config.dataset.name

    @property
    def seed(self) -> int:
        """Seed given by the user."""
        return int(self.facts["seed"])

    @property
    def started(self) -> str:
        """Time of its start."""
        return str(self.facts["started"])

    @property
    def flagged(self) -> bool:
        """Whether it converged far from the optimum, or with no known bound (`FLAG`)."""
        return self.status == "converged" and (FLAG in self.reason or _OLD_FLAG in self.reason)

    @property
    def complete(self) -> bool:
        """Whether it ended with a result, so that an identical run is not repeated."""
        return self.status in COMPLETE

    def trace(self) -> pd.DataFrame:
        """Return the checkpoints so far, one row each, columns `TRACE_COLUMNS`."""
        return trace.read_frame(self.path / "trace.csv")

    def rows(self) -> list[Row]:
        """Return the checkpoints so far as dicts, None where unknown; without importing pandas."""
        return trace.read_rows(self.path / "trace.csv")

    def numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return numeric columns of the checkpoints so far, one row per name, NaN where unknown."""
        return trace.read_numbers(f"{self._path}/trace.csv", names)

    @property
    def end(self) -> Document:
        """Content of status.json; without one, the status and who makes the run."""
        return _end(self.path)

    @property
    def files(self) -> dict[str, str] | None:
        """SHA-256 of its files at its end, by name; None without an end, or of an older version."""
        return self.end.get("files")

    @property
    def wrong_tests(self) -> str | None:
        """Test examples misclassified at the last checkpoint, packed by `svmbench.store.bits`."""
        return self.end.get("wrong_tests")

    def mistaken_tests(self) -> NDArray[np.bool_] | None:
        """Return `wrong_tests` as a vector, shape (number of test examples,); a `UserError` if damaged."""
        from svmbench.store import bits

        text, about = self.wrong_tests, self.facts["about"]["dataset"] or {}
        count = about.get("rows", {}).get("test")
        try:
            return bits.unpacked(text, count) if text is not None and count else None
        except (OverflowError, TypeError, ValueError) as error:
            raise documents.damaged(self.path / "status.json", f"wrong_tests: {fault(error)}") from error

    @property
    def load(self) -> Load | None:
        """Load of its machine while it trained; None for runs by older versions."""
        return self.end.get("load")

    @property
    def cross_validation(self) -> dict[str, Any] | None:
        """Results of its folds, with mistakes and examples of each; None without folds."""
        return self.end.get("cross_validation")

    def model(self) -> StoredModel | JointModel:
        """Return the predictor of the last checkpoint; with several binary problems, those of all.

        Raises
        ------
        UserError
            If no model was stored, with the reason, or if it is damaged.
        """
        from svmbench.store.joint_model import load_model

        expected = (self.files or {}).get(MODEL)
        path = self.path / MODEL
        if expected is None:
            raise UserError(f"run {self.id} holds no model: {self._without_model()}")
        if not path.is_file() or sha256(path) != expected:
            raise documents.damaged(path, "missing, or checksum mismatch")
        return load_model(path)

    def _without_model(self) -> str:
        """Return why there is no model, and what to do."""
        if self.status == "running":
            return f"it is still being made by {self.reason}; wait for its end"
        if self.status == "killed":
            return "its process was killed before it stored one; run it again"
        if self.value("iterations") is None:
            limited = self.status in ("budget", "timeout", "out_of_memory")
            way = "; run it again with a larger limit" if limited else ""
            return f"it ended before its first checkpoint ({self.status}: {self.reason}){way}"
        if self.path.parents[2].name == "unpacked":
            return "packs have none; repeat it by force=true"
        return "it was stored by an older version; repeat it by force=true"

    def summary(self) -> dict[str, Any]:
        """Return the end and the last checkpoint by `SUMMARY_KEYS`; None where unknown."""
        return {key: self.value(key) for key in SUMMARY_KEYS}

    def value(self, key: str) -> Any:
        """Return one entry of the summary."""
        if key not in trace.TRACE_COLUMNS:
            return self._path if key == "path" else getattr(self, _PROPERTIES.get(key, key))
        if key == "validation_error" and self.facts["validation"] is not None:
            return self.facts["validation"]
        return self.facts.cell(key)


class AlreadyStored(UserError):
    """The run is already stored.

    Attributes
    ----------
    run : StoredRun
        The stored run.
    """

    def __init__(self, run: StoredRun) -> None:
        super().__init__(f"run {run.id} is stored in {run.path}; give force=true to repeat it")
        self.run = run


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


def _rank(run: StoredRun) -> tuple[bool, bool, str]:
    """Return a sort key of runs: a result, the name of its identity (copies have others), the newest."""
    return run.complete, run.id == run.key, run.started


def _end(path: Path) -> Document:
    """Return status.json, or a substitute for a run without one."""
    try:
        end = documents.read(f"{path}/status.json")
        check = end.pop("check", None)
        if check is not None and check != digest(end):
            raise _changed(path / "status.json")
        check_load(end.get("load"))
        return end
    except FileNotFoundError:
        if not path.name.endswith(RUNNING):
            raise documents.damaged(path, "status.json is missing") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise documents.damaged(path / "status.json", error) from error
    who = holder(path / LOCK)
    if who is None:
        reason = "its process ended without storing an end; the checkpoints until then are whole"
        return {"status": "killed", "reason": reason}
    return {"status": "running", "reason": who}


def _last_checkpoint(path: Path, manifest: bytes, files: Mapping[str, str]) -> Row | None:
    """Return the last checkpoint of a run, after checking its files against its end."""
    if not isinstance(files, Mapping):
        raise documents.damaged(path / "status.json", f"its files are {kind_of(files)}, not a mapping")
    unknown = sorted(set(files) - set(CHECKED))
    if unknown:
        raise documents.damaged(path / "status.json", f"it names {unknown[0]}, which no run has")
    if "run.json" in files and sha256(manifest) != files["run.json"]:
        raise _changed(path / "run.json")
    if "trace.csv" not in files:
        rows = trace.read_rows(path / "trace.csv")
        return rows[-1] if rows else None
    content = read_regular(f"{path}/trace.csv")
    if sha256(content) != files["trace.csv"]:
        raise _changed(path / "trace.csv")
    return trace.last_row(content, f"{path}/trace.csv")


def _changed(path: Path) -> UserError:
    return documents.damaged(path, "checksum mismatch")
