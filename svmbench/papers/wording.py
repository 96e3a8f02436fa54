"""Descriptions of quantities, for the sentence that defines a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from svmbench.errors import UserError
from svmbench.figures.tables import count

#: Key of a section with values that depend on the data set.
BY_PANEL = "by_panel"


def number_words(value: Any) -> str:
    """Describe a threshold, or those of all data sets."""
    if isinstance(value, Mapping):
        return ", ".join(f"{number_words(entry)} on {panel}" for panel, entry in value[BY_PANEL].items())
    if isinstance(value, list):
        return " to ".join("any" if end is None else f"{end:g}" for end in value)
    return f"{value:g}"


def quantity_words(given: Mapping[str, Any] | float) -> str:
    """Describe a quantity, as in ``the test error of sbp at the end``."""
    if isinstance(given, int | float) or BY_PANEL in given:
        return number_words(given)
    factor = f"{number_words(given['factor'])} times " if "factor" in given else ""
    if "number" in given:
        return f"{factor}{number_words(given['number'])}"
    if "measure" in given:
        return f"{factor}{given['measure']}"
    if "optimum" in given:
        return f"{factor}the {_spaced(given['optimum'])} of the certified optimum"
    if "known" in given:
        return f"{factor}the known {_spaced(given['known'])}"
    where = "".join(
        f", {key} = {number_words(value) if isinstance(value, Mapping) else value}"
        for key, value in (given.get("where") or {}).items()
    )
    who = f"{given['solver']}{where}"
    if "area" in given:
        return f"{factor}the mean {_spaced(given['area'])} of {who} over the costs compared"
    if "stabilises" in given:
        return f"{factor}the cost at which the {_spaced(given['stabilises'])} of {who} {_stable_words(given)}"
    if "arrival" in given:
        verb = (
            "first reaches"
            if given.get("first")
            else "stays within"
            if "within" in given
            else "stays at or below"
        )
        return f"{factor}the cost at which {who} {verb} {_level_words(given)}"
    plus = f" plus {quantity_words(given['plus'])}" if "plus" in given else ""
    least = "least " if given.get("envelope") else ""
    at = given.get("at", "end")
    when = "at the end" if at == "end" else f"at {cost_words(at)}"
    if given.get("peak"):
        least, when = "greatest ", "over the whole run"
    bound = " (an upper bound)" if given.get("at_most") else ""
    return f"{factor}the {least}{_spaced(given.get('metric', 'test_error'))} of {who} {when}{bound}{plus}"


def _stable_words(given: Mapping[str, Any]) -> str:
    """Describe for how long a metric has been stable."""
    within, span = number_words(given["within"]), number_words(given["span"])
    return f"has first stayed within {within} over the last factor of {span}"


def _level_words(given: Mapping[str, Any]) -> str:
    """Describe the level at which a run arrives."""
    metric = _spaced(given["arrival"])
    if "within" in given:
        return f"{number_words(given['within'])} of the optimum's {metric}"
    level = quantity_words(given["level"])
    return level if isinstance(given["level"], Mapping) else f"{metric} {level}"


def cost_words(at: Any) -> str:
    """Describe a cost, as in ``the end of the first epoch of perceptron``."""
    if isinstance(at, int | float):
        return f"cost {count(float(at))}"
    part = f"{at['part']:g} of " if "part" in at else ""
    if "epoch" in at:
        return f"{part}the end of the first epoch of {at['epoch']}"
    if "shared" in at:
        return f"{part}the last cost that {' and '.join(at['shared'])} reach"
    if "stabilises" in at:
        return f"the cost at which its {_spaced(at['stabilises'])} {_stable_words(at)}"
    if "arrival" in at:
        if "within" in at:
            return f"its own arrival within {_level_words(at)}"
        return f"its own arrival at {_spaced(at['arrival'])} {quantity_words(at['level'])}"
    if "of" not in at:
        raise UserError(f"a cost needs epoch, shared, arrival or of: {dict(at)}")
    return f"{part}{quantity_words(at['of'])}"


def _spaced(name: Any) -> str:
    return str(name).replace("_", " ")
