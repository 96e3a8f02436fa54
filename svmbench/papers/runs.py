"""Runs of an artifact: groups of panels, solvers, seeds and values, resolved one by one."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from svmbench import config
from svmbench.config import folder
from svmbench.config.values import show
from svmbench.errors import UserError
from svmbench.papers import fields
from svmbench.run_config import RunConfig

#: Previously known values of an optimum in tables: λ-form objective, test errors, support vectors.
KNOWN = ("objective", "mistakes", "support_vectors", "nu", "printed_nu")

_TOP = ("overrides", "panels", "solvers", "groups")


@dataclass(frozen=True)
class Panel:
    """One panel of a figure, or one problem of a table: a data set and its name.

    Attributes
    ----------
    name, title : str
        Its key in the file, and its name in the picture.
    overrides : tuple of str
        Overrides common to its runs, after the artifact's own.
    known : mapping
        Previously known values of the optimum; keys of `KNOWN`.
    """

    name: str
    title: str
    overrides: tuple[str, ...]
    known: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """One curve, or one row per problem of a table.

    Attributes
    ----------
    name : str
        Its key in the file.
    solver : str
        Value of ``solver=``; by default the key.
    title : str or None
        Name in the picture; None: the title of the solver.
    overrides : tuple of str
        Overrides of its runs, after those of the panel.
    known : mapping of str to float
        Published test error in percent, by panel.
    """

    name: str
    solver: str
    title: str | None = None
    overrides: tuple[str, ...] = ()
    known: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """Product of panels, solvers, seeds and values of keys, with exceptions.

    Attributes
    ----------
    panels, solvers : tuple of str
        Keys of the panels and solvers.
    seeds : tuple of int
        Seeds of its runs.
    over : mapping of str to tuple
        Keys of the configuration and their values, in all combinations.
    exceptions : tuple of mapping
        Combinations that are left out: values of ``panel``, ``solver`` and keys in ``over``.
    overrides : tuple of str
        Overrides of its runs, after those of the solver.
    values : mapping of str to mapping
        Keys whose value is a quantity of other runs of the artifact (`svmbench.papers.quantities`).
    """

    panels: tuple[str, ...]
    solvers: tuple[str, ...]
    seeds: tuple[int, ...]
    over: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    exceptions: tuple[Mapping[str, Any], ...] = ()
    overrides: tuple[str, ...] = ()
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class PlannedRun:
    """One run of an artifact.

    Attributes
    ----------
    panel, solver : str
        Keys of its panel and its solver.
    seed : int
        Its seed.
    over : tuple of (str, value)
        Values of the keys that its group varies.
    overrides : tuple of str
        Arguments of ``svmbench run``.
    config : RunConfig
        Its configuration.
    values : mapping of str to mapping
        Keys to be taken from other runs, missing in the configuration.
    folders : tuple of Path
        The user's configuration folders used by the overrides.
    """

    panel: str
    solver: str
    seed: int
    over: tuple[tuple[str, Any], ...]
    overrides: tuple[str, ...]
    config: RunConfig
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()

    @property
    def command(self) -> str:
        """The command that makes it."""
        open_keys = [f"{key}=..." for key in self.values]
        own = map(shlex.quote, folder.option(self.folders))
        return " ".join(["svmbench run", *own, *self.overrides, *open_keys])


@dataclass(frozen=True)
class Runs:
    """All runs of an artifact as described by its file, and the user's configuration folders."""

    overrides: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    lines: tuple[Line, ...] = ()
    groups: tuple[Group, ...] = ()
    folders: tuple[Path, ...] = ()
    where: str = "runs"  # their place, for messages

    def only(self, panels: Sequence[str] | None, solvers: Sequence[str] | None) -> Runs:
        """Return the runs of some panels and solvers, for an artifact that shows runs of another one."""
        kept_panels = tuple(panel for panel in self.panels if panels is None or panel.name in panels)
        kept_lines = tuple(line for line in self.lines if solvers is None or line.name in solvers)
        return replace(self, panels=kept_panels, lines=kept_lines)

    def datasets(self) -> set[str]:
        """Return the names of the data sets that the overrides name, without composing any run."""
        given = [word.partition("=") for panel in self.panels for word in (*self.overrides, *panel.overrides)]
        return {value for key, _, value in given if key == "dataset"}

    def planned(self) -> list[PlannedRun]:
        """Return all runs, resolved and validated, in the order panels, solvers, groups, values, seeds.

        Raises
        ------
        UserError
            If an override is invalid.
        """
        jobs = self._jobs()
        try:
            resolved = _resolved([job[-1] for job in jobs], self.folders)
        except UserError as error:
            raise UserError(f"{self.where}: {error}") from error
        # Seeds were validated when the file was read, so one composition serves them all.
        return [
            PlannedRun(panel, line, seed, over, (*common, f"seed={seed}"), config, group.values, self.folders)
            for (panel, line, over, group, common), settings in zip(jobs, resolved, strict=True)
            for seed in group.seeds
            for config in [replace(settings, seed=seed)]
        ]

    def _jobs(self) -> list[_Job]:
        """Return the runs without seeds."""
        return [
            (
                panel.name,
                line.name,
                over,
                group,
                _last_of_each(
                    (
                        f"solver={line.solver}",
                        *self.overrides,
                        *panel.overrides,
                        *line.overrides,
                        *group.overrides,
                        *(f"{key}={show(value)}" for key, value in over),
                    )
                ),
            )
            for panel in self.panels
            for line in self.lines
            for group in self.groups
            if panel.name in group.panels and line.name in group.solvers
            for over in _combinations(group, panel.name, line.name)
        ]


#: Panel, line, values of the keys that its group varies, the group, and the overrides without a seed.
_Job = tuple[str, str, tuple[tuple[str, Any], ...], Group, tuple[str, ...]]

#: Resolved overrides: artifacts share runs, and each is planned several times.
_RESOLVED: dict[tuple[tuple[Path, ...], tuple[str, ...]], RunConfig] = {}


def _resolved(jobs: Sequence[tuple[str, ...]], folders: tuple[Path, ...]) -> list[RunConfig]:
    """Return the resolved configuration of each job; composed once per process."""
    new = list(dict.fromkeys(job for job in jobs if (folders, job) not in _RESOLVED))
    if new:
        places = [(folders, job) for job in new]
        _RESOLVED.update(zip(places, config.resolve_all(new, folders), strict=True))
    return [_RESOLVED[folders, job] for job in jobs]


def compose_together(many: Iterable[Runs]) -> None:
    """Compose the runs of several artifacts together, since they have much in common.

    Nothing is raised for an invalid override: `Runs.planned` also names its file.
    """
    together: dict[tuple[Path, ...], list[tuple[str, ...]]] = {}
    for runs in many:
        together.setdefault(runs.folders, []).extend(job[-1] for job in runs._jobs())
    for folders, jobs in together.items():
        with suppress(UserError):
            _resolved(jobs, folders)


def _last_of_each(given: Sequence[str]) -> tuple[str, ...]:
    """Return overrides without duplicate keys; the last value of a key counts."""
    return tuple({text.partition("=")[0]: text for text in given}.values())


def _combinations(group: Group, panel: str, solver: str) -> Iterator[tuple[tuple[str, Any], ...]]:
    """Yield the values of the keys that a group varies, without exceptions."""
    for values in itertools.product(*group.over.values()):
        over = tuple(zip(group.over, values, strict=True))
        facts = {"panel": panel, "solver": solver, **dict(over)}
        if not any(all(_agrees(facts.get(k), v) for k, v in skip.items()) for skip in group.exceptions):
            yield over


def _agrees(fact: Any, asked: Any) -> bool:
    return bool(fact in asked) if isinstance(asked, list) else bool(fact == asked)


def read_runs(content: Any, where: str) -> Runs:
    """Return the runs described by the section ``runs`` of a file."""
    top = fields.section(content, where, ("panels", "solvers", "groups"), ("overrides",))
    panels = tuple(
        _panel(name, value, f"{where}.panels.{name}")
        for name, value in fields.section(top["panels"], f"{where}.panels").items()
    )
    names = [panel.name for panel in panels]
    lines = tuple(
        _line(name, value, f"{where}.solvers.{name}", names)
        for name, value in fields.section(top["solvers"], f"{where}.solvers").items()
    )
    if not isinstance(top["groups"], list) or not top["groups"]:
        raise UserError(f"{where}.groups must be a list of groups of runs")
    solvers = [line.name for line in lines]
    groups = tuple(
        _group(value, f"{where}.groups[{place}]", names, solvers) for place, value in enumerate(top["groups"])
    )
    return Runs(_overrides(top, where), panels, lines, groups, where=where)


def _panel(name: str, value: Any, where: str) -> Panel:
    keys = fields.section(value, where, ("title", "overrides"), ("known",))
    known = fields.section(keys["known"], f"{where}.known", (), KNOWN) if keys.get("known") else {}
    return Panel(name, str(keys["title"]), _overrides(keys, where), dict(known))


def _line(name: str, value: Any, where: str, panels: Sequence[str]) -> Line:
    keys = fields.section(value, where, (), ("solver", "title", "overrides", "known")) if value else {}
    known = fields.section(keys["known"], f"{where}.known", (), panels) if keys.get("known") else {}
    known = {panel: fields.number(value, f"{where}.known.{panel}") for panel, value in known.items()}
    return Line(name, str(keys.get("solver", name)), keys.get("title"), _overrides(keys, where), known)


def _group(value: Any, where: str, panels: Sequence[str], solvers: Sequence[str]) -> Group:
    allowed = ("panels", "solvers", "over", "except", "overrides", "values")
    keys = fields.section(value, where, ("seeds",), allowed)
    over = fields.section(keys["over"], f"{where}.over") if "over" in keys else {}
    for key, values in over.items():
        if not isinstance(values, list) or not values:
            raise UserError(f"{where}.over.{key} must be a list of values")
    exceptions = keys.get("except", [])
    for entry in exceptions:
        fields.section(entry, f"{where}.except", (), ("panel", "solver", *over))
    return Group(
        fields.words(keys.get("panels", list(panels)), f"{where}.panels", panels),
        fields.words(keys.get("solvers", list(solvers)), f"{where}.solvers", solvers),
        _seeds(keys["seeds"], f"{where}.seeds"),
        {key: tuple(values) for key, values in over.items()},
        tuple(exceptions),
        _overrides(keys, where),
        keys.get("values", {}),
    )


def _overrides(keys: Mapping[str, Any], where: str) -> tuple[str, ...]:
    return fields.words(keys.get("overrides") or [], f"{where}.overrides")


def _seeds(value: Any, where: str) -> tuple[int, ...]:
    """Return the seeds of a list, or the first n from 0."""
    if type(value) is int and value > 0:
        return tuple(range(value))
    seeds = tuple(value) if isinstance(value, list) else ()
    whole = all(type(seed) is int and seed >= 0 for seed in seeds)
    if not seeds or not whole or len(set(seeds)) < len(seeds):
        raise UserError(f"{where} must be different whole numbers of at least 0, or how many from 0 on")
    return seeds
