"""More budget, same run: a run continued from its state is the run in one piece."""

import numpy as np
import pytest

from svmbench import config
from svmbench.runner import loop
from svmbench.runner.execute import execute
from svmbench.solvers import registry
from svmbench.store import RunWriter, StorageError, Store

from .fakes import Silent

RESUMABLE = [name for name in registry.names() if registry.get(name).resumable]
DATA = ["dataset.n_train=120", "dataset.n_test=60", "observe.points=4"]
CLOCKS = ["wall_seconds", "cpu_seconds", "kev_computed", "inner_products", "kev_discarded"]


def make(results, solver, *overrides, progress=None):
    words = [f"solver={solver}", *DATA, f"results={results}", *overrides]
    outcome = execute(config.resolve(words), progress=progress or Silent())
    return outcome.run


def same(one, other):
    assert one.trace().drop(columns=CLOCKS).equals(other.trace().drop(columns=CLOCKS))
    assert (one.id, one.status, one.reason) == (other.id, other.status, other.reason)
    a, b = one.model(), other.model()
    assert np.array_equal(a.indices, b.indices) and np.array_equal(a.coefficients, b.coefficients)


def test_some_solvers_can_go_on():
    assert {"pegasos", "sdca", "perceptron"} <= set(RESUMABLE)


@pytest.mark.parametrize("solver", RESUMABLE)
@pytest.mark.parametrize("first", ["3e4", "12345"])  # on the grid of checkpoints or not
def test_more_budget_goes_on_bit_for_bit(tmp_path, solver, first):
    own = {"perceptron": ["solver.average=true"]}.get(solver, [])
    parts = ["budget.counter=kev_iter", "problem.C=100", *own]
    make(tmp_path / "a", solver, *parts, "budget.kev=2000")
    middle = make(tmp_path / "a", solver, *parts, f"budget.kev={first}")
    longer = make(tmp_path / "a", solver, *parts, "budget.kev=2e5")
    assert longer.manifest["continued"] == {
        "run": middle.id, "iterations": middle.summary()["iterations"],
    }  # fmt: skip
    same(longer, make(tmp_path / "b", solver, *parts, "budget.kev=2e5"))
    assert len(Store(tmp_path / "a").runs()) == 3  # the shorter ones stay


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch):
    class Stopper(Silent):
        def observed(self, row):
            if row["iterations"] > 300:
                raise KeyboardInterrupt("SIGINT")

    parts = ["budget.kev=2e5", "budget.counter=kev_iter"]
    monkeypatch.setattr(loop, "KEPT_EVERY", -1.0)
    broken = make(tmp_path / "a", "pegasos", *parts, progress=Stopper())
    assert broken.status == "interrupted" and (broken.path / "state.npz").is_file()
    again = make(tmp_path / "a", "pegasos", *parts)
    assert again.manifest["continued"]["run"] == broken.id and again.status == "budget"
    same(again, make(tmp_path / "b", "pegasos", *parts))


def test_a_killed_run_goes_on(tmp_path, monkeypatch):
    parts = ["budget.kev=2e5", "budget.counter=kev_iter"]
    written = RunWriter.checkpoint

    def full(writer, row):
        if row["iterations"] > 300:
            raise StorageError("the disk is full")
        written(writer, row)

    with monkeypatch.context() as patch:
        patch.setattr(loop, "KEPT_EVERY", -1.0)
        patch.setattr(RunWriter, "checkpoint", full)
        with pytest.raises(StorageError):
            make(tmp_path / "a", "sdca", *parts)
    (killed,) = Store(tmp_path / "a").runs()
    assert killed.status == "killed"
    again = make(tmp_path / "a", "sdca", *parts)
    assert again.manifest["continued"]["run"] == killed.id == again.id
    same(again, make(tmp_path / "b", "sdca", *parts))


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"no")])
def test_without_its_state_a_run_begins_anew(tmp_path, damage):
    run = make(tmp_path, "pegasos", "budget.kev=1e4")
    damage(run.path / "state.npz")
    longer = make(tmp_path, "pegasos", "budget.kev=2e4")
    assert "continued" not in longer.manifest


def test_another_problem_or_a_smaller_budget_begins_anew(tmp_path):
    make(tmp_path, "pegasos", "budget.kev=2e4")
    for other in (["budget.kev=1e4"], ["budget.kev=3e4", "seed=1"], ["budget.kev=3e4", "kernel.gamma=3"]):
        assert "continued" not in make(tmp_path, "pegasos", *other).manifest
    assert "continued" not in make(tmp_path, "pegasos", "budget.kev=4e4", "force=true").manifest


def test_a_target_that_was_reached_before_is_no_continuation(tmp_path):
    make(tmp_path, "pegasos", "budget.kev=5e4")
    ended = make(tmp_path, "pegasos", "budget.kev=6e4", "budget.test_error=0.4")
    assert "continued" not in ended.manifest and "test_error" in ended.reason
