"""The load of the machine while a run trains: other processes, the hypervisor and the clock rate."""

from __future__ import annotations

import contextlib
import itertools
import os
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from svmbench.store.facts import Load

#: Seconds between two samples.
EVERY = 1.0
#: A machine is quiet after this many seconds in which other processes used less than this fraction of a core.
QUIET_FOR, QUIET = 1.0, 0.05


@dataclass(frozen=True)
class Sample:
    """Measurements of the system at one moment.

    Attributes
    ----------
    at, own : float
        Wall clock, and CPU seconds of the process that trains until then.
    busy, stolen : float or None
        CPU seconds of all processes since the machine started, and those that the hypervisor gave to other
        machines; None where the system does not tell (it does on Linux).
    queue : int or None
        Threads that were running or ready to run.
    mhz : float or None
        Clock rate, mean over the cores.
    """

    at: float
    own: float
    busy: float | None
    stolen: float | None
    queue: int | None
    mhz: float | None


def sample() -> Sample:
    """Return the present measurements of the system."""
    busy, stolen = _processor_seconds()
    return Sample(time.perf_counter(), time.process_time(), busy, stolen, _queue(), _clock_rate())


def sample_of(process: int) -> Sample | None:
    """Return the present measurements, with the CPU seconds of another process; None where it has ended."""
    own = None
    with contextlib.suppress(OSError, ValueError, IndexError):
        # The name of the program stands in parentheses, and may contain blanks.
        words = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        own = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return None if own is None else replace(sample(), own=own)


class LoadMonitor:
    """Context manager that samples the load once a second, in a separate thread.

    Parameters
    ----------
    take : callable
        Returns a `Sample`.
    every : float
        Seconds between two samples.
    """

    def __init__(self, take: Callable[[], Sample] = sample, every: float = EVERY) -> None:
        self._take = take
        self._every = every
        self._samples: list[Sample] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="load", daemon=True)

    def __enter__(self) -> LoadMonitor:
        self._samples.append(self._take())
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._thread.join()
        self._samples.append(self._take())

    def _watch(self) -> None:
        while not self._over.wait(self._every):
            self._samples.append(self._take())

    def record(self) -> Load:
        """Return the load for status.json."""
        return recorded(self._samples, self._every)


def recorded(samples: Sequence[Sample], every: float = EVERY) -> Load:
    """Return the load for status.json from at least one sample, usually this many seconds apart."""
    first, last = samples[0], samples[-1]
    spans = list(itertools.pairwise(samples))
    # The last span may be much shorter than the resolution of the system's counters, so it gives no rate.
    whole = [pair for pair in spans if pair[1].at - pair[0].at >= 0.5 * every] or [(first, last)]
    most = [rate for pair in whole if (rate := _others(*pair)) is not None]
    queue = [one.queue for one in samples if one.queue is not None]
    mhz = [one.mhz for one in samples if one.mhz is not None]
    seconds = max(last.at - first.at, 1e-9)
    stolen = None
    if first.stolen is not None and last.stolen is not None:
        stolen = max(0.0, last.stolen - first.stolen) / seconds  # some hypervisors count it back
    return {
        "seconds": round(seconds, 3),
        "own": round((last.own - first.own) / seconds, 3),
        "others": _rounded(_others(first, last)),
        "others_most": _rounded(max(most)) if most else None,
        "stolen": _rounded(stolen),
        "queue": [statistics.median(queue), max(queue)] if queue else None,
        "mhz": [round(one) for one in (min(mhz), statistics.median(mhz), max(mhz))] if mhz else None,
        "cores": os.cpu_count(),
        "affinity": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
    }


def wait_until_quiet(limit: float, say: Callable[[str], None], take: Callable[[], Sample] = sample) -> bool:
    """Wait until other processes have left the machine alone for `QUIET_FOR` seconds.

    Parameters
    ----------
    limit : float
        Seconds after which no longer to wait.
    say : callable
        Told once that the machine is busy, and that the limit has passed.

    Returns
    -------
    bool
        Whether the machine is quiet; False too where the system does not tell.
    """
    begun = time.perf_counter()
    told = False
    while True:
        before = take()
        time.sleep(QUIET_FOR)
        others = _others(before, take())
        if others is None or others < QUIET:
            return others is not None
        if time.perf_counter() - begun > limit:
            say(f"other processes still use {others:.1f} cores after {limit:g} s: starting anyway")
            return False
        if not told:
            say(f"waiting up to {limit:g} s for a quiet machine: other processes use {others:.1f} cores")
            told = True


def _others(first: Sample, last: Sample) -> float | None:
    """Return the CPU seconds a second of all other processes between two samples."""
    if first.busy is None or last.busy is None or last.at <= first.at:
        return None
    # The system counts in ticks, the process exactly, so their difference may be negative.
    return max(0.0, (last.busy - first.busy - (last.own - first.own)) / (last.at - first.at))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _processor_seconds() -> tuple[float | None, float | None]:
    with contextlib.suppress(OSError, ValueError, IndexError):
        words = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0].split()
        user, nice, system, _, _, irq, softirq, stolen = map(int, words[1:9])
        tick = os.sysconf("SC_CLK_TCK")
        return (user + nice + system + irq + softirq) / tick, stolen / tick
    return None, None


def _queue() -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0])
    return None


def _clock_rate() -> float | None:
    rates = []
    for file in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_cur_freq"):
        with contextlib.suppress(OSError, ValueError):
            rates.append(int(file.read_text(encoding="ascii")) / 1000)
    if not rates:
        with contextlib.suppress(OSError, ValueError):
            lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            rates = [float(line.partition(":")[2]) for line in lines if line.startswith("cpu MHz")]
    return statistics.fmean(rates) if rates else None
