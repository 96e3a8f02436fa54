"""What a mistake of a program would show in the checkpoints of a stored run, without a model.

Whoever forges a run with right checksums is caught by ``svmbench verify --again``, not here: see SECURITY.md.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from svmbench.files import canonical
from svmbench.run_config import relevant

#: Columns that never decrease: counts and clocks.
_COUNTS = (
    *("kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed", "inner_products", "kev_setup"),
    *("kev_observation", "kev_prediction", "rounds"),
)
_CLOCKS = ("wall_seconds", "cpu_seconds")

#: Largest relative difference between two certificates of one problem.
_BOUND = 1e-6
#: Accuracy of objectives in single precision, and the least objective to which a relative accuracy applies.
_SINGLE, _LEAST = 1e-3, 1e-9


def contradictions(
    manifest: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    optimum: Mapping[str, Any] | None,
) -> list[str]:
    """Return a sentence per contradiction.

    Parameters
    ----------
    manifest : mapping
        run.json.
    rows : sequence of mapping
        The checkpoints; None where unknown.
    optimum : mapping or None
        Current record of the optimum named by the run.
    """
    found = [*_named(manifest), *_order(rows)]
    if manifest["config"]["problem"].get("multiclass", "none") == "none":  # else the sum of several problems
        found += [*_measured(manifest, rows, optimum), *_sides(rows)]
    return found


def _named(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Compare configuration and data with the identity, which names the run."""
    named = manifest["identity"]
    given, known = (relevant(one) for one in (manifest["config"], named["config"]))
    for key in sorted(given.keys() | known.keys()):
        if canonical(given.get(key)) != canonical(known.get(key)):
            yield f"config has {key} {given.get(key)}, the identity {known.get(key)}"
    if manifest["dataset"]["checksum"] != named["checksum"]:
        yield "the data set has another checksum than the identity"


def _order(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Compare each checkpoint with the previous one."""
    # A baseline with unknown counts may fit from scratch for each checkpoint, so its times may decrease.
    counted = any(row.get(name) is not None for row in rows for name in ("kev_iter", "inner_products"))
    for before, row in itertools.pairwise(rows):
        at = f"at {row['iterations']} iterations"
        if not before["iterations"] < row["iterations"]:
            yield f"a checkpoint {at} follows one at {before['iterations']}"
        for name in (*_COUNTS, *_CLOCKS) if counted else _COUNTS:
            if None not in (row.get(name), before.get(name)) and not row[name] >= before[name]:
                yield f"{name} falls from {before[name]!r} to {row[name]!r} {at}"


def _measured(
    manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], optimum: Mapping[str, Any] | None
) -> Iterator[str]:
    """Compare the problem with that of the optimum, and its objective with the bounds."""
    if optimum is None:
        if any(row["dual_source"] == "optimum" for row in rows):
            yield f"the bound is that of optimum {manifest.get('optimum')}, which is not stored"
        return
    key, problem = optimum["key"], manifest["problem"]
    lam, kernel = float(f"{problem['lam']:.12g}"), canonical(manifest["config"]["kernel"])
    own = manifest["dataset"]["checksum"], kernel, lam, problem["bias"]
    if own != (key["dataset"]["checksum"], canonical(key["kernel"]), key["lam"], key.get("bias", "none")):
        yield f"optimum {manifest['optimum']} is that of another problem"
    for row in rows:
        bound, error = row["dual_objective"], row.get("objective_error") or 0.0
        if bound is not None and not bound - error <= (1.0 + _BOUND) * optimum["primal"]:
            at = f"at {row['iterations']} iterations"
            yield f"the bound is {bound!r} {at}, above the objective {optimum['primal']!r} at an optimum"


def _sides(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Check that no objective lies below a bound, of the same checkpoint or of another one."""
    bounds = [
        row["dual_objective"] - (row.get("objective_error") or 0.0)
        for row in rows
        if row["dual_objective"] is not None
    ]
    bound = max(bounds, default=-math.inf)
    for row in rows:
        primal = row["primal_objective"]
        if primal is None or not math.isfinite(primal):
            continue
        allowed = _SINGLE if row.get("precision") == "float32" else _BOUND
        allowed = allowed * max(abs(primal), _LEAST) + (row.get("objective_error") or 0.0)
        if not bound <= primal + allowed:
            yield f"the objective is {primal!r} at {row['iterations']} iterations, below the bound {bound!r}"
