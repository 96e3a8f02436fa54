"""Shared by all tests: which data they may use, and that Ctrl-C reaches them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests on real data where there is no mirror, unless the checks demand them."""
    if item.get_closest_marker("real_data") is None or os.environ.get("SVMBENCH_MIRROR"):
        return
    if os.environ.get("SVMBENCH_REQUIRE_REAL_DATA"):
        pytest.fail("SVMBENCH_MIRROR is not set, and SVMBENCH_REQUIRE_REAL_DATA forbids to skip this test")
    pytest.skip("set SVMBENCH_MIRROR to a folder that holds the data sets")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises, also where the tests run in the background of a shell that has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
