"""``svmbench paper``: figures and tables of papers, from planning their runs to verdicts on claims."""

from __future__ import annotations

from collections.abc import Sequence

from svmbench.cli._parser import Parser, sweep_words
from svmbench.config import folder
from svmbench.errors import UserError, nearest
from svmbench.papers.catalogue import names as names_of
from svmbench.papers.catalogue import owned

_ACTIONS = {
    "list": "list them, with how much is stored",
    "plan": "list their runs, which are stored, and what the others will take",
    "run": "make the runs and checks that are missing",
    "draw": "draw pictures, write tables and judge claims, all from stored runs",
    "verdict": "judge claims by stored runs; without ID, judge all by what is kept in RESULTS/reference and "
    "write its VERDICTS.md",
    "keep": "pack runs into the committed reference",
}


def main(arguments: Sequence[str]) -> int:
    """Perform one action for one, some or all artifacts."""
    parser = Parser(
        "paper",
        "Reproduce figures and tables of papers: "
        + "; ".join(f"{name}: {text}" for name, text in _ACTIONS.items()),
    )
    parser.add_argument("action", choices=_ACTIONS, help="what to do; only `run` trains")
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="name of a figure, table or check, such as sbp-f2, or jobs=N for N runs at a time, "
        "launcher=slurm and its keys; without ID, all of your own folder, or else of svmbench",
    )
    parser.add_argument(
        "--config-dir", metavar="DIR", help="your own configuration folder, with figures in DIR/paper/"
    )
    parser.add_argument(
        "--seeds", type=int, metavar="N", help="the first N seeds only; pictures and verdicts say so"
    )
    parser.add_argument(
        "--only",
        metavar="NAME,NAME",
        help="these data sets (panels) and methods (lines) only, as plan names them",
    )
    parser.add_json()
    parser.add_results(written=True)
    if arguments and arguments[0] in ("redraw", "table"):
        parser.error(f"there is no action '{arguments[0]}': draw draws, writes tables and judges")
    if arguments and arguments[0] not in _ACTIONS and arguments[0] in names_of():
        parser.error(f"say what to do; did you mean 'draw {arguments[0]}'? ({', '.join(_ACTIONS)})")
    given = parser.parse_intermixed_args(arguments)
    if given.json and given.action != "list":
        parser.error("--json is for list; verdicts as JSON are in RESULTS/reference/VERDICTS.json")
    names = tuple(word for word in given.ids if "=" not in word)
    only = tuple(word for word in (given.only or "").split(",") if word)
    if given.seeds is not None or given.only is not None:
        if given.action in ("list", "keep") or not names:
            parser.error("--seeds and --only are for a named figure or table, and not for list and keep")
        if (given.seeds is not None and given.seeds < 1) or (given.only is not None and not only):
            parser.error("--seeds takes a number of at least 1, and --only one or more names")
    jobs, launcher = sweep_words("svmbench paper", [word for word in given.ids if "=" in word])
    folders = tuple(folder.user_folders(given.config_dir))
    own = tuple(owned(folders))
    known = tuple(names_of(folders))
    for name in names:
        if name not in known:
            raise UserError(f"unknown paper '{name}'{nearest(name, known)} (papers: {', '.join(known)})")

    from svmbench.cli import _papers

    names = names or own
    asked = _papers.Asked(
        names or known, bool(names), given.results, jobs, launcher, given.json, folders, given.seeds, only
    )
    return _papers.ACTIONS[given.action](asked)
