"""``svmbench solvers``: a list of all solvers, and details of what one solves, needs and cites."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from svmbench.cli._parser import Parser
from svmbench.errors import UserError

if TYPE_CHECKING:
    from svmbench.solvers.base import Solver

#: Most characters in a line of text, for readability; fewer on a narrow terminal.
_WIDEST = 110

#: Kinds of solvers by access, in the order of the list, and descriptions.
_KINDS = {"kernel": "kernel", "linear": "linear", "data": "baseline"}
_FORMS = {
    "regularised": "regularised problem",
    "slack-constrained": "slack-constrained problem",
    "norm-bounded": "norm-bounded problem",
    "none": "no objective",
}
_READS = {"kernel": "kernel values", "linear": "features", "data": "the data themselves"}


def main(arguments: Sequence[str]) -> int:
    """Print a line per solver, or the details of those named."""
    parser = Parser("solvers", "List the solvers: what each solves, needs, is charged and cites.")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="solver to show in detail, with its keys; all solvers if omitted",
    )
    parser.add_json()
    given = parser.parse_args(arguments)

    from svmbench.solvers import registry

    width = min(_WIDEST, shutil.get_terminal_size((_WIDEST + 1, 24)).columns - 1)
    solvers, faults = [], {}
    for name in given.names or registry.names():
        try:
            solvers.append(registry.get(name))
        except UserError as error:
            if given.names:
                raise
            faults[name] = str(error)
    if given.json:
        print(json.dumps([_about(solver) for solver in solvers], indent=2))
        return 0
    if given.names:
        print("\n\n".join(_paragraph(solver, width) for solver in solvers))
        return 0
    wide = max(len(solver.name) for solver in solvers), max(len(solver.title) for solver in solvers)
    for solver in sorted(solvers, key=lambda one: list(_KINDS).index(one.access)):
        named = f"{solver.name:<{wide[0]}}  {solver.title:<{wide[1]}}  {_KINDS[solver.access]:<8}"
        text = f"{named}  {_FORMS[solver.form]}"
        print(f"{text}{', exact' if solver.exact else ''}; {_bias(solver)}"[:width])
    for name, fault in faults.items():
        print(f"{name:<{wide[0]}}  cannot be used: {fault}")
    print("svmbench solvers NAME: all about one, its keys too")
    return 0


def _bias(solver: type[Solver]) -> str:
    with_bias = [bias for bias in solver.biases if bias != "none"]
    both = " or not" if "none" in solver.biases else ""
    return f"bias{both}" if with_bias else "no bias"


def _about(solver: type[Solver]) -> dict[str, object]:
    """Return the details of a solver for programs."""
    return {
        "name": solver.name,
        "title": solver.title,
        "access": solver.access,
        "form": solver.form,
        "exact": solver.exact,
        "stochastic": solver.stochastic,
        "resumable": solver.resumable,
        "biases": list(solver.biases),
        "kernels": None if solver.kernels is None else list(solver.kernels),
        "counting": solver.counting,
        "citation": solver.citation,
        "keys": {name: {"default": default, "help": text} for name, (default, text) in _keys(solver).items()},
    }


def _paragraph(solver: type[Solver], width: int) -> str:
    """Return the details of a solver, with its keys and their defaults at the end."""
    rows = {
        "solves": _problem(solver),
        "reads": _READS[solver.access],
        "kernels": _kernels(solver),
        "ends": _ends(solver),
        "resumes": "a larger budget continues from the stored state"
        if solver.resumable
        else "no, more budget is a new run",
        "random": "yes, by seed" if solver.stochastic else "no, the seed changes nothing",
        "counts": solver.counting,
        "cites": solver.citation,
    }
    lines = [f"{solver.name}  {solver.title}"]
    for name, text in rows.items():
        lines += _wrapped(text, f"  {name:<9}", width)
    for key, (default, text) in _keys(solver).items():
        lines += [f"  {key}={default}", *_wrapped(text, " " * 6, width)]
    return "\n".join(lines)


def _keys(solver: type[Solver]) -> dict[str, tuple[str, str]]:
    """Return the default of each key, as in a configuration, and its help."""
    import dataclasses

    from svmbench.option import default, show

    return {
        f"solver.{item.name}": (show(default(item)), item.metadata.get("help", ""))
        for item in dataclasses.fields(solver.Params)
    }


def _ends(solver: type[Solver]) -> str:
    """Return the default end of a run."""
    if solver.exact:
        return "at the optimum, to a tolerance; budget.kev=auto is no limit"
    return "at its budget or by its own rule; budget.kev=auto is 1e8"


def _problem(solver: type[Solver]) -> str:
    form = "no optimisation problem" if solver.form == "none" else f"the {solver.form} problem"
    weights = "none, balanced" if solver.weighted else "none"
    return f"{form}; bias: {', '.join(solver.biases)}; weights: {weights}"


def _kernels(solver: type[Solver]) -> str:
    names = "any" if solver.kernels is None else ", ".join(solver.kernels)
    return f"{names}; others with features=nystrom or fourier" if solver.access == "linear" else names


def _wrapped(text: str, first: str, width: int) -> list[str]:
    blank = " " * len(first)
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=blank, break_on_hyphens=False)
