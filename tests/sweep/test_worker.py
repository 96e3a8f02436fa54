"""What a warm worker keeps between runs, and a run in a process of its own."""

import contextlib

import pytest

from svmbench import config, data
from svmbench.store import Store
from svmbench.sweep.pool import _Last, alone
from svmbench.sweep.worker import LastDataset

SMALL = {"name": "checkerboard", "n_train": 10, "n_test": 0, "seed": 0}


def test_the_same_data_are_loaded_once(monkeypatch):
    asked = []
    real = data.load
    monkeypatch.setattr(data, "load", lambda *given, **keys: asked.append(given) or real(*given, **keys))
    load = LastDataset()
    first = load(SMALL)
    assert load(dict(SMALL)) is first
    other = load({**SMALL, "seed": 1})
    assert other.checksum != first.checksum
    assert load({**SMALL, "seed": 1}, directory=None) is other
    assert len(asked) == 2


def small(tmp_path, *overrides):
    own = ["dataset=twonorm", "dataset.n_train=60", "dataset.n_test=40", "budget=debug", "observe.points=3"]
    return config.resolve([*own, f"results={tmp_path}/results", f"data.dir={tmp_path}/data", *overrides])


def test_a_run_in_a_process_of_its_own_is_stored_and_then_found(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    asked = small(tmp_path, "solver=sbp")
    first = alone(asked, tmp_path)
    assert first["state"] == "done" and first["reason"].startswith("budget.kev=1e+06 reached")
    again = alone(asked, tmp_path)
    assert (again["state"], again["run"]) == ("found", first["run"])
    store = Store(asked.results)
    libraries = store.environment(store.find(first["run"]).manifest["environment"])["libraries"]
    assert libraries and all(library["architecture"] != "Nehalem" for library in libraries)


def test_what_is_refused_has_no_run(tmp_path):
    end = alone(small(tmp_path, "solver=smo", "problem.bias=unregularised"), tmp_path)
    assert (end["state"], end["run"]) == ("failed", None)
    assert end["reason"].startswith("smo cannot solve with problem.bias=unregularised")


def test_an_interrupt_is_passed_on_to_the_run(tmp_path, monkeypatch):
    told = []

    def tick(listener):
        with contextlib.suppress(OSError):  # a folder that is being renamed
            if not told and any(tmp_path.glob("results/runs/*/trace.csv")):
                told.append(True)
                raise KeyboardInterrupt

    monkeypatch.setattr(_Last, "tick", tick)
    asked = small(tmp_path, "solver=sbp", "budget.kev=null")
    with pytest.raises(KeyboardInterrupt):
        alone(asked, tmp_path)
    (run,) = Store(asked.results).runs()
    assert run.status == "interrupted" and run.reason.startswith("interrupted by SIGINT after")
