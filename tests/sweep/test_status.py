"""What a sweep says of itself while it runs."""

from __future__ import annotations

import pytest

from svmbench.sweep.status import duration


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_times_in_words(seconds, text):
    assert duration(seconds) == text
