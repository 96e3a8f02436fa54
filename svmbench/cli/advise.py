"""``svmbench advise``: which solver to use for a data set, from the comparison of the field."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from svmbench.cli._parser import Parser
from svmbench.config import folder
from svmbench.errors import UserError

if TYPE_CHECKING:
    from svmbench.analysis.forecast import Forecast
    from svmbench.data.dataset import Part
    from svmbench.papers.advice import Advice, Nearness
    from svmbench.run_config import KernelDocument


#: What describes data and problem: sections of the configuration, and keys of others.
_DATA = ("dataset", "data")
_PROBLEM = ("kernel.gamma", "problem.C", "problem.lam", "problem.multiclass")

#: Data sets whose measurements are printed: those nearest to the data.
_SHOWN = 3

#: Examples that a first look at the data takes, and its most steps.
_LOOKED, _STEPS = 5000, 1000

#: Seconds below which a forecast gives no number: starting the program takes longer.
_SOON = 0.01

#: Ratio of the ends of an interval beyond which a forecast has no middle that would mean anything.
_WIDE = 1000.0


def main(arguments: Sequence[str]) -> int:
    """Print advice for a data set."""
    parser = Parser(
        "advise",
        "Recommend a solver for a data set, for each of several wishes: the method that costs least, or "
        "nearly so, on most data sets of the comparison of the field (svmbench field), with runs, how often "
        "such a choice is right, and a forecast of time and memory. It says if the comparison does not tell, "
        "or if your data are far from all of its data sets.",
    )
    parser.add_argument(
        "overrides",
        nargs="+",
        metavar="KEY=VALUE",
        help="the data: dataset=file dataset.path=PATH",
    )
    parser.add_argument("--config-dir", metavar="DIR", help="your own configuration folder")
    parser.add_json()
    given = parser.parse_intermixed_args(arguments)
    for word in given.overrides:
        key = word.partition("=")[0]
        if "=" not in word and Path(word).expanduser().is_file():
            from svmbench.config.overrides import not_an_override

            raise UserError(not_an_override(word, ()))
        if "=" not in word or (key.partition(".")[0] not in _DATA and key not in _PROBLEM):
            raise UserError(
                f"{word} is not allowed: describe the data, as by dataset=adult or dataset=file "
                "dataset.path=PATH; besides, "
                f"{', '.join(_PROBLEM[:-1])} and {_PROBLEM[-1]} can be given"
            )

    from svmbench import config, data, multiclass
    from svmbench.papers import summary
    from svmbench.papers.advice import advise, nearness

    folders = folder.user_folders(given.config_dir)
    words, suggested = [*folder.option(folders), *given.overrides], True
    try:
        resolved = config.resolve(given.overrides, folders)
    except UserError:
        # The data may suggest neither, and advice needs neither: another mistake is refused again.
        resolved, suggested = config.resolve(_with_kernel(given.overrides), folders), False
    found = data.load(**resolved.loading(), say=lambda line: print(line, file=sys.stderr))
    rows, columns = found.train.X.shape
    problems = multiclass.problems(resolved.problem.multiclass, len(found.classes)) if found.classes else []
    # What is expected is for one binary problem, the largest one.
    rows = max((multiclass.binary(found.train.y, sides)[1].size for sides in problems), default=rows)
    comparison = summary.read()
    first = None
    if not found.classes:
        kernel = resolved.kernel.document()
        if not suggested and "gamma" in kernel:
            kernel["gamma"] = _usual_gamma(found.train)
        first = _first_error(found.train, kernel, resolved.problem.C or 1.0)
    described = rows, columns, found.info.get("density"), first
    advice, near = advise(comparison, *described), nearness(comparison, *described)
    if given.json:
        about = {
            "rows": rows,
            "columns": columns,
            "problems": max(len(problems), 1),
            "nearest": near.nearest["title"],
            "distance": near.ratio,
            "far": near.far,
            "first_error": first,
            "advice": [asdict(one) for one in advice],
        }
        print(json.dumps(about, indent=2))
        return 0
    print(f"{resolved.dataset.name}: {found.train.X.shape[0]:,} training examples, {columns:,} columns")
    if problems:
        print(
            f"{len(found.classes)} classes, {len(problems)} binary problems of at most {rows:,} examples: "
            "the estimates below are for one of them"
        )
    if not suggested:
        tune = shlex.join(["svmbench", "tune", *words])
        print(f"the commands need kernel.gamma=... and problem.C=..., which {tune} chooses")
    print(f"compared: {len(comparison.sets)} data sets, runs until {comparison.until}; {_near(near)}")
    print("seconds are those of the machine of the comparison")
    if first is not None:
        theirs = near.nearest["first"]
        other = "" if theirs is None else f"; there, {theirs:.3g} %"
        print(f"noise: a first model on at most {summary.FIRST:,} examples errs on {first:.3g} %{other}")
    for one in advice:
        print(f"\n{_entry(one, words, near.far, first)}")
    return 0


def _first_error(part: Part, kernel: KernelDocument, C: float) -> float | None:
    """Return the error in percent of decomposition on few examples, drawn at random, on others.

    None if the examples drawn, or the others, are too few, or all of one class.
    """
    import numpy as np

    from svmbench.kernels._oracle import Oracle
    from svmbench.papers.summary import FIRST
    from svmbench.problem import Problem
    from svmbench.rng import Generator
    from svmbench.solvers import registry

    order = Generator(0).permutation(part.n)
    few, others = np.split(order[:_LOOKED], [min(FIRST, part.n // 2)])
    if np.unique(part.y[few]).size < 2:
        return None
    oracle = Oracle(part.X[few].astype(np.float32), kernel, 1 << 26)
    solver = registry.get("decomposition")
    run = solver(solver.Params()).start(Problem.build(part.y[few], C=C), oracle, Generator(0))
    run.advance("iterations", _STEPS)
    scores = run.snapshot().model.scores(oracle, part.X[others].astype(np.float32))
    return float(100.0 * np.mean(part.y[others] * scores <= 0.0))


def _usual_gamma(part: Part) -> float:
    """Return the γ that programs use where none is given: 1 / (columns times variance)."""
    import numpy as np

    from svmbench.sparse import issparse

    values = part.X[:_LOOKED]
    square = values.multiply(values).mean() if issparse(values) else np.square(values).mean()
    variance = float(square) - float(values.mean()) ** 2
    return 1.0 / (part.X.shape[1] * variance) if variance > 0.0 else 1.0


def _with_kernel(overrides: Sequence[str]) -> list[str]:
    """Return the overrides with values for the parameters that data without suggestions need."""
    named = {word.partition("=")[0] for word in overrides}
    own = [] if named & {"kernel", "kernel.gamma"} else ["kernel.gamma=1"]
    return [*overrides, *own, *([] if named & {"problem.C", "problem.lam"} else ["problem.C=1"])]


def _near(near: Nearness) -> str:
    """Return how near the data are to those of the comparison, in words."""
    nearest = near.nearest
    text = f"the nearest is {nearest['title']}: {nearest['rows']:,} examples, {nearest['columns']:,} columns"
    if near.far:
        text += (
            f"\nfar from all of them, {near.ratio:.3g} times as far as all of them but one are from their "
            "nearest: choices were not tested so far away, and expected values are extrapolated"
        )
    return text


def _entry(one: Advice, data: Sequence[str], far: bool, first: float | None) -> str:
    """Return the paragraph for one wish.

    `data` are the user's own words, for the command, and `first` is the error of a first model: if it is
    small, that of the optimum will be, too.
    """
    from svmbench.papers.method_costs import NEAR, NOISY, OPTIMUM, by_noise

    mine = None if first is None or first >= NOISY else next(k for k, v in by_noise({"": first}).items() if v)
    if not one.choice.ahead:
        head = f"{one.wish}: no advice, because no method is clearly ahead; {one.method} ranks first"
        return "\n".join([head, *_support(one), *_by_noise(one, data, mine)])
    unsure = "not sure on data so far from those compared; there, it is " if far else ""
    doubt = [
        f"  not sure on {group}: such a choice is right on {there.right} of {there.tried} of them"
        for group, there in one.doubt.items()
    ]
    command = f"  {_command(data, one.overrides)}"
    lines = [f"{one.wish}: {unsure}{one.method}", *doubt, command, *_support(one)]
    until = "at its end" if one.wish == OPTIMUM else f"within {NEAR:g} points of the optimum's test error"
    lines.append(f"  expected {until}: {_forecast(one.seconds, 's')}")
    if one.seconds is not None and one.missed:
        sets = f"{one.missed} other data set{'s' * (one.missed > 1)}"
        lines.append(f"    or more: on {sets} it did not get there in time, or was disturbed")
    lines.append(f"  expected memory: {_forecast(one.memory, 'MiB')}")
    return "\n".join([*lines, *_by_noise(one, data, mine)])


def _command(data: Sequence[str], overrides: Sequence[str]) -> str:
    several = any("," in word for word in overrides)
    return shlex.join(["svmbench", "run", *["-m"] * several, *data, *overrides])


def _by_noise(one: Advice, data: Sequence[str], mine: str | None) -> list[str]:
    """Return the methods to use instead, depending on the test error of the optimum; `mine`: its group."""
    lines = []
    for group, (title, overrides, choice) in one.noise.items():
        if mine not in (None, group):
            continue
        lines.append(f"  {group}: {title}, right on {choice.right} of {choice.tried} such data sets")
        lines.append(f"    {_command(data, overrides)}")
    return lines


def _support(one: Advice) -> list[str]:
    """Return what was compared, how sure the choice is, and the measurements on the most similar data."""
    from svmbench.analysis.choice import FACTOR
    from svmbench.papers.method_costs import WISHES

    choice = one.choice
    least, median, most = (f"{rank:g}" for rank in choice.ranks)
    lines = [
        f"compared: {WISHES[one.wish].measure}",
        f"at most {FACTOR:g} times the least on {choice.near} of {choice.problems} data sets; rank {least} "
        f"to {most} of {choice.methods}, median {median}",
        f"such a choice is right on {choice.right} of {choice.tried} data sets that it did not use; a method "
        f"drawn at random, on {choice.chance:.1f}",
        *(f"{title}: {text} ({run})" for title, text, run in one.evidence[:_SHOWN]),
    ]
    if one.never:
        lines.append(f"does not get there with any of its settings on: {'; '.join(one.never)}")
    others = len(one.evidence) - _SHOWN
    return [f"  {line}" for line in [*lines, *[f"{others} sets less alike: --json"] * (others > 0)]]


def _forecast(found: Forecast | None, unit: str) -> str:
    from svmbench.analysis.forecast import LEAST
    from svmbench.papers.advice import amount

    if found is None:
        return f"unknown, fewer than {LEAST} data sets have it"
    value, low, high = (amount(one) for one in (found.value, found.low, found.high))
    if unit == "MiB" and low == high:
        return f"about {value} {unit}, the least of all runs"
    told = f"{value} {unit} ({low} to {high}"
    if unit == "s" and found.value < _SOON:
        told = f"less than {_SOON:g} s (up to {high}"
    elif found.high > _WIDE * found.low:
        told = f"unknown (anything from {low} to {high} {unit}"
    return f"{told}, 80 % interval from {found.sets} data sets)"
