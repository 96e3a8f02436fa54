"""Tasks of a Ray cluster."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.errors import UserError
from svmbench.sweep.bundle import BundleDocument, make
from svmbench.sweep.cluster import Bundle, Fate
from svmbench.sweep.probe import report

_MIB = 1024 * 1024

#: Seconds to wait for an answer at an address. Ray itself keeps trying for many minutes, warning every 5 s.
_ANSWER = 10.0

#: Ray's errors of tasks that ended through no fault of their runs.
_LOST = ("NodeDiedError", "OwnerDiedError", "LocalRayletDiedError", "TaskUnschedulableError")


class Ray:
    """Jobs as tasks of Ray.

    Parameters
    ----------
    options : mapping
        Options ``launcher`` of the sweep.
    size : int
        Most simultaneous tasks.
    threads : int
        Most cores of a task.
    """

    def __init__(self, options: Mapping[str, Any], size: int, threads: int) -> None:
        import ray

        self._ray = ray
        self._size = size
        self._tasks: dict[str, Any] = {}
        address = options["address"]
        own: dict[str, Any] = {"num_cpus": size * threads, "include_dashboard": False}
        answered = False
        try:
            answered = _knock(address)
            ray.init(
                address=address,
                configure_logging=False,
                log_to_driver=False,
                **(own if address == "local" else {}),
            )
        except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
            remedy = "start one by ray start --head, or give launcher.address=local"
            if "token" in str(error):
                remedy = "give its token by RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH"
            elif answered:
                remedy = "something answers there: is RAY_AUTH_TOKEN its token, and Ray here its version?"
            raise UserError(
                f"launcher.address={address}: no Ray cluster can be reached ({_plain(error)}); {remedy}"
            ) from error

    def room(self, live: Sequence[Bundle]) -> int:
        """Return how many tasks can be submitted."""
        return max(0, self._size - len(live))

    def submit(self, array: str, documents: Sequence[BundleDocument], options: Mapping[str, Any]) -> bool:
        """Start tasks; Ray chooses the machines."""
        asked = {} if options["memory"] is None else {"memory": int(options["memory"] * _MIB)}
        for line, document in enumerate(documents):
            task = self._ray.remote(make).options(num_cpus=document["threads"], max_retries=0, **asked)
            self._tasks[f"{array}-{line}"] = task.remote(document)
        return True

    def attach(self, arrays: Iterable[str]) -> None:
        """Do nothing: tasks end with the process that submitted them."""

    def fates(self, bundles: Sequence[Bundle]) -> dict[str, Fate]:
        """Return the fates of tasks that have ended, or were submitted by another process."""
        tasks = [self._tasks[bundle.name] for bundle in bundles if bundle.name in self._tasks]
        ready = set(self._ray.wait(tasks, num_returns=len(tasks), timeout=0)[0]) if tasks else set()
        over = [bundle.name for bundle in bundles if self._tasks.get(bundle.name) in {*ready, None}]
        return {name: self._fate(self._tasks.get(name)) for name in over}

    def _fate(self, task: Any) -> Fate:
        if task is None:
            return Fate("ended with the process that started it", "lost")
        try:
            self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            kind = type(error).__name__
            fate = "lost" if kind in _LOST else "cancelled" if kind == "TaskCancelledError" else "died"
            return Fate(f"ended by {kind}: {_plain(error)}", fate)
        return Fate("ended without a word", "died")

    def probe(self, folder: Path) -> list[str]:
        """Try a folder from two nodes, if there are so many; return the names of the reports."""
        names = ["task-0", "task-1"]
        task = self._ray.remote(report).options(num_cpus=1, scheduling_strategy="SPREAD")
        self._tasks |= {name: task.remote(folder, name) for name in names}
        return names

    def waiting(self) -> str:
        """Return nothing: Ray does not say what a task waits for."""
        return ""

    def cancel(self, bundles: Sequence[Bundle]) -> None:
        """Interrupt tasks; the runs store what they have."""
        for bundle in bundles:
            if bundle.name in self._tasks:
                self._ray.cancel(self._tasks[bundle.name], force=False)

    def close(self) -> None:
        """Leave the cluster, or shut down a local one."""
        self._ray.shutdown()


def _plain(error: Exception) -> str:
    """Return the first sentence of an error, without colours; others list addresses and possible causes."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip() or type(error).__name__
    return text.splitlines()[0].partition(". ")[0].rstrip(".")[:200]


def _knock(address: str) -> bool:
    """Return whether something listens at HOST:PORT, else raise an `OSError`; False for other addresses."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return False
    socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER).close()
    return True
