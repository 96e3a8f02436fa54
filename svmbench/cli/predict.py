"""``svmbench predict``: the stored model of a run on the rows of a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from svmbench.cli._parser import Parser
from svmbench.errors import UserError

if TYPE_CHECKING:
    from svmbench.store import StoredRun


def main(arguments: Sequence[str]) -> int:
    """Print a prediction for each row."""
    parser = Parser(
        "predict",
        "Print +1 or -1 for each row of a file, by the model of a stored run. The file is one that "
        "dataset=file reads: with labels, which do not matter, and the features of the prepared data set of "
        "the run.",
    )
    parser.add_argument("run", metavar="RUN", help="name of the run, a unique beginning of it, or its folder")
    parser.add_argument("file", metavar="FILE", help="the rows")
    parser.add_argument("--scores", action="store_true", help="print decision values instead of labels")
    parser.add_json()
    parser.add_results()
    given = parser.parse_args(arguments)

    from svmbench.cli.verify import load
    from svmbench.recompute import scores, unit
    from svmbench.store import Store

    run = Store(given.results).find(given.run)
    model = run.model()
    X = _rows(given.file, run)
    train, step = None, None
    if model.indices is not None:
        train = load(run, {}).train.X
        step = unit(train, model.kernel, run.config.get("precision", "auto"))
    values = scores(model, train, X, step) + model.bias
    if given.json:
        shown = [float(v) if given.scores else (1 if v > 0.0 else -1) for v in values]
        print(json.dumps({"run": run.id, "scores" if given.scores else "labels": shown}))
        return 0
    lines = (repr(float(v)) if given.scores else ("+1" if v > 0.0 else "-1") for v in values)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def _rows(path: str, run: StoredRun) -> Any:
    """Return the features of a file's rows, with as many columns as the run's data set."""
    import scipy.sparse as sp

    from svmbench.data.sets.file import read_rows

    d = int(run.manifest["dataset"]["features"])
    X = read_rows(run.config["dataset"], path, lambda line: print(line, file=sys.stderr)).X
    if X.shape[1] > d or (X.shape[1] < d and not sp.issparse(X)):
        raise UserError(
            f"{path} has {X.shape[1]} feature columns, run {run.id} was trained on {d}: give rows with the "
            "features of its prepared data set"
        )
    if sp.issparse(X):
        X = sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], d))
    return X
