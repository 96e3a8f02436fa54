"""``svmbench tune``: C and gamma with the least cross-validation error."""

from __future__ import annotations

import itertools
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.cli._parser import Parser
from svmbench.config import folder
from svmbench.errors import UserError
from svmbench.run_config import RunConfig, flatten

#: Default number of folds for data without a validation set.
_FOLDS = 5

#: Settings shown in the final table.
_SHOWN = 5

_GRID = """grid: problem.C from 2^-5 to 2^11 and kernel.gamma from 2^-15 to 2, by factors of 16 (25 settings),
or the given values (problem.C=0.1,1,10; a single value is not tuned). Each round then tries all combinations
of the geometric means between the best value and its neighbours: factors of 4, 2 and 1.4 in three rounds, at
most 8 new settings each. The error is that of cross-validation (validate.folds=5, validate.seed=0), or of the
data's own validation set with validate.folds=null. Ties go to the smallest C, then to the smallest gamma.
Fits with a large C can take long: the limits of the budget apply to each fit (budget.seconds=60). Stored runs
are not repeated, so the same command resumes an interrupted search."""


def main(arguments: Sequence[str]) -> int:
    """Make the runs of each round and print the settings, best first, and the command for the best."""
    from argparse import RawDescriptionHelpFormatter

    parser = Parser(
        "tune",
        "Choose C and gamma by cross-validation, on a coarse grid and then on finer ones around the best.",
        epilog=_GRID,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as for svmbench run; jobs=N too")
    parser.add_argument(
        "--rounds", type=int, default=3, metavar="N", help="finer grids after the first, 3 by default"
    )
    parser.add_argument(
        "--config-dir", metavar="DIR", help="your own configuration folder, in addition to conf/"
    )
    parser.add_json()
    given = parser.parse_intermixed_args(arguments)
    if not 0 <= given.rounds <= 20:
        parser.error(f"--rounds {given.rounds} is not allowed: give a whole number from 0 to 20")
    tuning = _Tuning(given.overrides, folder.user_folders(given.config_dir), given.json)
    code = tuning.run(given.rounds)
    if not tuning.errors:
        return code or 1
    tuning.tell()
    return code


class _Tuning:
    """One search: axes, fixed settings, and the errors so far."""

    def __init__(self, overrides: Sequence[str], folders: Sequence[Path], as_json: bool) -> None:
        from svmbench.config import compose
        from svmbench.sweep.grid import COARSE, numbers

        self._folders = folders
        self._as_json = as_json
        axes = compose.axes(overrides, folders)
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
        keys = {key.name for key in folder.keys(folder.defaults() | groups, self._folders)}
        return ["problem.C", *(["kernel.gamma"] if "kernel.gamma" in keys else [])]

    def run(self, rounds: int) -> int:
        """Make the first round and ``rounds`` refinements; return the exit code of the sweeps."""
        from svmbench.sweep.grid import refined

        axes, code = list(self._coarse.values()), 0
        for number in range(rounds + 1):
            if number:
                axes = refined(self.errors)
                if all(values in self.errors for values in itertools.product(*axes)):
                    break
            print(f"round {number + 1} of {rounds + 1}: {self._words(axes)}", file=sys.stderr)
            code = max(code, self._round(axes))
            if code == 130 or not self.errors:
                break
        return code

    def _words(self, axes: Sequence[Sequence[float]]) -> str:
        from svmbench.sweep.grid import written

        return ", ".join(
            f"{key}={','.join(map(written, values))}" for key, values in zip(self._coarse, axes, strict=True)
        )

    def _round(self, axes: Sequence[Sequence[float]]) -> int:
        """Make all combinations and record their errors."""
        from svmbench.cli._sweep import sweep
        from svmbench.sweep.grid import written
        from svmbench.sweep.plan import make

        varied = [
            f"{key}={','.join(map(written, values))}" for key, values in zip(self._coarse, axes, strict=True)
        ]
        plan = make([*self._fixed, *varied], self._folders)
        code, ends = sweep(plan, table=False, as_json=self._as_json)
        for job in plan.jobs:
            end = ends.get(job.number, {})
            error = end.get("numbers", {}).get("validation_error")
            if error is not None:
                self.errors[_values(job.config, self._coarse)] = error
            elif end.get("run") and end["state"] in ("done", "found"):
                raise UserError(
                    f"run {end['run']} has no validation error: leave out validate.folds=null, or give data "
                    "with a validation set"
                )
        return code

    def tell(self) -> None:
        """Print the best settings and the command for the best."""
        from svmbench.figures.tables import table
        from svmbench.sweep.grid import at_edge, written

        ranked = sorted(self.errors.items(), key=lambda item: (item[1], item[0]))
        chosen = [f"{key}={written(value)}" for key, value in zip(self._coarse, ranked[0][0], strict=True)]
        kept = [text for text in self._fixed if not _of_sweep(text)]
        command = f"svmbench run {shlex.join([*kept, *chosen])}"
        if self._as_json:
            settings = [
                {**dict(zip(self._coarse, values, strict=True)), "validation_error": error}
                for values, error in ranked
            ]
            print(json.dumps({"command": command, "settings": settings}, indent=2))
            return
        rows = [(*map(written, values), f"{100 * error:.2f} %") for values, error in ranked[:_SHOWN]]
        print(table((*self._coarse, "validation error"), rows))
        for key in at_edge(self.errors, self._coarse):
            print(f"the best {key} is the end of its grid: try values beyond it, {key}=A,B,C")
        print(f"best     {command}")


def _values(config: RunConfig, keys: Mapping[str, Any]) -> tuple[float, ...]:
    """Return the values of the axes in a resolved configuration."""
    flat = flatten(config.document())
    return tuple(flat[key] for key in keys)


def _value(text: str) -> str:
    return text.partition("=")[2]


def _of_sweep(text: str) -> bool:
    from svmbench.config.check import of_the_sweep

    return of_the_sweep(text.partition("=")[0].lstrip("+"))
