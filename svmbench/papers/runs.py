"""Runs of an artifact: groups of panels, solvers, seeds and values, resolved one by one."""

from __future__ import annotations

import functools
import itertools
import shlex
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any

from svmbench import config
from svmbench.config import folder
from svmbench.errors import UserError, nearest, shortened
from svmbench.option import show
from svmbench.papers.keys import ByPanel
from svmbench.run_config import RunConfig

#: Previously known values of an optimum in tables: λ-form objective, test errors, support vectors.
KNOWN = ("objective", "mistakes", "support_vectors", "nu", "printed_nu")


@dataclass(frozen=True)
class Panel:
    """One panel of a figure, or one problem of a table: a data set and its name.

    Attributes
    ----------
    name, title : str
        Its name in claims, and in the picture.
    overrides : str
        Overrides common to its runs, after the artifact's own, separated by spaces.
    known : mapping
        Previously known values of the optimum; keys of `KNOWN`.
    """

    name: str
    title: str
    overrides: str = ""
    known: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_types(self)
        check_known(self.known, KNOWN, f"panel {self.name}")


@dataclass(frozen=True)
class Line:
    """One curve, or one row per problem of a table.

    Attributes
    ----------
    name : str
        Its name in claims.
    overrides : str
        Overrides of its runs, after those of the panel.
    solver : str
        Value of ``solver=``; by default the name.
    title : str or None
        Name in the picture; None: the title of the solver.
    known : mapping of str to float
        Published test error in percent, by panel.
    """

    name: str
    overrides: str = ""
    solver: str = ""
    title: str | None = None
    known: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_types(self)
        object.__setattr__(self, "solver", self.solver or self.name)


@dataclass(frozen=True)
class Group:
    """Product of panels, lines, seeds and values of keys, with exceptions.

    Attributes
    ----------
    seeds : int or sequence of int
        Seeds of its runs, or how many from 0 on.
    lines, panels : str
        Names of lines and panels, separated by spaces; empty: all.
    overrides : str
        Overrides of its runs, after those of the line.
    over : mapping of str to sequence
        Keys of the configuration and their values, in all combinations.
    exceptions : sequence of mapping
        Combinations that are left out: values of ``panel``, ``solver`` and keys in ``over``.
    values : mapping of str to Quantity or RunOf
        Keys whose value is a quantity of other runs of the artifact (`svmbench.papers.quantities`).
    """

    seeds: int | Sequence[int]
    lines: str = ""
    panels: str = ""
    overrides: str = ""
    over: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    exceptions: Sequence[Mapping[str, Any]] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given: Any = range(self.seeds) if type(self.seeds) is int else self.seeds
        seeds = tuple(given) if isinstance(given, range | list | tuple) else ()
        whole = all(type(seed) is int and seed >= 0 for seed in seeds)
        if not seeds or not whole or len(set(seeds)) < len(seeds):
            raise UserError(
                f"seeds={self.seeds} must be different whole numbers of at least 0, or how many from 0 on"
            )
        object.__setattr__(self, "seeds", seeds)
        check_types(self)
        for skip in self.exceptions:
            check_known(skip, ("panel", "solver", *self.over), "exceptions")

    def has(self, panel: str, line: str) -> bool:
        """Return whether it has runs of a line on a panel."""
        return panel in self.panels.split() and line in self.lines.split()


@dataclass(frozen=True)
class RunOf:
    """The run with the same panel and seed of another line, for the key ``start``."""

    solver: str
    where: Mapping[str, Any] = field(default_factory=dict)


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
    values : mapping of str to Quantity or RunOf
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
    values: Mapping[str, Any] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()

    @property
    def command(self) -> str:
        """The command that makes it."""
        return f"svmbench {self.words}"

    @property
    def words(self) -> str:
        """The words after ``svmbench`` that make it."""
        open_keys = [f"{key}=..." for key in self.values]
        return shlex.join(["run", *folder.option(self.folders), *self.overrides, *open_keys])


@dataclass(frozen=True)
class Runs:
    """All runs of an artifact, and the user's configuration folders.

    Attributes
    ----------
    overrides : str
        Overrides of every run, separated by spaces.
    panels, lines, groups : sequence
        Its problems, its methods, and what is run of them.
    of : str
        The artifact that owns the runs; empty: this one.
    shown : str
        Of the runs of another artifact, the names of the panels and lines that are shown; empty: all.
    folders : tuple of Path
        The user's configuration folders.
    where : str
        Their place, for messages.
    """

    overrides: str = ""
    panels: Sequence[Panel] = ()
    lines: Sequence[Line] = ()
    groups: Sequence[Group] = ()
    of: str = ""
    shown: str = ""
    folders: tuple[Path, ...] = ()
    where: str = "runs"

    def __post_init__(self) -> None:
        check_types(self)

    def checked(self) -> Runs:
        """Return the same runs with the names of all panels and lines in groups that give none.

        Raises
        ------
        UserError
            If a group or a line names a panel or a line that is not there.
        """
        panels, lines = [one.name for one in self.panels], [one.name for one in self.lines]
        for one in self.groups:
            check_known(one.panels.split(), panels, "panels of a group")
            check_known(one.lines.split(), lines, "lines of a group")
        for line in self.lines:
            check_known(line.known, panels, f"known of the line {line.name}")
        groups = [
            replace(one, panels=one.panels or " ".join(panels), lines=one.lines or " ".join(lines))
            for one in self.groups
        ]
        return replace(self, groups=groups)

    def only(self, names: Sequence[str]) -> Runs:
        """Return the runs of some panels and lines: those with these names, or all if none is named.

        Raises
        ------
        UserError
            If there is no such panel or line.
        """
        check_known(
            names, [*(one.name for one in self.panels), *(one.name for one in self.lines)], self.where
        )
        panels = [panel for panel in self.panels if panel.name in names]
        lines = [line for line in self.lines if line.name in names]
        return replace(self, panels=panels or self.panels, lines=lines or self.lines)

    def datasets(self) -> set[str]:
        """Return the names of the data sets that the overrides name, without composing any run."""
        given = [
            word.partition("=")
            for panel in self.panels
            for word in f"{self.overrides} {panel.overrides}".split()
        ]
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
            raise UserError(f"{self.where}: {error}" if self.where else str(error)) from error
        # Seeds were validated when the file was read, so one composition serves them all.
        return [
            PlannedRun(panel, line, seed, over, (*common, f"seed={seed}"), config, group.values, self.folders)
            for (panel, line, over, group, common), settings in zip(jobs, resolved, strict=True)
            for seed in group.seeds  # type: ignore[union-attr]
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
                        *" ".join(one.overrides for one in (self, panel, line, group)).split(),
                        *(f"{key}={show(value)}" for key, value in over),
                    )
                ),
            )
            for panel in self.panels
            for line in self.lines
            for group in self.groups
            if group.has(panel.name, line.name)
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
    return bool(fact in asked) if isinstance(asked, list | tuple) else bool(fact == asked)


#: What to give for a field, by its type.
_ALLOWED = {
    str: "a text, in which several names or overrides have spaces between them",
    float: "a number",
    int: "a whole number",
    bool: "True or False",
    type(None): "None",
    Mapping: "a dict of",
    Sequence: "a list of",
    tuple: "a pair of",
}


def check_types(one: Any) -> None:
    """Raise a `UserError` if a field of a dataclass has a value of another type than it says."""
    own: Any = type(one)
    for name, kind in _types(own).items():
        value = getattr(one, name)
        if not _fits(value, kind):
            given = f"{type(one).__name__}: {name}={shortened(repr(value), 100)}"
            raise UserError(f"{given} is not allowed: give {_words(kind)}")


@functools.cache
def _types(kind: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind)}


def _fits(value: Any, kind: Any) -> bool:
    """Return whether a value is of a type, numbers being of the more general one."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any or isinstance(value, ByPanel):
        return True
    if origin in (typing.Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(entry, inner[1]) for entry in value.values())
    if origin in (Sequence, tuple):
        listed = isinstance(value, Sequence) and not isinstance(value, str)
        pair = origin is tuple and inner[-1] is not Ellipsis
        each = inner if pair else inner[:1] * len(value) if listed else ()
        return listed and len(value) == len(each) and all(map(_fits, value, each))
    if kind in (float, int):
        return isinstance(value, Real if kind is float else Integral) and not isinstance(value, bool)
    return isinstance(value, kind)


def _words(kind: Any) -> str:
    """Return in words what has a type."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):
        return " or ".join(map(_words, inner))
    if origin is not None:
        return f"{_ALLOWED[origin]} {_words(inner[0] if origin is not Mapping else inner[1])}"
    return _ALLOWED.get(kind) or ("any values" if kind is Any else kind.__name__)


def check_known(names: Iterable[str], known: Sequence[str], where: str) -> None:
    """Raise a `UserError` for the first name that is unknown, with the nearest one."""
    for name in names:
        if name not in known:
            raise UserError(f"{where}: unknown '{name}'{nearest(name, known)} (known: {', '.join(known)})")


def shared(of: str, shown: str = "") -> Runs:
    """Return the runs of another artifact, or those of the panels and lines named, separated by spaces."""
    return Runs(of=of, shown=shown)
