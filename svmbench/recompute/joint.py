"""Recomputation of a stored multi-class model: the scores of its binary problems, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.multiclass import binary, counted, problems
from svmbench.recompute.multiples import unit
from svmbench.recompute.numbers import numbers
from svmbench.recompute.rounding import Rounding
from svmbench.recompute.scores import scores
from svmbench.store.joint_model import JointModel

if TYPE_CHECKING:
    from svmbench.data import Dataset, Part

Floats = NDArray[np.float64]


def joint_scores(model: JointModel, train: Part | None, X: Any, precision: str = "auto") -> Floats:
    """Return the decision values of all binary problems, float64, shape (m, problems).

    Parameters
    ----------
    model : JointModel
        The model.
    train : Part or None
        Its training examples; None if the model is not a sum over examples.
    X : ndarray or csr_array, shape (m, d)
        Rows to score.
    precision : str
        Precision of the configuration.
    """
    found = []
    for sides, own in zip(problems(model.kind, model.classes), model.models, strict=True):
        step, rows = None, None if train is None else train.X
        if own.indices is not None and train is not None and train.X.dtype == np.float32:
            step = unit(train.X[binary(train.y, sides)[0]], own.kernel, precision)
        found.append(scores(own, rows, X, step) + own.bias)
    return np.stack(found, axis=1)


def joint_numbers(
    model: JointModel, problem: Mapping[str, Any], data: Dataset, precision: str = "auto"
) -> dict[str, float]:
    """Return the numbers that can be recomputed; for the parameters see `recompute.numbers.numbers`."""
    found = []
    for sides, own in zip(problems(model.kind, model.classes), model.models, strict=True):
        rows, y = binary(data.train.y, sides)
        part = replace(data.train, X=data.train.X[rows], y=y)
        own = own if isinstance(rows, slice) else own.of_rows(_places(rows))
        lam = problem["lam"] or 1.0 / (problem["C"] * y.size)
        terms = {**problem, "lam": lam, "C": problem["C"] or 1.0 / (lam * y.size)}
        found.append(numbers(own, terms, replace(data, train=part, validation=None, test=None), precision))
    made = {}
    for name, joined in (("support_vectors", sum), ("relative_gap", max), ("rounding_relative_gap", max)):
        if all(name in one for one in found):
            made[name] = float(joined(one[name] for one in found))
    for name in ("validation", "test", "train"):
        scored: Part | None = getattr(data, name)
        if scored is not None:
            made |= _errors(model, data, name, scored, precision)
    return made


def _places(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each training example, its position among the ascending rows of a problem."""
    places = np.zeros(int(rows[-1]) + 1, dtype=np.int64)
    places[rows] = np.arange(rows.size)
    return places


def _errors(model: JointModel, data: Dataset, name: str, part: Part, precision: str) -> dict[str, float]:
    """Return the error on a part, and the number of examples whose class double precision leaves open."""
    values = joint_scores(model, data.train, part.X, precision)
    doubt = [Rounding(own, data.train.X).sign(part.X) for own in model.models]
    unsure = _unsure(model, values, np.stack(doubt, axis=1))
    wrong = int(np.count_nonzero(model.predicted(values) != part.y))
    made = {f"{name}_error": wrong / part.n, f"rows_{name}": float(part.n), f"unsure_{name}": float(unsure)}
    return made | ({"test_mistakes": float(wrong)} if name == "test" else {})


def _unsure(model: JointModel, values: Floats, doubt: Floats) -> int:
    """Count the rows whose class may change if each score changes by at most its uncertainty.

    Both arrays have the shape (m, problems).
    """
    if model.kind == "one_vs_one":
        least: NDArray[Any] = counted(values > doubt, values < -doubt, model.classes)
        most: NDArray[Any] = counted(values >= -doubt, values <= doubt, model.classes)
    else:
        least, most = values - doubt, values + doubt
    own = model.predicted(values)[:, np.newaxis]
    reached, number = np.take_along_axis(least, own, axis=1), np.arange(model.classes)
    # In a tie, the class with the least number wins.
    others = ((most > reached) & (number != own)) | ((most == reached) & (number < own))
    return int(np.count_nonzero(others.any(axis=1)))
