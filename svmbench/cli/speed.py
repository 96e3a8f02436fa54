"""``svmbench speed``: performance of this machine, kernel rows and solvers, compared with baselines."""

from __future__ import annotations

import dataclasses
import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from svmbench.cli._parser import Parser
from svmbench.errors import UserError, nearest

_ACTIONS = {
    "machine": "the limits of one core: memory, popcount, products, exp, sgemm",
    "rows": "kernel values per second for each storage layout, as a fraction of the limit",
    "solvers": "iterations and kernel values per second of each kernel solver on one data set",
    "baselines": "time to equal accuracy against third-party baselines",
    "estimators": "time of fits of the estimators against those of scikit-learn and oneDAL",
    "scaling": "cost of an iteration as n, then the number of threads, grows",
}
_SHOW = "print stored measurements again: when and where each was made, and its table"


#: A measurement for JSON.
_Measured = dict[str, Any]


class _Action(Parser):
    """The parser of one action, as argparse requires it."""

    def __init__(self, *, prog: str, **options: Any) -> None:
        super().__init__(prog.removeprefix("svmbench "), **options)


def main(arguments: Sequence[str]) -> int:
    """Measure and store, and print a table or JSON; or print stored measurements."""
    given = _parser().parse_args(arguments)
    if given.action == "show":
        return _show(given)
    from svmbench.figures.tables import table
    from svmbench.speed import record

    measures = {"machine": _machine, "rows": _rows, "solvers": _solvers}
    measures |= {"baselines": _baselines, "estimators": _estimators, "scaling": _scaling}
    path = None
    for found in measures[given.action](given):
        path = record.save(given.results, given.action, found, path)
    if given.json:
        print(json.dumps(found, indent=2, allow_nan=False))
        return 0
    lines = record.table_of(given.action, found)
    print(table(lines.header, lines.lines))
    limits = found.get("limits")
    print(f"instruction set {limits['isa']}; stored in {path}" if limits else f"stored in {path}")
    return 0


def _show(given: Namespace) -> int:
    """Print stored measurements."""
    from svmbench.figures.tables import table
    from svmbench.speed import record

    documents = record.stored(given.results, given.files)
    if given.json:
        print(json.dumps(documents, indent=2, allow_nan=False))
        return 0
    for document in documents:
        print(f"{record.heading(document)}\n")
        shown = record.table(document)
        print(table(shown.header, shown.lines), end="\n\n")
    return 0


def _parser() -> Parser:
    parser = Parser("speed", "Measure speed and store it below speed/ in the results folder.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=_Action)
    for name, text in _ACTIONS.items():
        action = actions.add_parser(name, help=text, description=f"Measure {text}.")
        if name == "solvers":
            action.add_argument("--dataset", default="adult", metavar="NAME", help="data set")
            action.add_argument(
                "--cache", type=int, default=0, metavar="MIB", help="also time them with cached kernel rows"
            )
        if name == "baselines":
            action.add_argument(
                "jobs", nargs="+", metavar="JOB", help="such as adult-c1, or all; docs/speed.md lists them"
            )
            action.add_argument(
                "--solver",
                default="decomposition",
                metavar="NAME",
                help="our solver, for jobs that name none",
            )
            action.add_argument(
                "--repeats", type=int, default=3, metavar="N", help="fits of each program, in alternation"
            )
        if name == "scaling":
            action.add_argument("--solver", default="sbp", metavar="NAME", help="solver to measure")
            action.add_argument("--most", type=int, default=1_000_000, metavar="N", help="most examples")
        if name == "estimators":
            action.add_argument(
                "--most", type=int, default=10_000, metavar="N", help="most rows, at least 100"
            )
        action.add_json()
        action.add_results(written=True)
    show = actions.add_parser("show", help=_SHOW, description=f"{_SHOW.capitalize()}.")
    show.add_argument("files", nargs="*", metavar="FILE", help="all that are stored, by default")
    show.add_json()
    show.add_results()
    return parser


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _machine(given: Namespace) -> Iterator[_Measured]:
    from svmbench.speed import machine

    limits = machine.measure()
    yield {"limits": dataclasses.asdict(limits)}


def _rows(given: Namespace) -> Iterator[_Measured]:
    from svmbench.speed import machine, rows

    limits = machine.measure()
    rates = rows.measure(limits, say=_say)
    yield {"limits": dataclasses.asdict(limits), "rows": _stored(rates)}


def _solvers(given: Namespace) -> Iterator[_Measured]:
    from svmbench import config, data
    from svmbench.speed import machine, solvers

    if given.cache < 0:
        raise UserError(f"--cache {given.cache} is not allowed: give the MiB of rows to keep, or 0")
    resolved = config.resolve([f"dataset={given.dataset}"])
    train = data.load(resolved.dataset.document(), say=_say).train
    limits = machine.measure()
    paces = solvers.measure(resolved, train.X, train.y, limits, _say, given.cache << 20)
    yield {"limits": dataclasses.asdict(limits), "dataset": given.dataset, "solvers": _stored(paces)}


def _baselines(given: Namespace) -> Iterator[_Measured]:
    """Yield the results after each job; the last may take hours."""
    from svmbench.speed import baselines, prediction
    from svmbench.speed.jobs import JOBS

    known = (*JOBS, "all")
    for name in given.jobs:
        if name not in known:
            raise UserError(f"job '{name}' is unknown: give one of {', '.join(known)}{nearest(name, known)}")
    if given.repeats < 1:
        raise UserError(f"--repeats {given.repeats} is not allowed: give at least 1")
    races = []
    for name in JOBS if "all" in given.jobs else dict.fromkeys(given.jobs):
        job = JOBS[name]
        if job.goal == "prediction":
            races += prediction.measure(name, job, given.repeats, _say)
        else:
            races += baselines.measure(name, job, given.solver, given.repeats, _say)
        yield {"baselines": _stored(races)}


def _estimators(given: Namespace) -> Iterator[_Measured]:
    """Yield the results after each number of rows; the last may take minutes."""
    from svmbench.speed import estimators

    if given.most < estimators.ROWS[0]:
        raise UserError(f"--most {given.most} is not allowed: give at least {estimators.ROWS[0]}")
    pairs = []
    for n in (rows for rows in estimators.ROWS if rows <= given.most):
        pairs += estimators.measure(n, _say)
        yield {"estimators": _stored(pairs)}


def _scaling(given: Namespace) -> Iterator[_Measured]:
    from svmbench.speed import scaling

    costs = scaling.measure(given.solver, given.most, _say)
    yield {"solver": given.solver, "scaling": _stored(costs)}


def _stored(lines: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the values of lines for JSON."""
    return [dataclasses.asdict(line) for line in lines]
