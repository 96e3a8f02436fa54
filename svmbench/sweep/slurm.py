"""Jobs of a SLURM cluster, through submitit."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.errors import UserError
from svmbench.runner.spawn import thread_environment
from svmbench.sweep.remote import make
from svmbench.sweep.stored import RemoteJob

#: Seconds between two queries of SLURM, which serves other users as well.
_ASK = 5.0

#: A job is notified before the end of its time: this many seconds before or, if less, this part (1/4) of its
#: time.
_NOTICE, _SHARE = 90, 4

#: States of jobs that have not ended.
_ALIVE = {
    *("PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT"),
    *("REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESIZING", "RESV_DEL_HOLD", "SPECIAL_EXIT"),
}


class Slurm:
    """One array of jobs.

    Parameters
    ----------
    folder : Path
        Folder for submitit's files.
    options : mapping
        Options ``launcher`` of the sweep.
    size : int
        Most simultaneous jobs.
    threads : int
        Cores per job.
    """

    def __init__(self, folder: Path, options: Mapping[str, Any], size: int, threads: int) -> None:
        import submitit

        self._options = options
        self._jobs: dict[int, Any] = {}
        self._asked = 0.0
        self._known: dict[int, str] = {}
        seconds = 60 * options["minutes"]
        common = {
            "timeout_min": max(1, round(options["minutes"])),
            "cpus_per_task": threads,
            "name": "svmbench",
            **({} if options["memory"] is None else {"mem_gb": options["memory"] / 1024}),
        }
        self.most: int | None = None  # the array has its own limit
        if options["cluster"] == "local":
            self.most = size
            self._executor = submitit.AutoExecutor(folder, cluster="local")
            self._executor.update_parameters(**common, local_setup=options["setup"])
            return
        self._executor = submitit.AutoExecutor(folder, cluster="slurm")
        lines = [f"export {name}={value}" for name, value in thread_environment(threads).items()]
        own = {key: options[key] for key in ("partition", "account", "qos") if options[key] is not None}
        self._executor.update_parameters(
            **common,
            **{f"slurm_{key}": value for key, value in own.items()},
            slurm_array_parallelism=size,
            slurm_signal_delay_s=min(_NOTICE, round(seconds / _SHARE)),
            slurm_setup=[*lines, *options["setup"]],
            slurm_additional_parameters={"requeue" if options["requeue"] else "no-requeue": True},
        )

    def submit(self, documents: Sequence[RemoteJob]) -> None:
        """Submit the jobs as one array."""
        try:
            jobs = self._executor.map_array(make, documents)
        except Exception as error:  # submitit raises its own for messages of sbatch
            said = [line.strip() for line in str(error).splitlines() if line.strip()]
            raise UserError(f"SLURM takes no jobs: {said[-1] if said else type(error).__name__}") from error
        self._jobs |= {document["number"]: job for document, job in zip(documents, jobs, strict=True)}

    def over(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the jobs that have ended; SLURM is not queried at every call."""
        if self._options["cluster"] == "local":
            states = {number: self._jobs[number].state for number in numbers}
            return {number: f"ended as {state}" for number, state in states.items() if state != "RUNNING"}
        if time.monotonic() - self._asked >= _ASK:
            self._asked = time.monotonic()
            self._known = self._ask(numbers)
        return {number: how for number, how in self._known.items() if number in numbers}

    def _ask(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return how jobs ended according to squeue; sacct needs accounting, which not every cluster has."""
        names = {self._jobs[number].job_id: number for number in numbers}
        arrays = ",".join(sorted({name.partition("_")[0] for name in names}))
        command = ["squeue", "--noheader", "--array", "--states=all", f"--jobs={arrays}"]
        said = subprocess.run([*command, "--format=%i|%T|%r"], capture_output=True, text=True, check=False)
        if said.returncode and "Invalid job id" not in said.stderr:
            return {}  # SLURM is not reachable: a later call queries it again
        states = {line.split("|")[0]: line.split("|")[1:] for line in said.stdout.splitlines()}
        found = {}
        for name, number in names.items():
            state, *reason = states.get(name) or states.get(name.partition("_")[0]) or ["forgotten by SLURM"]
            if state not in _ALIVE:
                why = f" ({reason[0]})" if reason and reason[0] not in ("None", "") else ""
                found[number] = f"{name} ended as {state}{why}"
        return found

    def cancel(self, numbers: Sequence[int]) -> None:
        """Cancel jobs. SLURM notifies running ones, and kills them after its KillWait."""
        if self._options["cluster"] == "local":
            for number in numbers:
                with contextlib.suppress(ProcessLookupError):  # submitit itself would kill after a second
                    os.kill(int(self._jobs[number].job_id), signal.SIGTERM)
        elif numbers:
            names = [self._jobs[number].job_id for number in numbers]
            subprocess.run(["scancel", *names], check=False, capture_output=True)

    def close(self) -> None:
        """Wait for submitit's local processes to end; there is nothing to release with SLURM."""
        if self._options["cluster"] == "local":
            deadline = time.monotonic() + _ASK
            while time.monotonic() < deadline and any(job.state == "RUNNING" for job in self._jobs.values()):
                time.sleep(0.05)
