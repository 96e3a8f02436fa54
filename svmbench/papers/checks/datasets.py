"""Checks of tables of data sets: actual sizes and densities, compared with the printed ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from svmbench import data
from svmbench.papers.checks import Outcome


def set_sizes(given: Mapping[str, Any]) -> Outcome:
    """Return rows, features and density (percent) of data sets by their configurations."""
    measures: dict[str, Any] = {}
    for name, dataset in given["sets"].items():
        found = data.load(dataset)
        for part, rows in found.info["rows"].items():
            measures[f"{name} {part}"] = {"value": rows}
        measures[f"{name} features"] = {"value": found.info["features"]}
        measures[f"{name} density"] = {"value": 100.0 * found.info["density"]}
    return Outcome(measures)
