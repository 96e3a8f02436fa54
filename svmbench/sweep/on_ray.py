"""Tasks of a Ray cluster."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any

from svmbench.errors import UserError
from svmbench.runner.spawn import thread_environment
from svmbench.sweep.remote import make
from svmbench.sweep.stored import RemoteJob

_MIB = 1024 * 1024

#: Seconds to wait for an answer at an address. Ray itself keeps trying for many minutes, warning every 5 s.
_ANSWER = 10.0


class Ray:
    """Jobs as tasks of Ray, with a limit on simultaneous ones.

    Parameters
    ----------
    options : mapping
        Options ``launcher`` of the sweep.
    size : int
        Most simultaneous tasks.
    threads : int
        Cores per task.
    """

    def __init__(self, options: Mapping[str, Any], size: int, threads: int) -> None:
        import ray

        self._ray = ray
        self.most: int | None = size
        self._minutes = options["minutes"]
        self._tasks: dict[int, Any] = {}
        self._begun: dict[int, float] = {}
        address = options["address"]
        own: dict[str, Any] = {"num_cpus": size * threads, "include_dashboard": False}
        try:
            _knock(address)
            ray.init(
                address=address,
                configure_logging=False,
                log_to_driver=False,
                runtime_env={"env_vars": thread_environment(threads)},
                **(own if address == "local" else {}),
            )
        except (OSError, ValueError, RuntimeError) as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise UserError(
                f"launcher.address={address}: no Ray cluster can be reached ({said[0]}); start one by "
                "ray start --head, or give launcher.address=local"
            ) from error
        asked = {} if options["memory"] is None else {"memory": int(options["memory"] * _MIB)}
        self._make = ray.remote(make).options(num_cpus=threads, max_retries=options["retries"], **asked)

    def submit(self, documents: Sequence[RemoteJob]) -> None:
        """Start tasks; Ray chooses the machines."""
        for document in documents:
            self._tasks[document["number"]] = self._make.remote(document)
            self._begun[document["number"]] = time.monotonic()

    def over(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the tasks that have ended."""
        tasks = [self._tasks[number] for number in numbers]
        ready = set(self._ray.wait(tasks, num_returns=len(tasks), timeout=0)[0]) if tasks else set()
        if self._minutes is not None:
            late = time.monotonic() - 60.0 * self._minutes
            self.cancel([number for number in numbers if self._begun[number] < late])
        return {number: self._how(self._tasks[number]) for number in numbers if self._tasks[number] in ready}

    def _how(self, task: Any) -> str:
        try:
            self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            said = str(error).strip().splitlines() or [""]
            # Further sentences of Ray list addresses and possible causes.
            first = said[0].partition(". ")[0].rstrip(".")
            return f"ended by {type(error).__name__}: {first[:200]}"
        return "ended without a word"

    def cancel(self, numbers: Sequence[int]) -> None:
        """Interrupt tasks; the runs store what they have."""
        for number in numbers:
            self._ray.cancel(self._tasks[number], force=False)

    def close(self) -> None:
        """Leave the cluster, or shut down a local one."""
        self._ray.shutdown()


def _knock(address: str) -> None:
    """Raise an `OSError` if nothing listens at HOST:PORT; other addresses are left to Ray."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER).close()
