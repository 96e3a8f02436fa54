"""``svmbench tune``: C and gamma with the least cross-validation error."""

from __future__ import annotations

import functools
import itertools
import json
import math
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.cli._parser import Parser, as_number
from svmbench.config import folder, options
from svmbench.errors import UserError
from svmbench.run_config import RunConfig, flatten

if TYPE_CHECKING:
    from svmbench.sweep.planning import Plan

#: Default number of folds for data without a validation set.
_FOLDS = 5

#: Settings shown in the final table.
_SHOWN = 5

#: Budgets that successive halving divides.
_DIVISIBLE = ("budget.kev=", "budget.iterations=")

_SEARCHES = ("grid", "random", "halving")
_ROUNDS, _SETTINGS = 3, 25

_METHOD = """grid: problem.C from 2^-5 to 2^11 and kernel.gamma from 2^-15 to 2 by factors of 16, or the given
values (problem.C=0.1,1,10; a single value is not tuned). Each round then tries all combinations
of the geometric means between the best value and its neighbours: factors of 4, 2 and 1.4 in three rounds, at
most 8 new settings each.
random: the same grid, and N random settings, log-uniform between the ends of the grid.
halving: the same grid, and N random settings by successive halving: all with a ninth of the budget
(budget.kev or budget.iterations), the best third with a third, the best ninth with all of it.
Every search chooses among the settings that had the full budget, the grid included, so the choice never has
a larger validation error than the best of the grid. The error is that of cross-validation (validate.folds=5,
validate.seed=0), or of the data's own validation set with validate.folds=null. A solver that
can do so begins each fold at its answer on all examples (not with validate.warm=false). Ties go to the
smallest C, then to the smallest gamma. Fits with a large C can take long: the limits of the budget apply to
each fit (budget.seconds=60). Stored runs are not repeated, so the same command resumes an interrupted
search."""


def main(arguments: Sequence[str]) -> int:
    """Make the runs of each round and print the settings, best first, and the command for the best."""
    tuning, code = searched(arguments)
    if not tuning.errors:
        return code or 1
    tuning.tell()
    return code


def searched(arguments: Sequence[str]) -> tuple[Tuning, int]:
    """Make the runs of each round; return the search and the exit code."""
    parser = _parser()
    given = parser.parse_intermixed_args(arguments)
    _check(parser, given)
    tuning = Tuning(given.overrides, folder.user_folders(given.config_dir), given.json)
    count, seed = _SETTINGS if given.settings is None else given.settings, given.search_seed or 0
    if given.search == "grid":
        code = tuning.refine(_ROUNDS if given.rounds is None else given.rounds)
    else:
        code = tuning.draw(count, seed) if given.search == "random" else tuning.halve(count, seed)
    return tuning, code


def _parser() -> Parser:
    from argparse import RawDescriptionHelpFormatter

    parser = Parser(
        "tune",
        "Choose C and gamma by cross-validation, on a coarse grid and then on finer ones around the best, or "
        "at random settings.",
        epilog=_METHOD,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as for svmbench run; jobs=N too")
    parser.add_argument(
        "--search", choices=_SEARCHES, default=_SEARCHES[0], help="grid by default; all are described below"
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N", help=f"grid: finer grids after the first, {_ROUNDS} by default"
    )
    parser.add_argument(
        "--settings", type=int, metavar="N", help=f"random, halving: random settings, {_SETTINGS} by default"
    )
    parser.add_argument(
        "--search-seed", type=int, metavar="N", help="random, halving: seed of the draws, 0 by default"
    )
    parser.add_argument("--config-dir", metavar="DIR", help="folder with options of your own")
    parser.add_json()
    return parser


def _check(parser: Parser, given: Any) -> None:
    """Refuse options out of range and those of another search."""
    grid = given.search == "grid"
    for name, value, least, most, fits in (
        ("--rounds", given.rounds, 0, 20, grid),
        ("--settings", given.settings, 1, 10_000, not grid),
        ("--search-seed", given.search_seed, 0, 2**31 - 1, not grid),
    ):
        if value is not None and not fits:
            parser.error(f"{name} does not apply to --search {given.search}: leave it out")
        if value is not None and not least <= value <= most:
            parser.error(f"{name} {value} is not allowed: give a whole number from {least} to {most}")


class Tuning:
    """One search: axes, fixed settings, and the errors so far."""

    def __init__(self, overrides: Sequence[str], folders: Sequence[Path], as_json: bool) -> None:
        from svmbench.config import compose
        from svmbench.sweep.parameter_grid import COARSE, numbers

        self._folders = folders
        self._as_json = as_json
        axes = compose.axes(overrides, folders)
        if "dataset" not in axes:
            named = [*folder.option(folders), *overrides]
            raise UserError(
                f"tune needs a data set: svmbench tune {shlex.join([*named, 'dataset=NAME'])} (svmbench "
                "datasets lists names); your own is dataset=file dataset.path=FILE"
            )
        if "problem.lam" in axes:
            raise UserError("problem.lam is not tuned: give problem.C=A,B,C, or leave it to the grid")
        given = {key: numbers(key, [_value(text) for text in axes.pop(key)]) for key in COARSE if key in axes}
        several = [key for key, texts in axes.items() if len(texts) > 1]
        if several:
            raise UserError(
                f"{several[0]} has several values: svmbench tune varies problem.C and kernel.gamma alone; "
                "give one value, or tune several times"
            )
        axes.setdefault("validate.folds", [f"validate.folds={_FOLDS}"])
        if _begins_at_a_point(axes):
            axes.setdefault("validate.warm", ["validate.warm=true"])
        self._fixed = [text for (text,) in axes.values()]
        self._coarse = {key: given.get(key, list(COARSE[key])) for key in self._tunable(axes)}
        unfit = [key for key in given if key not in self._coarse]
        if unfit:
            raise UserError(f"{unfit[0]} does not apply to this kernel: leave it out")
        if all(len(values) == 1 for values in self._coarse.values()):
            raise UserError(f"there is nothing to tune: give several values of {' or '.join(self._coarse)}")
        self.errors: dict[tuple[float, ...], float] = {}

    def _tunable(self, chosen: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the keys to tune: gamma only if the kernel has one."""
        groups = {key: _value(texts[0]) for key, texts in chosen.items() if key in folder.GROUPS}
        keys = {key.name for key in options.keys(options.defaults() | groups, self._folders)}
        return ["problem.C", *(["kernel.gamma"] if "kernel.gamma" in keys else [])]

    def refine(self, rounds: int) -> int:
        """Make the coarse grid and ``rounds`` finer ones; return the exit code of the sweeps."""
        from svmbench.sweep.parameter_grid import refined

        axes, code = list(self._coarse.values()), 0
        for number in range(rounds + 1):
            if number:
                axes = refined(self.errors)
                if all(values in self.errors for values in itertools.product(*axes)):
                    break
            code = max(code, self._round(axes, f"{number + 1} of {rounds + 1}"))
            if code == 130 or not self.errors:
                break
        return code

    def draw(self, count: int, seed: int) -> int:
        """Make the coarse grid and ``count`` random settings; return the exit code of the sweeps."""
        return self._beside_the_grid([(count, 1)], seed)

    def halve(self, count: int, seed: int) -> int:
        """Make the coarse grid, and random settings by successive halving; return the exit code."""
        from svmbench.sweep.parameter_grid import halvings

        limits = [text for text in self._fixed if text.startswith(_DIVISIBLE)]
        if sum(_value(text) not in ("null", "auto") for text in limits) != 1:
            raise UserError(
                "--search halving divides a budget: give one of budget.kev=NUMBER and "
                "budget.iterations=NUMBER"
            )
        return self._beside_the_grid(halvings(count), seed)

    def _beside_the_grid(self, rounds: Sequence[tuple[int, int]], seed: int) -> int:
        """Make the coarse grid, then the best of random settings, round by round with a part of the budget.

        Only errors with the whole budget are recorded.
        """
        from svmbench.sweep.parameter_grid import best, drawn

        axes = list(self._coarse.values())
        settings = drawn(axes, rounds[0][0], seed)
        for kept, part in rounds:  # an invalid part of the budget is an error before anything is made
            self._listed(settings[:kept], part)
        code = self._round(axes, f"1 of {len(rounds) + 1}")
        for number, (kept, part) in enumerate(rounds, start=2):
            if code == 130 or not settings:
                break
            settings = settings[:kept]
            share = f" with 1/{part} of the budget" if part > 1 else ", and the best of the grid"
            told = f"{len(settings)} random setting{'s' * (len(settings) > 1)}{share}"
            if part == 1 and self.errors:  # so that `svmbench best`, of the last sweep, ranks it as well
                settings = sorted({*settings, best(self.errors)})
            heading = f"round {number} of {len(rounds) + 1}: {told}"
            ended, errors = self._made(self._listed(settings, part), heading)
            code = max(code, ended)
            settings = sorted(errors, key=lambda values: (errors[values], values))
            if part == 1:
                self.errors |= errors
        return code

    def _listed(self, settings: Sequence[tuple[float, ...]], part: int) -> Plan:
        """Return the plan of some settings with a part of the budget."""
        from svmbench.sweep.parameter_grid import written
        from svmbench.sweep.planning import make

        overrides = [
            [f"{key}={written(value)}" for key, value in zip(self._coarse, values, strict=True)]
            for values in settings
        ]
        return make([_divided(text, part) for text in self._fixed], self._folders, overrides)

    def _round(self, axes: Sequence[Sequence[float]], number: str) -> int:
        """Make all combinations and record their errors."""
        from svmbench.sweep.parameter_grid import written
        from svmbench.sweep.planning import make

        varied = [
            f"{key}={','.join(map(written, values))}" for key, values in zip(self._coarse, axes, strict=True)
        ]
        heading = f"round {number}: {', '.join(varied)}"
        code, errors = self._made(make([*self._fixed, *varied], self._folders), heading)
        self.errors |= errors
        return code

    def _made(self, plan: Plan, heading: str) -> tuple[int, dict[tuple[float, ...], float]]:
        """Make the runs of a plan; return the exit code and the error of each setting."""
        from svmbench.cli._sweep import sweep

        if not self.errors:
            _check_validation(plan)
        errors: dict[tuple[float, ...], float] = {}
        code, ends = sweep(plan, heading=heading, table=False, as_json=self._as_json)
        for job in plan.jobs:
            end = ends.get(job.number)
            error = None if end is None else end["numbers"].get("validation_error")
            if error is not None:
                errors[_values(job.config, self._coarse)] = error
            elif end is not None and end["run"] and end["state"] in ("done", "found"):
                raise _unvalidated(job.config)  # on a cluster, data are read by the runs alone
        return code, errors

    def document(self) -> dict[str, Any]:
        """Return the command of the best setting, and all settings with their errors, best first."""
        from svmbench.sweep.parameter_grid import written
        from svmbench.sweep.planning import of_the_run

        ranked = sorted(self.errors.items(), key=lambda item: (item[1], item[0]))
        chosen = [f"{key}={written(value)}" for key, value in zip(self._coarse, ranked[0][0], strict=True)]
        words = [*folder.option(self._folders), *of_the_run(self._fixed), *chosen]
        settings = [
            {**dict(zip(self._coarse, values, strict=True)), "validation_error": error}
            for values, error in ranked
        ]
        return {"command": f"svmbench run {shlex.join(words)}", "settings": settings}

    def tell(self) -> None:
        """Print the best settings and the command for the best."""
        from svmbench.figures.tables import table
        from svmbench.sweep.parameter_grid import at_edge, written

        found = self.document()
        if self._as_json:
            print(json.dumps(found, indent=2))
            return
        rows = [
            (*(written(one[key]) for key in self._coarse), f"{100 * one['validation_error']:.2f} %")
            for one in found["settings"][:_SHOWN]
        ]
        print(table((*self._coarse, "validation error"), rows))
        for key in at_edge(self.errors, self._coarse):
            print(f"the best {key} is at the end of its grid: try values beyond it, {key}=A,B,C")
        print(f"best     {found['command']}")


def _values(config: RunConfig, keys: Mapping[str, Any]) -> tuple[float, ...]:
    """Return the values of the axes in a resolved configuration."""
    flat = flatten(config.document())
    return tuple(flat[key] for key in keys)


def _check_validation(plan: Plan) -> None:
    """Raise a `UserError` if there are neither folds nor a validation set; no data are read for a cluster."""
    from svmbench import data

    config = plan.jobs[0].config  # the others differ in C and gamma
    if config.validate is not None or plan.options["launcher"]["name"] != "local":
        return
    say = functools.partial(print, file=sys.stderr)
    found = data.load(**config.loading(), say=say)
    if found.validation is None:
        raise _unvalidated(config)


def _unvalidated(config: RunConfig) -> UserError:
    """Return the error for data without a validation set that are not to be divided into folds."""
    return UserError(
        f"dataset={config.dataset.name} has no validation set, which validate.folds=null needs: leave that "
        "out, or give data with a validation set"
    )


def _begins_at_a_point(axes: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the folds can begin at a point: with two classes, and a solver that supports it."""
    from svmbench.solvers import registry

    name = _value(axes["solver"][0]) if "solver" in axes else options.defaults()["solver"]
    several = _value(axes.get("problem.multiclass", ["=none"])[0]) != "none"
    return _value(axes["validate.folds"][0]) != "null" and not several and registry.get(name).startable


def _divided(text: str, part: int) -> str:
    """Return an override; if it sets a budget that halving divides, with a fraction of its value."""
    if part == 1 or not text.startswith(_DIVISIBLE):
        return text
    key, _, value = text.partition("=")
    number = as_number(value)  # not a number: composing it gives the error
    return f"{key}={max(1, round(number / part))}" if 0.0 < number < math.inf else text


def _value(text: str) -> str:
    return text.partition("=")[2]
