"""Shared by all tests: which data they may use."""

from __future__ import annotations

import os

import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests on real data where there is no mirror, unless the checks demand them."""
    if item.get_closest_marker("real_data") is None or os.environ.get("SVMBENCH_MIRROR"):
        return
    if os.environ.get("SVMBENCH_REQUIRE_REAL_DATA"):
        pytest.fail("SVMBENCH_MIRROR is not set, and SVMBENCH_REQUIRE_REAL_DATA forbids to skip this test")
    pytest.skip("set SVMBENCH_MIRROR to a folder that holds the data sets")
