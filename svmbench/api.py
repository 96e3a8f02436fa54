"""The Python interface: make one run or many, load, compare and plot stored runs, tune and predict.

`compare`, `table`, `tune` and `predict` are the commands of these names: keywords are their options, and
what they return has the numbers that the commands print with ``--json``.
"""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.arguments import as_options, as_words, unlabelled
from svmbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from svmbench.run_config import RunConfig
    from svmbench.store import StoredRun


def run(*overrides: str, force: bool = False, quiet: bool = False, **keys: Any) -> StoredRun:
    """Train one solver on one data set and return the stored run, reusing it if it is already stored.

    Parameters
    ----------
    *overrides : str
        As on the command line: ``"solver=sbp"``, ``"kernel.gamma=0.05"``.
    force : bool, default False
        Repeat the run even if it is stored.
    quiet : bool, default False
        Show no progress.
    **keys
        Overrides by keyword, with a mapping for a section: ``solver="sbp"``, ``kernel={"gamma": 0.05}``,
        ``seed=3``, ``dataset={"name": "adult"}``. ``dataset`` may be arrays: ``(X, y)``, or a mapping with
        ``train``, optionally ``test``, each ``(X, y)``, and keys of ``dataset=file``, such as ``positive``
        and ``scaling``. X may be a data frame of pandas or polars; one with columns of text needs
        ``encode="onehot"``. Arrays are written to the results folder, so that the command line can repeat
        the run.

    Returns
    -------
    StoredRun
        Has ``summary()``, ``trace()``, ``model()`` and ``path``.

    Raises
    ------
    UserError
        If the input is invalid or the solver does not support the combination; nothing is stored then. If
        the solver cannot solve the problem on these data; a refused run is stored then.
    RuntimeError
        If the run failed or ran out of memory. Its checkpoints are stored.

    Examples
    --------
    >>> import tempfile
    >>> ended = run("solver=smo", "dataset.n_train=100", results=tempfile.mkdtemp(), quiet=True)
    >>> ended.status
    'converged'
    """
    from svmbench import config
    from svmbench.runner.execute import execute

    words = [*overrides, *as_words(keys), *(["force=true"] if force else [])]
    resolved = config.resolve(words)
    with _listener(resolved, quiet) as listener:
        outcome = execute(resolved, progress=listener)
    if outcome.state == "interrupted":
        raise KeyboardInterrupt(outcome.reason)
    if outcome.state == "refused" or outcome.run is None:
        raise UserError(outcome.reason)
    if outcome.state == "failed":
        raise RuntimeError(f"{outcome.reason}; the run is in {outcome.run.path}")
    return outcome.run


def load_runs(results: str | os.PathLike[str] = "results", *, traces: bool = False) -> pd.DataFrame:
    """Return the stored runs of a results folder as a table.

    Parameters
    ----------
    results : str or path, default 'results'
        The results folder. Use ``results/reference`` for the committed runs of the papers.
    traces : bool, default False
        If True, return one row per checkpoint, else one row per run, with its last checkpoint.

    Returns
    -------
    DataFrame
        Columns: ``run``, ``status``, the keys of the configuration, such as ``kernel.gamma``, and the
        columns of the trace. Errors are fractions. Unknown values are missing. Empty if there are no runs.

    Raises
    ------
    UserError
        If the folder does not exist.
    """
    import pandas as pd

    from svmbench.run_config import flatten
    from svmbench.store import Store

    if not Path(results).is_dir():
        raise UserError(f"folder {results} does not exist: give the results folder of your runs")
    tables = []
    for stored in Store(results).own():
        summary = stored.summary()
        about = {
            "run": stored.id,
            "status": stored.status,
            **flatten(summary.pop("config")),
        }
        if traces:
            rows = stored.trace()
            tables.append(rows.assign(**{key: [value] * len(rows) for key, value in about.items()}))
        else:
            about.update((key, value) for key, value in summary.items() if key not in about)
            tables.append(pd.DataFrame([about]))
    if not tables:
        return pd.DataFrame()
    filled = [table.dropna(axis="columns", how="all") for table in tables]
    joined = pd.concat(filled, ignore_index=True)
    first = [name for name in ("run", "status") if name in joined]
    return joined[[*first, *(name for name in joined if name not in first)]]


def plot(
    runs: str | StoredRun | Sequence[str | StoredRun] | None = None,
    *,
    results: str | os.PathLike[str] = "results",
    x: str | None = None,
    y: str = "test_error",
    title: str | None = None,
    xlim: tuple[float, float] | None = None,
    ylim: tuple[float, float] | None = None,
    xscale: str | None = None,
    yscale: str | None = None,
    size: str | None = None,
    style: str = "screen",
    color_by: str | None = None,
    style_by: str | None = None,
    panels_by: str | Sequence[str] = (),
    heat: tuple[str, str] | None = None,
) -> Figure:
    """Plot stored runs as ``svmbench plot`` does.

    Each run that cannot be drawn is reported with the reason as a warning of the logger ``svmbench``.

    Parameters
    ----------
    runs : str, StoredRun or sequence of them, optional
        Names, patterns such as ``"sbp-*"``, sweeps, or runs returned by `run`. Default: all in the folder.
    results : str or path, default 'results'
        The results folder.
    x : str, optional
        The cost: a counter, ``"wall_seconds"`` or ``"cpu_seconds"``. Default: the counter of the budgets.
    y : str, default 'test_error'
        The metric: ``"primal_objective"``, ``"suboptimality"``, ``"gap"``, ``"support_vectors"``, ...
    title : str, optional
        Title of the figure.
    xlim, ylim : (float, float), optional
        Limits of the axes; errors in percent.
    xscale, yscale : {'log', 'linear'}, optional
        Scales of the axes.
    size : {'one', 'two'}, optional
        Width in columns of a journal.
    style : {'screen', 'paper'}, default 'screen'
        ``'paper'``: serif fonts in the sizes of journals, for ``size='one'`` or ``'two'``.
    color_by, style_by : str, optional
        Keys of the configuration encoded by colour and line style, such as ``"kernel.gamma"``.
    panels_by : str or sequence of str
        Keys of the configuration; each combination of their values gets a panel. Default: the data set.
    heat : (str, str), optional
        Draw a heat map of the last value over these two keys instead of curves.

    Returns
    -------
    matplotlib.figure.Figure
        Not attached to a window: save it with ``savefig``, or let a notebook display it.

    Raises
    ------
    UserError
        If there is nothing to draw, or too many curves to distinguish.
    """
    from svmbench.figures.request import Request, make
    from svmbench.figures.style import drawing
    from svmbench.sweep.select import chosen

    given = [str(results)] if runs is None else [runs] if not isinstance(runs, Sequence | str) else runs
    words = [given] if isinstance(given, str) else given
    found = [
        run for word in words for run in (chosen(str(results), [word]) if isinstance(word, str) else [word])
    ]
    request = Request(
        x=x, y=y, title=title, xlim=xlim, ylim=ylim, xscale=xscale, yscale=yscale, size=size,
        color_by=color_by, style_by=style_by, heat=heat,
        panels_by=(panels_by,) if isinstance(panels_by, str) else tuple(panels_by),
    )  # fmt: skip
    with drawing(style):
        figure, _, left_out = make(list({run.path: run for run in found}.values()), request)
    for name, reason in dict.fromkeys(left_out):
        logging.getLogger("svmbench").warning("left out: %s: %s", name, reason)
    return figure


def multirun(*overrides: str, quiet: bool = False, **keys: Any) -> pd.DataFrame:
    """Run every combination of the values given, as ``svmbench run -m`` does.

    Parameters
    ----------
    *overrides : str
        As on the command line: ``"solver=sbp,pegasos"``, ``"seed=range(0,5)"``, ``"jobs=2"``.
    quiet : bool, default False
        Show no progress.
    **keys
        Overrides by keyword as for `run`. A list has the values of a key: ``solver=["sbp", "pegasos"]``,
        ``kernel={"gamma": [0.1, 1.0]}``.

    Returns
    -------
    DataFrame
        One row per run, in the order of the command: ``overrides``, ``state``, ``reason``, ``run``,
        ``seconds``, and the numbers of its last checkpoint. Errors are fractions. A failed run is a row, too.

    Raises
    ------
    UserError
        If the input is invalid; nothing is run then.
    """
    import pandas as pd

    from svmbench.cli._sweep import sweep
    from svmbench.sweep.planning import make

    plan = make([*overrides, *as_words(keys, several=True)], ())
    with _silence(quiet):
        code, ends = sweep(plan, table=False, as_json=True)
    if code == 130:
        raise KeyboardInterrupt("the sweep was interrupted; the same call continues it")
    rows = [
        {"overrides": job.label, **{name: dict(end)[name] for name in _OF_AN_END}, **end["numbers"]}
        for job in plan.jobs
        if (end := ends.get(job.number)) is not None
    ]
    return pd.DataFrame(rows)


def tune(*overrides: str, quiet: bool = False, **keys: Any) -> pd.DataFrame:
    """Choose C and gamma by cross-validation, as ``svmbench tune`` does.

    Parameters
    ----------
    *overrides : str
        As on the command line.
    quiet : bool, default False
        Show no progress.
    **keys
        Overrides by keyword as for `multirun`, or an option of the command: ``search``, ``rounds``,
        ``settings``, ``search_seed``.

    Returns
    -------
    DataFrame
        One row per setting, best first: the tuned keys and ``validation_error``, a fraction.
        ``attrs["command"]`` is the command of the best one.

    Raises
    ------
    UserError
        If the input is invalid.
    RuntimeError
        If no setting has a validation error.
    """
    import pandas as pd

    from svmbench.cli.tune import searched

    options = {name: keys.pop(name) for name in _OF_A_SEARCH if name in keys}
    words = [*overrides, *as_words(keys, several=True), *as_options(options)]
    with _silence(quiet):
        search, code = searched([*words, "--json"])
    if code == 130:
        raise KeyboardInterrupt("the search was interrupted; the same call continues it")
    if not search.errors:
        raise RuntimeError("no setting has a validation error: see `load_runs` for how its runs ended")
    found = search.document()
    frame = pd.DataFrame(found["settings"])
    frame.attrs["command"] = found["command"]
    return frame


def compare(a: str, b: str, *, results: str | os.PathLike[str] = "results", **options: str) -> pd.DataFrame:
    """Compare the costs at which two groups of runs reach a target, as ``svmbench compare`` does.

    Parameters
    ----------
    a, b : str
        The groups: runs, patterns such as ``"sbp-*"``, sweeps, tags.
    results : str or path, default 'results'
        The results folder.
    **options
        Options of the command: ``to="test_error=0.15"``, ``cost="kev_iter"``.

    Returns
    -------
    DataFrame
        One row per problem, with the columns of ``svmbench compare --csv``.

    Raises
    ------
    UserError
        If the groups have no problem in common, or an option is invalid.
    """
    import pandas as pd

    from svmbench.cli.compare import compared

    rows = compared([a, b, *as_options({"results": results, **options})])[1]
    return pd.DataFrame([row.plain() for row in rows])


def table(
    *runs: str, results: str | os.PathLike[str] = "results", **options: str | Sequence[str]
) -> pd.DataFrame:
    """Return a metric of stored runs by keys of rows and columns, as ``svmbench table`` does.

    Parameters
    ----------
    *runs : str
        Runs, patterns, sweeps or tags. Default: all runs of the folder.
    results : str or path, default 'results'
        The results folder.
    **options
        Options of the command: ``rows``, ``columns``, ``metric``, ``at``, ``average``. Several names are a
        list.

    Returns
    -------
    DataFrame
        One row per cell: the keys, ``metric``, its mean and deviation, or median and quartiles, the number
        of seeds, whether it is ``best``, and the ``runs``. Errors are fractions.

    Raises
    ------
    UserError
        If no run is found, or an option is invalid.
    """
    import pandas as pd

    from svmbench.cli.table import celled, records

    given, found = celled([*runs, *as_options({"results": results, **options})])
    return pd.DataFrame(records(found, given.average))


def predict(
    run: str | StoredRun,
    rows: Any,
    *,
    scores: bool = False,
    probability: bool = False,
    calibrate: str | os.PathLike[str] | None = None,
    ignore_unseen: bool = False,
    results: str | os.PathLike[str] = "results",
) -> NDArray[Any]:
    """Return the predictions of a stored model, as ``svmbench predict`` does.

    Parameters
    ----------
    run : str or StoredRun
        The run of the model.
    rows : str, path or array of shape (m, d)
        A file, or features: an array, a CSR matrix, or a data frame of numbers.
    scores : bool, default False
        Return decision values instead of labels.
    probability : bool, default False
        Return the probability of each label, in the order of ``svmbench predict --probability``.
    calibrate : str, path or None
        Labelled rows that the model was not trained on, to fit probabilities to; None: the validation part.
    ignore_unseen : bool, default False
        Predict rows with words that the training rows do not have.
    results : str or path, default 'results'
        The results folder, if ``run`` is a name.

    Returns
    -------
    ndarray, shape (m,), (m, problems) or (m, k)
        Labels of the training data, or decision values, one column for each of several binary problems; or
        probabilities.

    Raises
    ------
    UserError
        If there is no such run, or the rows do not fit its model.
    """
    import tempfile

    import numpy as np

    from svmbench.cli.predict import predicted

    name = run if isinstance(run, str) else str(run.path)
    asked = {"--scores": scores, "--probability": probability, "--ignore-unseen": ignore_unseen}
    flags = [flag for flag, on in asked.items() if on]
    flags += [] if calibrate is None else ["--calibrate", os.fspath(calibrate)]
    with tempfile.TemporaryDirectory() as folder:
        path = rows if isinstance(rows, (str, os.PathLike)) else unlabelled(Path(folder), rows)
        found = predicted([name, os.fspath(path), *flags, *as_options({"results": results})])[1]
    if probability:
        return found.probabilities
    return found.scores if scores else np.array(found.values)


#: Options of `tune` that are no keys of the configuration.
_OF_A_SEARCH: tuple[str, ...] = ("search", "rounds", "settings", "search_seed")
#: What `multirun` returns of the end of each run.
_OF_AN_END = ("state", "reason", "run", "seconds")


def _silence(quiet: bool) -> AbstractContextManager[object]:
    """Return a context manager that shows no progress if `quiet`."""
    return redirect_stderr(io.StringIO()) if quiet else nullcontext()


def _listener(config: RunConfig, quiet: bool) -> Any:
    """Return a context manager that shows the progress of a run."""
    from svmbench.runner.bar import progress
    from svmbench.runner.progress import PlainLines

    if quiet:
        return nullcontext(PlainLines(io.StringIO()))
    return progress(f"{config.solver.name} {config.dataset.name}")
