"""Time of `fit` of the estimators and of those of scikit-learn and oneDAL, in turns, on generated data."""

from __future__ import annotations

import dataclasses
import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from svmbench.errors import UserError
from svmbench.speed.timing import stamp

#: Numbers of rows, dense features and values of C. Sparse rows have `SPARSE` columns, 2 % of them not 0.
ROWS = (100, 300, 1_000, 2_000, 2_049, 5_000, 10_000)
FEATURES = (2, 20, 200)
SPARSE, DENSITY = 1_000, 0.02
C = (0.1, 1.0, 100.0)

#: Standard deviation of the noise, relative to that of the scores that determine the classes.
NOISE = 0.5

#: Turns after the one that warms up, at least, and until all fits have taken `SECONDS` together. None begins
#: after `LONG` seconds: a first turn that takes longer counts itself.
TURNS, SECONDS, LONG = 3, 0.3, 10.0

_NUMBERS = ("baseline ms", "ours ms", "ratio", "load", "baseline's gap", "our gap")
HEADER = ("estimator", "baseline", "rows", "features", "C", *_NUMBERS)


class Kind(NamedTuple):
    """What is fitted: names of our estimator and of its baselines, their options, and the classes."""

    ours: str
    baseline: str
    options: dict[str, Any]
    classes: int


#: By name; ``SVC-10`` has ten classes. The default of scikit-learn's `LinearSVC` is another loss.
KINDS = {
    "SVC": Kind("KernelSVC", "SVC", {}, 2),
    "SVC-10": Kind("KernelSVC", "SVC", {}, 10),
    "SVR": Kind("KernelSVR", "SVR", {}, 0),
    "LinearSVC": Kind("LinearSVC", "LinearSVC", {"loss": "hinge"}, 2),
}


@dataclasses.dataclass(frozen=True)
class Pair:
    """CPU seconds of the fits of a baseline and of our estimator.

    Attributes
    ----------
    estimator, baseline : str
        A key of `KINDS`, and the program of the baseline.
    n : int
        Number of rows.
    features : str
        Their number, or ``sparse``.
    C : float
        C.
    turns : int
        Number of turns that count.
    theirs, ours : (float, float, float)
        Quartiles of the seconds of a turn.
    ratio : (float, float, float)
        Quartiles of the baseline's seconds divided by ours in the same turn.
    begun : str
        Start of the first turn, in UTC.
    load : float
        One-minute load average of the machine at that time.
    gaps : tuple of float, or None
        By how much the objectives that both reach may exceed the optimum, relative to it; of `LinearSVC`.
    """

    estimator: str
    baseline: str
    n: int
    features: str
    C: float
    turns: int
    theirs: tuple[float, float, float]
    ours: tuple[float, float, float]
    ratio: tuple[float, float, float]
    begun: str
    load: float
    gaps: tuple[float, float] | None = None

    def line(self) -> tuple[object, ...]:
        """Return the cells for `HEADER`."""
        both = 1e3 * self.theirs[1], 1e3 * self.ours[1], self.ratio[1]
        line = (self.estimator, self.baseline, self.n, self.features, self.C, *both, self.load)
        return (*line, *(self.gaps or ("", "")))


def measure(n: int, say: Callable[[str], None]) -> list[Pair]:
    """Time all estimators on n rows, on one thread; `say` receives a line per data set and estimator.

    Raises
    ------
    UserError
        If scikit-learn is not installed.
    """
    try:
        ours = importlib.import_module("svmbench.sklearn")
    except ImportError as error:
        raise UserError("the estimators need scikit-learn: pip install scikit-learn") from error
    pairs = []
    for features in (*map(str, FEATURES), "sparse"):
        for name, kind in KINDS.items():
            say(f"{name}, {n} rows, features: {features}")
            X, y = examples(n, features, kind.classes)
            for value in C:
                mine = getattr(ours, kind.ours)(C=value)
                for program in ("sklearn", "sklearnex"):
                    theirs = _baseline(program, kind, value)
                    if theirs is not None:
                        with threadpool_limits(1):
                            turns = _turns(theirs, mine, X, y)
                        gaps = _gaps(theirs, mine, X, y) if name == "LinearSVC" else None
                        pairs.append(Pair(name, program, n, features, value, **turns, gaps=gaps))
    return pairs


def examples(n: int, features: str, classes: int) -> tuple[Any, Any]:
    """Return rows, float64 or CSR, shape (n, d), and their classes; without classes, targets."""
    rng = np.random.default_rng(0)
    if features == "sparse":
        X = sp.random_array((n, SPARSE), density=DENSITY, format="csr", rng=rng)
    else:
        X = rng.standard_normal((n, int(features)))
    scores = X @ rng.standard_normal((X.shape[1], max(classes, 1)))
    scores += NOISE * scores.std() * rng.standard_normal(scores.shape)
    if not classes:
        return X, np.sin(scores[:, 0] / scores.std())
    return X, (scores[:, 0] > 0.0).astype(int) if classes == 2 else scores.argmax(axis=1)


def _baseline(program: str, kind: Kind, value: float) -> Any:
    """Return the estimator of a program, or None if that is not installed or has none."""
    try:
        return getattr(importlib.import_module(f"{program}.svm"), kind.baseline)(C=value, **kind.options)
    except (ModuleNotFoundError, AttributeError, TypeError):
        return None


def _turns(theirs: Any, mine: Any, X: Any, y: Any) -> dict[str, Any]:
    """Fit both in turns; return the fields of a `Pair` from ``turns`` to ``load``."""
    spent: dict[Any, list[float]] = {theirs: [], mine: []}
    taken = 0.0
    begun, load = stamp()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a baseline may end before it has converged
        while taken < SECONDS or (taken < LONG and len(spent[mine]) <= TURNS):
            for each in (theirs, mine) if len(spent[mine]) % 2 else (mine, theirs):
                begin = time.process_time()
                each.fit(X, y)
                spent[each].append(max(time.process_time() - begin, 1e-9))
                taken += spent[each][-1]
    others, own = (seconds[1:] or seconds for seconds in (spent[theirs], spent[mine]))
    ratios = [a / b for a, b in zip(others, own, strict=True)]
    measured = {"theirs": others, "ours": own, "ratio": ratios}
    quartiles = {name: np.quantile(each, (0.25, 0.5, 0.75)).tolist() for name, each in measured.items()}
    return {"turns": len(own), **quartiles, "begun": begun, "load": load}


def _gaps(theirs: Any, mine: Any, X: Any, y: Any) -> tuple[float, float]:
    """Return the gaps of two fitted linear classifiers with a regularised intercept to the same bound."""
    objectives = []
    for each in (theirs, mine):
        margins = np.where(y == mine.classes_[1], 1.0, -1.0) * each.decision_function(X)
        squares = float(np.square(each.coef_).sum() + np.square(each.intercept_).sum())
        objectives.append(0.5 * squares + mine.C * float(np.maximum(0.0, 1.0 - margins).sum()))
    bound = objectives[1] * (1.0 - mine.gap_)
    return objectives[0] / bound - 1.0, objectives[1] / bound - 1.0
