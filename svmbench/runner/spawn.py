"""Threads and environment of the processes that make runs."""

from __future__ import annotations

import os

from svmbench.errors import UserError

#: Variables from which numerical libraries read the number of threads when loaded.
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: Variables that force a kernel made for another processor on OpenBLAS, which baselines compute with. Some
#: machines set them for all users: LIBSVM on dense MNIST, C = 10, took 84.4 s with them and 75.5 s without.
_FORCED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_threads(threads: int) -> None:
    """Raise a `UserError` if there are more threads than cores."""
    most = os.cpu_count() or 1
    if threads > most:
        raise UserError(
            f"threads={threads} exceeds the number of cores of this machine: give threads={most} or fewer"
        )


def make_runs_here(threads: int) -> None:
    """Give this process, before it loads such libraries, the environment of one that makes runs."""
    wanted = worker_environment(threads)
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    os.environ.update(wanted)


def worker_environment(threads: int) -> dict[str, str]:
    """Return the environment of a process that makes runs: limited threads, no forced kernel."""
    kept = {name: value for name, value in os.environ.items() if name not in _FORCED}
    return kept | dict.fromkeys(_THREAD_VARIABLES, str(threads))
