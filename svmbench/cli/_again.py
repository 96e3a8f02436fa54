"""``svmbench verify --again``: make a stored run again, in a process of its own, and compare bit for bit."""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from svmbench.errors import UserError
from svmbench.files import canonical
from svmbench.store import Store, StoredRun
from svmbench.store.export import export
from svmbench.store.identity import without_ends
from svmbench.store.runs import MODEL
from svmbench.store.trace import TRACE_COLUMNS, Row
from svmbench.sweep.pool import alone

#: Columns that no repetition has again, and those that depend on the row cache, which was empty when a
#: continued run went on.
_CLOCKS = ("wall_seconds", "cpu_seconds")
_CACHED = ("kev_computed", "kev_discarded", "inner_products")

#: Sections of run.json besides identity and configuration, and keys of status.json, that are compared.
_SECTIONS = ("dataset", "solver", "problem", "seeds")
_END = ("status", "reason", "wrong_tests", "failure_probability")


def again(run: StoredRun, store: Store) -> tuple[str, str]:
    """Make a run again and compare it; nothing is stored in its results folder.

    Limits of the machine (`budget.seconds`, `budget.memory`) do not end the repetition. A run that they have
    ended is made again up to the iteration of its last checkpoint.

    Returns
    -------
    (str, str)
        ``same``; ``differs``; or ``unchecked``, if it cannot be made again; and a sentence.
    """
    last = run.value("iterations")
    if not run.complete or last is None:
        return "unchecked", "it has no result to make again"
    capped = run.status == "timeout" or run.reason.startswith("budget.memory")
    if capped and run.config.problem.multiclass != "none":
        return "unchecked", f"{run.reason}: where its binary problems ended depends on the machine"
    print(f"making {run.id} again, which took {run.value('wall_seconds'):.3g} s", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="svmbench-again-") as folder:
        results = Path(folder) / "results"
        first = [] if run.config.start is None else [store.find(run.config.start)]
        export([run, *first], results, store.root, [])  # with its optimum
        shutil.rmtree(results / "runs" / run.id)
        budget = replace(run.config.budget, seconds=None, quiet=None)
        config = replace(
            run.config,
            results=str(results),
            force=True,
            budget=replace(budget, iterations=last) if capped else budget,
        )
        end = alone(config, Path(folder))
        if end["run"] is None:
            return "unchecked", f"it cannot be made again: {end['reason']}"
        made = StoredRun.read(results / "runs" / end["run"])
        other = _otherwise_named(run, made)
        if other:
            return "unchecked", f"it cannot be made again: {other}"
        found = [*_differences(run, made, capped=capped)]
        machine = _other_machine(run, made, store, Store(results))
        seconds = (
            f"training took {run.value('wall_seconds'):.3g} s, and {made.value('wall_seconds'):.3g} s again"
        )
    if found:
        more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
        return "differs", f"made again, {'; '.join(found[:3])}{more}{machine}"
    packed = run.path.parents[2].name == "unpacked"
    what = "the packed checkpoints are" if packed else "all checkpoints, the model and the end are"
    return "same", f"made again, {what} equal, bit for bit; {seconds}{machine}"


def _otherwise_named(run: StoredRun, made: StoredRun) -> str:
    """Return what differs between the identities, limits of the budget aside; empty if nothing does."""
    then, now = run.manifest["identity"], made.manifest["identity"]
    if without_ends(then) == without_ends(now):
        return ""
    keys = [
        key for key in sorted(then.keys() | now.keys()) if key != "config" and then.get(key) != now.get(key)
    ]
    said = [f"{key} was {then.get(key)} and is {now.get(key)}" for key in keys]
    return ", ".join(said) or "its configuration is not that of its identity"


def _differences(run: StoredRun, made: StoredRun, *, capped: bool) -> Iterator[str]:
    """Yield a sentence for each difference."""
    left_out = {*_CLOCKS, *(_CACHED if "continued" in run.manifest else ())}
    packed = run.path.parents[2].name == "unpacked"
    yield from _rows(
        run.rows(), made.rows(), [name for name in TRACE_COLUMNS if name not in left_out], packed
    )
    for key in _SECTIONS:
        then, now = run.manifest.get(key), made.manifest.get(key)
        if canonical(then) != canonical(now):
            yield f"{key} in run.json is {now}, stored is {then}"
    for key in _END:
        then, now = run.end.get(key), made.end.get(key)
        if then != now and not (capped and key in ("status", "reason")) and not (packed and then is None):
            yield f"{key} is {now}, stored is {then}" if key in _END[:2] else f"{key} is another"
    for key in ("folds", "seed", "mistakes", "examples", "kev_ondemand", "kev_iter"):
        then, now = (one.cross_validation or {} for one in (run, made))
        if then.get(key) != now.get(key):
            yield f"{key} of the cross-validation is {now.get(key)}, stored is {then.get(key)}"
    if not packed and _arrays(run.path / MODEL) != _arrays(made.path / MODEL):
        yield f"{MODEL} is another"


def _rows(then: Sequence[Row], now: Sequence[Row], names: Sequence[str], packed: bool) -> Iterator[str]:
    """Yield the first difference between checkpoints; a pack may have only some of them."""
    known = {row["iterations"]: row for row in now}
    stored = [row["iterations"] for row in then]
    if not packed and stored != list(known):
        yield f"the checkpoints are at {[*known]} iterations, stored are {stored}"
        return
    for row in then:
        at = f"at {row['iterations']} iterations"
        if row["iterations"] not in known:
            yield f"there is no checkpoint {at}"
            return
        for name in names:
            found = known[row["iterations"]].get(name)
            if repr(row.get(name)) != repr(found):
                yield f"{name} {at} is {found!r}, stored is {row.get(name)!r}"
                return


def _arrays(path: Path) -> Mapping[str, bytes]:
    """Return the uncompressed content of a model by the names of its arrays."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except FileNotFoundError:
        return {}


def _other_machine(run: StoredRun, made: StoredRun, store: Store, beside: Store) -> str:
    """Return a clause on the machine and software of a run if they are not the present ones."""
    name, present = run.manifest.get("environment"), beside.environment(made.manifest["environment"]) or {}
    record: Mapping[str, Any] | None = None if name is None else store.environment(name)
    if record is None:
        return "; its environment is not stored"
    keys = [key for key in sorted(record.keys() | present.keys()) if record.get(key) != present.get(key)]
    return f"; it was made elsewhere or with other software ({', '.join(keys)})" if keys else ""


def repeated(run: StoredRun, store: Store) -> tuple[str, str]:
    """Return what `again` does; ``unchecked`` for whatever keeps a run from being made again."""
    try:
        return again(run, store)
    except UserError as error:
        return "unchecked", f"it cannot be made again: {error}"
