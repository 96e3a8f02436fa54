import copy
import json

import pytest

from svmbench.files import digest
from svmbench.run_config import RunConfig, relevant
from svmbench.store.identity import derived_from, identity, ids_meant, run_id, underived, without_ends


def name(config, checksum="sum", version=1):
    return run_id(identity(RunConfig.of(config), checksum, version))


def test_name_of_a_known_configuration_never_changes(config):
    # Stored runs are found by this name: a change of it makes every stored run a stranger.
    same = {"version": 1, "config": relevant(config), "checksum": "sum", "solver_version": 1}
    assert run_id(same) == "sbp-twonorm-cb57aebcd499"


@pytest.mark.parametrize("seed", [0, 1, -1, 10**30, 987654321987654321, True, 2.0, None, "3"])
@pytest.mark.parametrize("checksum", ["sum", "987654321987654321"])
def test_a_digest_without_ends_is_that_of_the_whole_text_for_every_seed(config, seed, checksum):
    found = {"config": relevant({**config, "seed": seed}), "checksum": checksum}
    expected = digest({**found, "config": relevant(found["config"], "end")})
    assert without_ends(found) == expected
    assert without_ends(json.loads(json.dumps(found))) == expected


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


def test_the_version_of_identities_is_that_of_the_runs_that_are_stored(config):
    assert identity(RunConfig.of(config), "sum", 1)["version"] == 1


def test_an_identity_before_its_optimum_lacks_what_that_decides(config):
    same = identity(RunConfig.of(config), "sum", 1, derived={"nu": 0.12345678})
    assert same["derived"] == {"nu": 0.123457}
    assert underived(same) == identity(RunConfig.of(config), "sum", 1)


def test_derived_parameters_have_all_digits_where_an_older_optimum_has_no_others():
    optimum = {"nu": 0.123456789, "norm": 7.0}
    assert derived_from(optimum, "nu") == 0.123456789 and derived_from(optimum, "R") == 7.0
    assert derived_from({**optimum, "derived": {"nu": 0.12, "R": None}}, "nu") == 0.12
    assert derived_from({**optimum, "derived": {"nu": 0.12, "R": None}}, "R") is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sbp-adult-0123456789ab", ["sbp-adult-0123456789ab"]),
        ("sbp-adult-0123456789ab2", ["sbp-adult-0123456789ab2"]),
        ("sbp-adult", ["sbp-adult-0123456789ab", "sbp-adult-0123456789ab2"]),
        ("fedc", ["smo-adult-fedcba987654"]),  # four digits of a hash
        ("fed", []),
        ("fedcb", ["smo-adult-fedcba987654"]),
        ("adult", []),  # in the middle
        ("s", ["sbp-adult-0123456789ab", "sbp-adult-0123456789ab2", "smo-adult-fedcba987654"]),
        ("svm", []),
    ],
)
def test_a_name_means_an_id_its_prefix_or_that_of_its_hash(name, meant):
    ids = ["smo-adult-fedcba987654", "sbp-adult-0123456789ab2", "sbp-adult-0123456789ab"]
    assert ids_meant(name, iter(ids)) == meant
