"""No bound of a duality gap is below the truth in extended precision, and the survey sees one that is."""

from __future__ import annotations

import dataclasses

from tests.truth.bounds import bounds, case, complaints, survey


def test_no_bound_of_any_kind_is_below_the_truth():
    made, wrong = survey(60, seed=1_000_000)
    assert wrong == []
    assert min(made[kind] for kind in ("rounding", "confidence", "float64")) >= 60


def test_a_bound_below_the_truth_is_seen():
    posed = next(made for made in map(case, range(100)) if made is not None)
    for bound in bounds(posed, 1e-6):
        assert complaints(posed, bound) == []
        low = {"gap": bound.gap * 0.99 - 1e-6, "relative_gap": bound.relative_gap * 0.99 - 1e-6}
        assert len(complaints(posed, dataclasses.replace(bound, **low))) == 2
        off = {"primal": bound.primal + 1e-3 + bound.error, "error": 0.0}
        assert len(complaints(posed, dataclasses.replace(bound, **off))) >= 1
