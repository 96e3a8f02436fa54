"""Every file in conf/ is whole: it composes, its keys are those of the schema, each with a comment."""

import dataclasses
import functools
import tempfile
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import yaml
from omegaconf import OmegaConf

from svmbench import config, data, features
from svmbench.config import compose, folder, schema
from svmbench.config.plain import read_section
from svmbench.config.values import check_section, default, defaults_of, hints
from svmbench.counters import COUNTERS
from svmbench.kernels.functions import registry as kernels
from svmbench.run_config import SECTIONS, TOP, BudgetConfig
from svmbench.solvers import registry

CONF = folder.conf_dir()
#: The matrix of a precomputed kernel.
MATRIX = Path(tempfile.mkdtemp()) / "K.npy"
np.save(MATRIX, np.eye(2))
#: The options of svmbench, without those of plug-ins, and those that are files in conf/.
BUILT_IN = {"solver": registry.built_in(), "kernel": kernels.built_in()}
OPTIONS = [(group, name) for group in folder.GROUPS for name in BUILT_IN.get(group, folder.options(group))]
FILES = [pair for pair in OPTIONS if pair[0] not in folder.CLASSES]


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


def plain_schema(group: str, name: str) -> dict[str, Any]:
    return {
        item.name: default(item) for item in dataclasses.fields(schema_of(group, name)) if item.name != "name"
    }


def loaded(path: Path) -> dict[str, Any]:
    return OmegaConf.to_container(OmegaConf.load(path))


def leaves(tree: dict[str, Any], prefix: str = "") -> list[str]:
    found = []
    for key, value in tree.items():
        found += leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else [prefix + key]
    return found


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


def test_every_option_is_its_section_and_no_more():
    """So that Hydra composes once for all the runs of a sweep or of the papers."""
    assert all(read_section(CONF / group / f"{name}.yaml") for group, name in FILES)


@pytest.mark.parametrize(("group", "name"), FILES)
def test_a_file_has_the_name_of_its_option(group, name):
    assert yaml.safe_load((CONF / group / f"{name}.yaml").read_text())["name"] == name


@pytest.mark.parametrize(("group", "name"), [pair for pair in OPTIONS if pair not in FILES])
def test_the_parameters_of_a_class_have_a_help_and_allowed_defaults(group, name):
    kind = schema_of(group, name)
    keys = folder.class_keys(group, name)
    assert [key.name for key in keys] == [f"{group}.{item.name}" for item in dataclasses.fields(kind)]
    assert all(len(key.comment) >= 15 for key in keys)
    if name != "precomputed":  # which needs a file
        found = check_section(f"{group}.", {}, kind)
        assert found.items() <= defaults_of(kind).items()


@pytest.mark.parametrize(("group", "name"), [pair for pair in FILES if pair[0] != "budget"])
def test_a_file_states_the_defaults_of_its_schema(group, name):
    stated = loaded(CONF / group / f"{name}.yaml")
    stated.pop("name")
    stated.pop("suggested", None)
    assert stated == plain_schema(group, name)


@pytest.mark.parametrize("name", folder.options("budget"))
def test_a_budget_has_every_key(name):
    stated = loaded(CONF / "budget" / f"{name}.yaml")
    assert stated.keys() == {item.name for item in dataclasses.fields(BudgetConfig)}


def test_config_has_every_key():
    stated = loaded(CONF / "config.yaml")
    stated.pop("defaults")
    expected = {*TOP, *(item.name for item in dataclasses.fields(schema.Sweep))}
    expected |= {
        f"{section}.{item.name}"
        for section in ("problem", "observe", "validate", "data")
        for item in dataclasses.fields(SECTIONS[section])
    }
    assert set(leaves(stated)) == expected


@pytest.mark.parametrize(
    "path",
    [CONF / "config.yaml", *(CONF / group / f"{name}.yaml" for group, name in FILES)],
    ids=lambda p: p.stem,
)
def test_every_key_is_read_and_has_a_comment(path):
    keys = {key.name: key for key in folder.read_keys(path)}
    stated = loaded(path)
    assert [name for name in keys if name != "defaults"] == leaves(
        {k: v for k, v in stated.items() if k != "defaults"}
    )
    bare = [name for name, key in keys.items() if len(key.comment) < 15]
    assert not bare


def test_words_of_the_sections():
    keys = {key.name: key for key in folder.keys(folder.defaults())}
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
