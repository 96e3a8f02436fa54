"""Checkpoints that a stored trace must have, by the schedule of its configuration.

A checkpoint is made at the first iteration at which the counter of the budget has reached a mark. So if the
counter exceeds the next mark by at least as much as an iteration can add, a checkpoint is missing. How much
an iteration can add is known for the counter ``iterations``, and for solvers that charge n to every
iteration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from svmbench.recompute.charges import ONE_ROW, PRODUCTS

_CONVENTIONS = ("kev_ondemand", "kev_rowupdate", "kev_iter")


def growth(manifest: Mapping[str, Any]) -> int | None:
    """Return the most that an iteration can add to the counter of the budget; None if unknown.

    It is unknown for several binary problems, whose counts are summed.
    """
    config, counter = manifest["config"], manifest["config"]["budget"]["counter"]
    if config["problem"].get("multiclass", "none") != "none":
        return None
    if counter == "iterations":
        return 1
    name, n = config["solver"]["name"], int(manifest["dataset"]["rows"]["train"])
    if name in PRODUCTS and config.get("features") is None and counter == "inner_products":
        return PRODUCTS[name][1]
    return n if name in ONE_ROW and counter in _CONVENTIONS else None


def missing(manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Generate a sentence for each missing checkpoint.

    Parameters
    ----------
    manifest : mapping
        run.json.
    rows : sequence of mapping
        All checkpoints.
    """
    step, counter = growth(manifest), manifest["config"]["budget"]["counter"]
    if step is None or not rows or any(row[counter] is None for row in rows):
        return
    points = manifest["config"]["observe"]["points"]
    before = 0 if counter == "iterations" else rows[0]["kev_setup"]
    if before is None:  # of a linear method, whose products before the first iteration are not stored
        before = rows[0][counter]
    for row in rows:
        mark = _mark(points, max(step, before + 1))
        if row[counter] - step >= mark:
            at = f"{counter} {row[counter]} at {row['iterations']} iterations"
            yield f"a checkpoint is missing at {counter} {mark}, before that at {at}"
        before = row[counter]


def _mark(points: int, least: int) -> int:
    """Return the first mark that is at least `least`; marks are 10^(k/points), rounded to integers."""
    # One less, since the mark before may be rounded up to `least`.
    k = max(0, math.ceil(points * math.log10(least)) - 1)
    while (mark := round(10.0 ** (k / points))) < least:
        k += 1
    return mark
