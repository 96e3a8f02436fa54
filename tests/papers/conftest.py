"""Configurations of papers' runs are composed once for all tests here, which ask for the same ones again."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from svmbench import config
from svmbench.config.folder import conf_dir


@pytest.fixture(autouse=True, scope="package")
def compositions() -> Iterator[None]:
    """`config.resolve` remembers its answers; each caller is given a copy."""
    compose = config.resolve
    known: dict[tuple[str, ...], Any] = {}

    def resolve(overrides: list[str], *options: Any, **named: Any) -> dict[str, Any]:
        if options or named:
            return compose(overrides, *options, **named)
        key = (str(conf_dir()), *overrides)
        if key not in known:
            known[key] = compose(overrides)
        return copy.deepcopy(known[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "resolve", resolve)
        yield
