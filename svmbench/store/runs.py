"""One stored run, read in any state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.errors import UserError
from svmbench.files import digest, holder, sha256
from svmbench.store import documents, trace
from svmbench.store.identity import run_id, underived

if TYPE_CHECKING:
    import pandas as pd

    from svmbench.store.model import StoredModel

#: Ends of a run that are its result; a run with any other end is repeated when it is asked for again.
COMPLETE = ("converged", "stalled", "budget", "timeout", "diverged")
#: Ends after which a run would stay where it is, however large its budget.
SETTLED = ("converged", "stalled")
END_STATES = (*COMPLETE, "out_of_memory", "refused", "failed", "interrupted")

RUNNING = ".running"
LOCK = "lock"
#: While a run trains: a file with the seconds that it had trained before.
TRAINING = "training"
MODEL = "model.npz"
STATE = "state.npz"

#: Keys of `StoredRun.summary`: the run, its end, its last checkpoint, its configuration.
SUMMARY_KEYS = (
    *("run", "solver", "dataset", "seed", "status", "reason"),
    *trace.TRACE_COLUMNS,
    *("peak_memory", "started", "ended", "path", "config"),
)

_NOTHING = (None,) * len(trace.TRACE_COLUMNS)

#: Files of a run whose checksums status.json holds.
CHECKED = ("run.json", "trace.csv", MODEL, STATE)


@dataclass(frozen=True)
class StoredRun:
    """A run as it lies in the store, ended or not.

    Attributes
    ----------
    path : Path
        Its folder.
    facts : dict
        What is known of it without opening its files again: what `read` found, or the store's index.
    """

    path: Path
    facts: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> StoredRun:
        """Read the run in a folder, and check what is cheap to check: run.json and trace.csv.

        Raises
        ------
        FileNotFoundError
            If there is none, or none yet.
        UserError
            If one of its files is damaged or missing.
        """
        manifest = documents.read(path / "run.json")
        end = _end(path)
        try:
            for name, expected in end.pop("files", {}).items():
                if name not in (MODEL, STATE) and sha256(path / name) != expected:
                    raise documents.damaged(path / name, "its checksum is another than at the end")
            rows = trace.read_rows(path / "trace.csv")
            # JSON has no NaN or infinity: a diverged objective is unknown to its readers.
            last = rows[-1].items() if rows else ()
            known = {key: value for key, value in last if value is not None and not _not_finite(value)}
            identity, config = manifest["identity"], manifest["config"]
            facts = {
                **{key: end[key] for key in ("status", "reason")},
                **{key: end.get(key) for key in ("ended", "peak_memory")},
                "started": str(manifest["started"]),
                "title": manifest.get("solver", {}).get("title", config["solver"]["name"]),
                "config": config,
                "key": run_id(identity) if "derived" in identity else path.name.removesuffix(RUNNING),
                "underived": run_id(underived(identity)) if "derived" in identity else None,
                "last": [known.get(name) for name in trace.TRACE_COLUMNS] if rows else [],
                "validation": _cross_validation(end),
            }
            run = cls(path, facts)
            _ = (run.solver, run.dataset, run.seed)
        except FileNotFoundError as error:
            raise documents.damaged(path, f"{Path(error.filename).name} is missing") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise documents.damaged(path / "run.json", error) from error
        object.__setattr__(run, "manifest", manifest)
        return run

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """run.json: identity, configuration, data set, solver version, problem, seeds, environment hash."""
        return documents.read(self.path / "run.json")

    @property
    def status(self) -> str:
        """One of `END_STATES`, or ``running`` or ``killed`` for a run without an end."""
        return str(self.facts["status"])

    @property
    def reason(self) -> str:
        """Why it ended, one sentence."""
        return str(self.facts["reason"])

    @property
    def ended(self) -> str | None:
        """When it ended."""
        return self.facts["ended"]

    @property
    def peak_memory(self) -> float | None:
        """Most resident memory of its process, MiB; None if it has not ended or was not asked."""
        return self.facts["peak_memory"]

    @property
    def key(self) -> str:
        """Name that its identity has now; an older run's folder may have an older one."""
        return str(self.facts["key"])

    @property
    def id(self) -> str:
        """Name of the run: solver, data set, hash of its identity."""
        return self.path.name.removesuffix(RUNNING)

    @property
    def homes(self) -> list[Path]:
        """Results folders that may hold what it refers to: a run of a pack lies two folders further down."""
        return [self.path.parents[1], *self.path.parents[3:4]]

    @property
    def config(self) -> dict[str, Any]:
        """Resolved configuration."""
        return dict(self.facts["config"])

    @property
    def solver(self) -> str:
        """Name of the solver."""
        return str(self.facts["config"]["solver"]["name"])

    @property
    def title(self) -> str:
        """Name of the solver in figures and tables."""
        return str(self.facts["title"])

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return str(self.facts["config"]["dataset"]["name"])

    @property
    def seed(self) -> int:
        """Seed as the user gave it."""
        return int(self.facts["config"]["seed"])

    @property
    def started(self) -> str:
        """When it began."""
        return str(self.facts["started"])

    @property
    def complete(self) -> bool:
        """Whether it ended with a result, so that an identical run need not be repeated."""
        return self.status in COMPLETE

    def trace(self) -> pd.DataFrame:
        """Return the checkpoints so far, one row each, columns `TRACE_COLUMNS`."""
        return trace.read_frame(self.path / "trace.csv")

    def rows(self) -> list[dict[str, Any]]:
        """Return the checkpoints so far, a dict each, None where unknown; no import of pandas."""
        return trace.read_rows(self.path / "trace.csv")

    @property
    def files(self) -> dict[str, str] | None:
        """sha256 of its files at its end, by name; None without an end, or of an older version."""
        return _end(self.path).get("files")

    @property
    def wrong_tests(self) -> str | None:
        """Which test examples the last checkpoint predicted wrongly, as `svmbench.store.bits` packs them."""
        return _end(self.path).get("wrong_tests")

    @property
    def cross_validation(self) -> dict[str, Any] | None:
        """What its folds said, each with its mistakes and examples; None without folds."""
        return _end(self.path).get("cross_validation")

    def model(self) -> StoredModel:
        """Return the predictor of the last checkpoint.

        Raises
        ------
        UserError
            If the run was stored before models were, was killed, or its model is damaged.
        """
        from svmbench.store.model import StoredModel

        expected = (self.files or {}).get(MODEL)
        path = self.path / MODEL
        if expected is None:
            raise UserError(
                f"run {self.id} holds no model: it was killed, failed before its first checkpoint, or was "
                "stored by an older version; repeat it by force=true"
            )
        if not path.is_file() or sha256(path) != expected:
            raise documents.damaged(path, "missing, or its checksum is another than at the end")
        return StoredModel.load(path)

    def summary(self) -> dict[str, Any]:
        """Return the run's end and its last checkpoint under `SUMMARY_KEYS`; None where unknown."""
        last = dict(zip(trace.TRACE_COLUMNS, self.facts["last"] or _NOTHING, strict=True))
        if self.facts["validation"] is not None:
            last["validation_error"] = self.facts["validation"]
        return {
            "run": self.id,
            "solver": self.solver,
            "dataset": self.dataset,
            "seed": self.seed,
            "status": self.status,
            "reason": self.reason,
            **last,
            "peak_memory": self.peak_memory,
            "started": self.started,
            "ended": self.ended,
            "path": str(self.path),
            "config": self.config,
        }


class AlreadyStored(UserError):
    """The run that was to begin is stored.

    Attributes
    ----------
    run : StoredRun
        The one that is stored.
    """

    def __init__(self, run: StoredRun) -> None:
        super().__init__(f"run {run.id} is stored in {run.path}; give force=true to repeat it")
        self.run = run


def _end(path: Path) -> dict[str, Any]:
    """Return status.json, or what is said of a run that has none."""
    try:
        end = documents.read(path / "status.json")
        check = end.pop("check", None)
        if check is not None and check != digest(end):
            raise documents.damaged(path / "status.json", "its checksum is another than at the end")
        return end
    except FileNotFoundError:
        if not path.name.endswith(RUNNING):
            raise documents.damaged(path, "status.json is missing") from None
    who = holder(path / LOCK)
    if who is None:
        reason = "its process ended without storing an end; the checkpoints until then are whole"
        return {"status": "killed", "reason": reason}
    return {"status": "running", "reason": who}


def _cross_validation(end: dict[str, Any]) -> float | None:
    """Return the share of mistakes over all folds; None without folds, or with some that were not fitted."""
    found = end.get("cross_validation")
    if found is None or len(found["mistakes"]) < found["folds"]:
        return None
    return float(sum(found["mistakes"]) / sum(found["examples"]))


def _not_finite(value: Any) -> bool:
    return isinstance(value, float) and not -float("inf") < value < float("inf")
