"""Damage to every kind of stored file, once each; `tests.fuzz.flips` does it with larger numbers."""

from tests.fuzz.flips import KINDS, flip, replace


def test_a_flipped_byte_is_shown_by_nobody_and_takes_nothing_else_away(tmp_path):
    ends, wrong = flip(tmp_path, len(KINDS), seed=3)
    assert wrong == [] and sum(ends.values()) == len(KINDS)
    assert sum(count for end, count in ends.items() if end.endswith("found by verify")) >= len(KINDS) // 2


def test_a_pipe_a_link_or_a_folder_in_place_of_a_file_stops_no_command(tmp_path):
    _, wrong = flip(tmp_path, len(KINDS), seed=1, damage=replace)
    assert wrong == []
