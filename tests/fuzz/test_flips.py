"""Damage to every kind of stored file, once each; `tests.fuzz.flips` does it with larger numbers."""

import json

from svmbench.data import cache
from svmbench.files import digest
from tests.fuzz.flips import KINDS, flip, replace


def test_a_flipped_byte_is_shown_by_nobody_and_takes_nothing_else_away(tmp_path):
    ends, wrong = flip(tmp_path, len(KINDS), seed=3)
    assert wrong == [] and sum(ends.values()) == len(KINDS)
    assert sum(count for end, count in ends.items() if end.endswith("found by verify")) >= len(KINDS) // 2


def test_a_pipe_a_link_or_a_folder_in_place_of_a_file_stops_no_command(tmp_path):
    _, wrong = flip(tmp_path, len(KINDS), seed=1, damage=replace)
    assert wrong == []


def test_a_sealed_manifest_with_an_empty_stamp_is_damage(tmp_path):
    content = {"name": "", "checksum": "", "parts": {}, "info": {}, "files": {"train.y.npy": ""}}
    tmp_path.joinpath("train.y.npy").touch()
    tmp_path.joinpath("manifest.json").write_text(json.dumps({**content, "check": digest(content, 64)}))
    assert cache.load(tmp_path) is None and not cache.verify(tmp_path)[0]
