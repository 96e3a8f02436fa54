"""k-fold cross-validation: for each fold, fit on the others and count the mistakes on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Dataset
from svmbench.data.splits import folds, take
from svmbench.errors import UserError
from svmbench.files import digest
from svmbench.run_config import BudgetConfig, ObserveConfig, RunConfig
from svmbench.runner.end_states import End
from svmbench.runner.progress import PartProgress, Progress
from svmbench.store.trace import Row

#: A fit of a configuration on some training examples of a data set: its end and its last checkpoint.
Fit = Callable[[Dataset, NDArray[np.int64], RunConfig, Progress], tuple[End, Row]]

#: Counters of a fit that are recorded; None of a fit that evaluates no kernel.
_COUNTED = ("kev_ondemand", "kev_iter")


def parted(data: Dataset, config: RunConfig) -> list[NDArray[np.int64]]:
    """Return the training examples of each fold.

    Raises
    ------
    UserError
        If the data have a validation set, or a class has fewer examples than there are folds.
    """
    if data.validation is not None:
        raise UserError(
            f"dataset={data.name} has a validation set of its own, from which validation_error is computed: "
            "leave out validate.folds, or choose another split"
        )
    asked = config.validate
    assert asked is not None
    return folds(data.train.y, asked.folds, asked.seed)


def cross_validate(
    data: Dataset, config: RunConfig, fit: Fit, progress: Progress
) -> tuple[dict[str, Any], End | None]:
    """Fit once per fold, on the training examples of the others, and count the mistakes on it.

    Parameters
    ----------
    data : Dataset
        Its training examples are split into folds (`svmbench.data.splits.folds`).
    config : RunConfig
        ``validate`` sets the number of folds; the limits of ``budget`` apply to each fit.
    fit : callable
        Makes one fit, on the data without the fold and the rows that they have kept.
    progress : Progress
        Receives messages.

    Returns
    -------
    (dict, End or None)
        ``folds`` and ``seed``, and lists ``mistakes``, ``examples``, ``seconds`` (training time) and counters
        with an entry per fold; and the end of the run if a fit was interrupted or made no checkpoint.

    Raises
    ------
    UserError
        As `parted`.
    """
    parts, inner = parted(data, config), replace(config, validate=None)
    asked = config.validate
    assert asked is not None
    found: dict[str, Any] = {
        "folds": asked.folds,
        "seed": asked.seed,
        **{key: [] for key in ("mistakes", "examples", "seconds", *_COUNTED)},
    }
    if config.budget.gap is None:  # then checkpoints before the end have no effect
        inner = replace(inner, observe=ObserveConfig(points=1))
    for number, left_out in enumerate(parts, start=1):
        name = f"fold {number} of {len(parts)}"
        kept = np.setdiff1d(np.arange(data.train.y.size), left_out)
        end, row = fit(_parted(data, kept, left_out), kept, inner, PartProgress(progress, name))
        if end.status == "interrupted" or not row:  # no checkpoint: it ran out of time
            return found, End(end.status, f"{end.reason} in {name}")
        mistakes = round(row["validation_error"] * left_out.size)
        progress.say(f"{name}: {mistakes} mistakes on {left_out.size} examples, {end.reason}")
        counts = {"mistakes": mistakes, "examples": left_out.size, "seconds": round(row["wall_seconds"], 6)}
        for key, value in {**counts, **{name: row[name] for name in _COUNTED}}.items():
            found[key].append(value)
    return found, None


def is_optimal(end: End, row: Row, budget: BudgetConfig) -> bool:
    """Return whether a fit ended at an optimum, by the tolerance of its solver or the gap of the budget."""
    gap = row.get("relative_gap")
    near = budget.gap is not None and gap is not None and gap <= budget.gap
    return near or end.status in ("converged", "stalled")


def together(rows: Sequence[Row]) -> Row:
    """Return the last checkpoint of a fit that was made again, with the costs of all."""
    costs = {key: [row.get(key) for row in rows] for key in ("wall_seconds", *_COUNTED)}
    return {**rows[-1], **{key: None if None in cost else sum(cost) for key, cost in costs.items()}}


def _parted(data: Dataset, kept: NDArray[np.int64], left_out: Any) -> Dataset:
    """Return the data with some training examples moved to the validation set."""
    train, validation = (take(data.train.X, data.train.y, rows) for rows in (kept, left_out))
    checksum = digest([data.checksum, left_out.tolist()], 64)
    return replace(data, train=train, validation=validation, test=None, checksum=checksum)
