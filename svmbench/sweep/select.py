"""Selection of stored runs by the words of a command."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import translate
from pathlib import Path
from typing import TYPE_CHECKING

from svmbench.errors import UserError, command

if TYPE_CHECKING:
    from svmbench.store import Store, StoredRun

#: What `chosen` accepts, for the help of commands.
RUNS = "a run, a unique prefix of one, a pattern such as 'sbp-*', a sweep, tag:NAME, or a folder of results"


def chosen(results: str, names: Iterable[str]) -> list[StoredRun]:
    """Return the runs that the words select, without duplicates, in the order of the words.

    Parameters
    ----------
    results : str
        The results folder.
    names : iterable of str
        Ids, unique prefixes or folders of runs; patterns; names or folders of sweeps; tags; results folders.

    Raises
    ------
    UserError
        If a word selects no run.
    """
    return chosen_groups(results, [names])[0]


def chosen_groups(results: str, groups: Iterable[Iterable[str]]) -> list[list[StoredRun]]:
    """Return the runs that `chosen` would return for each group of words, reading the store only once."""
    from svmbench.store import Store

    listed = _Listed(Store(results))
    chosen = []
    for names in groups:
        found: dict[str, StoredRun] = {}
        for name in names:
            found.update((run.value("path"), run) for run in _meant(listed, name))
        chosen.append(list(found.values()))
    return chosen


class _Listed:
    """A store whose runs are listed once, at first use."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @functools.cached_property
    def own(self) -> list[StoredRun]:
        return self.store.own()

    @functools.cached_property
    def all(self) -> list[StoredRun]:
        return self.store.runs()


def _meant(listed: _Listed, name: str) -> list[StoredRun]:
    from svmbench.store import Store

    folder, store = Path(name), listed.store
    if name.startswith("tag:"):
        return _tagged(listed, name.removeprefix("tag:"))
    if (folder / "plan.json").is_file():
        return _of_sweep(store, name)
    if folder.is_dir() and not (folder / "run.json").is_file():
        runs = Store(folder).own()
        if not runs:
            raise UserError(f"{name} is a folder that contains no runs; give a results folder")
        return runs
    if any(sign in name for sign in "*?["):
        matches = re.compile(translate(name)).match
        runs = [run for run in listed.own if matches(run.id)]
        if not runs:
            raise UserError(f"no run in {store.root} matches {name}; see: {command('list', store.root)}")
        return runs
    if _is_sweep(store.root, name):
        return _of_sweep(store, name)
    return [store.find(name)]


def _tagged(listed: _Listed, tag: str) -> list[StoredRun]:
    from svmbench.store.notes import Notes

    root = listed.store.root
    ids = set(Notes(root).tagged(tag))
    runs = [run for run in listed.all if run.id in ids]
    if not runs:
        raise UserError(f"no run in {root} has the tag {tag}; {command('tag', root)} prints all tags")
    return runs


def _is_sweep(results: Path, name: str) -> bool:
    """Return whether a sweep has this name or prefix. Only names of sweeps begin with a digit."""
    return name[:1].isdigit() and any((results / "sweeps").glob(f"{name}*/plan.json"))


def _of_sweep(store: Store, name: str) -> list[StoredRun]:
    """Return the runs of a sweep that have ended, and those that have begun and have not."""
    from svmbench.sweep.record import Record

    record = Record.find(store.root, name)
    # A sweep given by its folder may belong to another results folder.
    home = type(store)(record.results)
    ends = record.ends()
    ids = {end["run"] for end in ends.values()}
    unended = record.began().keys() - ends.keys()
    if unended:
        from svmbench.sweep.stored import stored

        plan = record.plan()
        jobs = [job for job in plan.jobs if job.number in unended]
        ids |= {run.id for run in stored(replace(plan, jobs=jobs), home)[0].values()}
    runs = [run for run in home.runs() if run.id in ids]
    if not runs:
        raise UserError(f"no run of sweep {record.name} is stored; see: {record.command('status')}")
    return runs
