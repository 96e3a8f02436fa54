"""Runs in separate processes, so that they share nothing and a crash affects no other run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from svmbench.errors import UserError
from svmbench.run_config import RunConfig

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


def thread_environment(threads: int) -> dict[str, str]:
    """Return variables that limit the threads of libraries loaded later."""
    return dict.fromkeys(_THREAD_VARIABLES, str(threads))


def worker_environment(threads: int) -> dict[str, str]:
    """Return the environment of a process that makes runs: limited threads, no forced kernel."""
    kept = {name: value for name, value in os.environ.items() if name not in _FORCED}
    return kept | thread_environment(threads)


def run_in_process(config: RunConfig, log: Path) -> tuple[dict[str, str | None], bool]:
    """Run one resolved configuration by `svmbench.runner.worker`.

    Parameters
    ----------
    config : RunConfig
        Configuration of the run.
    log : Path
        File for its progress.

    Returns
    -------
    (dict, bool)
        The outcome, with the keys ``run``, ``path``, ``state`` and ``reason``, and whether this process was
        interrupted. An interrupt is passed on, and the run stores its end.
    """
    with log.open("w", encoding="utf-8") as stream:
        # A process group of its own: Ctrl-C on the terminal reaches only us, and we pass it on once.
        worker = subprocess.Popen(
            [sys.executable, "-P", "-m", "svmbench.runner.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stream,
            text=True,
            env=worker_environment(config.threads),
            process_group=0,
        )
    interrupted = False
    try:
        answer = worker.communicate(json.dumps(config.document()))[0]
    except KeyboardInterrupt:
        interrupted = True
        worker.send_signal(signal.SIGINT)
        answer = _last_words(worker)
    return _outcome(answer, worker.returncode, log), interrupted


def _last_words(worker: subprocess.Popen[str]) -> str:
    """Wait for a worker that was asked to end; a second Ctrl-C kills it."""
    try:
        return worker.communicate()[0]
    except KeyboardInterrupt:
        worker.kill()
        return worker.communicate()[0]


def _outcome(answer: str, code: int, log: Path) -> dict[str, str | None]:
    """Return the worker's last line, or the reason why it printed nothing."""
    try:
        return dict(json.loads(answer.splitlines()[-1]))
    except (IndexError, ValueError):
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        return {"run": None, "path": None, "state": "failed", "reason": f"its process {how}; see {log}"}
