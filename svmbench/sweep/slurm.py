"""Jobs of a SLURM cluster: arrays, submitted by ``sbatch`` and watched by ``squeue``."""

from __future__ import annotations

import contextlib
import math
import os
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svmbench.errors import UserError
from svmbench.sweep.bundle import BundleDocument
from svmbench.sweep.cluster import Bundle, Fate, submitted

#: Seconds between two questions to SLURM, which serves other users as well, and limit on its answer.
_ASK, _ANSWER = 30.0, 60.0

#: Most jobs of an array where SLURM does not say.
_MOST = 1000

#: States of jobs that have not ended.
_ALIVE = {
    *("PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT"),
    *("REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESIZING", "RESV_DEL_HOLD", "SPECIAL_EXIT"),
}
#: States of jobs that the cluster has ended, without a fault of their runs.
_LOST = {"PREEMPTED", "NODE_FAIL", "BOOT_FAIL", "REVOKED", "DEADLINE"}

#: Reasons for which a queued job waits for ever or is refused, and what to do.
_NEVER = {
    "PartitionTimeLimit": "launcher.minutes is above the limit of its partition: give less, or "
    "launcher.minutes=auto",
    r"(Assoc|QOS)Max\w*PerJob\w*": "a job may not ask for so much: give less of launcher.minutes, "
    "launcher.memory or threads, or another launcher.account or launcher.qos",
    "PartitionNodeLimit|BadConstraints|node configuration|Invalid (feature|gen|node)": "no node has what it "
    "asks for: see launcher.memory, launcher.constraint, launcher.nodelist and launcher.gres",
    "[Ii]nvalid partition": "give a launcher.partition that sinfo lists",
    r"(Account|QOS)NotAllowed|(?i:Invalid ?(account|qos))": "give a launcher.account and launcher.qos "
    "that may use the partition",
    "DependencyNeverSatisfied": "see launcher.options",
    "ReservationDeleted|reservation is invalid": "give another launcher.reservation",
    "JobHoldMaxRequeue|launch_failed_requeued_held": "its nodes cannot start it: see scontrol show job",
}
#: Refusals of ``sbatch`` that end when other jobs do, and those that end when SLURM is back.
_FULL = re.compile("(Max|Grp)Submit|temporarily una|queue full|Invalid job array")
_AWAY = re.compile("contact slurm controller|timed out|Connection|connect failure")

#: Options of ``sbatch`` with the names of our keys.
_SAME = ("partition", "account", "qos", "reservation", "constraint", "nodelist", "exclude", "gres")


class Slurm:
    """Arrays of jobs.

    Parameters
    ----------
    folder : Path
        Folder of the sweep.
    size : int
        Most jobs that run at a time.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self._folder = folder
        self._size = size
        self._ids: dict[str, str] = {}
        self._most = self._largest = most_of_an_array()
        self._array, self._throttle = "", 0
        self._free = size
        self._asked = self._refused = -math.inf
        self._refusal = ""
        self._states: dict[tuple[str, str], State] = {}
        self._fates: dict[str, Fate] = {}

    def room(self, live: Sequence[Bundle]) -> int:
        """Return how many jobs can be submitted; none while one waits in the queue."""
        self._free = self._size - len(live)
        if self._free <= 0 or any(not bundle.begun for bundle in live):
            return 0
        return self._most if time.monotonic() - self._refused >= _ASK else 0

    def submit(self, array: str, documents: Sequence[BundleDocument], options: Mapping[str, Any]) -> bool:
        """Submit an array of jobs; return whether SLURM accepts it now.

        If it accepts no more jobs of this user, half as many are tried at the next call, a single one after a
        while, and twice as many once an array has been accepted.
        """
        program = [sys.executable, "-P", "-m", "svmbench.sweep.bundle"]
        program += [str(self._folder / "cluster" / f"{array}.jsonl")]
        script = ["#!/bin/bash", "begun=$(date +%s)", *options["setup"]]
        script += [f"exec {shlex.join(program)} $SLURM_ARRAY_TASK_ID $begun", ""]
        command = [
            *(
                "sbatch",
                "--parsable",
                f"--job-name={_job_name(self._folder, array)}",
                "--requeue",
                "--open-mode=append",
            ),
            f"--array=0-{len(documents) - 1}%{self._free}",
            f"--output={self._folder / 'slurm.log'}",
            *_words(options),
        ]
        code, out, err = _said(command, "\n".join(script))
        if code == 0:
            self._ids[array] = out.strip().partition(";")[0]
            (self._folder / "cluster" / f"{array}.id").write_text(self._ids[array], encoding="ascii")
            self._array, self._throttle, self._refusal = array, self._free, ""
            self._asked = time.monotonic()  # it has no reason yet to wait
            self._most = min(2 * self._most, self._largest)
            return True
        why = _why(err)
        if not (_FULL.search(err) or _AWAY.search(err)):
            why = why or f"sbatch ended with code {code}"
            raise UserError(": ".join(filter(None, [f"SLURM refuses the jobs: {why}", _remedy(why)])))
        if _AWAY.search(err) or self._most == 1:
            self._refused = time.monotonic()
        self._refusal = f"SLURM accepts no more jobs now: {why}"
        self._most = max(1, len(documents) // 2)
        return False

    def attach(self, arrays: Iterable[str]) -> None:
        """Find the arrays of an earlier process in SLURM."""
        self._ids |= ids(self._folder, arrays)

    def fates(self, bundles: Sequence[Bundle]) -> dict[str, Fate]:
        """Return the fates of jobs that are over; SLURM is asked at most once in 30 s."""
        if bundles and time.monotonic() - self._asked >= _ASK:
            self._asked = time.monotonic()
            arrays = {bundle.name.partition("-")[0] for bundle in bundles}
            states = asked([self._ids[array] for array in arrays if array in self._ids])
            if states is not None:
                self._states = states
                self._fates = {b.name: fate for b in bundles if (fate := self._fate(b)) is not None}
                never = [bundle for bundle in bundles if self._kind(bundle) == "never"]
                self.cancel(never)
        self._widen(bundles)
        return {bundle.name: self._fates[bundle.name] for bundle in bundles if bundle.name in self._fates}

    def _kind(self, bundle: Bundle) -> str:
        return self._fates[bundle.name].kind if bundle.name in self._fates else ""

    def _fate(self, bundle: Bundle) -> Fate | None:
        """Return the fate of a job by what SLURM has answered; None if it is queued or running."""
        array, _, line = bundle.name.partition("-")
        if array not in self._ids:
            return Fate("was never submitted", "lost")
        name = f"{self._ids[array]}_{line}"
        state = self._states.get((self._ids[array], line))
        if state is None and bundle.begun:
            return Fate(f"{name} has ended, and SLURM has forgotten how", "died")
        if state is None:
            return Fate(f"{name} left the queue before it began, as a cancelled job does", "cancelled")
        if state.name == "PENDING":
            remedy = _remedy(state.reason)
            return Fate(f"{name} would wait for ever ({state.reason}): {remedy}", "never") if remedy else None
        if state.name in _ALIVE:
            return None
        if state.name == "CANCELLED":
            return Fate(f"{name} was cancelled", "cancelled")
        why = f" ({state.reason})" if state.reason not in ("", "None") else ""
        how = f"{name} ended as {state.name}{why}; see {self._folder / 'slurm.log'}"
        return Fate(how, "lost" if state.name in _LOST else "died")

    def _widen(self, bundles: Sequence[Bundle]) -> None:
        """Let the newest array use the places of jobs of earlier ones that have ended."""
        others = sum(not bundle.name.startswith(f"{self._array}-") for bundle in bundles)
        if self._array and self._throttle < self._size - others and len(bundles) - others > self._throttle:
            self._throttle = self._size - others
            changed = f"JobId={self._ids[self._array]}", f"ArrayTaskThrottle={self._throttle}"
            _said(["scontrol", "update", *changed])

    def waiting(self) -> str:
        """Return how many jobs are queued, for which reasons."""
        return "; ".join(filter(None, [queued(self._states.values()), self._refusal]))

    def cancel(self, bundles: Sequence[Bundle]) -> None:
        """Cancel jobs. SLURM sends SIGTERM to running ones, and kills them after its KillWait."""
        lines: dict[str, list[str]] = {}
        for bundle in bundles:
            array, _, line = bundle.name.partition("-")
            lines.setdefault(array, []).append(line)
        names = [
            f"{self._ids[array]}_[{','.join(some)}]" for array, some in lines.items() if array in self._ids
        ]
        if names:
            _said(["scancel", *names])

    def close(self) -> None:
        """Do nothing: jobs of SLURM do not need this process."""


class Probe:
    """A job that runs a program on each of two nodes, if there are so many.

    Parameters
    ----------
    folder : Path
        Folder for its output.
    program : list of str
        The program, which is given a name as its last argument.
    options : mapping
        Options of the launcher.
    """

    def __init__(self, folder: Path, program: Sequence[str], options: Mapping[str, Any]) -> None:
        self._log = folder / "slurm.log"
        self._program = program
        self._options = options
        self._id = ""
        self._asked = time.monotonic()

    def start(self) -> list[str]:
        """Submit the job; return the names that the program is given."""
        nodes = {node for some in kinds_of_nodes(self._options).values() for node in some}
        count = max(1, min(2, len(nodes)))
        minutes = 5 if self._options["minutes"] == "auto" else self._options["minutes"]
        command = ["sbatch", "--parsable", "--job-name=svmbench-check", f"--output={self._log}"]
        command += [f"--nodes={count}", "--ntasks-per-node=1"]
        words = _words({**self._options, "minutes": minutes, "threads": 1})
        task = f"exec {shlex.join(self._program)} node-$SLURM_PROCID"
        script = ["#!/bin/bash", *self._options["setup"], f"srun bash -c {shlex.quote(task)}", ""]
        code, out, err = _said([*command, *words], "\n".join(script))
        if code:
            raise UserError(f"SLURM refuses the job of the check: {_why(err) or f'code {code}'}")
        self._id = out.strip().partition(";")[0]
        return [f"node-{number}" for number in range(count)]

    def look(self) -> None:
        """Raise a `UserError` if the job has ended or never will begin; say what it waits for."""
        if time.monotonic() - self._asked < _ASK:
            return
        self._asked = time.monotonic()
        states = asked([self._id])
        state = None if states is None else next(iter(states.values()), State("forgotten by SLURM", ""))
        if state is not None and state.name not in _ALIVE:
            said = self._log.read_text(errors="replace").strip().splitlines() if self._log.exists() else []
            raise UserError(
                f"the job of the check ended as {state.name}: {said[-1] if said else state.reason}"
            )
        if state is not None and state.name == "PENDING":
            print(f"waiting for SLURM ({state.reason})", file=sys.stderr)

    def close(self) -> None:
        """End the job."""
        if self._id:
            _said(["scancel", self._id])


@dataclass(frozen=True)
class State:
    """State of a job in SLURM's words, and the reason."""

    name: str
    reason: str


def asked(names: Sequence[str]) -> dict[tuple[str, str], State] | None:
    """Return the states of all jobs of arrays, by id and number; None if SLURM does not answer.

    ``squeue`` forgets jobs a few minutes after their end. ``sacct`` knows them if there is an accounting
    database; without one it fails.
    """
    if not names:
        return {}
    command = ["squeue", "--noheader", "--array", "--states=all", "--format=%F|%K|%T|%r"]
    code, out, err = _said([*command, f"--jobs={','.join(names)}"])
    if code and "Invalid job id" not in err:
        return None
    rows = [line.split("|", 3) for line in out.splitlines()]
    found = {(row[0], row[1]): State(row[2], row[3].split(",")[0].replace(" ", "_")) for row in rows}
    if forgotten := set(names) - {array for array, _ in found}:
        command = ["sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State"]
        for line in _said([*command, f"--jobs={','.join(forgotten)}"])[1].splitlines():
            name, _, state = line.partition("|")
            array, _, number = name.partition("_")
            found[array, number] = State(state.partition(" ")[0], "")
    return found


def ids(folder: Path, arrays: Iterable[str]) -> dict[str, str]:
    """Return SLURM's ids of the arrays of a sweep; an array that it does not know is left out.

    A process that was killed while it submitted has not noted the id. The array is found by its name.
    """
    found = {}
    for array in arrays:
        with contextlib.suppress(FileNotFoundError):
            found[array] = (folder / "cluster" / f"{array}.id").read_text(encoding="ascii")
        if not found.get(array):
            command = ["squeue", "--noheader", "--states=all", "--format=%F"]
            known = _said([*command, f"--name={_job_name(folder, array)}"])[1].split()
            found |= {array: known[0]} if known else {}
    return {array: name for array, name in found.items() if name}


def jobs_of(folder: Path) -> dict[tuple[str, str], State]:
    """Return the jobs of a sweep that are queued or running, by id and number."""
    states = asked(list(ids(folder, submitted(folder / "cluster")).values())) or {}
    return {key: state for key, state in states.items() if state.name in _ALIVE}


def cancel_all(folder: Path) -> int:
    """Cancel all jobs of a sweep; return how many were queued or running."""
    jobs = jobs_of(folder)
    if jobs:
        _said(["scancel", *{array for array, _ in jobs}])
    return len(jobs)


def queued(states: Iterable[State]) -> str:
    """Return how many jobs are queued, for which reasons, in words; empty if none is."""
    reasons = Counter(state.reason for state in states if state.name == "PENDING")
    if not reasons:
        return ""
    each = ", ".join(
        f"{reason} {count}" if len(reasons) > 1 else reason for reason, count in reasons.most_common()
    )
    return f"{reasons.total()} queued ({each})"


def most_of_an_array() -> int:
    """Return the most jobs of an array: below MaxArraySize, which limits the index."""
    found = re.search(r"MaxArraySize\s*=\s*(\d+)", _said(["scontrol", "show", "config"])[1])
    return max(1, int(found[1]) - 1) if found else _MOST


def longest(partition: str | None) -> float:
    """Return the most minutes of a job in a partition, or in one of several; infinite without a limit."""
    limits = []
    for line in _said(["scontrol", "--oneliner", "show", "partition"])[1].splitlines():
        about = dict(word.partition("=")[::2] for word in line.split())
        chosen = (
            about.get("Default") == "YES"
            if partition is None
            else about.get("PartitionName") in partition.split(",")
        )
        limit = re.fullmatch(r"(?:(\d+)-)?(\d+):(\d+):(\d+)", about.get("MaxTime", ""))
        if chosen:
            days, hours, minutes, seconds = map(int, limit.groups("0")) if limit else (0, 0, 0, 0)
            limits.append(1440 * days + 60 * hours + minutes + seconds / 60 if limit else math.inf)
    return max(limits, default=math.inf)


def kinds_of_nodes(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the nodes that jobs may get, by their features as ``sinfo`` lists them."""
    command = ["sinfo", "--noheader", "--Node", "--format=%N|%f|%P"]
    command += [f"--partition={options['partition']}"] if options["partition"] else []
    command += [f"--nodes={options['nodelist']}"] if options["nodelist"] else []
    found: dict[str, list[str]] = {}
    for line in _said(command)[1].splitlines():
        node, features, partition = line.split("|")
        if options["partition"] or partition.endswith("*"):
            found.setdefault(features, []).append(node)
    return found


def _words(options: Mapping[str, Any]) -> list[str]:
    """Return the options of ``sbatch``."""
    words = [f"--time={math.ceil(options['minutes'])}", f"--cpus-per-task={options['threads']}"]
    words += [f"--{key}={options[key]}" for key in _SAME if options[key] is not None]
    words += ["--exclusive"] if options["exclusive"] else []
    words += [] if options["memory"] is None else [f"--mem={math.ceil(options['memory'])}M"]
    free = {key: value for key, value in (options["options"] or {}).items() if value is not False}
    return words + [f"--{key}" if value is True else f"--{key}={value}" for key, value in free.items()]


def _why(err: str) -> str:
    """Return the messages of ``sbatch`` as a clause."""
    lines = [
        re.sub(r"^sbatch: (error: )?(Batch job submission failed: )?", "", line) for line in err.split("\n")
    ]
    return "; ".join(dict.fromkeys(line.strip() for line in lines if line.strip()))


def _remedy(why: str) -> str | None:
    """Return what to do about a reason of SLURM; None if it may pass."""
    return next((text for reason, text in _NEVER.items() if re.search(reason, why)), None)


def _job_name(folder: Path, array: str) -> str:
    return f"svmbench-{folder.name}-{array}"


def _said(command: Sequence[str], given: str = "") -> tuple[int, str, str]:
    """Return the exit code, output and errors of a command of SLURM.

    The variables of a job of SLURM in which this process may run are options for the commands, and are not
    passed on.
    """
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith("SLURM_") or key == "SLURM_CONF"
    }
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, check=False, env=kept, timeout=_ANSWER
        )
    except FileNotFoundError:
        return 127, "", f"there is no {command[0]} on this machine"
    except subprocess.TimeoutExpired:
        return 124, "", f"{command[0]} timed out"
    return done.returncode, done.stdout, done.stderr
