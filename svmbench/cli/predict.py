"""``svmbench predict``: predictions of a stored model for the rows of a file."""

from __future__ import annotations

import json
import math
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from svmbench.cli._parser import Parser
from svmbench.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from svmbench.data.dataset import Matrix, Part
    from svmbench.store.joint_model import JointModel
    from svmbench.store.model import StoredModel


def main(arguments: Sequence[str]) -> int:
    """Print a prediction per row."""
    given, found = predicted(arguments)
    if given.json:
        shown = found.scores.tolist() if given.scores else found.values
        named = {"run": found.run, "accuracy": found.accuracy, "scores" if given.scores else "labels": shown}
        print(json.dumps(named))
        return 0
    if found.right is not None:
        count = len(found.labels)
        _say(f"accuracy {100 * found.right / count:.2f} %, {found.right} of {count} labels")
    import numpy as np

    told = (" ".join(map(repr, np.atleast_1d(v).tolist())) for v in found.scores)
    sys.stdout.writelines(f"{line}\n" for line in (told if given.scores else found.labels))
    return 0


@dataclass(frozen=True)
class Predicted:
    """Predictions for the rows of a file.

    Attributes
    ----------
    run : str
        Id of the run of the model.
    scores : ndarray of float64, shape (m,) or (m, problems)
        Decision values.
    labels : list of str
        The label of each row.
    right : int or None
        How many of them the file has as well; None if it has no labels.
    """

    run: str
    scores: NDArray[np.float64]
    labels: list[str]
    right: int | None

    @property
    def values(self) -> list[int | float | str]:
        """The labels, as numbers where they are such."""
        return [_as_number(label) for label in self.labels]

    @property
    def accuracy(self) -> float | None:
        """The fraction of right labels."""
        return None if self.right is None else self.right / len(self.labels)


def predicted(arguments: Sequence[str]) -> tuple[Namespace, Predicted]:
    """Return what was asked for, and the predictions."""
    parser = Parser(
        "predict",
        "Print the class of each row of a file, by the model of a stored run: a label of the training file, "
        "or +1 and -1 for a task of the catalogue. The file has a format that dataset=file reads, and "
        "the features of the data set of the run. Labels may be missing; without --json, the accuracy "
        "on those of a file is printed on standard error. Rows for a "
        "model of your own data are scaled by its training rows, as dataset.scaling says; missing values and "
        "text are replaced as in the training file, by the medians and words that are stored with the run. A "
        "word that the training rows do not have is refused.",
    )
    parser.add_argument("run", metavar="RUN", help="name of the run, a unique prefix of it, or its folder")
    parser.add_argument("file", metavar="FILE", help="the rows")
    parser.add_argument(
        "--scores",
        action="store_true",
        help="print decision values instead of labels; those of several binary problems are on one line",
    )
    parser.add_argument(
        "--ignore-unseen",
        action="store_true",
        help="predict rows with words that the training rows do not have: these are 0 in all columns of the "
        "encoding",
    )
    given = parser.parse_with_results(arguments)

    from svmbench.cli.verify import load
    from svmbench.data.rows import filled_rows, prepared_rows
    from svmbench.store import Store
    from svmbench.store.joint_model import JointModel

    run = Store(given.results).find(given.run)
    model = run.model()
    dataset = run.config.dataset.document()
    parts = model.models if isinstance(model, JointModel) else (model,)
    train = None
    scaled = dataset.get("scaling", "none") in ("minmax", "standard")
    if scaled or any(part.indices is not None for part in parts):
        train = load(run, {}).train  # also checks that the files are still those of the run
        model.check_fits(*train.X.shape)
    d, columns = int(run.manifest["dataset"]["features"]), run.manifest["dataset"].get("columns")
    filling = run.manifest["dataset"].get("filling")
    if filling is None:
        rows = prepared_rows(dataset, given.file, d, columns, _say)
    else:
        rows = filled_rows(dataset, given.file, filling, _say, ignore_unseen=given.ignore_unseen)
    X = rows.X
    if rows.by_files and train is None:
        load(run, {})  # checks that the files are still those of the run
    if parts[0].weights is not None and X.shape[1] > d:
        X = _known_columns(X, d, given.file, parts[0])
    if parts[0].features is not None:
        X = X.astype("float32")  # the type that feature maps read
    values, numbers = _predicted(model, train, X, run.config.precision)
    labels = run.manifest["dataset"].get("labels") or ("+1", "-1")
    right = None if rows.labels is None else _right(rows.labels, numbers, labels)
    return given, Predicted(run.id, values, [labels[k] for k in numbers], right)


def _predicted(
    model: StoredModel | JointModel, train: Part | None, X: Matrix, precision: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the decision values of rows, and the places of their labels among those of the data set."""
    from svmbench.recompute import joint_scores, scores, unit
    from svmbench.recompute.rounding import Rounding
    from svmbench.store.joint_model import JointModel

    if isinstance(model, JointModel):
        values = joint_scores(model, train, X, precision)
        return values, model.predicted(values)
    step = None
    if model.indices is not None and train is not None and train.X.dtype == "float32":
        step = unit(train.X, model.kernel, precision)
    values = scores(model, None if train is None else train.X, X, step) + model.bias
    if count := int((values == 0.0).sum()):
        _say(
            f"rows with a score of exactly 0, which decides nothing: {count}; the second class is named, "
            "and a run counts a mistake, whichever the label"
        )
    doubt = Rounding(model, X if train is None else train.X).sign(X)
    if count := int(((abs(values) <= doubt) & (values != 0.0)).sum()):
        _say(f"rows whose scores double precision cannot tell from 0: {count}; their labels may be wrong")
    return values, (~(values > 0.0)).astype(int)


def _right(given: Sequence[str], numbers: NDArray[np.int64], labels: Sequence[str]) -> int:
    """Return the number of rows whose label in the file is that of the predicted class.

    Of two classes, the second may be all others.
    """
    from svmbench.data.catalogue import label_key

    names = [label_key(label) for label in labels]
    if len(names) == 2:
        return sum((label == names[0]) == (k == 0) for label, k in zip(given, numbers, strict=True))
    return sum(label == names[k] for label, k in zip(given, numbers, strict=True))


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _as_number(label: str) -> int | float | str:
    """Return a label for JSON, as a number if it is one."""
    for kind in (int, float):
        try:
            value = kind(label)
        except ValueError:
            continue
        return value if math.isfinite(value) else label
    return label


def _known_columns(X: Matrix, d: int, path: str, model: StoredModel) -> Matrix:
    """Return rows without the columns that are empty in the model's data set.

    They do not affect inner products with weights, and feature maps are made from the other columns only.
    """
    if model.features is not None and X[:, d:].count_nonzero():
        raise UserError(
            f"{path} has values in columns that are empty in the data of the model, for which features="
            f"{model.features['name']} has no frequencies: leave those values out, or repeat the run with "
            "rows that have them"
        )
    return X[:, :d]
