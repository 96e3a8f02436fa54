"""Arithmetic with keys of a configuration, such as ``Key("features.frequencies") * N``, for axes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from svmbench.errors import UserError

#: Numbers of examples by the part of the data set; None if they are not known.
Sizes: TypeAlias = Mapping[str, int] | None

#: Returns the value from a resolved configuration and the numbers of examples.
_Value = Callable[[Mapping[str, Any], Sizes], float]


@dataclass(frozen=True)
class ByPanel:
    """A value for each data set; allowed wherever a claim has a number, a range or the value of a key."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class Key:
    """The value of a dotted key; * and / with other keys and numbers give others."""

    text: str
    of: _Value | None = None

    def value(self, config: Mapping[str, Any], rows: Sizes = None) -> float:
        """Return the value in a resolved configuration, with these numbers of examples.

        Raises
        ------
        UserError
            If the key is unknown or not a number.
        """
        if self.of is not None:
            try:
                return self.of(config, rows)
            except (ZeroDivisionError, OverflowError) as error:
                raise UserError(
                    f"'{self.text}' cannot be computed from the configuration ({error})"
                ) from error
        found: Any = config
        for part in self.text.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
            raise UserError(f"'{self.text}' cannot be computed from the configuration: it is {found}")
        return float(found)

    def __mul__(self, other: Key | float) -> Key:
        return self._with("*", operator.mul, other)

    def __truediv__(self, other: Key | float) -> Key:
        return self._with("/", operator.truediv, other)

    def __rtruediv__(self, other: float) -> Key:
        return _constant(other) / self

    def _with(self, sign: str, change: Callable[[float, float], float], other: Key | float) -> Key:
        right = other if isinstance(other, Key) else _constant(other)
        text = right.text if right.of is None or " " not in right.text else f"({right.text})"
        return Key(
            f"{self.text} {sign} {text}",
            lambda config, rows: change(self.value(config, rows), right.value(config, rows)),
        )


def _constant(number: float) -> Key:
    return Key(f"{number:g}", lambda config, rows: float(number))


def _rows(part: str) -> _Value:
    """Return what reads the number of examples of a part."""

    def read(config: Mapping[str, Any], rows: Sizes) -> float:
        if rows is None:
            raise UserError("n is known only for stored runs")
        return float(rows[part])

    return read


#: The numbers of training and of test examples.
N, TESTS = Key("n", _rows("train")), Key("n_test", _rows("test"))

#: An axis: a key or an expression of keys; of several, the first that a run has.
Axis: TypeAlias = str | Key | Sequence[str | Key]


def _alternatives(axis: Axis) -> Sequence[str | Key]:
    return [axis] if isinstance(axis, str | Key) else axis


def axis_words(axis: Axis) -> str:
    """Describe an axis."""
    return " or ".join(one.text if isinstance(one, Key) else one for one in _alternatives(axis))


def place(axis: Axis, config: Mapping[str, Any], rows: Sizes) -> float:
    """Return the place of a run on an axis: the value of the first of its keys that the run has."""
    *others, last = [one if isinstance(one, Key) else Key(one) for one in _alternatives(axis)]
    for other in others:
        try:
            return other.value(config, rows)
        except UserError:
            continue
    return last.value(config, rows)
