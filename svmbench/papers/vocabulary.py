"""Predicates by name: their required and optional arguments, and the sentence that defines a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmbench.papers import fields, predicates
from svmbench.papers.predicates import NOISE, Arguments, Tested
from svmbench.papers.quantities import Evidence
from svmbench.papers.wording import cost_words, number_words, quantity_words


@dataclass(frozen=True)
class Predicate:
    """A predicate: required and optional arguments, and its description."""

    judge: Callable[[Evidence, Arguments], Tested]
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    words: Callable[[Arguments], str]


def _region(given: Arguments, key: str = "within") -> str:
    if isinstance(given[key], Mapping):
        return f"in the range {number_words(given[key])}"
    low, high = fields.interval(given[key], key)
    if np.isinf(high):
        return f"at least {low:g}"
    return f"at most {high:g}" if np.isinf(low) else f"from {low:g} to {high:g}"


def _order_words(given: Arguments) -> str:
    margin = f" by at least {number_words(given['margin'])}" if "margin" in given else ""
    return f"{quantity_words(given['less'])} is less than {quantity_words(given['than'])}{margin}"


def _below_words(given: Arguments) -> str:
    metric = str(given.get("metric", "test_error")).replace("_", " ")
    span = "".join(f" {key} {cost_words(given[key])}" for key in ("since", "until") if key in given)
    within = {"within": given.get("within", [0.0, 1.0])}
    return (
        f"the mean ratio (in the logarithm) of the {metric} of {given['curve']} to that of {given['other']} "
        f"over all costs that both reach{span} is {_region(within)}"
    )


def _series_words(given: Arguments) -> str:
    of = given["of"]
    place = of.get("over", "its places") if "metric" not in of or "over" in of else "cost"
    place = place if isinstance(place, str) else " or ".join(place)
    span = "".join(f" {key} {cost_words(given[key])}" for key in ("since", "until") if key in given)
    what = quantity_words(of)
    if "against" in given:
        what = f"the ratio of {what} to {quantity_words(given['against'])}"
    return f"{what} over {place}{span.replace(' cost ', ' ')}"


def _tolerance(within: Any) -> str:
    """Describe a tolerance."""
    if within == NOISE:
        return "what two test sets of this size can tell (four standard errors of their difference)"
    return number_words(within)


#: Predicates by name.
PREDICATES: Mapping[str, Predicate] = {
    "order": Predicate(predicates.order, ("less", "than"), ("margin", "as"), _order_words),
    "ratio": Predicate(
        predicates.ratio,
        ("of", "to", "within"),
        (),
        lambda g: f"{quantity_words(g['of'])} divided by {quantity_words(g['to'])} is {_region(g)}",
    ),
    "near": Predicate(
        predicates.near,
        ("value", "printed", "within"),
        (),
        lambda g: (
            f"{quantity_words(g['value'])} is within {_tolerance(g['within'])} of the printed "
            f"{number_words(g['printed'])}"
        ),
    ),
    "slope": Predicate(
        predicates.slope,
        ("of", "within"),
        ("since", "until", "against"),
        lambda g: f"the slope of the logarithm of {_series_words(g)} is {_region(g)}",
    ),
    "flat": Predicate(
        predicates.flat,
        ("of", "factor"),
        ("since", "until"),
        lambda g: (
            f"the greatest of {_series_words(g)} is at most {number_words(g['factor'])} times the least"
        ),
    ),
    "below": Predicate(
        predicates.below,
        ("curve", "other"),
        ("metric", "where", "since", "until", "within"),
        _below_words,
    ),
    "late": Predicate(
        predicates.late,
        ("curve", "part", "arrived"),
        ("far", "within", "metric", "where", "unfinished"),
        lambda g: (
            f"the least value of {g['curve']} until {number_words(g['part'])} of the cost from which it "
            f"stays within {number_words(g['arrived'])} of its last value is "
            + (f"at least {number_words(g['far'])}" if "far" in g else f"at most {number_words(g['within'])}")
            + " above that"
        ),
    ),
    "rises": Predicate(
        predicates.rises,
        ("curve", "by"),
        ("metric", "where", "since"),
        lambda g: (
            f"the mean {str(g.get('metric', 'test_error')).replace('_', ' ')} of {g['curve']} over the last "
            f"doubling of the cost is at least {number_words(g['by'])} above that of its "
            "best earlier doubling" + (f" after {cost_words(g['since'])}" if "since" in g else "")
        ),
    ),
    "ended": Predicate(
        predicates.ended,
        ("solver", "because"),
        ("where", "share"),
        lambda g: (
            f"the share of runs of {g['solver']} that ended because of '{g['because']}' is "
            f"{_region({'share': g.get('share', [1.0, 1.0])}, 'share')}"
        ),
    ),
    "exact": Predicate(
        predicates.exact,
        ("value", "equals"),
        ("within",),
        lambda g: (
            f"{quantity_words(g['value'])} equals {quantity_words(g['equals'])}"
            + (f" to {number_words(g['within'])}" if "within" in g else "")
        ),
    ),
}
