"""Keys of options: a field's default, meaning and limits in one call, and validation of values by them."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import types
import typing
from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from svmbench.errors import UserError, nearest

_T = TypeVar("_T")

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text, a number in quotes"}


def option(default: _T, meaning: str, **limits: Any) -> _T:
    """Return a field of a dataclass of parameters, such as ``Solver.Params``.

    Parameters
    ----------
    default : object
        Default value; each instance has its own copy of a list.
    meaning : str
        The ``help`` of its metadata: meaning, unit and reason for the default.
    **limits
        Its other metadata: ``min``, ``above``, ``max``, ``choices``; ``later`` for a parameter that was added
        later, whose default is omitted from the configuration, so that older stored runs keep their
        identities.
    """
    metadata = {"help": meaning, **limits}
    if isinstance(default, list):
        copied: Any = default.copy
        return field(default_factory=copied, metadata=metadata)
    return field(default=default, metadata=metadata)


def check_section(prefix: str, given: Any, schema: type) -> dict[str, Any]:
    """Return the parameters of an option, converted to their types, in the order of the fields.

    For the parameters and errors see `check_values`.
    """
    checked = check_values(prefix, given, schema)
    # The schema may validate further, and normalise values so that equal tasks have the same identity.
    section = dataclasses.asdict(schema(**checked))
    # A parameter that was added later is omitted at its default, as in runs stored before.
    later = {item.name: default(item) for item in dataclasses.fields(schema) if item.metadata.get("later")}
    return {name: value for name, value in section.items() if name not in later or value != later[name]}


def check_values(
    prefix: str, given: Any, schema: type, names: Collection[str] | None = None
) -> dict[str, Any]:
    """Return the values of a section, converted to their types, in the order of the fields.

    Parameters
    ----------
    prefix : str
        The section's name with a dot, ``"budget."``, or empty for keys outside any section.
    given : mapping
        Values by key; a missing key has the field's default.
    schema : dataclass type
        Dataclass whose fields have type hints, and ranges in their metadata (see `svmbench.run_config`).
    names : collection of str, optional
        The fields to consider. Default: all.

    Raises
    ------
    UserError
        For an unknown key, a missing key without default, a wrong type, or a value out of range.
    """
    if not isinstance(given, Mapping):
        raise UserError(
            f"{prefix.rstrip('.')}={show(given)} is not allowed: give its keys, as in {prefix}KEY=VALUE"
        )
    fields = {item.name: item for item in dataclasses.fields(schema) if names is None or item.name in names}
    for key in given:
        if key not in fields:
            known = [prefix + name for name in fields]
            hint = nearest(f"{prefix}{key}", known)
            raise UserError(f"unknown key {prefix}{key}{hint} (keys: {', '.join(known) or 'none'})")
    checked = {}
    for name, item in fields.items():
        unset = None if "given" in item.metadata else default(item)
        value = given.get(name, unset)
        if value is dataclasses.MISSING:
            raise UserError(f"{prefix}{name} is missing: give {prefix}{name}=VALUE")
        checked[name] = check_value(prefix + name, value, hints(schema)[name], item.metadata)
    return checked


@functools.cache
def hints(schema: type) -> dict[str, Any]:
    """Return, by field of a schema, the type of the value that the user gives."""
    stated = typing.get_type_hints(schema)
    return {item.name: item.metadata.get("given", stated[item.name]) for item in dataclasses.fields(schema)}


def defaults_of(schema: type) -> dict[str, Any]:
    """Return the values of a user who gives none, by field of a schema."""
    items = dataclasses.fields(schema)
    return {item.name: None if "given" in item.metadata else default(item) for item in items}


def default(item: dataclasses.Field[Any]) -> Any:
    """Return the default of a field, made by its factory if it has one, or else ``MISSING``."""
    return item.default if item.default_factory is dataclasses.MISSING else item.default_factory()


def check_value(key: str, value: Any, hint: Any, limits: Mapping[str, Any]) -> Any:
    """Return the value converted to ``hint`` (1 becomes 1.0 for a float), or raise a `UserError`."""
    converted = _convert(value, hint, limits)
    if converted is _WRONG:
        allowed = describe(hint, limits)
        several = "" if "list" in allowed else _many(key, value)
        hint = nearest(value, _choices(str, limits)) if isinstance(value, str) else ""
        raise UserError(f"{key}={show(value)} is not allowed{hint or ':'} give {allowed}{several}")
    return converted


#: Two numbers, as other programs write a range.
_RANGE = re.compile(r"(\d[\d.]*(?:e[+-]?\d+)?)(?:\.\.\.?|:|-)(\d[\d.]*(?:e[+-]?\d+)?)")


def _many(key: str, value: Any) -> str:
    """Return how several values are given, if a value means several."""
    numbers = isinstance(value, list) and all(isinstance(one, int | float | str) for one in value)
    if numbers and value:
        return f"; several are given by -m {key}={','.join(map(str, value))}"
    found = _RANGE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return ""
    if found[1].isdecimal() and found[2].isdecimal():
        return f"; several are given by -m '{key}=range({found[1]},{int(found[2]) + 1})'"
    return f"; several are given by -m {key}=A,B,C"


_WRONG = object()


def _convert(value: Any, hint: Any, limits: Mapping[str, Any]) -> Any:
    """Return the value converted to the hint and within the limits, or `_WRONG`."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        # Integers first, so that 8 stays 8 if both int and float are allowed.
        for option in sorted(get_args(hint), key=lambda option: option is not int):
            converted = _convert(value, option, limits)
            if converted is not _WRONG:
                return converted
        return _WRONG
    if origin is Literal:
        return (
            value if any(value == word and type(value) is type(word) for word in get_args(hint)) else _WRONG
        )
    if origin in (list, tuple):
        return _convert_list(value, hint, limits)
    if hint is Any:
        return value
    if hint is type(None) or hint is None:
        return None if value is None else _WRONG
    if origin is dict or hint is dict:
        return dict(value) if isinstance(value, Mapping) else _WRONG
    return _convert_scalar(value, hint, limits)


def _convert_list(value: Any, hint: Any, limits: Mapping[str, Any]) -> Any:
    if not isinstance(value, list | tuple) or (not value and limits.keys() & {"min", "above"}):
        return _WRONG  # a list of numbers with a range must not be empty
    item = next((option for option in get_args(hint) if option is not Ellipsis), Any)
    items = [_convert(element, item, limits) for element in value]
    return _WRONG if any(element is _WRONG for element in items) else items


def _convert_scalar(value: Any, hint: type, limits: Mapping[str, Any]) -> Any:
    choices = limits.get("choices")
    if hint is bool:
        return value if isinstance(value, bool) else _WRONG
    if hint is str:
        return value if isinstance(value, str) and (choices is None or value in choices) else _WRONG
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        return _WRONG
    if hint is int and value != int(value):
        return _WRONG
    number = hint(value)
    if (
        choices is not None
        and number not in choices
        and all(isinstance(word, int | float) for word in choices)
    ):
        return _WRONG
    low, above, high = limits.get("min"), limits.get("above"), limits.get("max")
    inside = (
        (low is None or number >= low)
        and (above is None or number > above)
        and (high is None or number <= high)
    )
    return number if inside else _WRONG


def _finite(value: int | float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of a double
        return False


def describe(hint: Any, limits: Mapping[str, Any]) -> str:
    """Return what is allowed, as the end of a sentence that begins with "give"."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        parts = [describe(option, limits) for option in get_args(hint)]
        return ", or ".join(dict.fromkeys(parts))
    if origin is Literal:
        return "one of " + ", ".join(map(str, get_args(hint)))
    if origin in (list, tuple):
        item = next((option for option in get_args(hint) if option is not Ellipsis), str)
        if item is str:
            return "a list [A,B,...] of texts"
        kind, _, limit = describe(item, limits).removeprefix("a ").partition("number")
        return f"a list [A,B,...] of {kind}numbers{limit}"
    if hint is type(None):
        return "null"
    if origin is dict:
        return "a mapping {KEY: VALUE, ...}"
    if choices := _choices(hint, limits):
        return ("one of " if len(choices) > 1 else "") + ", ".join(choices)
    words = _WORDS.get(hint, "a value")
    if hint not in (int, float):
        return words
    low, above, high = (limits.get(name) for name in ("min", "above", "max"))
    if low is not None and high is not None:
        return f"{words} from {low:g} to {high:g}"
    ranges = {"above": above, "of at least": low, "of at most": high}
    stated = " and ".join(f"{text} {limit:g}" for text, limit in ranges.items() if limit is not None)
    return f"{words} {stated}".rstrip()


def alternatives(hint: Any, limits: Mapping[str, Any]) -> list[str]:
    """Return the allowed alternatives: literal words, or descriptions such as "a number"."""
    if get_origin(hint) in (Union, types.UnionType):
        options = sorted(get_args(hint), key=lambda option: option is type(None))
        return list(dict.fromkeys(text for option in options for text in alternatives(option, limits)))
    if hint is bool:
        return ["true", "false"]
    return _choices(hint, limits) or [describe(hint, limits).removesuffix(", a number in quotes")]


def _choices(hint: Any, limits: Mapping[str, Any]) -> list[str]:
    """Return the words or numbers that are allowed; none if there is no choice, or one of words alone."""
    choices = limits.get("choices") or ()
    alike = hint is str or not any(isinstance(word, str) for word in choices)
    return list(map(str, choices)) if alike else []


def show(value: Any) -> str:
    """Return a value as it is written on the command line."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{','.join(map(show, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
