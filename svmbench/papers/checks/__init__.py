"""Checks: claims that are decided by a small computation instead of stored runs.

A check is a function from the arguments in its file to an `Outcome`. It is made by ``svmbench paper run`` and
stored as ``RESULTS/checks/<id>.json``; judging and drawing use this file and need no data set.
"""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.errors import UserError, nearest
from svmbench.files import write_whole
from svmbench.store import lines, shared

if TYPE_CHECKING:
    from svmbench.papers.artifact import Check

#: Name of a check -> (module, version). The version is increased when its numbers change.
CHECKS: Mapping[str, tuple[str, int]] = {
    "lemma_2_1": ("slack", 1),
    "lemma_3_1": ("slack", 1),
    "lemma_e_1": ("slack", 2),
    "level_work": ("slack", 1),
    "basin": ("slack", 2),
    "basins": ("slack", 2),
    "sample_size": ("projection", 1),
    "margin_kept": ("projection", 1),
    "norms_kept": ("projection", 1),
    "distances_kept": ("projection", 1),
    "products_kept": ("projection", 1),
    "fourier_quality": ("approximation", 1),
    "primal_with_kernel": ("approximation", 1),
    "sample_classifier": ("approximation", 1),
    "solution_in_ball": ("linear", 1),
    "lecture_errata": ("linear", 1),
    "set_sizes": ("datasets", 1),
    "sparse_time": ("costs", 1),
    "map_time": ("costs", 1),
    "classification_cost": ("costs", 1),
}


@dataclass(frozen=True)
class Outcome:
    """Measurements of a check.

    Attributes
    ----------
    measures : mapping
        By name: ``{value}``, with ``low`` and ``high`` if it is uncertain, ``{values}`` of repetitions, or
        ``{x, series}``, with a list of repetitions per place.
    panels : list of mapping
        Panels to draw: ``title``, ``x_label``, ``y_label`` and ``lines``, each with ``label``, ``x`` and
        ``y``.
    notes : list of str
        Notes for the reader.
    """

    measures: Mapping[str, Any]
    panels: list[Mapping[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def log_panel(title: str, x_label: str, y_label: str, *lines: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a panel of an `Outcome` with logarithmic axes."""
    labels = {"title": title, "x_label": x_label, "y_label": y_label}
    return {**labels, "x_scale": "log", "scale": "log", "lines": list(lines)}


def stored(artifact: Check, root: Path) -> Mapping[str, Any] | None:
    """Return the stored outcome of a check, own or reference; None unless it is of the current version.

    A damaged one is skipped with a warning.
    """
    for folder in (root, root / "reference"):
        path = folder / "checks" / f"{artifact.id}.json"
        try:
            found, _ = shared.record(path)
        except FileNotFoundError:
            continue
        except UserError as error:
            lines.tell(f"left out: {error}")
            continue
        if tuple(found.get(key) for key in ("function", "version", "arguments")) != _same(artifact):
            continue
        if _is_outcome(found):
            return found
        lines.tell(f"left out: {path} holds what no check has measured: make it again")
    return None


def _is_outcome(found: Mapping[str, Any]) -> bool:
    """Return whether a document, possibly written by hand, has the content of an `Outcome`."""
    measures, panels, notes = (found.get(key) for key in ("measures", "panels", "notes"))
    return (
        shared.is_number(found.get("seconds"))
        and isinstance(measures, dict)
        and all(map(_is_measure, measures.values()))
        and isinstance(panels, list)
        and all(map(_is_panel, panels))
        and isinstance(notes, list)
        and all(isinstance(note, str) for note in notes)
    )


def _is_measure(found: object) -> bool:
    if not isinstance(found, dict):
        return False
    if "series" in found:
        x, series = found.get("x"), found["series"]
        if not isinstance(series, list) or not isinstance(x, list) or len(x) != len(series):
            return False
        return bool(series) and _are_numbers(x) and all(_are_numbers(one) and one for one in series)
    if "values" in found:
        return _are_numbers(found["values"]) and len(found["values"]) > 0
    return all(
        shared.is_number(found.get(key)) for key in ("value", *(("low", "high") if "low" in found else ()))
    )


def _is_panel(found: object) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("lines"), list):
        return False
    return all(isinstance(found.get(key), str) for key in ("title", "x_label", "y_label")) and all(
        isinstance(line, dict)
        and isinstance(line.get("label"), str)
        and all(_are_numbers(line.get(key)) for key in ("x", "y"))
        and len(line["x"]) == len(line["y"])
        for line in found["lines"]
    )


def _are_numbers(found: object) -> bool:
    return isinstance(found, list) and all(map(shared.is_number, found))


def make(artifact: Check, root: Path) -> Path:
    """Make a check and store its outcome.

    Parameters
    ----------
    artifact : Artifact
        Of the kind ``check``.
    root : Path
        The results folder.
    """
    name, version, arguments = _same(artifact)
    began = time.perf_counter()
    outcome = _function(name)(arguments)
    document = {
        "function": name,
        "version": version,
        "arguments": arguments,
        "seconds": round(time.perf_counter() - began, 2),
        **asdict(outcome),
    }
    path = root / "checks" / f"{artifact.id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(lines.checked(document), indent=1, allow_nan=False) + "\n")
    return path


def _same(artifact: Check) -> tuple[str, int, Mapping[str, Any]]:
    """Return what an outcome must have in common with the current check."""
    name = artifact.function
    if name not in CHECKS:
        raise UserError(f"{artifact.id}: unknown check '{name}'{nearest(name, CHECKS)}")
    return name, CHECKS[name][1], dict(artifact.arguments)


def _function(name: str) -> Callable[[Mapping[str, Any]], Outcome]:
    module = importlib.import_module(f"svmbench.papers.checks.{CHECKS[name][0]}")
    function: Callable[[Mapping[str, Any]], Outcome] = getattr(module, name)
    return function
