"""A few flipped bytes in every kind of stored file; `tests.fuzz.flips` does it with larger numbers."""

from tests.fuzz.flips import KINDS, flip


def test_a_flipped_byte_is_shown_by_nobody_and_takes_nothing_else_away(tmp_path):
    ends, wrong = flip(tmp_path, len(KINDS), seed=3)
    assert wrong == [] and sum(ends.values()) == len(KINDS)
    assert sum(count for end, count in ends.items() if end.endswith("found by verify")) >= len(KINDS) // 2
