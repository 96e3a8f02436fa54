"""Tasks of a Ray cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from svmbench.errors import UserError
from svmbench.runner.spawn import thread_environment
from svmbench.sweep.remote import make

_MIB = 1024 * 1024


class Ray:
    """Jobs as tasks, at most so many at a time.

    Parameters
    ----------
    options : mapping
        ``launcher`` of the sweep.
    size : int
        Tasks that run at a time, at most.
    threads : int
        Cores of each.
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
            ray.init(
                address=address,
                configure_logging=False,
                log_to_driver=False,
                runtime_env={"env_vars": thread_environment(threads)},
                **(own if address == "local" else {}),
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise UserError(
                f"launcher.address={address}: no Ray cluster can be reached ({said[0]}); start one by "
                "ray start --head, or give launcher.address=local"
            ) from error
        asked = {} if options["memory"] is None else {"memory": int(options["memory"] * _MIB)}
        self._make = ray.remote(make).options(num_cpus=threads, max_retries=options["retries"], **asked)

    def submit(self, documents: Sequence[Mapping[str, Any]]) -> None:
        """Start tasks; Ray finds the machines."""
        for document in documents:
            self._tasks[document["number"]] = self._make.remote(document)
            self._begun[document["number"]] = time.monotonic()

    def over(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the tasks that will not go on."""
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
            return f"ended by {type(error).__name__}: {said[0][:200]}"
        return "ended without a word"

    def cancel(self, numbers: Sequence[int]) -> None:
        """Interrupt tasks; the runs store what they have."""
        for number in numbers:
            self._ray.cancel(self._tasks[number], force=False)

    def close(self) -> None:
        """Leave the cluster, or end that of this machine alone."""
        self._ray.shutdown()
