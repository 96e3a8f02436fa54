"""Every option is whole: it composes, and each of its keys has a help and an allowed default."""

import dataclasses
import functools
import tempfile
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from svmbench import config, data, features
from svmbench.config import compose, folder, options, schema
from svmbench.counters import COUNTERS
from svmbench.kernels.functions import registry as kernels
from svmbench.option import check_section, hints
from svmbench.run_config import SECTIONS, TOP, BudgetConfig
from svmbench.solvers import registry

#: The matrix of a precomputed kernel.
MATRIX = Path(tempfile.mkdtemp()) / "K.npy"
np.save(MATRIX, np.eye(2))
#: The options of svmbench, without those of plug-ins.
BUILT_IN = {"solver": registry.built_in(), "kernel": kernels.built_in()}
OPTIONS = [(group, name) for group in folder.GROUPS for name in BUILT_IN.get(group, folder.options(group))]


def schema_of(group: str, name: str) -> type:
    if group == "solver":
        return registry.get(name).Params
    if group == "dataset":
        return data.schema(name)
    if group == "features":
        return schema.NoFeatures if name == "none" else features.get(name).Params
    if group == "kernel":
        return kernels.get(name)
    return BudgetConfig if group == "budget" else schema.LAUNCHERS[name]


def chosen(group: str, name: str) -> tuple[str, ...]:
    """Return the overrides of a run of an option, with what it has no defaults for."""
    if name == "precomputed":
        return (f"{group}={name}", f"kernel.path={MATRIX}")
    return (f"{group}={name}", *(("kernel.gamma=1", "problem.C=1") if name == "file" else ()))


@functools.cache
def composed_together() -> dict[tuple[str, ...], dict[str, Any]]:
    """Return the runs of all options, composed together."""
    runs = [chosen(group, name) for group, name in OPTIONS if group != "launcher"]
    return dict(zip(runs, config.resolve_all(runs), strict=True))


@pytest.mark.parametrize(("group", "name"), OPTIONS)
def test_every_option_composes(group, name):
    overrides = chosen(group, name)
    if group == "launcher":  # of a sweep, and part of no run
        assert compose.jobs(overrides)[1]["launcher"]["name"] == name
        return
    found = getattr(composed_together()[overrides], group)
    assert found is None if (group, name) == ("features", "none") else found.name == name


@pytest.mark.slow
@pytest.mark.parametrize(("group", "name"), [pair for pair in OPTIONS if pair[0] != "launcher"])
def test_every_option_composes_alone_as_among_many(group, name):
    overrides = chosen(group, name)
    assert config.resolve(overrides) == composed_together()[overrides]


@pytest.mark.parametrize(("group", "name"), OPTIONS)
def test_every_key_has_a_help_and_an_allowed_default(group, name):
    keys = {key.name: key for key in options.keys({**options.defaults(), group: name})}
    assert all(len(key.comment) >= 15 for key in keys.values())
    named = [item.name for item in dataclasses.fields(schema_of(group, name)) if item.name != "name"]
    assert {f"{group}.{one}" for one in named} <= keys.keys()
    if name != "precomputed":  # which needs a file
        given = options.filled(group, options.option_of(group, name, ()).tree[group])
        kept = {key: value for key, value in given.items() if key not in ("name", "suggested")}
        assert check_section(f"{group}.", kept, schema_of(group, name)).keys() <= given.keys()


def test_every_key_of_a_run_has_a_help():
    keys = {key.name for key in options.keys(options.defaults())}
    expected = {*TOP, *(item.name for item in dataclasses.fields(schema.Sweep))}
    expected |= {
        f"{section}.{item.name}" for section, kind in SECTIONS.items() for item in dataclasses.fields(kind)
    }
    assert expected - keys == {"budget.name"}


def test_words_of_the_sections():
    keys = {key.name: key for key in options.keys(options.defaults())}
    assert tuple(keys["problem.bias"].choices) == ("none", "unregularised")
    assert keys["force"].choices == ["true", "false"]
    assert keys["budget.counter"].choices == [*COUNTERS, "null"]
    assert keys["solver.nu"].choices == ["auto"]


def test_the_type_of_every_field_is_one_that_the_checks_know():
    """A new kind of hint would be refused with any value."""
    known = {int, float, str, bool, type(None), list[int], list[int | str], dict[str, Any]}
    for group, name in OPTIONS:
        kind = schema_of(group, name)
        for hint in hints(kind).values():
            assert set(get_args(hint)) <= known if get_args(hint) else hint in known, (group, name, hint)
