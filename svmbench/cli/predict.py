"""``svmbench predict``: predictions of a stored model for the rows of a file."""

from __future__ import annotations

import json
import math
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from filecmp import cmp
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from svmbench.cli._parser import Parser
from svmbench.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from svmbench.data.dataset import Matrix, Part
    from svmbench.store import StoredRun
    from svmbench.store.joint_model import JointModel
    from svmbench.store.model import StoredModel


def main(arguments: Sequence[str]) -> int:
    """Print a prediction per row."""
    given, found = predicted(arguments)
    numbers = found.probabilities if given.probability else found.scores
    if given.json:
        kind = "probabilities" if given.probability else "scores" if given.scores else "labels"
        shown = found.values if kind == "labels" else numbers.tolist()
        named = {"classes": list(found.classes)} if given.probability else {}
        print(json.dumps({"run": found.run, "accuracy": found.accuracy, **named, kind: shown}))
        return 0
    if found.right is not None:
        count = len(found.labels)
        _say(f"accuracy {100 * found.right / count:.2f} %, {found.right} of {count} labels")
    if given.probability:
        _say(f"columns: probabilities of {', '.join(found.classes)}")
    import numpy as np

    told = (" ".join(map(repr, np.atleast_1d(v).tolist())) for v in numbers)
    as_numbers = given.scores or given.probability
    sys.stdout.writelines(f"{line}\n" for line in (told if as_numbers else found.labels))
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
    classes : sequence of str
        All labels.
    probabilities : ndarray of float64, shape (m, k)
        The probability of each class, if asked for; else of shape (0, k).
    right : int or None
        How many of them the file has as well; None if it has no labels.
    """

    run: str
    scores: NDArray[np.float64]
    labels: list[str]
    classes: Sequence[str]
    probabilities: NDArray[np.float64]
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
        "word that the training rows do not have is refused. Probabilities are those of Platt's sigmoid, "
        "fitted to the scores of rows that the model was not trained on.",
    )
    parser.add_argument("run", metavar="RUN", help="name of the run, a unique prefix of it, or its folder")
    parser.add_argument("file", metavar="FILE", help="the rows")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--scores",
        action="store_true",
        help="print decision values instead of labels; those of several binary problems are on one line",
    )
    shown.add_argument(
        "--probability",
        action="store_true",
        help="print the probability of each label; standard error has the order of the columns",
    )
    parser.add_argument(
        "--calibrate",
        metavar="FILE",
        help="labelled rows to fit probabilities to, none of them trained on; by default the validation part "
        "of the data set",
    )
    parser.add_argument(
        "--ignore-unseen",
        action="store_true",
        help="predict rows with words that the training rows do not have: these are 0 in all columns of the "
        "encoding",
    )
    given = parser.parse_with_results(arguments)

    from svmbench.cli.verify import load
    from svmbench.store import Store
    from svmbench.store.joint_model import JointModel

    if given.calibrate is not None and not given.probability:
        raise UserError("--calibrate belongs to --probability: give both")
    run = Store(given.results).find(given.run)
    model = run.model()
    parts = model.models if isinstance(model, JointModel) else (model,)
    say = cache(_say)  # about a file that is read twice, once
    scaled = run.config.dataset.document().get("scaling", "none") in ("minmax", "standard")
    found = None
    if given.probability and given.calibrate is None:
        found = load(run, {}, say)
        if found.validation is None:
            raise UserError(
                f"{run.id} has no validation part to fit probabilities to: give labelled rows that it was "
                "not trained on by --calibrate FILE"
            )
    elif scaled or any(part.indices is not None for part in parts):
        found = load(run, {}, say)  # also checks that the files are still those of the run
    train = None if found is None else found.train
    if train is not None:
        model.check_fits(*train.X.shape)
    labels = run.manifest["dataset"].get("labels") or ("+1", "-1")

    def scored(path: str) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64] | None]:
        X, own = _rows(run, parts[0], train, path, given.ignore_unseen, say)
        numbers = None if own is None else _numbers(own, labels)
        return *_predicted(model, train, X, run.config.precision), numbers

    values, numbers, known = scored(given.file)
    right = None if known is None else int((known == numbers).sum())
    probabilities = values[:0]
    if given.calibrate is not None:
        path = Path(run.config.dataset.document().get("path") or "").expanduser()
        if path.is_file() and Path(given.calibrate).is_file() and cmp(given.calibrate, path, shallow=False):
            raise UserError(
                f"--calibrate {given.calibrate} is the file that the model was trained on, whose scores are "
                "too sure: give other labelled rows"
            )
        held, _, truth = scored(given.calibrate)
        if truth is None:
            raise UserError(f"--calibrate {given.calibrate} has no labels: give rows with their labels")
        probabilities = _probabilities(model, held, truth, values, labels, given.calibrate)
    elif given.probability and found is not None and found.validation is not None:
        rows, y = found.validation.X, found.validation.y
        truth = y.astype(int) if isinstance(model, JointModel) else (y < 0.0).astype(int)
        held = _predicted(model, train, rows, run.config.precision)[0]
        probabilities = _probabilities(model, held, truth, values, labels, "the validation part")
    answers = [labels[k] for k in numbers]
    return given, Predicted(run.id, values, answers, labels, probabilities, right)


def _rows(
    run: StoredRun,
    part: StoredModel,
    train: Part | None,
    path: str,
    ignore_unseen: bool,
    say: Callable[[str], None],
) -> tuple[Matrix, list[str] | None]:
    """Return the rows of a file as the model takes them, and their labels if it has some."""
    from svmbench.cli.verify import load
    from svmbench.data.rows import filled_rows, prepared_rows

    about, dataset = run.manifest["dataset"], run.config.dataset.document()
    d = int(about["features"])
    if about.get("filling") is None:
        rows = prepared_rows(dataset, path, d, about.get("columns"), say)
    else:
        rows = filled_rows(dataset, path, about["filling"], say, ignore_unseen=ignore_unseen)
    X = rows.X
    if rows.by_files and train is None:
        load(run, {}, say)  # checks that the files are still those of the run
    if part.weights is not None and X.shape[1] > d:
        X = _known_columns(X, d, path, part)
    # The type that feature maps read.
    return (X if part.features is None else X.astype("float32")), rows.labels


def _probabilities(
    model: StoredModel | JointModel,
    held: NDArray[np.float64],
    truth: NDArray[np.int64],
    values: NDArray[np.float64],
    labels: Sequence[str],
    where: str,
) -> NDArray[np.float64]:
    """Return the probability of each label for scores, by those of held-out rows with their labels."""
    import numpy as np

    from svmbench import multiclass, platt
    from svmbench.store.joint_model import JointModel

    missing = [label for k, label in enumerate(labels) if not (truth == k).any()]
    if missing or (truth < 0).any():
        told = f"no row of {', '.join(missing)}" if missing else "labels that the model does not know"
        raise UserError(f"{where} has {told}: probabilities need rows of each of {', '.join(labels)}")
    kind = model.kind if isinstance(model, JointModel) else "one_vs_one"
    held, values = held.reshape(len(held), -1), values.reshape(len(values), -1)
    found = []
    for column, sides in zip(held.T, multiclass.problems(kind, len(labels)), strict=True):
        rows, y = multiclass.binary(truth.astype(np.float64), sides)
        found.append(platt.sigmoid(column[rows], y > 0.0))
    A, B = np.array(found).T
    _say(f"probabilities by Platt's sigmoid on the scores of {len(held)} rows of {where}")
    return platt.probabilities(values, A, B, len(labels), kind)


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


def _numbers(given: Sequence[str], labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the places of the labels of a file among those of the data set, -1 if a label is not there.

    Of two classes, the second may be all others.
    """
    import numpy as np

    from svmbench.data.catalogue import label_key

    places = {label_key(label): k for k, label in enumerate(labels)}
    return np.array([places.get(label, 1 if len(labels) == 2 else -1) for label in given], dtype=np.int64)


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
