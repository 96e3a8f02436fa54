"""A figure or a table as the runs it needs: ``conf/paper/<id>.yaml`` read, checked and resolved.

A file with ``counters`` is a figure, one without is a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from omegaconf import OmegaConf

from svmbench import config
from svmbench.config.folder import conf_dir, papers
from svmbench.errors import UserError, nearest
from svmbench.report.series import COUNTERS

Range = tuple[float, float]

#: What a table may know of the optimum of a problem: λ-form objective, test errors, support vectors.
KNOWN = ("objective", "mistakes", "support_vectors")


@dataclass(frozen=True)
class PanelPlan:
    """One panel of a figure, or one problem of a table: a data set and how it is shown.

    Attributes
    ----------
    name : str
        Its key in the file.
    title : str
        Its title in the figure or table.
    overrides : tuple of str
        What its runs have in common, after the figure's own.
    x, y : (float, float) or None
        Ranges of the axes: cost, and test error in percent.
    known : mapping of str to float
        In a table, what is known of the optimum beforehand; keys of `KNOWN`.
    """

    name: str
    title: str
    overrides: tuple[str, ...]
    x: Range | None = None
    y: Range | None = None
    known: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SolverPlan:
    """One curve, or one line of each problem of a table.

    Attributes
    ----------
    name : str
        Its key in the file.
    seeds : tuple of int
        Of its runs.
    overrides : tuple of str
        Of its runs, after those of the panel.
    solver : str
        What follows ``solver=``; by default the key.
    title : str or None
        Its name; None: that of the solver.
    known : mapping of str to float
        In a table, the published test error in percent, by panel.
    """

    name: str
    seeds: tuple[int, ...]
    overrides: tuple[str, ...] = ()
    solver: str = ""
    title: str | None = None
    known: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PlannedRun:
    """One run of a figure or table.

    Attributes
    ----------
    panel, solver : str
        Keys of its panel and solver.
    seed : int
        Its seed.
    overrides : tuple of str
        What follows ``svmbench run``.
    config : dict
        The resolved configuration.
    """

    panel: str
    solver: str
    seed: int
    overrides: tuple[str, ...]
    config: dict[str, Any]

    @property
    def command(self) -> str:
        """The command that makes it."""
        return " ".join(["svmbench run", *self.overrides])


@dataclass(frozen=True)
class Paper:
    """One figure of a paper, or one table of solvers on problems.

    Attributes
    ----------
    id : str
        Name of its file.
    title, source : str
        Its title; where it was published, or what its runs are held against.
    counters : tuple of str
        Conventions of counting, one figure for each; none: it is a table.
    overrides : tuple of str
        What all runs have in common.
    panels : tuple of PanelPlan
        From left to right.
    solvers : tuple of SolverPlan
        The curves of every panel.
    peer : str or None
        In a table, the solver whose objectives the others are compared with.
    """

    id: str
    title: str
    source: str
    counters: tuple[str, ...]
    overrides: tuple[str, ...]
    panels: tuple[PanelPlan, ...]
    solvers: tuple[SolverPlan, ...]
    peer: str | None = None

    @property
    def is_table(self) -> bool:
        """Whether it is a table and not a figure."""
        return not self.counters

    def runs(self) -> list[PlannedRun]:
        """Return all runs, each resolved and validated, panel by panel.

        Raises
        ------
        UserError
            If an override is wrong.
        """
        return [run for panel in self.panels for solver in self.solvers for run in self._runs(panel, solver)]

    def _runs(self, panel: PanelPlan, solver: SolverPlan) -> list[PlannedRun]:
        given = (
            f"solver={solver.solver or solver.name}",
            *self.overrides,
            *panel.overrides,
            *solver.overrides,
        )
        common = tuple(
            {text.partition("=")[0]: text for text in given}.values()
        )  # the last value of a key holds
        resolved = config.resolve(common)
        # Seeds were checked when the file was read, so one composition serves them all.
        return [
            PlannedRun(panel.name, solver.name, seed, (*common, f"seed={seed}"), {**resolved, "seed": seed})
            for seed in solver.seeds
        ]


def load(paper_id: str) -> Paper:
    """Read one figure or table.

    Parameters
    ----------
    paper_id : str
        One of `svmbench.papers.ids`.

    Raises
    ------
    UserError
        If there is none of this name, or its file is not as it should be.
    """
    if paper_id not in papers():
        raise UserError(
            f"unknown paper '{paper_id}'{nearest(paper_id, papers())} (papers: {', '.join(papers())})"
        )
    file = conf_dir() / "paper" / f"{paper_id}.yaml"
    return read(paper_id, OmegaConf.to_container(OmegaConf.load(file)), str(file))


def read(paper_id: str, content: Any, origin: str) -> Paper:
    """Return the figure or table that a file's content describes; ``origin`` names the file in errors."""
    top = _section(
        content, origin, ("title", "source", "overrides", "panels", "solvers"), ("counters", "peer")
    )
    counters = tuple(top.get("counters", ()))
    for counter in counters:
        if counter not in COUNTERS:
            raise UserError(f"{origin}: unknown counter '{counter}'{nearest(str(counter), COUNTERS)}")
    panels = tuple(
        _panel(name, value, f"{origin}: panels.{name}", is_table=not counters)
        for name, value in _section(top["panels"], f"{origin}: panels").items()
    )
    names = [panel.name for panel in panels]
    solvers = tuple(
        _solver(name, value, f"{origin}: solvers.{name}", names if not counters else ())
        for name, value in _section(top["solvers"], f"{origin}: solvers").items()
    )
    peer = top.get("peer")
    if peer is not None and (counters or peer not in [solver.name for solver in solvers]):
        raise UserError(f"{origin}: peer={peer} is not allowed: give one of the solvers, in a table")
    title, source = str(top["title"]), str(top["source"])
    return Paper(paper_id, title, source, counters, tuple(top["overrides"]), panels, solvers, peer)


def _panel(name: str, value: Any, where: str, *, is_table: bool) -> PanelPlan:
    keys = _section(value, where, ("title", "overrides"), ("known",) if is_table else ("x", "y"))
    x, y = (_range(keys.get(axis), f"{where}.{axis}") for axis in "xy")
    known = _numbers(keys.get("known", {}), f"{where}.known", KNOWN)
    return PanelPlan(name, str(keys["title"]), tuple(keys["overrides"]), x, y, known)


def _solver(name: str, value: Any, where: str, panels: Sequence[str]) -> SolverPlan:
    """Return one solver; ``panels`` are those for which a table may know its error."""
    keys = _section(
        value, where, ("seeds",), ("overrides", "solver", "title", *(("known",) if panels else ()))
    )
    seeds = tuple(keys["seeds"])
    whole = all(type(seed) is int and seed >= 0 for seed in seeds)
    if not seeds or not whole or len(set(seeds)) < len(seeds):
        raise UserError(f"{where}.seeds must be different whole numbers of at least 0")
    known = _numbers(keys.get("known", {}), f"{where}.known", panels)
    overrides, solver = tuple(keys.get("overrides", ())), str(keys.get("solver", name))
    return SolverPlan(name, seeds, overrides, solver, keys.get("title"), known)


def _numbers(value: Any, where: str, allowed: Sequence[str]) -> Mapping[str, float]:
    """Return a section of numbers with some of the allowed keys."""
    for key, number in (_section(value, where, (), allowed) if value else {}).items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise UserError(f"{where}.{key}={number} is not allowed: give a number")
    return dict(value)


def _section(
    content: Any, where: str, needed: Sequence[str] = (), optional: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return the content if it is a mapping with the needed keys and, where any are named, no others."""
    if not isinstance(content, Mapping) or not content:
        raise UserError(f"{where} must be a section with keys")
    allowed = (*needed, *optional)
    for key in content if allowed else ():
        if key not in allowed:
            raise UserError(f"{where}: unknown key '{key}'{nearest(str(key), allowed)}")
    for key in needed:
        if key not in content:
            raise UserError(f"{where}: the key '{key}' is missing")
    return content


def _range(value: Any, where: str) -> Range | None:
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 2 and all(isinstance(end, int | float) for end in value):
        low, high = map(float, value)
        if 0.0 < low < high:
            return low, high
    raise UserError(f"{where}={value} is not allowed: give two positive numbers, the smaller one first")
