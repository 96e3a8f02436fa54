"""No bound of a duality gap is below the truth in extended precision, and a bound that is is seen."""

import dataclasses
from collections import Counter

from tests.truth.bounds import bounds, case, complaints


def test_no_bound_of_any_kind_is_below_the_truth():
    made: Counter[str] = Counter()
    for number in range(1_000_000, 1_000_160):
        given = case(number)
        if given is not None:
            for bound in bounds(given):
                made[bound.kind] += 1
                made["weighted"] += given.problem.weights is not None
                assert complaints(given, bound) == [], number
    assert made["rounding"] > 100 and made["float64"] > 20 and made["confidence"] > 20, made
    assert made["weighted"] > 100, made


def test_a_bound_below_the_truth_is_seen():
    given = next(made for made in map(case, range(100)) if made is not None)
    for bound in bounds(given):
        assert complaints(given, bound) == []
        low = {"gap": bound.gap * 0.99 - 1e-6, "relative_gap": bound.relative_gap * 0.99 - 1e-6}
        assert len(complaints(given, dataclasses.replace(bound, **low))) == 2
        off = {"primal": bound.primal + 1e-3 + bound.error, "error": 0.0}
        assert len(complaints(given, dataclasses.replace(bound, **off))) >= 1
