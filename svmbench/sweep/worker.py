"""A process that makes one run after another: ``python -m svmbench.sweep.worker``.

It reads jobs as lines of JSON (``number``, ``config``, ``log``) from standard input, and answers each with
one line on its original standard output. Modules stay imported and the last data set stays loaded, so that
the next run begins at once; run.json says how many runs the process had made before. When its input ends, as
it does when the process that started it ends, it stops its run and ends.

SIGINT stops a run. SIGTERM and SIGHUP are ignored: SLURM and systemd send them to all processes of a job, and
the process that leads this one passes them on as SIGINT. A second signal would cut the storing of the end.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from svmbench import data, leftover_threads
from svmbench.data import Dataset
from svmbench.errors import UserError
from svmbench.run_config import RunConfig
from svmbench.runner.environment import reset_peak_memory
from svmbench.runner.execute import execute
from svmbench.runner.outcome import Outcome
from svmbench.sweep.job_state import NotedLines
from svmbench.sweep.stored import JobDocument, JobEnd, end_of

#: Seconds that a run has to store its end when the process that requested it is gone.
_GRACE = 5.0


class LastDataset:
    """`svmbench.data.load` that keeps the last data set, since most runs of a sweep use the same data."""

    def __init__(self) -> None:
        self._key: Any = None
        self._dataset: Dataset | None = None

    def __call__(
        self,
        dataset: Mapping[str, Any],
        *,
        mirror: str | None = None,
        directory: str | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> Dataset:
        """Return the data set; parameters and errors as in `svmbench.data.load`."""
        key = (dict(dataset), mirror, directory)
        if self._dataset is None or key != self._key:
            self._dataset = None  # frees its memory before the next one is read
            self._dataset = data.load(dataset, mirror=mirror, directory=directory, say=say)
            self._key = key
        return self._dataset


def main() -> int:
    """Serve jobs until the input ends."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in the background
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that a library prints may look like an answer
    lines: queue.Queue[str | None] = queue.Queue()
    busy = threading.Event()
    threading.Thread(target=_listen, args=(lines, busy), daemon=True).start()
    load, before = LastDataset(), 0
    while True:
        try:
            line = lines.get()
        except KeyboardInterrupt:
            return 130
        if line is None:
            return 0
        busy.set()
        answer = serve(json.loads(line), load, before)
        busy.clear()
        before += 1
        print(json.dumps(answer), file=answers, flush=True)


def _listen(lines: queue.Queue[str | None], busy: threading.Event) -> None:
    """Read jobs from standard input. At its end, stop the running job; end the process if that is slow."""
    for line in sys.stdin:
        lines.put(line)
    lines.put(None)
    if busy.is_set():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(_GRACE)
        os._exit(1)


def serve(job: JobDocument, load: LastDataset, before: int) -> JobEnd:
    """Make the run of a job; return its end.

    Parameters
    ----------
    job : JobDocument
        The job.
    load : LastDataset
        Loads the data.
    before : int
        Number of runs that this process has made before.
    """
    reset_peak_memory()
    config = RunConfig.of(job["config"])
    started = time.perf_counter()
    try:
        with Path(job["log"]).open("w", encoding="utf-8") as log:
            outcome = _execute(config, log, load, before)
    except OSError as error:  # the folder of the sweep is gone, full or no longer writable
        outcome = Outcome(None, "failed", f"{job['log']} could not be written: {error.strerror or error}")
    seconds = time.perf_counter() - started
    return {"number": job["number"], **end_of(config, outcome, seconds)}


def _execute(config: RunConfig, log: TextIO, load: LastDataset, before: int) -> Outcome:
    try:
        progress = NotedLines(log, Path(log.name).with_suffix(".now"))
        return execute(config, progress=progress, load=load, runs_before=before, wait=True)
    except UserError as error:
        return Outcome(None, "failed", str(error))


if __name__ == "__main__":
    sys.exit(leftover_threads.ended(main()))
