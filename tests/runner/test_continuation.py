"""More budget, same run: a run continued from its state is the run in one piece."""

import numpy as np
import pytest

from svmbench import config
from svmbench.runner import loop
from svmbench.runner.execute import execute
from svmbench.solvers import registry
from svmbench.store import RunWriter, StorageError, Store

from .fakes import Silent

RESUMABLE = [name for name in registry.built_in() if registry.get(name).resumable]
DATA = ["dataset.n_train=120", "dataset.n_test=60", "observe.points=4"]
CLOCKS = ["wall_seconds", "cpu_seconds", "kev_computed", "inner_products", "kev_discarded"]

#: So that runs on so few examples take many iterations.
SMALL = {
    "bsgd": ["solver.budget=10"],
    "decomposition": ["solver.working_set=4"],
    "gpdt": ["solver.q=4"],
    "svm_light": ["solver.q=4"],
    "sgd_ball": ["solver.R=30.0"],
}


def make(results, solver, *overrides, progress=None):
    words = [f"solver={solver}", *DATA, f"results={results}", *overrides]
    outcome = execute(config.resolve(words), progress=progress or Silent())
    return outcome.run


def same(one, other):
    counted_alone = registry.get(one.solver).access == "linear"  # of a kernel method they follow the cache
    clocks = [name for name in CLOCKS if not (counted_alone and name == "inner_products")]
    assert one.trace().drop(columns=clocks).equals(other.trace().drop(columns=clocks))
    assert (one.id, one.status, one.reason) == (other.id, other.status, other.reason)
    a, b = one.model(), other.model()
    assert np.array_equal(a.indices, b.indices) and np.array_equal(a.coefficients, b.coefficients)


def test_a_budget_that_the_cache_decides_begins_anew(tmp_path):
    parts = ["budget.counter=inner_products", "problem.C=100"]
    short = make(tmp_path / "a", "smo", *parts, "budget.kev=3000")
    long = make(tmp_path / "a", "smo", *parts, "budget.kev=9000")
    whole = make(tmp_path / "b", "smo", *parts, "budget.kev=9000")
    assert (short.status, long.status) == ("budget", "budget")
    assert "continued" not in long.manifest
    assert long.trace()["iterations"].equals(whole.trace()["iterations"])


@pytest.mark.parametrize("solver", RESUMABLE)
def test_more_iterations_go_on_bit_for_bit(tmp_path, solver):
    kernel = "linear" if registry.get(solver).access == "linear" else "gaussian"
    own = SMALL.get(solver, [])
    own += ["solver.nu=0.1"] if registry.get(solver).form == "slack-constrained" else []
    biases = registry.get(solver).biases
    for bias in biases:
        parts = [f"kernel={kernel}", "problem.C=100", f"problem.bias={bias}", *own]
        whole = make(tmp_path / f"{bias}-b", solver, *parts, "budget.iterations=400")
        count = whole.summary()["iterations"]
        assert count >= 3
        for cut in sorted({1, count // 2}):
            middle = make(tmp_path / bias, solver, *parts, f"budget.iterations={cut}")
        longer = make(tmp_path / bias, solver, *parts, "budget.iterations=400")
        assert longer.manifest["continued"] == {"run": middle.id, "iterations": cut}
        same(longer, whole)


def test_a_solver_that_keeps_no_state_says_so(tmp_path):
    listener = Silent()
    first = make(tmp_path, "randsvm", "budget.iterations=3")
    assert first.status == "budget"
    longer = make(tmp_path, "randsvm", "budget.iterations=4", progress=listener)
    assert f"{first.id} has no stored state: starting again" in listener.said
    assert "continued" not in longer.manifest and longer.summary()["iterations"] == 4
    listener = Silent()
    make(tmp_path, "randsvm", "budget.iterations=1", progress=listener)  # smaller: nothing to go on with
    assert not any("no state" in sentence for sentence in listener.said)


@pytest.mark.parametrize("solver", ["pegasos", "sdca", "perceptron"])
@pytest.mark.parametrize(
    ("first", "grid"),
    [
        ("3e4", ()),  # on the grid of checkpoints or not
        ("12345", ()),
        ("12345", ("observe.points=10", "observe.every=5000")),
    ],
)
def test_more_budget_goes_on_bit_for_bit(tmp_path, solver, first, grid):
    own = {"perceptron": ["solver.average=true"]}.get(solver, [])
    parts = ["budget.counter=kev_iter", "problem.C=100", *own, *grid]
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
    monkeypatch.setattr(loop, "KEPT_COST", 0.0)
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
        patch.setattr(loop, "KEPT_COST", 0.0)
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
