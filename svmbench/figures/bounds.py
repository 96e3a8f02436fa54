"""Certified bounds of the optima of the problems of stored runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from svmbench.figures.series import Bound, Reference, optimum_of
from svmbench.run_config import role
from svmbench.store import StoredRun


def problem_of(run: StoredRun) -> str:
    """Return the key of a run's problem: its data, and all groups that define the problem."""
    posed = {key: value for key, value in run.document.items() if role(key) == "problem"}
    if "features" in posed:  # they depend on the seed, so each draw poses a different problem
        posed["seed"] = run.seed
    return json.dumps([run.facts["about"]["dataset"]["checksum"], posed], sort_keys=True)


def references(
    runs: Iterable[StoredRun], optimum: Callable[[StoredRun], Mapping[str, Any] | None] = optimum_of
) -> dict[str, Reference]:
    """Return bounds by problem, from stored optima and the runs' own dual points.

    Parameters
    ----------
    runs : iterable of StoredRun
        Any stored runs.
    optimum : callable, optional
        Returns the optimum of a run's problem. Default: the one named by the run.
    """
    found: dict[str, Reference] = {}
    for run in runs:
        key = problem_of(run)
        known = found.get(key, Reference())
        record = known.record or optimum(run) or {}
        bounds = [known.bound] if known.bound is not None else []
        if record.get("dual") is not None:
            bounds.append(Bound(record["dual"], "the stored optimum"))
        last = run.summary()
        if last["dual_source"] == "solver" and last["dual_objective"] is not None:
            proven = last["dual_objective"] - (last["objective_error"] or 0.0)
            bounds.append(Bound(proven, f"the dual point of {run.title}"))
        found[key] = Reference(max(bounds, key=lambda bound: bound.value, default=None), record)
    return found
