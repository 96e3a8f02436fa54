"""Reading of files in ``conf/paper/``; errors name the place of the mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from svmbench.errors import UserError, nearest


def section(
    content: Any, where: str, needed: Sequence[str] = (), optional: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return the content if it is a mapping with the needed keys and, if any are named, no others."""
    if not isinstance(content, Mapping) or not content:
        raise UserError(f"{where} must be a section with keys")
    allowed = (*needed, *optional)
    for key in content if allowed else ():
        if key not in allowed:
            raise UserError(
                f"{where}: unknown key '{key}'{nearest(str(key), allowed)} (keys: {', '.join(allowed)})"
            )
    for key in needed:
        if key not in content:
            raise UserError(f"{where}: the key '{key}' is missing")
    return content


def words(value: Any, where: str, allowed: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return a list of words, each of them allowed if there is a choice."""
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise UserError(f"{where}={value} is not allowed: give a list of words")
    for word in value:
        if allowed is not None and word not in allowed:
            raise UserError(
                f"{where}: unknown '{word}'{nearest(word, allowed)} (known: {', '.join(allowed)})"
            )
    return tuple(value)


def one_of(value: Any, where: str, allowed: Sequence[str]) -> str:
    """Return a word if it is allowed."""
    if value not in allowed:
        raise UserError(
            f"{where}={value} is not allowed{nearest(str(value), allowed)}: give one of {', '.join(allowed)}"
        )
    return str(value)


def number(value: Any, where: str) -> float:
    """Return a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UserError(f"{where}={value} is not allowed: give a number")
    return float(value)


def interval(value: Any, where: str) -> tuple[float, float]:
    """Return two numbers, the smaller one first; null means no bound on that side."""
    if isinstance(value, list) and len(value) == 2:
        low, high = (
            end if entry is None else number(entry, where)
            for entry, end in zip(value, (-float("inf"), float("inf")), strict=True)
        )
        if low <= high:
            return low, high
    raise UserError(
        f"{where}={value} is not allowed: give two numbers, the smaller one first; null: no bound"
    )


def positive_range(value: Any, where: str) -> tuple[float, float] | None:
    """Return the two ends of an axis, or None."""
    if value is None:
        return None
    low, high = interval(value, where)
    if not 0.0 < low < high < float("inf"):
        raise UserError(f"{where}={value} is not allowed: give two positive numbers, the smaller one first")
    return low, high
