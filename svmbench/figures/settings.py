"""Keys of the configuration of stored runs: their values, and their form in titles and legends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from svmbench.errors import UserError, nearest
from svmbench.run_config import CHOICES, flatten
from svmbench.store import StoredRun

#: Symbols of keys in titles.
_SIGNS = {"kernel.gamma": "γ", "problem.C": "C", "problem.lam": "λ"}
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: Feature maps named after people.
_MAPS = {"fourier": "Fourier", "nystrom": "Nyström"}


def setting(run: StoredRun, key: str) -> Any:
    """Return the value of a key: the title of a solver, the name of a data set or kernel, or a value."""
    if key == "solver":
        return run.title
    if key == "dataset":
        return dataset_title(run.config.dataset.document())
    flat = flatten(run.document)
    value = flat.get(f"{key}.name", "none") if key in CHOICES else flat.get(key)
    return tuple(value) if isinstance(value, list) else value


def check_keys(keys: Iterable[str], runs: Sequence[StoredRun]) -> None:
    """Raise a `UserError` for a key that no run has."""
    configs = {id(run.facts.common): run.facts.common for run in runs}.values()
    known = dict.fromkeys((*CHOICES, *(key for config in configs for key in flatten(config.document))))
    for key in keys:
        if key not in known:
            raise UserError(
                f"no run has a key '{key}'{nearest(key, known)} (keys: solver, dataset, kernel.gamma, "
                "problem.C, seed and the others of a configuration: svmbench show RUN)"
            )


def written(key: str, value: Any) -> str:
    """Return the text of a setting for titles and legends."""
    text = number(value) if isinstance(value, float) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    if key in CHOICES:
        return text
    return f"{name_of(key)} = {text}"


def number(value: float) -> str:
    """Return a number as read in papers: 0.05, 2⁻¹⁵ for a power of two, 3×10⁻⁵."""
    text = f"{value:g}"
    if "e" not in text or not math.isfinite(value):
        return text
    fraction, exponent = math.frexp(value)
    return f"2{raised(exponent - 1)}" if fraction == 0.5 else power_of_ten(value)


def raised(exponent: int) -> str:
    """Return a whole number in raised digits."""
    return str(exponent).translate(_RAISED)


def power_of_ten(value: float, _: int | None = None) -> str:
    """Format a number as 10⁶ or -2.5×10⁶ in plain text, three times as fast as mathtext."""
    if value == 0.0:
        return "0"
    if value < 0.0:
        return "-" + power_of_ten(-value)
    exponent = math.floor(math.log10(value) + 1e-9)
    mantissa = value / 10.0**exponent
    power = f"10{raised(exponent)}"
    return power if f"{mantissa:g}" == "1" else f"{mantissa:g}×{power}"


def name_of(key: str) -> str:
    """Return the name of a key for titles and axes: its symbol, or its last word."""
    group, _, name = key.rpartition(".")
    return _SIGNS.get(key, f"{group} {name}" if name == "name" else name)


def dataset_title(section: Mapping[str, Any]) -> str:
    """Return the name of a data set, followed by its task unless that is `all`."""
    task = section.get("task", "all")
    return str(section["name"]) if task == "all" else f"{section['name']}, task {task}"


def shared(runs: Sequence[StoredRun], told: Iterable[str] = ()) -> str:
    """Return the kernel, features and regularisation that all runs share, except the keys `told`."""
    configs = {id(run.facts.common): run.facts.common for run in runs}.values()
    flats = [flatten(config.document) for config in configs]
    parts = []
    kernels = {flat["kernel.name"] for flat in flats}
    if len(kernels) == 1 and kernels != {"gaussian"}:
        parts.append(f"{kernels.pop()} kernel")
    for key in ("kernel.gamma", "kernel.degree", "kernel.coef0", "features.name", "problem.C", "problem.lam"):
        values = {flat.get(key) for flat in flats}
        if key not in told and len(values) == 1 and values != {None}:
            value = values.pop()
            parts.append(
                f"{_MAPS.get(str(value), value)} features" if key == "features.name" else written(key, value)
            )
    several = {str(flat.get("problem.multiclass", "none")) for flat in flats}
    if len(several) == 1 and "problem.multiclass" not in told and several != {"none"}:
        parts.append(several.pop().replace("_", " "))
    return ", ".join(parts)


def labels(named: Sequence[tuple[tuple[Any, ...], str]]) -> dict[tuple[Any, ...], str]:
    """Label each key by its name and by the parameters in which keys of the same name differ."""
    found = {}
    for key, name in named:
        settings = dict(key)
        namesakes = [dict(other) for other, other_name in named if other_name == name and other != key]
        differing = [k for k in settings if any(namesake.get(k) != settings[k] for namesake in namesakes)]
        details = ", ".join(written(k, settings[k]) for k in differing)
        found[key] = f"{name} ({details})" if details else name
    return found
