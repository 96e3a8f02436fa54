"""``svmbench paper``: a figure or table of a paper, from the plan of its runs to the verdict on it."""

from __future__ import annotations

from collections.abc import Sequence

from svmbench.commands._parser import Parser
from svmbench.config import folder
from svmbench.errors import UserError, nearest

_ACTIONS = {
    "plan": "list the runs it needs and which are stored",
    "run": "make the runs that are missing",
    "draw": "draw a figure from stored runs",
    "table": "write a table from stored runs",
    "verdict": "judge a figure's claims by stored runs",
    "keep": "copy its runs to the committed reference",
}


def main(arguments: Sequence[str]) -> int:
    """Do one thing for one figure, some, or all of them."""
    parser = Parser(
        "paper",
        "Reproduce figures and tables of papers: "
        + "; ".join(f"{name}: {text}" for name, text in _ACTIONS.items()),
    )
    parser.add_argument("action", choices=_ACTIONS, help="what to do")
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="name in conf/paper/, such as sbp-f2; none: all that the action is for",
    )
    parser.add_results()
    given = parser.parse_args(arguments)
    known = folder.papers()
    for name in given.ids:
        if name not in known:
            raise UserError(f"unknown paper '{name}'{nearest(name, known)} (papers: {', '.join(known)})")

    from svmbench.papers import commands

    ids = given.ids or commands.applicable(given.action)
    return max(commands.ACTIONS[given.action](name, given.results) for name in ids)
