"""A user's own solver in the comparison of the field: its runs alone, and the fronts with it highlighted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from svmbench.errors import UserError
from svmbench.papers.artifact import Front
from svmbench.papers.fronts import FRONT
from svmbench.papers.material import Material
from svmbench.papers.runs import Group, Line
from svmbench.sweep.planning import impossible

#: Sections of the configuration that belong to a method: others would change the problem or its limits.
_OWN = ("solver", "features", "subset")

#: Key of the newcomer's line, which must differ from those in the file.
NAME = "newcomer"


def entered(
    field: Front, words: Sequence[str], seeds: int, folders: tuple[Path, ...] = ()
) -> tuple[Front, Front]:
    """Return the comparison with a solver entered, and the part of it that has only its runs.

    Parameters
    ----------
    field : Artifact
        The comparison.
    words : sequence of str
        Name of the solver, then overrides of its runs. Values separated by commas are its settings, of which
        the best counts at each cost.
    seeds : int
        Number of seeds.
    folders : tuple of Path
        The user's configuration folders, which may describe the solver.

    Raises
    ------
    UserError
        If an override is malformed, repeats a key, or changes the problem, or if the solver cannot solve it.
    """
    solver, *overrides = words
    over: dict[str, tuple[str, ...]] = {}
    for word in overrides:
        key, equals, value = word.partition("=")
        if not (key and equals and value) or key in over:
            raise UserError(f"{word} is not allowed: give each key once, as KEY=VALUE or KEY=VALUE,VALUE")
        if key.partition(".")[0] not in _OWN:
            raise UserError(
                f"{word} is not allowed: problem and budget are those of the comparison; give keys of the "
                "solver, features or subset"
            )
        over[key] = tuple(value.split(","))
    line = Line(NAME, solver=solver, title=f"{solver} (entered)")
    group = Group(seeds, NAME, " ".join(panel.name for panel in field.runs.panels), over=over)
    runs = replace(field.runs, folders=folders, where="")  # its errors are of the words
    alone = replace(runs, lines=(line,), groups=(group,))
    for planned in alone.planned():
        if (reason := impossible(planned.config)) is not None:
            raise UserError(reason)
    together = replace(runs, lines=(*runs.lines, line), groups=(*runs.groups, group))
    named = replace(field, id=f"{field.id}-{solver}", claims=())
    return replace(named, runs=together, highlight=NAME), replace(named, runs=alone)


def absent(material: Material) -> list[tuple[str, str]]:
    """Return what the pictures of a comparison lack: lines of the entered solver, or those of all others."""
    lacking = []
    for counter in material.artifact.conventions:
        for panel in material.artifact.runs.panels:
            _, missing = material.evidence(panel.name, counter).fronts(FRONT)
            if NAME in missing:
                lacking.append((f"the line on {panel.name} by {counter}", missing[NAME]))
    return lacking + without_others(material)


def without_others(material: Material) -> list[tuple[str, str]]:
    """Return that all other methods are missing, if no run of one is stored."""
    if any(match.planned.solver != NAME for match in material.matches if match.complete):
        return []
    return [
        (
            "all other methods",
            "no run of another method is stored here; give --results CLONE/results, which a clone of the "
            "repository has, or make their runs in some four hours by `svmbench field`",
        )
    ]
