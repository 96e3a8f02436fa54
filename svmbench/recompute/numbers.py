"""Recomputation of a checkpoint from the stored model and the data, and comparison with the trace."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svmbench.recompute.multiples import taken, unit
from svmbench.recompute.rounding import Rounding
from svmbench.recompute.scores import linear, scores
from svmbench.store.model import StoredModel
from svmbench.store.trace import Row

if TYPE_CHECKING:
    from svmbench.data import Dataset, Part

Floats = NDArray[np.float64]

#: Tolerances of stored numbers, relative to the number or the primal objective, whichever is larger; those of
#: gaps are relative to the primal objective. Kernel values of the solvers are accurate to 1e-6.
TOLERANCES = dict.fromkeys(
    (
        *("primal_objective", "norm", "mean_hinge", "dual_objective", "duality_gap", "relative_gap"),
        *("native_objective", "native_bound"),
    ),
    1e-6,
)

#: Values of ``precision`` for rows that always state ``objective_error`` (`svmbench.certify.gap_bounds`).
#: With it, gaps are upper bounds; the tolerances of other numbers are in units of that error.
BOUNDED = ("rounding", "confidence")
_ERRORS = {"primal_objective": 1.0, "mean_hinge": 2.0, "dual_objective": 1.0}


def numbers(
    model: StoredModel,
    problem: Mapping[str, Any],
    data: Dataset,
    precision: str = "auto",
    wrong: NDArray[np.bool_] | None = None,
) -> dict[str, float]:
    """Return the numbers that can be recomputed, by the names of the trace.

    For each part of the data, the result also has the number of examples (such as ``rows_test``), and of
    those whose scores are so close to 0 that double precision leaves their sign open (``unsure_test``).
    For each number, it has the difference that rounding may cause between two correct programs (such as
    ``rounding_norm``).

    Parameters
    ----------
    model : StoredModel
        Model of the last checkpoint.
    problem : dict
        ``lam``, ``C``, ``bias`` and perhaps ``weights``, from run.json.
    data : Dataset
        Its data set.
    precision : str
        Precision of the configuration; with ``double``, values are used as loaded.
    wrong : ndarray of bool, shape (m,), optional
        Test examples that the run lists as mistakes. With it, the result has ``misplaced_tests``: how many
        are wrongly listed or missing from the list, apart from uncertain ones.
    """
    X, y = data.train.X, data.train.y
    step = unit(X, model.kernel, precision) if model.indices is not None else None
    raw = scores(model, X, X, step)
    norm2 = _squared_norm(model, X, raw, step)
    margins = y * (raw + model.bias)
    share = _shares(problem, y)
    losses = np.maximum(0.0, 1.0 - margins)
    loss = float(np.mean(share * losses))
    lam = problem["lam"]
    doubt = Rounding(model, X)
    made = {
        "primal_objective": 0.5 * lam * norm2 + loss,
        "norm": math.sqrt(norm2),
        "mean_hinge": loss,
        "train_error": _mistakes(margins) / y.size,
        **_doubt("train", margins, doubt.sign(X)),
        **_rounding(model, lam, norm2, doubt.double(X), losses, share),
    }
    if model.weights is None and (model.features is None or model.dual != "own"):
        made["support_vectors"] = float(np.count_nonzero(np.asarray(model.coefficients)))
    elif model.dual_values is not None:
        made["support_vectors"] = float(np.count_nonzero(model.dual_values))
    if model.features is not None and model.indices is not None:
        made.pop("support_vectors", None)  # these belong to the sample of a map, which the run does not count
    made |= _dual(model, problem, data, step, norm2, margins, made["primal_objective"])
    for name in ("validation", "test"):
        part: Part | None = getattr(data, name)
        if part is not None:
            margins = part.y * (scores(model, X, part.X, step) + model.bias)
            made[f"{name}_error"] = _mistakes(margins) / part.y.size
            rounding = doubt.sign(part.X)
            made |= _doubt(name, margins, rounding)
            if name == "test":
                made["test_mistakes"] = float(_mistakes(margins))
                if wrong is not None and wrong.size == margins.size:
                    sure = np.abs(margins) > rounding
                    made["misplaced_tests"] = float(np.count_nonzero(sure & (wrong == (margins > 0.0))))
    return made


def _shares(problem: Mapping[str, Any], y: Floats) -> Floats:
    """Return the weights of the losses, shape (n,). If ``balanced``, both classes have the same sum."""
    shares = np.ones(y.size)
    if problem.get("weights") == "balanced":
        for label in (-1.0, 1.0):
            shares[y == label] = y.size / 2.0 / np.count_nonzero(y == label)
    return shares


def _rounding(
    model: StoredModel, lam: float, norm2: float, doubt: Floats, losses: Floats, share: Floats
) -> dict[str, float]:
    """Return the rounding error of each number, from the errors of scores, the losses and their weights."""
    of_norm2 = 0.0
    if model.indices is not None and model.coefficients is not None and model.features is None:
        of_norm2 = float(np.abs(model.coefficients) @ doubt[model.indices])
    of_loss, of_regulariser = float((share * doubt).mean()), 0.5 * lam * of_norm2
    of_primal = of_loss + of_regulariser
    with np.errstate(over="ignore"):
        of_squares = float(np.mean((2.0 * losses + doubt) * doubt))
    primal = 0.5 * lam * norm2 + float((share * losses).mean())
    bounds = {
        "primal_objective": of_primal,
        "norm": math.sqrt(norm2 + of_norm2) - math.sqrt(max(0.0, norm2 - of_norm2)),
        "mean_hinge": of_loss,
        "dual_objective": of_regulariser,
        "duality_gap": of_primal + of_regulariser,
        "relative_gap": (of_primal + of_regulariser) / (primal or 1.0),
        "native_objective": of_regulariser + of_squares,
        "native_bound": of_regulariser,
    }
    return {f"rounding_{name}": value for name, value in bounds.items()}


def _doubt(name: str, margins: Floats, rounding: Floats) -> dict[str, float]:
    """Return the number of examples of a part, and of those whose sign double precision leaves open."""
    unsure = np.count_nonzero((np.abs(margins) <= rounding) & (rounding > 0.0))
    return {f"rows_{name}": float(margins.size), f"unsure_{name}": float(unsure)}


def _mistakes(margins: Floats) -> int:
    """Count margins that are not positive: a score of 0 or NaN is a mistake."""
    return int(margins.size - np.count_nonzero(margins > 0.0))


def _squared_norm(model: StoredModel, X: Any, raw: Floats, step: float | None) -> float:
    if model.weights is not None:
        return float(model.weights @ model.weights)
    assert model.coefficients is not None
    if model.points is not None:
        return max(0.0, float(model.coefficients @ scores(model, None, model.points)))
    assert model.indices is not None
    if model.kernel["name"] == "linear" and model.indices.size and not sp.issparse(X):
        return _linear_norm(taken(X[model.indices], step), model.coefficients)
    return max(0.0, float(model.coefficients @ raw[model.indices]))


def _linear_norm(points: Any, coefficients: Floats) -> float:
    """Return ||Σ_k β_k p_k||², of dense points about their middle."""
    if sp.issparse(points):
        w = points.T @ coefficients
        return float(w @ w)
    middle, moved, rest = linear(points, coefficients)
    return max(0.0, float(moved @ moved + 2.0 * rest * (moved @ middle) + rest**2 * (middle @ middle)))


def _dual(
    model: StoredModel,
    problem: Mapping[str, Any],
    data: Dataset,
    step: float | None,
    norm2: float,
    margins: Floats,
    primal: float,
) -> dict[str, float]:
    """Return the dual objective and gaps, for the loss of the model, if it has a feasible dual point."""
    alpha, y = _alpha(model, data.train.y), data.train.y
    lam, C = problem["lam"], problem["C"]
    squared = model.loss == "squared_hinge"
    made: dict[str, float] = {}
    if squared:
        losses = np.maximum(0.0, 1.0 - margins)
        made["native_objective"] = 0.5 * lam * norm2 + float(np.mean(np.square(losses)))
    elif model.loss == "squared":
        made["native_objective"] = 0.5 * (lam * norm2 + float(np.mean(np.square(1.0 - margins))))
    if alpha is None:
        return made
    if not squared:
        made |= _infeasible(alpha, problem, y)
    own = norm2
    if model.dual == "own":
        if model.features is not None or model.kernel["name"] != "linear":
            return made  # w is in a space that is not stored
        there = np.flatnonzero(alpha)
        own = _linear_norm(taken(data.train.X[there], step), (alpha * y)[there])
    value = lam * (float(alpha.sum()) - 0.5 * own)
    if squared:
        return {**made, "native_bound": value - 0.25 * lam / C * float(alpha @ alpha)}
    if not made:
        made.update(dual_objective=value, duality_gap=primal - value)
        if primal > 0.0:
            made["relative_gap"] = (primal - value) / primal
    return made


def _infeasible(alpha: Floats, problem: Mapping[str, Any], y: Floats) -> dict[str, float]:
    """Return how far a dual point of the hinge loss is outside its box, or from balance; {} if feasible."""
    bounds, made = problem["C"] * _shares(problem, y), dict[str, float]()
    if not (alpha.min() >= 0.0 and bool((alpha <= (1.0 + 1e-12) * bounds).all())):
        made["outside"] = float(max(-alpha.min(), (alpha - bounds).max()))
    excess = 0.0 if problem["bias"] == "none" else abs(float(alpha @ y))
    if not excess <= 1e-9 * float(alpha.sum()):
        made["unbalanced"] = excess
    return made


def _alpha(model: StoredModel, y: Floats) -> Floats | None:
    """Return the stored dual point, shape (n,), or None."""
    alpha = np.zeros(y.size)
    if model.dual == "own":
        alpha[model.dual_indices] = model.dual_values
    elif model.dual == "coefficients":
        alpha[model.indices] = y[model.indices] * np.asarray(model.coefficients)
    else:
        return None
    return alpha


def compare(
    row: Row, made: dict[str, float], bound: float | None = None
) -> tuple[list[str], float, list[str], list[str]]:
    """Compare the last row of a trace with the recomputed numbers.

    Parameters
    ----------
    row : dict
        The row; None if unknown.
    made : dict
        From `numbers`.
    bound : float, optional
        Dual objective of the run's reference optimum.

    Returns
    -------
    (list of str, float, list of str, list of str)
        A sentence for each number that differs; the largest difference of the others, relative to its
        tolerance; the names of stored numbers that cannot be recomputed; and the names of those that are less
        certain than the tolerance, because of double precision or the error stated in the row.
    """
    wrong, largest, vague = [], 0.0, []
    scale = abs(made.get("primal_objective", 0.0))
    if row.get("dual_source") == "optimum" and bound is not None:
        gap = made["primal_objective"] - bound
        relative = gap / made["primal_objective"]
        made = {**made, "dual_objective": bound, "duality_gap": gap, "relative_gap": relative}
    if row.get("dual_source") == "solver":
        for name, what in (("outside", "leaves the box [0, C]"), ("unbalanced", "is out of balance")):
            if name in made:
                wrong.append(f"the dual point {what} by {made[name]:.1e}, so that it bounds nothing")
    if made.get("misplaced_tests"):
        wrong.append(
            f"{made['misplaced_tests']:.0f} test examples are wrongly listed as mistakes, or missing"
        )
    for name, value in made.items():
        stored = row.get(name)
        if stored is None:
            continue
        off, allowed = _off(row, name, value), _allowed(name, value, made, scale)
        rounding = made.get(f"rounding_{name}", 0.0) + _bounded(row, name, value, made)
        if rounding > allowed:
            vague.append(name)
        allowed += rounding
        if not off <= allowed:
            wrong.append(f"{name} is stored as {stored!r}, recomputed it is {value!r}")
        elif allowed > 0.0 and name in TOLERANCES:
            largest = max(largest, off / allowed)
    asked = (*TOLERANCES, "support_vectors", "train_error", "test_error", "test_mistakes", "validation_error")
    left = [name for name in asked if row.get(name) is not None and name not in made]
    return wrong, largest, left, vague


def unknown(row: Row, made: dict[str, float]) -> list[str]:
    """Return the stored errors that double precision leaves open, with the number of such examples."""
    counts = {
        f"{part}_error": int(made.get(f"unsure_{part}", 0.0)) for part in ("train", "validation", "test")
    }
    return [f"{name} ({count})" for name, count in counts.items() if count and row.get(name) is not None]


def _off(row: Row, name: str, value: float) -> float:
    """Return how far a stored number is from the recomputed one; for bounds, only in the wrong direction."""
    stored = float(row[name])
    if row.get("objective_error") is None:
        return abs(stored - value)
    if name in ("duality_gap", "relative_gap"):
        return value - stored
    return stored - value if name == "dual_objective" else abs(stored - value)


def _bounded(row: Row, name: str, value: float, made: dict[str, float]) -> float:
    """Return the tolerance of a number due to the error stated in its row."""
    error = row.get("objective_error")
    if error is None:
        return 0.0
    if name == "norm":  # the error of λ/2 |w|² is at most the stated one
        regulariser = made["primal_objective"] - made["mean_hinge"]
        if regulariser <= 0.0:
            return math.inf
        part = float(error) / regulariser
        return value * max(1.0 - math.sqrt(max(0.0, 1.0 - part)), math.sqrt(1.0 + part) - 1.0)
    return _ERRORS.get(name, 0.0) * float(error)


def _allowed(name: str, value: float, made: dict[str, float], scale: float) -> float:
    """Return the tolerance of a stored number."""
    if name == "duality_gap":
        return TOLERANCES[name] * scale
    if name == "relative_gap":
        return TOLERANCES[name]
    if name in TOLERANCES:
        return TOLERANCES[name] * max(abs(value), scale)
    if name == "support_vectors":
        return 0.0
    part = name.removesuffix("_error").removesuffix("_mistakes")
    unsure = made[f"unsure_{part}"]
    return unsure if name.endswith("_mistakes") else unsure / made[f"rows_{part}"] + 1e-12
