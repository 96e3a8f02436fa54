"""``svmbench solvers``: what each solves, needs and cites."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from svmbench.commands._parser import Parser

if TYPE_CHECKING:
    from svmbench.solvers.base import Solver


def main(arguments: Sequence[str]) -> int:
    """Print a paragraph about each solver, built-in or from an installed plug-in."""
    Parser("solvers", "List the solvers: what each solves, needs and cites.").parse_args(arguments)

    from svmbench.solvers import registry

    print("\n\n".join(_paragraph(registry.get(name)) for name in registry.names()))
    return 0


def _paragraph(solver: type[Solver]) -> str:
    from svmbench.config.values import default

    kernels = "any" if solver.kernels is None else ", ".join(solver.kernels)
    if solver.access == "linear":
        kernels += "; others with features=nystrom or features=fourier"
    params = ", ".join(f"{item.name}={default(item)}" for item in dataclasses.fields(solver.Params))
    form = "no optimisation problem" if solver.form == "none" else f"the {solver.form} problem"
    rows = {
        "solves": f"{form}; bias: {', '.join(solver.biases)}",
        "kernels": kernels,
        "keys": params or "none",
        "counts": solver.counting,
        "cites": solver.citation,
    }
    lines = [f"{solver.name}  {solver.title}"]
    for name, text in rows.items():
        lines += textwrap.wrap(text, 96, initial_indent=f"  {name:<9}", subsequent_indent=" " * 11)
    return "\n".join(lines)
