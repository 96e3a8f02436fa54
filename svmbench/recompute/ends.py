"""Comparison of the end of a stored run with its budget and its last checkpoint."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_KEV = re.compile(r"budget\.kev=(\S+) reached by (\w+)")
_TARGET = re.compile(r"budget\.(gap|test_error)=(\S+) reached")
_ITERATIONS = re.compile(r"budget\.iterations=(\d+) reached")
_OTHER = re.compile(r"budget\.(seconds|memory)=(\S+) reached")
_AFTER = re.compile(r"after (\d+) iterations")
_OBJECTIVE = re.compile(r"the objective is \S+ after")
#: The time limit as the loop reports it after a checkpoint; a supervising process or an interrupted iteration
#: reports it in other words.
_SPENT = re.compile(r"budget\.seconds=\S+ reached($| before it converged)")
#: The gap of the last checkpoint; gaps of a native objective or of a stored optimum do not match.
_GAP = re.compile(r"(?<!optimum behind it) at a relative gap of (\d\.\de[+-]\d+)\b(?! in its own)")
#: Words in the messages of programs whose numbers overflow.
_OVERFLOW = re.compile("finite|overflow")
#: Targets of the budget, and their columns.
_TARGETS = {"gap": "relative_gap", "test_error": "test_error"}


def ended(
    budget: Mapping[str, Any], status: str, reason: str, rows: Sequence[Mapping[str, Any]], several: bool
) -> Iterator[str]:
    """Compare the end with the budget and the checkpoints.

    With several binary problems, some of them may miss a target.
    """
    said = f"the run ended as {status}, {reason}"
    by_budget = reason.startswith("budget.")
    if (by_budget and status not in ("budget", "timeout")) or (not by_budget and status == "budget"):
        yield f"{said}: the reason is that of another end"
    other = _OTHER.match(reason)
    limit = "seconds" if status == "timeout" else other[1] if other else None
    if limit is not None:
        given = budget.get(limit)
        if given is None or (other and (other[1] != limit or other[2] != f"{given:g}")):
            yield f"{said}: budget.{limit} is {given!r}"
    if rows:
        yield from _fits(budget, status, reason, rows, several)
    if not rows and status in ("converged", "stalled"):
        yield f"{said}: there is no checkpoint"
    if not several:
        limits = {"kev": budget["counter"], "iterations": "iterations"} | _TARGETS
        yield from _passed(budget, rows, limits)


def _passed(
    budget: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], limits: Mapping[str, str]
) -> Iterator[str]:
    """Check that no checkpoint but the last reached a limit, at which the run would have ended."""
    for row, (key, column) in itertools.product(rows[:-1], limits.items()):
        limit, value = budget.get(key), row.get(column)
        if limit is None or value is None:
            continue
        if value <= limit if key in _TARGETS else value >= limit:
            yield f"budget.{key}={limit:g} was reached at {row['iterations']} iterations, the run went on"
    most = budget.get("iterations")
    if rows and most is not None and rows[-1]["iterations"] > most:
        yield f"the last checkpoint is at {rows[-1]['iterations']} iterations, of at most {most}"


def _fits(
    budget: Mapping[str, Any], status: str, reason: str, rows: Sequence[Mapping[str, Any]], several: bool
) -> Iterator[str]:
    """Compare the end with the checkpoints."""
    last, said = rows[-1], f"the run ended as {status}, {reason}"
    at = f"{said}: the last checkpoint is at {last['iterations']} iterations"
    infinite = [row for row in rows if not math.isfinite(row["primal_objective"] or 0.0)]
    if infinite and (status != "diverged" or infinite[0] is not last):
        value, iterations = infinite[0]["primal_objective"], infinite[0]["iterations"]
        yield f"{said}: the objective is {value} at {iterations} iterations"
    after, gap = _AFTER.search(reason), _GAP.search(reason)
    own_rule = status in ("converged", "stalled") or (status == "diverged" and _OBJECTIVE.match(reason))
    if own_rule and after and int(after[1]) != last["iterations"]:
        yield at
    if status == "diverged" and not infinite and not _OVERFLOW.search(reason):
        yield f"{said}: the objective is {last['primal_objective']!r} at the last checkpoint"
    if gap and not several and (last["relative_gap"] is None or gap[1] != f"{last['relative_gap']:.1e}"):
        yield f"{said}: the last checkpoint has {last['relative_gap']!r}"
    spent = last["wall_seconds"]
    # A baseline, whose counts are unknown, may fit from scratch for each checkpoint and restart its clock.
    timed = status == "timeout" and not several and last.get("inner_products") is not None
    if timed and _SPENT.match(reason) and spent is not None and not spent >= (budget["seconds"] or math.inf):
        yield f"{said}: the last checkpoint is at {spent!r} s"
    if status != "budget":
        return
    if (limit := _KEV.match(reason)) is not None:
        counter, reached = limit[2], last.get(limit[2])
        allowed = budget["kev"]
        same = allowed is not None and limit[1] == f"{allowed:g}" and counter == budget["counter"]
        if not same or reached is None or reached < allowed:
            yield f"{said}: the last checkpoint is at {counter} {reached}"
    elif (made := _ITERATIONS.match(reason)) is not None:
        if int(made[1]) != budget["iterations"] or last["iterations"] < int(made[1]):
            yield at
    elif (target := _TARGET.match(reason)) is not None and not several:
        seen = last["relative_gap" if target[1] == "gap" else "test_error"]
        if budget.get(target[1]) is None or seen is None or seen > budget[target[1]]:
            yield f"{said}: the last checkpoint has {seen!r}"
