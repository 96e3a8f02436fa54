"""Classes of the user's own data: what the labels of a file become, and messages about unusable labels."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from svmbench.data.parameters import EVERY, FileParams
from svmbench.data.raw import Table
from svmbench.errors import UserError

_FRACTION = re.compile(r"[-+]?\d*\.\d*[1-9]\d*")


def labels_of(params: FileParams, table: Table) -> tuple[str, ...]:
    """Return the labels of the classes, as in `Prepared`; raise a `UserError` if the classes are unclear."""
    if params.task == EVERY:
        return _every_label(params, table.labels)
    positive = _positive(params, table)
    others = [label for label in table.labels if label != positive]
    return positive, others[0] if len(others) == 1 else f"not {positive}"


def targets(table: Table, labels: tuple[str, ...]) -> NDArray[np.float64]:
    """Return y for the rows of a table: +1 and -1 or, of more than two classes, their numbers."""
    return table.numbered(labels) if len(labels) > 2 else table.against_rest(labels[0])


def _every_label(params: FileParams, labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels of more than two classes, sorted as numbers, or else as texts."""
    if len(labels) < 3:
        found = " and ".join(f"'{label}'" for label in labels)
        raise UserError(
            f"{params.path} has no more labels than {found}: leave out problem.multiclass, which is for "
            "three classes or more"
        )
    try:
        return tuple(sorted(labels, key=float))
    except ValueError:
        return tuple(sorted(labels))


def _positive(params: FileParams, table: Table) -> str:
    """Return the label of the positive class."""
    labels = table.labels
    if params.positive is not None and params.positive not in labels:
        some = ", ".join(f"'{label}'" for label in labels[:5]) + (", ..." if len(labels) > 5 else "")
        raise UserError(
            f"no example of {params.path} has the label dataset.positive={params.positive}; it has {some}"
        )
    if len(labels) == 1:
        raise UserError(
            f"all examples of {params.path} have the label '{labels[0]}': a classifier needs examples of two "
            "classes"
        )
    if params.positive is not None:
        return str(params.positive)
    if len(labels) > 2:
        raise UserError(
            f"{_place(params.path, table, 2)}: '{labels[2]}' is a third label beside '{labels[0]}' and "
            f"'{labels[1]}'; give two classes, or choose one against the rest by dataset.positive=LABEL"
            f"{_each(labels)}, or all of them by problem.multiclass=one_vs_one"
            + "; values to predict are for svmbench.sklearn.KernelSVR"
            * any(map(_FRACTION.fullmatch, labels))
        )
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        raise UserError(
            f"the labels of {params.path} are '{labels[0]}' and '{labels[1]}': say which is the positive "
            "class by dataset.positive=LABEL" + _quoted(labels)
        ) from None
    if not np.isfinite(numbers).all():
        worst = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise UserError(
            f"{_place(params.path, table, worst)}: the label '{labels[worst]}' is not a finite number"
        )
    return labels[int(np.argmax(numbers))]


def _quoted(labels: tuple[str, ...]) -> str:
    """Return, for a message, how to quote a label that Hydra's grammar would not read as one text."""
    hard = [label for label in labels if not re.fullmatch(r"[\w.+ -]+", label) and '"' not in label]
    return f""", quoted as in 'dataset.positive="{hard[0]}"'""" if hard else ""


def _each(labels: tuple[str, ...]) -> str:
    """Return, for a message, how to try every class of a file with few classes."""
    simple = len(labels) <= 30 and all(re.fullmatch(r"[\w.+-]+", label) for label in labels)
    return f", or each in turn by -m dataset.positive={','.join(labels)}" if simple else ""


def _place(path: str | None, table: Table, code: int) -> str:
    """Return the place of the first occurrence of a label."""
    line, number, column = table.places[code]
    return f"{path}, line {line}, field {number} (column {column})"


def check_test_labels(params: FileParams, train: Table, test: Table) -> None:
    """Raise a `UserError` for a label that only the test file has."""
    for code, label in enumerate(test.labels):
        if label not in train.labels:
            raise UserError(
                f"{_place(params.test_path, test, code)}: no training example has the label '{label}'; "
                f"the training file has {', '.join(train.labels[:10])}"
            )
