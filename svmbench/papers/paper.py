"""A figure of a paper as the runs it needs: ``conf/paper/<id>.yaml`` read, checked and resolved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from omegaconf import OmegaConf

from svmbench import config
from svmbench.config.folder import conf_dir, papers
from svmbench.errors import UserError, nearest
from svmbench.report.series import COUNTERS

Range = tuple[float, float]


@dataclass(frozen=True)
class PanelPlan:
    """One panel: a data set and how it is shown.

    Attributes
    ----------
    name : str
        Its key in the file.
    title : str
        Its title in the figure.
    overrides : tuple of str
        What its runs have in common, after the figure's own.
    x, y : (float, float) or None
        Ranges of the axes: cost, and test error in percent.
    """

    name: str
    title: str
    overrides: tuple[str, ...]
    x: Range | None = None
    y: Range | None = None


@dataclass(frozen=True)
class SolverPlan:
    """One solver: its seeds, and the overrides of its runs after those of the panel."""

    name: str
    seeds: tuple[int, ...]
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlannedRun:
    """One run of a figure.

    Attributes
    ----------
    panel, solver : str
        Names of its panel and solver.
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
    """One figure of a paper.

    Attributes
    ----------
    id : str
        Name of its file.
    title, source : str
        Title of the figure; where it was published.
    counters : tuple of str
        Conventions of counting; one figure for each.
    overrides : tuple of str
        What all runs have in common.
    panels : tuple of PanelPlan
        From left to right.
    solvers : tuple of SolverPlan
        The curves of every panel.
    """

    id: str
    title: str
    source: str
    counters: tuple[str, ...]
    overrides: tuple[str, ...]
    panels: tuple[PanelPlan, ...]
    solvers: tuple[SolverPlan, ...]

    def runs(self) -> list[PlannedRun]:
        """Return all runs, each resolved and validated, panel by panel.

        Raises
        ------
        UserError
            If an override is wrong.
        """
        return [run for panel in self.panels for solver in self.solvers for run in self._runs(panel, solver)]

    def _runs(self, panel: PanelPlan, solver: SolverPlan) -> list[PlannedRun]:
        given = (f"solver={solver.name}", *self.overrides, *panel.overrides, *solver.overrides)
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
    """Read one figure.

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
    """Return the figure that the content of a file describes; ``origin`` names the file in errors."""
    top = _section(content, origin, ("title", "source", "counters", "overrides", "panels", "solvers"))
    for counter in top["counters"]:
        if counter not in COUNTERS:
            raise UserError(f"{origin}: unknown counter '{counter}'{nearest(str(counter), COUNTERS)}")
    panels = []
    for name, value in _section(top["panels"], f"{origin}: panels").items():
        keys = _section(value, f"{origin}: panels.{name}", ("title", "overrides"), ("x", "y"))
        x, y = (_range(keys.get(axis), f"{origin}: panels.{name}.{axis}") for axis in "xy")
        panels.append(PanelPlan(name, str(keys["title"]), tuple(keys["overrides"]), x, y))
    solvers = []
    for name, value in _section(top["solvers"], f"{origin}: solvers").items():
        keys = _section(value, f"{origin}: solvers.{name}", ("seeds",), ("overrides",))
        seeds = tuple(keys["seeds"])
        whole = all(type(seed) is int and seed >= 0 for seed in seeds)
        if not seeds or not whole or len(set(seeds)) < len(seeds):
            raise UserError(f"{origin}: solvers.{name}.seeds must be different whole numbers of at least 0")
        solvers.append(SolverPlan(name, seeds, tuple(keys.get("overrides", ()))))
    counters, overrides = tuple(top["counters"]), tuple(top["overrides"])
    return Paper(
        paper_id, str(top["title"]), str(top["source"]), counters, overrides, tuple(panels), tuple(solvers)
    )


def _section(
    content: Any, where: str, needed: Sequence[str] = (), optional: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return the content if it is a mapping with the needed keys and, where any are named, no others."""
    if not isinstance(content, Mapping) or not content:
        raise UserError(f"{where} must be a section with keys")
    allowed = (*needed, *optional)
    for key in content if needed else ():
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
