"""``svmbench solvers``: all of them at a glance, and what one solves, needs and cites."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from svmbench.cli._parser import Parser

if TYPE_CHECKING:
    from svmbench.solvers.base import Solver

#: Widest line of text, for reading; narrower on a narrow terminal.
_WIDEST = 110

#: What solvers read the data through, as a heading and in a word.
_HEADINGS = {"kernel": "Kernel solvers", "linear": "Linear solvers", "data": "Programs of others"}
_READS = {"kernel": "kernel values", "linear": "features", "data": "the data themselves"}


def main(arguments: Sequence[str]) -> int:
    """Print a line or two about each solver, or everything about those that are named."""
    parser = Parser("solvers", "List the solvers: what each solves, needs, is charged and cites.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="solver to show with its keys; none: all")
    given = parser.parse_args(arguments)

    from svmbench.solvers import registry

    width = min(_WIDEST, shutil.get_terminal_size().columns - 1)
    if given.names:
        print("\n\n".join(_paragraph(registry.get(name), width) for name in given.names))
        return 0
    solvers = [registry.get(name) for name in registry.names()]
    for access, heading in _HEADINGS.items():
        print(f"{heading}\n")
        print("\n\n".join(_entry(solver, width) for solver in solvers if solver.access == access), end="\n\n")
    print("svmbench solvers NAME: the keys of one\nsvmbench run solver=NAME: train it")
    return 0


def _entry(solver: type[Solver], width: int) -> str:
    """Return the solver at a glance: what tells it from the others."""
    rows = {"solves": _problem(solver), "counts": solver.counting, "cites": solver.citation}
    return _rows(solver, rows, width)


def _paragraph(solver: type[Solver], width: int) -> str:
    """Return everything about a solver, its keys with their defaults last."""
    from svmbench.config.folder import conf_dir, read_keys

    rows = {
        "solves": _problem(solver),
        "reads": _READS[solver.access],
        "kernels": _kernels(solver),
        "ends": _ends(solver),
        "random": "yes, by seed" if solver.stochastic else "no, the seed changes nothing",
        "counts": solver.counting,
        "cites": solver.citation,
    }
    file = conf_dir() / "solver" / f"{solver.name}.yaml"
    said = {key.name: key.comment for key in read_keys(file, "solver")} if file.is_file() else {}
    lines = [_rows(solver, rows, width)]
    for name, (default, text) in _keys(solver).items():
        key = f"solver.{name}"
        lines += [f"  {key}={default}", *_wrapped(said.get(key, text), " " * 6, width)]
    return "\n".join(lines)


def _ends(solver: type[Solver]) -> str:
    """Return what ends a run by default."""
    if solver.exact:
        return "at the optimum, to a tolerance; budget.kev=auto is no limit"
    return "at its budget or by its own rule; budget.kev=auto is 1e8"


def _keys(solver: type[Solver]) -> dict[str, tuple[str, str]]:
    """Return the default of each parameter, as it is written in a configuration, and its help."""
    import dataclasses

    from svmbench.config.values import default, show

    return {
        item.name: (show(default(item)), item.metadata.get("help", ""))
        for item in dataclasses.fields(solver.Params)
    }


def _problem(solver: type[Solver]) -> str:
    form = "no optimisation problem" if solver.form == "none" else f"the {solver.form} problem"
    return f"{form}; bias: {', '.join(solver.biases)}"


def _kernels(solver: type[Solver]) -> str:
    names = "any" if solver.kernels is None else ", ".join(solver.kernels)
    return f"{names}; others with features=nystrom or fourier" if solver.access == "linear" else names


def _rows(solver: type[Solver], rows: dict[str, str], width: int) -> str:
    lines = [f"{solver.name}  {solver.title}"]
    for name, text in rows.items():
        lines += _wrapped(text, f"  {name:<9}", width)
    return "\n".join(lines)


def _wrapped(text: str, first: str, width: int) -> list[str]:
    blank = " " * len(first)
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=blank, break_on_hyphens=False)
