"""The words on a sheet."""

from __future__ import annotations

import pytest

from svmbench.report.labels import power_of_ten


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "10⁰"),
        (1e6, "10⁶"),
        (1e-12, "10⁻¹²"),
        (1000.0000000001, "10³"),
        (2.5e6, "2.5×10⁶"),
        (0.05, "5×10⁻²"),
        (0.0, "0"),
        (-3e-6, "-3×10⁻⁶"),
    ],
)
def test_a_tick_is_written_as_a_power_of_ten(value, text):
    assert power_of_ten(value) == text
