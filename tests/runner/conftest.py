"""One small configuration, executed with the toy solver or with real ones."""

import copy

import pytest

from svmbench import data as datasets
from svmbench.run_config import RunConfig
from svmbench.runner import execute as module
from svmbench.solvers import registry
from svmbench.store import Store

from .fakes import BUDGET, Silent, Toy, two_clouds

CONFIG = {
    "solver": {"name": "toy", "accident": ""},
    "dataset": {"name": "clouds"},
    "kernel": {"name": "gaussian", "gamma": 0.3},
    "problem": {"lam": None, "C": 1.0, "bias": "none"},
    "budget": {**vars(BUDGET), "kev": 3000.0},
    "observe": {"points": 4},
    "seed": 0,
    "threads": 1,
    "prefetch": True,
    "data": {"mirror": None, "dir": None},
    "force": False,
}


@pytest.fixture
def store(tmp_path):
    """A store without runs."""
    return Store(tmp_path)


@pytest.fixture
def data():
    """Data that two classes share."""
    return two_clouds()


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Execute `CONFIG` with changed groups; ``make.config`` composes only, ``make.progress`` listens."""
    real = registry.get
    monkeypatch.setattr(registry, "get", lambda name: Toy if name == "toy" else real(name))
    monkeypatch.setattr(datasets, "load", lambda dataset, **_: two_clouds(name=dataset["name"]))

    def config(solver="toy", **changes):
        result = copy.deepcopy({**CONFIG, "results": str(tmp_path / "results")})
        if solver != "toy":
            result["solver"] = solver if isinstance(solver, dict) else {"name": solver}
        for key, value in changes.items():
            if isinstance(value, dict):
                result[key] = {**result[key], **value} if "name" not in value else value
            else:
                result[key] = value
        return RunConfig.of(result)

    def make(solver="toy", **changes):
        return module.execute(config(solver, **changes), progress=make.progress)

    make.config, make.progress = config, Silent()
    return make


def accident(what):
    return {"name": "toy", "accident": what}


def stored(make):
    """The runs that `make` has stored."""
    return Store(make.config().results).runs()
