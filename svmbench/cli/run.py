"""``svmbench run``: one run in this process, or with ``-m`` all combinations in separate processes."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from svmbench import solvers
from svmbench.cli._output import last_checkpoint
from svmbench.cli._painter import Painter
from svmbench.cli._parser import Parser
from svmbench.config import folder
from svmbench.errors import UserError
from svmbench.run_config import RunConfig
from svmbench.runner.spawn import make_runs_here

if TYPE_CHECKING:
    from svmbench.cli._painter import Regions
    from svmbench.runner.outcome import Outcome
    from svmbench.store import StoredRun

#: Environment variable of a watched process: the process id of the watcher.
_GUARDED = "SVMBENCH_GUARDED"
#: Exit codes of the command; a process that ends with another one has not said why.
_ENDS = (0, 1, 2, 130)

_EPILOGUE = "Values follow Hydra's grammar: null, true, 1e6, [a,b]; with -m: A,B,C or range(0,5)."

#: Replacements for options of Hydra.
_INSTEAD = {
    ("--info", "-i"): "svmbench run --cfg job prints what is composed, and --help every key",
    ("--package", "-p"): "svmbench run --cfg job prints the whole configuration",
    ("--hydra-help",): "svmbench run --help lists every key",
    ("--run", "-r"): "leave it out: without -m there is one run",
    ("--config-path", "-cp", "--config-name", "-cn"): "--config-dir DIR adds a folder of your own",
    ("--shell-completion", "-sc"): "svmbench completion bash prints the completion",
    ("--experimental-rerun",): "svmbench show RUN --json prints the configuration of a stored run",
}


def main(arguments: Sequence[str]) -> int:
    """Check everything, then run it."""
    for word in arguments:
        for options, way in _INSTEAD.items():
            if word.partition("=")[0] in options:
                raise UserError(f"{word} is an option of Hydra that svmbench does not support: {way}")
    parser = _parser()
    given = parser.parse_intermixed_args(arguments)
    folders = folder.user_folders(given.config_dir)
    if given.help:
        print(f"{parser.format_help()}\n{_help(given.overrides, folders)}")
        return 0
    if given.resolve and not given.cfg:
        parser.error("--resolve is about what --cfg prints: give --cfg job, or leave it out")
    make_runs_here(_threads(given.overrides))
    if given.cfg:
        if given.multirun:
            raise UserError("--cfg works for a single run: leave out -m")
        from svmbench.config import compose

        print(compose.text(given.overrides, folders, resolved=given.resolve))
        return 0
    if given.multirun:
        from svmbench.cli._sweep import sweep
        from svmbench.sweep.planning import make

        return sweep(make(given.overrides, folders), as_json=given.json)[0]
    with Painter(ahead=not given.json and _trains_here(given.overrides)) as painter:
        from svmbench import config
        from svmbench.runner import guard

        resolved = config.resolve(given.overrides, folders)
        watcher = os.environ.pop(_GUARDED, None)  # not for processes that this one may start
        if watcher is not None:
            guard.follow(int(watcher))
        if watcher is not None or not guard.needed(resolved):
            return _train(resolved, painter, given.json)
    return _guarded(resolved, arguments, given.json)


def _parser() -> Parser:
    parser = Parser(
        "run",
        "Train one solver on one data set, store the run and print its final numbers. "
        "An identical stored run is found, not repeated.",
        add_help=False,
        epilog=_EPILOGUE,
    )
    parser.add_argument(
        "overrides", nargs="*", metavar="KEY=VALUE", help="keys that differ from the defaults"
    )
    parser.add_argument("-m", "--multirun", action="store_true", help="run every combination of the values")
    parser.add_argument(
        "--config-dir",
        "-cd",
        metavar="DIR",
        help="folder with options of your own ($SVMBENCH_CONF)",
    )
    parser.add_argument("--cfg", "-c", choices=("job",), help="print the configuration, run nothing")
    parser.add_argument("--json", action="store_true", help="print the end and the last numbers as JSON")
    parser.add_argument("--resolve", action="store_true", help="with --cfg: show values instead of ${KEY}")
    parser.add_argument(
        "-h", "--help", action="store_true", help="show this help, with the keys of the given options"
    )
    return parser


def _help(overrides: Sequence[str], folders: Sequence[Path]) -> str:
    """Return the rest of the help: groups with their options, and keys of the chosen ones, explained."""
    import textwrap

    from svmbench.config import options

    chosen = dict(options.defaults())
    for override in overrides:
        group, _, option = override.partition("=")
        if group in folder.GROUPS and option in folder.options(group, folders):
            chosen[group] = option
    lines = ["options of each group (* chosen; give another before --help to see its keys):"]
    for group in folder.groups(folders):
        names = [f"*{name}" if chosen.get(group) == name else name for name in folder.options(group, folders)]
        lead = f"  {group}=" if group in folder.GROUPS else f"  +{group}="
        lines += textwrap.wrap(" ".join(names), 96, initial_indent=f"{lead:<12}", subsequent_indent=" " * 12)
    lines += ["", "keys and their values now:"]
    for key in options.keys(chosen, folders):
        lines.append(f"  {key.name}={key.default}" + (f"   ({key.allowed})" if key.allowed else ""))
        lines += textwrap.wrap(key.comment, 96, initial_indent="      ", subsequent_indent="      ")
    return "\n".join(lines)


def _threads(overrides: Sequence[str]) -> int:
    """Return the number of threads before anything is composed or loaded."""
    given = [match[1] for text in overrides if (match := re.fullmatch(r"\+{0,2}threads=([1-9]\d*)", text))]
    # No more than there are, since libraries would start them: too many are refused where the run is made.
    return min(int(given[-1]) if given else RunConfig.threads, os.cpu_count() or 1)


def _trains_here(overrides: Sequence[str]) -> bool:
    """Return whether the run may be made in this process, without loading the solver.

    A run of a baseline with a limit, which it has by default, is made in a process that this one watches.
    """
    given = [text.partition("=")[2] for text in overrides if text.startswith("solver=")]
    baselines = Path(solvers.__file__).parent / "baselines"
    return _GUARDED in os.environ or not given or not (baselines / f"{given[-1]}.py").is_file()


def _guarded(config: RunConfig, arguments: Sequence[str], as_json: bool) -> int:
    """Run the same command in a separate process, and end it if it exceeds its limits."""
    from svmbench.runner.guard import watched
    from svmbench.runner.outcome import Outcome
    from svmbench.solvers import registry

    registry.get(config.solver.name).release()  # no process for a program that is not installed
    command = [sys.executable, "-P", "-m", "svmbench.cli.main", "run", *arguments]
    code, run = watched(config, command, os.environ | {_GUARDED: str(os.getpid())})
    if run is None and code < 0:
        print(f"svmbench: its process was killed by {signal.Signals(-code).name}", file=sys.stderr)
        return 1
    if run is None:
        if code not in _ENDS:
            print(f"svmbench: its process ended with code {code}", file=sys.stderr)
        return code if code in _ENDS else 1
    with Painter(ahead=False) as painter:
        return _tell(Outcome.of(run), config, painter, as_json)


def _train(config: RunConfig, painter: Painter, as_json: bool) -> int:
    from svmbench.runner.bar import progress
    from svmbench.runner.execute import execute

    with progress(f"{config.solver.name} {config.dataset.name}") as listener:
        outcome = execute(config, progress=listener, ready=painter.wait)
    return _tell(outcome, config, painter, as_json)


def _tell(outcome: Outcome, config: RunConfig, painter: Painter, as_json: bool) -> int:
    """Print the result of a run; return the exit code of the command."""
    if as_json:
        summary = {} if outcome.run is None else outcome.run.summary()
        print(json.dumps({"state": outcome.state, "reason": outcome.reason, **summary}, indent=2))
    else:
        _report(outcome, config, painter)
    return outcome.code


def _report(outcome: Outcome, config: RunConfig, painter: Painter) -> None:
    """Print how a run ended, its numbers and its path."""
    stream = sys.stdout if outcome.code == 0 else sys.stderr
    title = f"{config.solver.name} on {config.dataset.name}, seed {config.seed}"
    print(f"{title}: {outcome.ended}", file=stream)
    if outcome.run is None:
        return
    summary = outcome.run.summary()
    if summary["iterations"] is not None:
        print(last_checkpoint(summary))
    if summary["iterations"] is not None and outcome.state != "interrupted":  # Ctrl-C means now
        for path in _pictures(outcome, outcome.run, config.budget.counter, painter):
            print(f"picture  {path}")
    print(f"run      {outcome.run.path}")


def _pictures(outcome: Outcome, run: StoredRun, counter: str, painter: Painter) -> list[Path]:
    """Return the pictures of a run, drawn if it was made now; the second shows regions in the plane."""
    curve, regions = run.path / "curve.png", run.path / "regions.png"
    missing = None if curve.is_file() else counter
    plane = None if regions.is_file() else _regions(outcome)
    if missing or plane:
        from svmbench.runner.bar import progress

        try:
            with progress(f"{run.solver} {run.dataset}") as listener:
                listener.doing("drawing")
                painter.draw(run, missing, plane)
        except (UserError, OSError) as error:  # nothing to draw, or a folder that is only read
            reason = error.strerror if isinstance(error, OSError) else error
            print(f"no picture: {reason}", file=sys.stderr)
    return [path for path in (curve, regions) if path.is_file()]


def _regions(outcome: Outcome) -> Regions | None:
    """Return the decision function on a grid if the run was trained just now on points of the plane."""
    import numpy as np

    from svmbench.figures.plane import Grid

    if outcome.data is None or outcome.predict is None:
        return None
    train = outcome.data.train
    if not isinstance(train.X, np.ndarray) or train.X.shape[1] != 2:
        return None
    grid = Grid.around(train.X)
    return grid, outcome.predict(grid.points), train.X, train.y
