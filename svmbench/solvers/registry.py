"""Registry of solvers: modules of this package, found by file name, and plug-ins.

A new solver is a new module in a folder beside this file, or a class in the entry-point group
``svmbench.solvers`` of another distribution: a `Solver`, or an `ExpansionRun`, of which one is made. Modules
are imported only by `get`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from functools import cache
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import TYPE_CHECKING

from svmbench import solvers
from svmbench.errors import UserError, nearest
from svmbench.plugins import loaded, plugins

if TYPE_CHECKING:
    from svmbench.solvers.base import Solver

_GROUP = "svmbench.solvers"

#: Folders of solvers; the other folders contain shared code.
_FOLDERS = ("kernel", "linear", "baselines")

#: Attributes of a solver's class that have no default.
_NEEDED = ("title", "citation", "Params")


@cache
def _modules() -> dict[str, str]:
    """Return the full module name of each built-in solver."""
    found = {}
    for folder in _FOLDERS:
        package = importlib.import_module(f"{solvers.__name__}.{folder}")
        for module in pkgutil.iter_modules(package.__path__):
            if not module.name.startswith("_"):
                found[module.name] = f"{package.__name__}.{module.name}"
    return found


def names() -> list[str]:
    """Return the names of all solvers, sorted."""
    return sorted({*_modules(), *plugins(_GROUP)})


def built_in() -> list[str]:
    """Return the names of the solvers of this package, sorted."""
    return sorted(_modules())


def get(name: str) -> type[Solver]:
    """Return the solver of that name.

    Raises
    ------
    UserError
        If there is no such solver, or two, the plug-in cannot be imported or is not a solver, or its class
        lacks what every solver defines.
    """
    modules, others = _modules(), plugins(_GROUP)
    if name in modules and name in others:
        raise UserError(
            f"the plug-in '{others[name].value}' has the name of a built-in solver, '{name}': rename it"
        )
    if name in modules:
        return _whole(_solver_of(importlib.import_module(modules[name]), name))
    if name in others:
        return _whole(_loaded(others[name]))
    raise UserError(f"solver '{name}' is unknown: give one of {', '.join(names())}{nearest(name, names())}")


def _whole(solver: type[Solver]) -> type[Solver]:
    """Return a solver that defines what every solver must, or raise an error that names what it lacks."""
    from svmbench.solvers.base import Solver

    for kind in solver.__mro__:  # it may extend another solver
        paragraphs = (sys.modules[kind.__module__].__doc__ or "").split("\n\n")
        silent = "name" in vars(kind) and "citation" not in vars(kind)
        if issubclass(kind, Solver) and silent and len(paragraphs) > 1:
            kind.citation = " ".join(paragraphs[1].split())
    if not hasattr(solver, "citation") and sys.flags.optimize > 1:
        solver.citation = "unknown: python -OO leaves docstrings out"
    needed = _NEEDED if solver.start is not Solver.start else (*_NEEDED, "Run")
    missing = [name for name in needed if not hasattr(solver, name)] + sorted(solver.__abstractmethods__)
    if missing:
        raise UserError(
            f"{solver.__module__}.{solver.__qualname__} does not define {', '.join(missing)}: "
            "add what docs/add-a-solver.md lists as needed"
        )
    return solver


def _loaded(plugin: EntryPoint) -> type[Solver]:
    from svmbench.solvers.base import Solver
    from svmbench.solvers.plain import ExpansionRun, solver_of

    solver = loaded(plugin, "solver")
    if isinstance(solver, type) and issubclass(solver, ExpansionRun):
        return solver_of(solver, plugin.name)
    named = isinstance(solver, type) and issubclass(solver, Solver) and getattr(solver, "name", None)
    if named != plugin.name:
        raise UserError(
            f"the plug-in '{plugin.value}' is not a solver named '{plugin.name}': it must be a subclass of "
            "svmbench.solvers.plain.ExpansionRun, or one of svmbench.solvers.base.Solver with "
            f"name = '{plugin.name}'"
        )
    return solver


def _solver_of(module: ModuleType, name: str) -> type[Solver]:
    """Return the solver that a built-in module defines by its name, or the one that is made of its run."""
    from svmbench.solvers.base import Solver
    from svmbench.solvers.plain import ExpansionRun, solver_of

    own = [kind for kind in vars(module).values() if isinstance(kind, type)]
    for kind in own:
        if issubclass(kind, Solver) and vars(kind).get("name") == name:
            return kind
    for kind in own:
        if issubclass(kind, ExpansionRun) and kind.__module__ == module.__name__:
            return solver_of(kind, name)
    raise UserError(
        f"{module.__name__} defines no solver named '{name}': derive a class from ExpansionRun, or name the "
        "class attribute like the file"
    )
