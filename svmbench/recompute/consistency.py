"""Consistency of the documents of a stored run, as far as it can be checked without a model.

Checksums show that files have not changed, but not that somebody changed them and updated the checksums.
These checks need neither model nor kernel values, and cover all rows of the trace.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.files import canonical
from svmbench.recompute.numbers import BOUNDED
from svmbench.run_config import relevant
from svmbench.store.identity import rounded

#: Columns that never decrease: counts and clocks.
_COUNTS = (
    *("kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed", "inner_products", "kev_setup"),
    *("kev_observation", "kev_prediction"),
)
_CLOCKS = ("wall_seconds", "cpu_seconds")

#: Solvers that charge exactly n to ``kev_iter`` per iteration (docs/counting.md).
_ONE_ROW = ("sbp", "smo", "pegasos", "sdca", "sgd_ball", "perceptron")

#: Relative accuracy of numbers that follow from each other by one or two roundings.
_EXACT = 1e-12
#: Relative difference of two certificates of one problem.
_BOUND = 1e-6
#: Largest distance of an error times the number of examples from a whole number.
_WHOLE = 1e-6
#: Accuracy of a gap relative to its primal objective.
_GAP = 1e-9

_KEV = re.compile(r"budget\.kev=(\S+) reached by (\w+)")
_TARGET = re.compile(r"budget\.(gap|test_error)=(\S+) reached")
_ITERATIONS = re.compile(r"budget\.iterations=(\d+) reached")
_AFTER = re.compile(r"after (\d+) iterations")


def contradictions(
    manifest: Mapping[str, Any],
    status: str,
    reason: str,
    rows: Sequence[Mapping[str, Any]],
    optimum: Mapping[str, Any] | None,
    wrong: NDArray[np.bool_] | None = None,
) -> list[str]:
    """Return a sentence per contradiction.

    Parameters
    ----------
    manifest : mapping
        run.json.
    status, reason : str
        The end of the run.
    rows : sequence of mapping
        All checkpoints; None where unknown.
    optimum : mapping or None
        Current record of the optimum named by the run.
    wrong : ndarray of bool, optional
        Test examples that the run lists as mistakes of its last checkpoint.
    """
    found = [*_posed(manifest), *_trace(rows), *_charged(manifest, rows), *_errors(manifest, rows, wrong)]
    if not _several(manifest):  # their gaps are those of the binary problem with the largest
        found += _bounds(manifest, rows, optimum)
    return found + list(_ended(manifest["config"]["budget"], status, reason, rows, _several(manifest)))


def _several(manifest: Mapping[str, Any]) -> bool:
    """Return whether the run is of several binary problems."""
    return manifest["config"]["problem"].get("multiclass", "none") != "none"


def _posed(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Compare configuration, identity, data and problem."""
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
    for key, value in same.get("derived", {}).items():
        used = problem.get({"nu": "nu", "R": "radius"}[key])
        if used is None or rounded(used) != value:
            yield f"{key} is {used!r}, the identity has {value!r}"


def _trace(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Compare each checkpoint with the previous one."""
    # A program with unknown counts may fit from scratch at each checkpoint, with its own clock.
    counted = any(row.get(name) is not None for row in rows for name in ("kev_iter", "inner_products"))
    for before, row in itertools.pairwise(rows):
        at = f"at {row['iterations']} iterations"
        if not before["iterations"] < row["iterations"]:
            yield f"a checkpoint {at} follows one at {before['iterations']}"
        for name in (*_COUNTS, *_CLOCKS) if counted else _COUNTS:
            if row.get(name) is not None and before.get(name) is not None and row[name] < before[name]:
                yield f"{name} falls from {before[name]!r} to {row[name]!r} {at}"


def _charged(manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Compare the count by iterations with the charges of the solver."""
    n = manifest["dataset"]["rows"]["train"]
    pairs = manifest["config"]["problem"].get("multiclass") == "one_vs_one"  # each has an n of its own
    if manifest["config"]["solver"]["name"] not in _ONE_ROW or pairs:
        return
    for row in rows:
        if row["kev_iter"] is None:
            continue
        charged = (row["kev_setup"] or 0) + n * row["iterations"]
        if row["kev_iter"] != charged:
            yield f"kev_iter is {row['kev_iter']} at {row['iterations']} iterations, n each makes {charged}"


def _errors(
    manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], wrong: NDArray[np.bool_] | None
) -> Iterator[str]:
    """Compare errors with mistakes, and objectives with their terms."""
    lam, sizes = manifest["problem"]["lam"], manifest["dataset"]["rows"]
    tests = sizes.get("test")
    for row in rows:
        at, error, mistakes = f"at {row['iterations']} iterations", row["test_error"], row["test_mistakes"]
        if tests and None not in (error, mistakes) and not abs(error * tests - mistakes) <= _WHOLE:
            yield f"the test error is {error!r} {at}, {mistakes} mistakes on {tests} examples make another"
        for part, size in sizes.items():
            share = row.get(f"{part}_error")
            if share is not None and size and not abs(share * size - round(share * size)) <= _WHOLE:
                yield f"the {part} error is {share!r} {at}, of no number of {size} examples"
        primal, norm, loss = row["primal_objective"], row["norm"], row["mean_hinge"]
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
    """Compare gaps with their objectives, and these with the optimum."""
    for row in rows:
        at, primal, dual = (
            f"at {row['iterations']} iterations",
            row["primal_objective"],
            row["dual_objective"],
        )
        gap, relative = row["duality_gap"], row["relative_gap"]
        if (dual is None) != (row["dual_source"] is None):
            yield f"there is a dual objective without a source {at}, or a source without one"
        if dual is None or primal is None:
            if gap is not None or relative is not None:
                yield f"there is a gap without a dual objective {at}"
            continue
        if optimum is not None and not dual <= (1.0 + _BOUND) * optimum["primal"]:
            yield f"the bound is {dual!r} {at}, above the objective {optimum['primal']!r} at an optimum"
        if gap is not None and not abs(gap - (primal - dual)) <= _GAP * abs(primal):
            yield f"the gap is {gap!r} {at}, the objectives are {primal!r} and {dual!r}"
        # A bound that includes rounding is relative to the least possible primal objective.
        least = primal - (row.get("objective_error") or 0.0)
        if relative is not None and not abs(relative * least - (primal - dual)) <= _GAP * abs(primal):
            yield f"the relative gap is {relative!r} {at}, the objectives are {primal!r} and {dual!r}"
        error, precision = row.get("objective_error"), row.get("precision")
        if precision in BOUNDED and not (error is not None and error >= 0.0):
            yield f"the precision is {precision} {at}, the objective error {error!r}"
    measured = [row for row in rows if row["dual_source"] == "optimum"]
    if measured and optimum is None:
        yield f"the bound is that of optimum {manifest.get('optimum')}, which is not stored"
    values = manifest.get("optimum_values")
    if measured and optimum is not None and values is None:
        values = optimum
    for row in measured:
        # Since the first rows, the optimum may have been computed again, and the run continued.
        if values is not None and not abs(row["dual_objective"] - values["dual"]) <= _BOUND * abs(
            values["dual"]
        ):
            yield f"the bound is {row['dual_objective']!r}, that of the optimum was {values['dual']!r}"


def _ended(
    budget: Mapping[str, Any], status: str, reason: str, rows: Sequence[Mapping[str, Any]], several: bool
) -> Iterator[str]:
    """Compare the end with the budget and the last checkpoint; of several problems, some reach a target."""
    if not rows:
        return
    last, said = rows[-1], f"the run ended as {status}, {reason}"
    by_budget = reason.startswith("budget.")
    if by_budget != (status in ("budget", "timeout")) and status in ("budget", "converged", "stalled"):
        yield f"{said}: the reason is that of another end"
    if status in ("converged", "stalled"):
        after = _AFTER.search(reason)
        if after and int(after[1]) != last["iterations"]:
            yield f"{said}: the last checkpoint is at {last['iterations']} iterations"
        return
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
            yield f"{said}: the last checkpoint is at {last['iterations']} iterations"
    elif (target := _TARGET.match(reason)) is not None and not several:
        seen = last["relative_gap" if target[1] == "gap" else "test_error"]
        if budget.get(target[1]) is None or seen is None or seen > budget[target[1]]:
            yield f"{said}: the last checkpoint has {seen!r}"


def _close(value: float, other: float) -> bool:
    return abs(value - other) <= _EXACT * abs(other)
