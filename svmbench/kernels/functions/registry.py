"""The kernels by name: files of this folder, and the entry points ``svmbench.kernels`` of other packages."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from svmbench.errors import UserError, nearest
from svmbench.kernels import functions
from svmbench.plugins import loaded, plugins

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from svmbench.kernels.functions.base import Kernel

#: A kernel, or its document: name and parameters, as in a configuration.
AnyKernel: TypeAlias = Union["Kernel", Mapping[str, Any]]

_GROUP = "svmbench.kernels"

#: Files of this folder that are no kernels.
_OTHERS = ("base", "registry")


def built_in() -> list[str]:
    """Return the names of the kernels of this package, sorted."""
    return sorted(
        module.name for module in pkgutil.iter_modules(functions.__path__) if module.name not in _OTHERS
    )


def names() -> list[str]:
    """Return the names of all kernels, sorted; none is imported."""
    return sorted({*built_in(), *plugins(_GROUP)})


@cache
def get(name: str) -> type[Kernel]:
    """Return the kernel of that name.

    Raises
    ------
    UserError
        If there is no such kernel, or two, or the plug-in cannot be imported or is not a kernel of that name.
    """
    others = plugins(_GROUP)
    if name in built_in():
        if name in others:
            raise UserError(
                f"the plug-in '{others[name].value}' has the name of a built-in kernel, '{name}': rename it"
            )
        own = vars(importlib.import_module(f"{functions.__name__}.{name}")).values()
        return next(kind for kind in own if isinstance(kind, type) and vars(kind).get("name") == name)
    if name in others:
        return _loaded(others[name])
    raise UserError(f"unknown kernel '{name}'{nearest(name, names())} (kernels: {', '.join(names())})")


def _loaded(plugin: EntryPoint) -> type[Kernel]:
    from svmbench.kernels.functions.base import Kernel

    kind, source, name = loaded(plugin, "kernel"), plugin.value, plugin.name
    if not (isinstance(kind, type) and issubclass(kind, Kernel) and kind.name == name):
        raise UserError(
            f"the plug-in '{source}' is not a kernel named '{name}': it must be a subclass of "
            f"svmbench.kernels.functions.base.Kernel with name = '{name}'"
        )
    if kind.__abstractmethods__ or "__dataclass_fields__" not in vars(kind):
        raise UserError(f"the plug-in '{source}' must be a dataclass and define `row` (docs/add-a-kernel.md)")
    return kind


def kernel_of(given: AnyKernel) -> Kernel:
    """Return the kernel that is given, or the one of a document."""
    if not isinstance(given, Mapping):
        return given
    parameters = {key: value for key, value in given.items() if key != "name"}
    try:
        return get(given["name"])(**parameters)
    except TypeError as error:
        raise UserError(f"kernel={given['name']} does not take these parameters: {error}") from error
