"""The record of a sweep in ``RESULTS/sweeps/<name>/``: its plan, and a line when a job begins or ends.

::

    plan.json       options, jobs (label and configuration), what was left out, a digest
    events.jsonl    {"job": 3, "event": "began" or "ended", "time": ..., "check": digest}; an end has more
    lock            held while the sweep is running
    N.log, N.now    progress and current state of job N;  workers.log: other output of the processes
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import UnionType
from typing import Any, BinaryIO, cast

from svmbench.config.validation import sweep_options
from svmbench.errors import Damage, UserError, command, nearest
from svmbench.files import scratch, sync_folder, write_whole
from svmbench.locking import Lock, holder
from svmbench.run_config import RunConfig
from svmbench.store import Store, lines, shared
from svmbench.store.documents import Unreadable, storing
from svmbench.store.index import folder_names
from svmbench.store.integrity import Finding, check_store
from svmbench.sweep.planning import Job, Plan
from svmbench.sweep.stored import JobEnd, without_run

#: Keys that a sweep reads from a stored configuration before a run validates it, and their types.
_OF_A_CONFIG = {"seed": int, "threads": int, "results": str, "force": bool}

#: Keys of launchers of older versions.
_FORMER = ("cluster", "requeue", "retries")

#: Why a job has no run any more.
_GONE = "its run was deleted, or set aside as damaged"

#: End states of a job that need not be repeated.
FINISHED = ("done", "found")


class Record:
    """The folder of a sweep.

    Parameters
    ----------
    folder : Path
        ``RESULTS/sweeps/<name>``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, results: Path, plan: Plan) -> Record:
        """Create the folder of a new sweep."""
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
        # A process may start several sweeps within a second.
        names = itertools.chain([name], (f"{name}-{count}" for count in itertools.count(2)))
        try:
            sweeps = results.absolute() / "sweeps"
            sweeps.mkdir(parents=True, exist_ok=True)
            jobs = [{**vars(job), "config": job.config.document()} for job in plan.jobs]
            document = {**vars(plan), "jobs": jobs}
            with scratch(sweeps, ".beginning-") as made:
                (made / "sweep").mkdir()
                write_whole(made / "sweep" / "plan.json", json.dumps(lines.checked(document)))
                folder = next(one for one in (sweeps / one for one in names) if _renamed(made / "sweep", one))
            sync_folder(sweeps)
        except OSError as error:
            raise UserError(
                f"results={results} cannot be used: {error.strerror}; give another results=DIR"
            ) from error
        return cls(folder)

    @classmethod
    def find(cls, results: Path, name: str | None) -> Record:
        """Return a sweep by name, unique prefix or folder; without a name, the newest.

        Raises
        ------
        UserError
            If no sweep matches.
        """
        if name is not None and (Path(name) / "plan.json").is_file():
            return cls(Path(name).resolve())
        sweeps = results / "sweeps"
        names = sorted(name for name in folder_names(sweeps) if os.path.lexists(sweeps / name / "plan.json"))
        if not names:
            make = command("run -m KEY=A,B", results)
            raise UserError(f"there is no sweep in {results}; make one with: {make}")
        matches = names[-1:] if name is None else [known for known in names if known.startswith(name)]
        matches = [name] if name in names else matches
        if len(matches) != 1:
            some = f"{len(matches)} sweeps in {results} begin" if matches else f"no sweep in {results} begins"
            raise UserError(f"{some} with {name}{nearest(str(name), names)}")
        return cls(results.absolute() / "sweeps" / matches[0])

    @property
    def name(self) -> str:
        """Name of the sweep."""
        return self.folder.name

    def command(self, name: str) -> str:
        """Return the command with this name for this sweep."""
        return command(f"{name} {self.name}", self.results)

    def _here(self, config: RunConfig) -> RunConfig:
        """Return the configuration of a run with the folder that it belongs to, seen from this one."""
        same = Path(config.results).absolute() == self.results
        return config if same else replace(config, results=str(self.results))

    @property
    def results(self) -> Path:
        """The results folder that the sweep is in."""
        return self.folder.parent.parent

    def plan(self) -> Plan:
        """Return the plan."""
        path = self.folder / "plan.json"
        try:
            kept, _ = shared.record(path)
            jobs = [
                Job(**{**job, "config": self._here(RunConfig.of(job["config"]))}) for job in kept.pop("jobs")
            ]
            for key in _FORMER:
                kept["options"].get("launcher", {}).pop(key, None)
            plan = Plan(jobs, **kept)
            _check_plan(plan)
            # A plan written by an older version or by hand may have fewer options than sweeps have now.
            return replace(plan, options=sweep_options(plan.options))
        except Unreadable:
            raise
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, UserError) as error:
            raise UserError(f"{path} is damaged: start the sweep again") from error

    def events(self) -> list[dict[str, Any]]:
        """Return all events, oldest first.

        An incomplete last line is left out silently, damaged lines are left out with a warning.
        """
        path = self.folder / "events.jsonl"
        try:
            found, damaged = shared.read_events(path)
        except FileNotFoundError:
            return []
        if damaged:
            lines.tell(
                f"{damaged} damaged line{'s' * (damaged > 1)} of {path} left out, so that a job may seem not "
                f"to have begun or ended: {self.command('resume')} finds its stored run"
            )
        return found

    def ends(self) -> dict[int, JobEnd]:
        """Return the newest end of each job that has one; ``gone`` if its run is not stored any more."""
        ends = (event for event in self.events() if event["event"] == "ended")
        found = {event["job"]: cast(JobEnd, event) for event in ends}
        places = [self.results / name for name in ("runs", "reference/runs")]
        places += self.results.glob("unpacked/*/runs")
        there = {name for place in places for name in folder_names(place)}
        gone = {job: end for job, end in found.items() if end.get("run") and end["run"] not in there}
        return found | {job: without_run("gone", _GONE, end["seconds"]) for job, end in gone.items()}

    def began(self) -> dict[int, float]:
        """Return when each job began last, in seconds since 1970."""
        return {event["job"]: event["time"] for event in self.events() if event["event"] == "began"}

    def add(self, *events: Mapping[str, Any]) -> None:
        """Append events; raise a `StorageError` if the folder is missing, full or not writable."""
        if not events:
            return
        now = time.time()
        line = "".join(json.dumps(lines.checked({**event, "time": now})) + "\n" for event in events)
        path = self.folder / "events.jsonl"
        with storing(f"what became of sweep {self.name}", self.folder), path.open("a+b") as stream:
            if stream.tell() and _last_byte(stream) != b"\n":
                stream.seek(0)
                stream.truncate(stream.read().rfind(b"\n") + 1)  # a process was killed while it wrote
            stream.write(line.encode())

    def lock(self) -> Lock:
        """Lock the sweep for this process; raise a `UserError` if another one runs it, or it has links."""
        for path in (self.folder, *sorted(self.folder.iterdir())):
            if path.is_symlink():
                raise UserError(f"{path} is a link, and the sweep would write to what it leads to: remove it")
        lock = Lock.try_acquire(self.folder / "lock")
        if lock is None:
            raise UserError(
                f"sweep {self.name} is being made by {self.maker()}; see: {self.command('status')}"
            )
        return lock

    def maker(self) -> str | None:
        """Return who is running the sweep, or None."""
        return holder(self.folder / "lock")

    def made_for(self) -> float | None:
        """Return for how many seconds a process has been running the sweep; None if none is."""
        try:
            return max(0.0, time.time() - (self.folder / "lock").stat().st_mtime) if self.maker() else None
        except OSError:  # the process has just ended
            return None


def all_finished(jobs: Iterable[Job], ends: Mapping[int, JobEnd]) -> bool:
    """Return whether no job needs to be repeated."""
    return all(job.number in ends and ends[job.number]["state"] in FINISHED for job in jobs)


def check_all(store: Store) -> Iterator[Finding]:
    """Check a store. A plan that ``status`` and ``resume`` refuse is damaged even if its digest matches."""
    for finding in check_store(store):
        if finding.kind == "plan" and finding.state != "unreadable":
            try:
                Record(finding.path.parent).plan()
            except UserError as error:
                finding = replace(finding, state="damaged", sentence=str(error))
        yield finding


def _check_plan(plan: Plan) -> None:
    """Raise a ValueError for a plan that `svmbench.sweep.planning` cannot have written."""
    whole = all(
        type(job.number) is int
        and isinstance(job.label, str)
        and _are(job.overrides, str)
        and all(_is(getattr(job.config, key), kind) for key, kind in _OF_A_CONFIG.items())
        and _is(job.config.budget.counter, str)
        and _is(job.config.budget.memory, int | float | None)
        for job in plan.jobs
    )
    ordered = [job.number for job in plan.jobs] == list(range(len(plan.jobs)))
    pairs = [*plan.duplicates, *plan.impossible]
    texts = _are(plan.folders, str) and all(_are(pair, str, 2) for pair in pairs)
    if not (whole and ordered and plan.jobs and texts and _is(plan.started, str)):
        raise Damage("it holds what no plan has")
    options = sweep_options(plan.options)
    launcher = plan.options.get("launcher", {})  # of an older version, with fewer keys
    read = options["launcher"]
    same = {key: read.get(key) for key in launcher} == launcher
    if not same or any(options[key] != plan.options[key] for key in plan.options.keys() - {"launcher"}):
        raise Damage("it has options that no sweep has")


def _is(value: object, kind: type | UnionType) -> bool:
    """Return whether a value has a type; a number is one for `shared.is_number`, and no boolean."""
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    return isinstance(value, kind) and (not isinstance(value, int | float) or shared.is_number(value))


def _are(values: object, kind: type, length: int | None = None) -> bool:
    """Return whether a value is a list of values of a type, and of the given length, if any."""
    if not isinstance(values, list | tuple) or length not in (None, len(values)):
        return False
    return all(isinstance(value, kind) for value in values)


def _last_byte(stream: BinaryIO) -> bytes:
    stream.seek(-1, os.SEEK_END)
    return stream.read(1)


def _renamed(folder: Path, name: Path) -> bool:
    """Rename a folder unless the name is taken; return whether it was renamed."""
    try:
        os.rename(folder, name)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
            return False
        raise
    return True
