"""Checkpoints that are missing from a trace."""

import itertools

import pytest

from svmbench.cli.main import main
from svmbench.recompute.charges import ONE_ROW
from svmbench.recompute.schedule import growth, missing
from svmbench.store import Store

from .test_consistency import SMALL

BUDGETS = {
    "iterations": "budget.iterations=300",
    **dict.fromkeys(("kev_ondemand", "kev_rowupdate", "kev_iter"), "budget.iterations=2000"),
}


@pytest.mark.parametrize(("solver", "counter"), [*itertools.product((*ONE_ROW, "smo_pair"), BUDGETS)])
def test_honest_traces_miss_no_checkpoint_and_others_are_found(solver, counter, tmp_path):
    bias = ["problem.bias=unregularised"] if solver == "smo_pair" else []
    words = [f"solver={solver}", f"budget.counter={counter}", BUDGETS[counter], *SMALL, *bias]
    assert main(["run", *words, f"results={tmp_path}"]) == 0
    run = Store(tmp_path).find(solver)
    about, rows = run.manifest, run.rows()
    assert list(missing(about, rows)) == []
    if growth(about) is None:
        assert solver == "smo_pair" and counter != "iterations"
        return
    found = [list(missing(about, [*rows[:k], *rows[k + 1 :]])) for k in range(len(rows) - 1)]
    if counter == "iterations" or solver in ("sbp", "smo"):  # each adds the same
        assert all(found)
        assert found[1][0].startswith(f"a checkpoint is missing at {counter} ")
    assert any(found)


def test_a_missing_checkpoint_of_a_linear_method_is_found(tmp_path):
    words = ["solver=asset", "kernel=linear", *SMALL, "budget.kev=5000"]
    assert main(["run", *words, f"results={tmp_path}"]) == 0
    run = Store(tmp_path).find("asset")
    about, rows = run.manifest, run.rows()
    assert list(missing(about, rows)) == []
    assert "a checkpoint is missing at inner_products " in next(missing(about, [*rows[:3], *rows[7:]]))


def test_several_problems_have_no_schedule_of_their_own(tmp_path):
    budget = {"counter": "iterations"}
    about = {"config": {"problem": {"multiclass": "one_vs_one"}, "budget": budget, "solver": {"name": "smo"}}}
    assert growth(about) is None and list(missing(about, [])) == []
