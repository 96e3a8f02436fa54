"""The resolved configuration: what is stored of it, and what of it tells one run from another."""

import dataclasses
import json
import lzma
from pathlib import Path

import pytest

from svmbench.errors import Damage
from svmbench.run_config import SECTIONS, BudgetConfig, Choice, RunConfig, relevant, role
from svmbench.store.identity import identity, run_id, without_ends

#: Configurations of 200 stored runs of every solver, as run.json holds them, with what identified each run.
STORED = Path(__file__).parent / "store" / "examples" / "configurations.jsonl.xz"

SBP = RunConfig(Choice("sbp", {"nu": "auto"}), Choice("twonorm"), Choice("linear"))


def stored():
    return [json.loads(line) for line in lzma.decompress(STORED.read_bytes()).splitlines()]


def test_stored_configurations_keep_every_byte():
    for known in stored():
        config = known["config"]
        document = RunConfig.of(config).document()
        if "prefetch" not in config:  # stored before there was a choice
            assert document.pop("prefetch") is True
        packed = list(config) == sorted(config)
        assert json.dumps(document, sort_keys=packed) == json.dumps(config)


def test_stored_runs_keep_their_names():
    found = stored()
    assert len({known["id"] for known in found}) == 200
    for known in found:
        config = RunConfig.of(known["config"])
        versions = known["checksum"], known["solver_version"], known["features_version"], known["derived"]
        same = identity(config, *versions)
        assert run_id(same) == known["id"]
        assert same["config"] == relevant(known["config"])
        assert without_ends(same) == known["without_ends"]


def test_a_document_of_another_version_is_read():
    document = SBP.document()
    del document["prefetch"], document["budget"]["test_error"]
    document["dataset"]["suggested"] = {"gamma": 1.0, "C": None}
    document["budget"]["later"] = document["later"] = 1
    config = RunConfig.of(document)
    assert dataclasses.replace(config, dataset=SBP.dataset) == SBP
    assert "suggested" not in config.identity()["dataset"]
    assert relevant(document)["budget"]["later"] == relevant(document)["later"] == 1
    assert role("later") == "method" and role("data.later") == "place"


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        (None, "seed", True),
        (None, "seed", 1.0),
        (None, "kernel", "gaussian"),
        (None, "solver", None),
        (None, "budget", None),
        ("kernel", "name", 1),
        ("budget", "kev", "auto"),
        ("observe", "train", 1),
    ],
)
def test_a_value_of_another_type_is_refused(section, key, value):
    document = SBP.document()
    (document if section is None else document[section])[key] = value
    with pytest.raises(Damage, match="in place of"):
        RunConfig.of(document)


def test_every_key_has_one_role():
    keys = [item.name for item in dataclasses.fields(RunConfig)]
    keys += [f"{name}.{item.name}" for name, kind in SECTIONS.items() for item in dataclasses.fields(kind)]
    assert {role(key) for key in keys} == {"problem", "method", "end", "place"}
    assert [key for key in keys if role(key) == "end"] == [
        f"budget.{name}" for name in ("kev", "iterations", "seconds", "gap", "test_error")
    ]


def test_a_budget_says_what_is_reached_and_left():
    budget = BudgetConfig(counter="kev_iter", kev=1e4, iterations=50, seconds=10.0, gap=1e-3)
    spent = {"kev_iter": 2500, "iterations": 10, "wall_seconds": 2.0}
    assert budget.ended(spent) is None
    assert budget.left(spent) == 6.0  # by kev_iter; 8 by iterations, 8 by seconds
    assert budget.ended({**spent, "iterations": 50}) == ("iterations", "budget.iterations=50 reached")
    full = {**spent, "kev_iter": 10_000, "wall_seconds": 11.0}
    assert budget.ended(full) == ("kev", "budget.kev=10000 reached by kev_iter")
    assert budget.reached({"relative_gap": 2e-3, "test_error": 0.0}) is None
    assert budget.reached({"relative_gap": 5e-4}) == "budget.gap=0.001 reached: relative_gap 0.0005"
    assert BudgetConfig().left(spent) is None
