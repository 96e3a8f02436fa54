"""Checks of what a run stores about its circumstances: times, machine, load, folds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from svmbench.files import canonical

if TYPE_CHECKING:
    from svmbench.data import Dataset

#: Relative and absolute tolerance, in seconds, of sums of seconds, since those of the load are rounded.
_RELATIVE, _SECONDS = 0.01, 0.01

#: Most seconds that a core can be busy in a second, by clocks that differ a little.
_BUSY = 1.1
#: CPU seconds that may be measured beyond those: clocks have steps, and threads that watch take time.
_IDLE = 0.1


def circumstances(
    manifest: Mapping[str, Any],
    end: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    machine: Mapping[str, Any] | None,
) -> Iterator[str]:
    """Generate a sentence per contradiction.

    Parameters
    ----------
    manifest, end : mapping
        run.json and status.json.
    rows : sequence of mapping
        The checkpoints; the last one suffices.
    machine : mapping or None
        The environment that run.json names, if it is stored.
    """
    yield from _times(manifest["started"], end)
    load, folds, asked = end.get("load"), end.get("cross_validation"), manifest["config"].get("validate")
    if machine is not None and machine["threads"] != manifest["config"]["threads"]:
        threads = manifest["config"]["threads"]
        yield f"threads are {threads}, the environment is that of a run with {machine['threads']}"
    if load is not None:
        yield from _load(load, machine)
        if rows:
            yield from _watched(manifest, load, rows[-1])
    if folds is not None:
        yield from _folds(asked, folds, manifest["dataset"]["rows"]["train"])
    elif asked is not None and not asked.get("warm") and end["status"] in ("converged", "stalled"):
        yield f"validate is {asked}, there are no results of folds"


def _times(started: str, end: Mapping[str, Any]) -> Iterator[str]:
    if end["started"] != started:
        yield f"it started at {end['started']} by its end, at {started} by run.json"
    begun, ended = _moment(started), _moment(end.get("ended") or started)
    if begun is None or ended is None:
        yield f"started {started} and ended {end.get('ended')} are no times"
    elif ended < begun:
        yield f"it ended at {end['ended']}, before it started at {started}"
    else:
        lasted, watched = (ended - begun).total_seconds(), (end.get("load") or {}).get("seconds", 0.0)
        # If no time passed between the two, the clock of the machine was set back: nothing can be compared.
        if lasted > 0.0 and watched > (1.0 + _RELATIVE) * lasted + 1.0:
            yield f"the load is of {watched!r} s, the run took {lasted!r}"


def _moment(text: str) -> datetime | None:
    with contextlib.suppress(ValueError):
        found = datetime.fromisoformat(text)
        return None if found.tzinfo is None else found
    return None


def _load(load: Mapping[str, Any], machine: Mapping[str, Any] | None) -> Iterator[str]:
    """Compare the numbers of a recorded load with each other, and the cores with those of the machine."""
    cores, own = load.get("cores"), load.get("own")
    if cores is not None and own is not None and own > _BUSY * cores:
        yield f"the load is of {own!r} cores by the run, there are {cores}"
    if machine is not None and cores is not None and machine["cores"] != cores:
        yield f"the load is of {cores} cores, the environment has {machine['cores']}"


def _watched(manifest: Mapping[str, Any], load: Mapping[str, Any], last: Mapping[str, Any]) -> Iterator[str]:
    """Compare the seconds of training with those during which the load was recorded.

    Runs with features or a start, and continued runs, are skipped: part of their training preceded the
    recording.
    """
    config = manifest["config"]
    wall, cpu = last["wall_seconds"], last["cpu_seconds"]
    ours = last.get("inner_products") is not None  # a baseline may have threads of its own
    if ours and None not in (wall, cpu) and cpu > _BUSY * config["threads"] * wall + _IDLE:
        yield f"cpu_seconds is {cpu!r} at the last checkpoint, in {wall!r} s with {config['threads']} threads"
    if "continued" in manifest or config.get("features") is not None or config.get("start") is not None:
        return
    own, spans = load.get("own"), {"wall_seconds": load["seconds"]}
    if own is not None:
        spans["cpu_seconds"] = own * load["seconds"]
    for column, watched in spans.items():
        spent = last[column]
        if spent is not None and not spent <= (1.0 + _RELATIVE) * watched + _SECONDS:
            yield f"{column} is {spent!r} at the last checkpoint, the load is of {watched:.3f} s"


def _folds(asked: Mapping[str, Any] | None, found: Mapping[str, Any], n: int) -> Iterator[str]:
    """Compare the results of a cross-validation with its configuration and the number of examples."""
    if asked is None or any(found[key] != asked[key] for key in ("folds", "seed")):
        yield f"there are results of {found['folds']} folds, validate is {asked}"
        return
    mistakes, examples = found["mistakes"], found["examples"]
    counted = len(mistakes) == len(examples) <= found["folds"]
    if not counted or not all(0 <= wrong <= size for wrong, size in zip(mistakes, examples)):
        yield f"the folds have {mistakes} mistakes on {examples} examples"
    elif len(examples) == found["folds"] and sum(examples) != n:
        yield f"the folds have {sum(examples)} examples, of {n}"


def other_data(about: Mapping[str, Any], data: Dataset) -> list[str]:
    """Return a sentence for each part of run.json's description that does not match the data.

    Parameters
    ----------
    about : mapping
        ``dataset`` of run.json. Keys that older versions did not store are not compared.
    data : Dataset
        The data set with its checksum.
    """
    parts = {"train": data.train, "validation": data.validation, "test": data.test}
    made: dict[str, object] = {
        "rows": {name: part.n for name, part in parts.items() if part is not None},
        "features": data.train.X.shape[1],
        **{key: data.info.get(key) for key in ("columns", "labels", "filling")},
    }
    return [
        f"dataset.{key} is {about[key]}, the data have {value}"
        for key, value in made.items()
        if about.get(key) is not None and canonical(about[key]) != canonical(value)
    ]
