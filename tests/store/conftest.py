"""Runs small enough to be made by hand."""

import copy

import pytest

from svmbench.run_config import RunConfig
from svmbench.store import Store
from svmbench.store.identity import identity

CONFIG = {
    "solver": {"name": "sbp", "nu": "auto"},
    "dataset": {"name": "twonorm", "rows": 20, "suggested": {"gamma": 0.05, "C": 1.0}},
    "kernel": {"name": "gaussian", "gamma": 0.05},
    "problem": {"lam": None, "C": 1.0, "bias": "none"},
    "budget": {"name": "quick", "counter": "kev_ondemand", "kev": 1.0e8, "memory": 64},
    "observe": {"points": 10},
    "seed": 0,
    "threads": 1,
    "results": "results",
    "data": {"mirror": None, "dir": None},
    "force": False,
}


@pytest.fixture
def config():
    return copy.deepcopy(CONFIG)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


@pytest.fixture
def begin(store):
    """Begin a run of `CONFIG` with another seed."""

    def begin(seed=0, force=False, into=store, waiting=None, **manifest):
        config = {**copy.deepcopy(CONFIG), "seed": seed}
        return into.begin(
            identity(RunConfig.of(config), "sum", 1), {"config": config, **manifest}, force, waiting
        )

    return begin
