"""Which stored seconds may be compared: of runs that were alone, on one machine with the same software."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from svmbench.files import digest
from svmbench.store.facts import Load
from svmbench.store.runs import StoredRun
from svmbench.store.store import opened

#: Columns of a trace, and metrics made of them, that depend on the load of the machine.
SECONDS = ("wall_seconds", "cpu_seconds", "nanoseconds")

#: A run was alone if other processes used at most this fraction of one core while it trained, and the
#: hypervisor took at most as much: some virtual machines always lose a few percent, which are not part of the
#: CPU seconds of the run. The system counts in ticks of 10 ms on each core, which are allowed in addition.
OTHERS, STOLEN, TICKS = 0.05, 0.05, 0.03

_NOT = "its seconds cannot be compared"

#: Parts of the environment that change no timing, or are the run's own choice.
_INDIFFERENT = ("schema", "source", "threads", "libraries")


def disturbance(load: Load | None) -> str:
    """Return what disturbed a run with this load, in words; empty if it ran alone."""
    if load is None or (others := load.get("others")) is None:
        return "the load of its machine was not recorded"
    seconds, stolen = max(float(load["seconds"]), 1e-9), load["stolen"] or 0.0
    if others > OTHERS + TICKS / seconds:
        return f"other processes used {others:.2f} cores"
    if stolen > STOLEN + TICKS / seconds:
        return f"the hypervisor took {100 * stolen:.0f} % of a core"
    return ""


def disturbed(run: StoredRun) -> str:
    """Return why the seconds of a run cannot be compared; empty if it ran alone and in one piece."""
    if "continued" in run.manifest:
        return "it was made in several pieces"
    return disturbance(run.load)


def machine(run: StoredRun) -> str:
    """Return a name for the machine and the software of a run, the same for all runs of both."""
    name = str(run.manifest.get("environment"))
    # The environment of a packed run is among the reference documents.
    records = (opened(home).environment(name) for home in run.homes)
    record = next((one for one in records if one is not None), None)
    return f"unknown {name}" if record is None else name_of(record)


def name_of(record: Mapping[str, Any]) -> str:
    """Return the name for the machine and the software of an environment."""
    found = {key: value for key, value in record.items() if key not in _INDIFFERENT}
    # A baseline loads libraries of its own. What they have in common is the processor that they compute for.
    kernels = {library.get("architecture") for library in record.get("libraries", [])}
    found["kernels"] = sorted(kernels - {None})
    return digest(found)


def for_seconds(
    runs: Iterable[StoredRun], *names: str, lenient: bool = False
) -> tuple[list[StoredRun], list[tuple[str, str]]]:
    """Return what `comparable` keeps and leaves out if one of `SECONDS` is named, else all runs."""
    return comparable(runs, lenient) if any(name in SECONDS for name in names) else (list(runs), [])


def comparable(
    runs: Iterable[StoredRun], lenient: bool = False
) -> tuple[list[StoredRun], list[tuple[str, str]]]:
    """Keep the runs whose seconds may be compared with each other.

    Of several machines, or of one with several versions of its software, the one with the most runs is kept,
    and of several with equally many that of the newest run.

    Parameters
    ----------
    runs : iterable of StoredRun
        Any runs.
    lenient : bool
        Also keep runs of that machine that were not alone; the output must then say so (`note`).

    Returns
    -------
    kept : list of StoredRun
        Those that ran on that machine, alone unless ``lenient``.
    left_out : list of (str, str)
        The others, each with the reason.
    """
    found = list(runs)
    reasons = {run.path: "" if lenient else disturbed(run) for run in found}
    names: dict[tuple[str, str], str] = {}
    alone: list[tuple[StoredRun, str]] = []
    for run in found:
        if not reasons[run.path]:
            key = str(run.path.parent), str(run.manifest.get("environment"))
            if key not in names:
                names[key] = machine(run)
            alone.append((run, names[key]))
    times: Counter[str] = Counter(name for _, name in alone)
    newest: dict[str, str] = {}
    for run, name in alone:
        newest[name] = max(newest.get(name, ""), run.started)
    chosen = max(times, key=lambda name: (times[name], newest[name]), default=None)
    for run, name in alone:
        if name != chosen:
            reasons[run.path] = "it had another machine or other software"
    left_out = [(run.id, f"{_NOT}: {reasons[run.path]}") for run in found if reasons[run.path]]
    return [run for run in found if not reasons[run.path]], left_out


def note(runs: Iterable[StoredRun]) -> str:
    """Return a sentence for seconds of runs of which some were not alone; empty if all were."""
    busy = [bool(disturbed(run)) for run in runs]
    if not any(busy):
        return ""
    return (
        f"{sum(busy)} of {len(busy)} runs are not known to have had their machine to themselves: read the "
        "seconds as a rough guide."
    )


def summary(kept: int, left_out: Sequence[tuple[str, str]]) -> str:
    """Return how many runs are left out and why, in a sentence; empty if none is."""
    if not left_out:
        return ""
    reasons = Counter(_kind(reason) for _, reason in left_out)
    why = "; ".join(f"{count} because {reason}" for reason, count in reasons.most_common())
    return f"Seconds are shown of {kept} of {kept + len(left_out)} runs ({why})."


def _kind(reason: str) -> str:
    """Return a reason without what differs from run to run."""
    return re.sub(r" used [0-9.]+ cores| took [0-9]+ % of a core", " disturbed it", reason.partition(": ")[2])
