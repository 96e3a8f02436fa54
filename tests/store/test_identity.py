import copy

import pytest

from svmbench.run_config import RunConfig, relevant
from svmbench.store.identity import identity, run_id


def name(config, checksum="sum", version=1):
    return run_id(identity(RunConfig.of(config), checksum, version))


def test_name_of_a_known_configuration_never_changes(config):
    # Stored runs are found by this name: a change of it makes every stored run a stranger.
    same = {"version": 1, "config": relevant(config), "checksum": "sum", "solver_version": 1}
    assert run_id(same) == "sbp-twonorm-cb57aebcd499"


def reorder(config):
    return {key: config[key] for key in reversed(config)}


def whole_numbers(config):
    config["problem"]["C"] = 1
    config["budget"]["kev"] = 100_000_000
    return config


def other_place(config):
    config.update(results="/elsewhere", data={"mirror": "/m", "dir": "/d"}, force=True, prefetch=False)
    config["budget"]["name"] = "paper"
    config["dataset"]["suggested"] = {"gamma": 9.0, "C": 9.0}
    return config


@pytest.mark.parametrize("change", [reorder, whole_numbers, other_place])
def test_what_cannot_change_a_result_keeps_the_name(config, change):
    assert name(change(copy.deepcopy(config))) == name(config)


@pytest.mark.parametrize(
    ("group", "key", "value"),
    [
        ("solver", "nu", 0.1),
        ("dataset", "rows", 21),
        ("kernel", "gamma", 0.06),
        ("problem", "C", 2.0),
        ("budget", "kev", 1e7),
        ("budget", "memory", 65),
        ("observe", "points", 11),
        (None, "seed", 1),
        (None, "threads", 2),
    ],
)
def test_what_can_change_a_result_changes_the_name(config, group, key, value):
    other = copy.deepcopy(config)
    (other if group is None else other[group])[key] = value
    assert name(other) != name(config)


def test_data_and_solver_version_are_part_of_the_name(config):
    assert len({name(config), name(config, checksum="other"), name(config, version=2)}) == 3


def test_identity_leaves_the_configuration_alone(config):
    before = copy.deepcopy(config)
    identity(RunConfig.of(config), "sum", 1)
    assert config == before


def test_the_version_of_features_counts_where_there_are_any(config):
    with_features = {**config, "features": {"name": "nystrom", "s": 5}}
    names = {run_id(identity(RunConfig.of(with_features), "sum", 1, version)) for version in (None, 1, 2)}
    assert len(names | {run_id(identity(RunConfig.of(config), "sum", 1))}) == 4
    assert "features_version" not in identity(RunConfig.of(config), "sum", 1)
