"""Consistency of the documents of a stored run, as far as it can be checked without a model.

Checksums detect accidental changes to files, but not changes by somebody who also updated the checksums.
The checks in this module need neither a model nor kernel values, and cover all rows of the trace.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.files import canonical
from svmbench.recompute.charges import charged
from svmbench.recompute.circumstances import circumstances
from svmbench.recompute.ends import ended
from svmbench.recompute.numbers import BOUNDED
from svmbench.recompute.schedule import missing
from svmbench.run_config import relevant
from svmbench.store.identity import rounded
from svmbench.store.trace import COUNTS

#: Columns that never decrease: counts and clocks.
_COUNTS = (
    *("kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed", "inner_products", "kev_setup"),
    *("kev_observation", "kev_prediction", "rounds"),
)
_CLOCKS = ("wall_seconds", "cpu_seconds")

#: Relative accuracy of a number that is computed from another with one or two roundings.
_EXACT = 1e-12
#: Largest relative difference between two certificates of one problem.
_BOUND = 1e-6
#: Largest distance from a whole number of an error times the number of examples.
_WHOLE = 1e-6
#: Accuracy of a gap, relative to the primal objective.
_GAP = 1e-9
#: Accuracy of the six digits of a derived parameter.
_SIX = 1e-5
#: Accuracy of objectives in single precision, and the least objective to which a relative accuracy applies.
_SINGLE, _LEAST = 1e-3, 1e-9
#: Solver parameters that are fields of the problem: key of the solver -> field.
_FIELDS = {"nu": "nu", "R": "radius"}

#: Columns without negative numbers; errors are also at most 1.
_SIZES = (*COUNTS, *_CLOCKS, "primal_objective", "norm", "mean_hinge")
_ERRORS = ("test_error", "validation_error", "train_error")


def contradictions(
    manifest: Mapping[str, Any],
    end: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    optimum: Mapping[str, Any] | None,
    machine: Mapping[str, Any] | None = None,
    wrong: NDArray[np.bool_] | None = None,
    *,
    whole: bool = True,
) -> list[str]:
    """Return a sentence per contradiction.

    Parameters
    ----------
    manifest, end : mapping
        run.json and status.json.
    rows : sequence of mapping
        The checkpoints; None where unknown.
    optimum : mapping or None
        Current record of the optimum named by the run.
    machine : mapping or None, optional
        The environment that the run names, if it is stored.
    wrong : ndarray of bool, optional
        Test examples that the run lists as mistakes of its last checkpoint.
    whole : bool
        Whether `rows` has all checkpoints; a packed run has only some.
    """
    several = _several(manifest)
    found = [*_posed(manifest), *circumstances(manifest, end, rows, machine)]
    found += [
        *_trace(rows),
        *_parts(manifest, rows),
        *charged(manifest, rows),
        *_errors(manifest, rows, wrong),
    ]
    if whole:
        found += missing(manifest, rows)
    if not several:  # with several binary problems, the gap is the largest of theirs
        found += [*_derived(manifest, optimum), *_bounds(manifest, rows, optimum)]
        found += _sides(rows)
    return [*found, *ended(manifest["config"]["budget"], end["status"], end["reason"], rows, several)]


def _several(manifest: Mapping[str, Any]) -> bool:
    """Return whether the run solves several binary problems."""
    return manifest["config"]["problem"].get("multiclass", "none") != "none"


def _posed(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Compare configuration, identity, data and problem with each other."""
    config, same = manifest["config"], manifest["identity"]
    given, known = (relevant(one) for one in (config, same["config"]))
    for key in sorted(given.keys() | known.keys()):
        if canonical(given.get(key)) != canonical(known.get(key)):
            yield f"config has {key} {given.get(key)}, the identity {known.get(key)}"
    about, problem = manifest["dataset"], manifest["problem"]
    if about["checksum"] != same["checksum"]:
        yield "the data set has another checksum than the identity"
    n = about["rows"]["train"]
    if not _several(manifest) and not _close(problem["lam"] * problem["C"] * n, 1.0):
        yield f"lam {problem['lam']!r} and C {problem['C']!r} are not those of {n} examples"
    for key in ("lam", "C"):
        asked = config["problem"].get(key)
        if asked is not None and not _close(problem[key], asked):
            yield f"{key} is {problem[key]!r}, config has {asked!r}"
    weights, asked = (terms.get("weights", "none") for terms in (problem, config["problem"]))
    if weights != asked:
        yield f"weights are {weights}, config has {asked}"
    if problem["bias"] != config["problem"]["bias"]:
        yield f"bias is {problem['bias']}, config has {config['problem']['bias']}"


def _derived(manifest: Mapping[str, Any], optimum: Mapping[str, Any] | None) -> Iterator[str]:
    """Compare the problem with that of the optimum, and ν and R with the numbers that determine them."""
    config, problem = manifest["config"], manifest["problem"]
    if optimum is not None:
        key, lam = optimum["key"], float(f"{problem['lam']:.12g}")
        own = manifest["dataset"]["checksum"], canonical(config["kernel"]), lam, problem["bias"]
        known = key["dataset"]["checksum"], canonical(key["kernel"]), key["lam"], key.get("bias", "none")
        if own != known:
            yield f"optimum {manifest['optimum']} is that of another problem"
    derived = manifest["identity"].get("derived", {})
    for key, value in derived.items():
        used = problem.get(_FIELDS[key])
        if used is None or rounded(used) != value:
            yield f"{key} is {used!r}, the identity has {value!r}"
    for key, name in _FIELDS.items():
        asked = config["solver"].get(key)
        if isinstance(asked, int | float) and name in problem and not _close(problem[name], asked):
            yield f"{key} is {problem[name]!r}, config has {asked!r}"
    proved = (record.get("nu_interval") for record in (manifest.get("optimum_values"), optimum) if record)
    low, high = next((interval for interval in proved if interval), (None, None))
    if "nu" in derived and low is not None:
        above = high is not None and problem["nu"] > (1.0 + _SIX) * high
        if above or problem["nu"] < (1.0 - _SIX) * low:
            yield f"nu is {problem['nu']!r}, by the optimum it is between {low!r} and {high!r}"


def _trace(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Check the signs of the numbers, and compare each checkpoint with the previous one."""
    # A baseline with unknown counts may fit from scratch for each checkpoint, so its times may decrease.
    counted = any(row.get(name) is not None for row in rows for name in ("kev_iter", "inner_products"))
    for row in rows:
        for name in (*_SIZES, *_ERRORS):
            value = row[name]
            if value is not None and (value < 0 or (name in _ERRORS and value > 1)):
                yield f"{name} is {value!r} at {row['iterations']} iterations"
    for before, row in itertools.pairwise(rows):
        at = f"at {row['iterations']} iterations"
        if not before["iterations"] < row["iterations"]:
            yield f"a checkpoint {at} follows one at {before['iterations']}"
        for name in (*_COUNTS, *_CLOCKS) if counted else _COUNTS:
            if None not in (row.get(name), before.get(name)) and not row[name] >= before[name]:
                yield f"{name} falls from {before[name]!r} to {row[name]!r} {at}"


def _parts(manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Check that no part is larger than its whole."""
    n, whole = manifest["dataset"]["rows"]["train"], ("kev_ondemand", "kev_rowupdate", "kev_iter")
    pairs = [("kev_discarded", "kev_computed"), *(("kev_setup", name) for name in whole)]
    for row in rows:
        at = f"at {row['iterations']} iterations"
        for part, total in pairs:
            if None not in (row.get(part), row.get(total)) and row[part] > row[total]:
                yield f"{part} is {row[part]} {at}, more than {total}, {row[total]}"
        if (row.get("candidates") or 0) > n:
            yield f"there are {row['candidates']} candidates {at}, of {n} examples"


def _errors(
    manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], wrong: NDArray[np.bool_] | None
) -> Iterator[str]:
    """Compare errors with counts of mistakes, and objectives with their terms."""
    lam, sizes = manifest["problem"]["lam"], manifest["dataset"]["rows"]
    tests, even = sizes.get("test"), manifest["problem"].get("weights", "none") == "none"
    for row in rows:
        at, error, mistakes = f"at {row['iterations']} iterations", row["test_error"], row["test_mistakes"]
        if tests and None not in (error, mistakes) and not abs(error * tests - mistakes) <= _WHOLE:
            yield f"the test error is {error!r} {at}, {mistakes} mistakes on {tests} examples make another"
        for part, size in sizes.items():
            share = row.get(f"{part}_error")
            if share is not None and size and not abs(share * size - round(share * size)) <= _WHOLE:
                yield f"the {part} error is {share!r} {at}, of no number of {size} examples"
        primal, norm, loss = row["primal_objective"], row["norm"], row["mean_hinge"]
        mistaken, slack = row["train_error"], _SINGLE + 2.0 * (row.get("objective_error") or 0.0)
        if None not in (mistaken, loss) and even and loss + slack < mistaken:  # each mistake has a loss of 1
            yield f"the mean hinge loss is {loss!r} {at}, below the training error {mistaken!r}"
        if None in (lam, primal, norm, loss):
            continue
        allowed = _GAP * abs(primal) + (row.get("objective_error") or 0.0)
        if not abs(0.5 * lam * norm**2 + loss - primal) <= allowed:
            yield f"the objective is {primal!r} {at}, norm and mean hinge loss make another"
    counted = [row["test_mistakes"] for row in rows if row["test_mistakes"] is not None]
    if wrong is not None and counted and np.count_nonzero(wrong) != counted[-1]:
        yield f"{np.count_nonzero(wrong)} test examples are listed as mistakes, the trace has {counted[-1]}"


def _bounds(
    manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], optimum: Mapping[str, Any] | None
) -> Iterator[str]:
    """Compare gaps with the objectives that they follow from, and the objectives with the optimum."""
    gaussian = manifest["config"]["kernel"]["name"] == "gaussian"
    for row in rows:
        at = f"at {row['iterations']} iterations"
        if row.get("precision") in BOUNDED and not gaussian:
            yield f"the precision is {row['precision']} {at}, which it cannot be"
        if row.get("precision") == "float32" and row["relative_gap"] is not None:
            yield f"there is a gap in single precision {at}"
        primal, dual = row["primal_objective"], row["dual_objective"]
        gap, relative = row["duality_gap"], row["relative_gap"]
        if (dual is None) != (row["dual_source"] is None):
            yield f"there is a dual objective without a source {at}, or a source without one"
        if dual is None or primal is None:
            if gap is not None or relative is not None:
                yield f"there is a gap without a dual objective {at}"
            continue
        error = row.get("objective_error") or 0.0
        if optimum is not None and not dual - error <= (1.0 + _BOUND) * optimum["primal"]:
            yield f"the bound is {dual!r} {at}, above the objective {optimum['primal']!r} at an optimum"
        if gap is not None and not abs(gap - (primal - dual)) <= _GAP * abs(primal):
            yield f"the gap is {gap!r} {at}, the objectives are {primal!r} and {dual!r}"
        # A relative gap that includes rounding errors is relative to the least possible primal objective.
        least = primal - error
        if relative is not None and not abs(relative * least - (primal - dual)) <= _GAP * abs(primal):
            yield f"the relative gap is {relative!r} {at}, the objectives are {primal!r} and {dual!r}"
        error, precision = row.get("objective_error"), row.get("precision")
        if precision in BOUNDED and not (error is not None and error >= 0.0):
            yield f"the precision is {precision} {at}, the objective error {error!r}"
    measured = [row for row in rows if row["dual_source"] == "optimum"]
    if measured and optimum is None:
        yield f"the bound is that of optimum {manifest.get('optimum')}, which is not stored"
    values = manifest.get("optimum_values") or optimum
    if values is None:
        return
    for row in measured:
        # A continued run may have rows from before the optimum was computed again.
        if not abs(row["dual_objective"] - values["dual"]) <= _BOUND * abs(values["dual"]):
            yield f"the bound is {row['dual_objective']!r}, that of the optimum was {values['dual']!r}"


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


def _close(value: float, other: float) -> bool:
    return abs(value - other) <= _EXACT * abs(other)
