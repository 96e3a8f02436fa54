import dataclasses

import pytest

from svmbench.papers.paper import PanelPlan, Paper, SolverPlan
from svmbench.papers.plan import match, selection
from svmbench.store import Store
from svmbench.store.identity import identity

OVERRIDES = ("budget=debug",)


@pytest.fixture
def paper():
    return Paper(
        id="small",
        title="Small",
        source="a test",
        counters=("kev_ondemand",),
        overrides=OVERRIDES,
        panels=(PanelPlan("board", "Board", ("dataset=checkerboard",)),),
        solvers=(SolverPlan("sbp", (0, 1)), SolverPlan("smo", (0,))),
    )


def store_planned(root, run, status="budget", *, checksum="c", version=1, errors=(0.2,), **changes):
    config = {**run.config, **changes}
    manifest = {"config": config, "dataset": {"rows": {"train": 100}}}
    writer = Store(root).begin(identity(config, checksum, version), manifest)
    for number, error in enumerate(errors, start=1):
        writer.checkpoint({"iterations": number, "kev_ondemand": 100 * number, "test_error": error})
    return writer.finish(status, "test")


def test_what_is_stored_is_found_wherever_it_was_made(paper, tmp_path):
    first, second, _ = paper.runs()
    stored = store_planned(
        tmp_path, first, results="/elsewhere", force=True, data={"mirror": "/m", "dir": None}
    )
    store_planned(tmp_path, second, seed=7)
    states = [
        (found.planned.solver, found.planned.seed, found.state) for found in match(paper, Store(tmp_path))
    ]
    assert states == [("sbp", 0, "stored"), ("sbp", 1, "missing"), ("smo", 0, "missing")]
    assert match(paper, Store(tmp_path))[0].stored.id == stored.id


@pytest.mark.parametrize("key", ["kernel", "budget", "observe", "problem"])
def test_a_run_that_differs_in_what_matters_is_another(paper, tmp_path, key):
    run = paper.runs()[0]
    number = {"kernel": "gamma", "budget": "kev", "observe": "points", "problem": "C"}[key]
    store_planned(tmp_path, run, **{key: {**run.config[key], number: 3}})
    assert match(paper, Store(tmp_path))[0].state == "missing"


def test_the_newest_version_with_a_result_is_taken(paper, tmp_path):
    run = paper.runs()[0]
    store_planned(tmp_path, run, version=1)
    good = store_planned(tmp_path, run, version=2)
    store_planned(tmp_path, run, "failed", version=3)
    assert match(paper, Store(tmp_path))[0].stored.id == good.id


def test_the_version_of_a_rival_has_that_of_its_package_behind_it(paper, tmp_path):
    run = paper.runs()[0]
    store_planned(tmp_path, run, version="9, scikit-learn 1.9.1")
    newest = store_planned(tmp_path, run, version="10, scikit-learn 1.5.0")
    assert match(paper, Store(tmp_path))[0].stored.id == newest.id


def test_a_failed_run_is_not_a_result(paper, tmp_path):
    store_planned(tmp_path, paper.runs()[0], "failed")
    found = match(paper, Store(tmp_path))[0]
    assert (found.state, found.complete) == ("failed", False)


def test_the_selection_keeps_the_order_of_the_file_and_names_what_is_left_out(paper, tmp_path):
    for run in paper.runs()[1:]:
        store_planned(tmp_path, run)
    chosen = selection(paper, match(paper, Store(tmp_path)), "kev_ondemand")
    (panel,) = chosen.panels
    assert panel.dataset == "board" and [curve.label for curve in panel.curves] == ["SBP", "SMO"]
    assert chosen.left_out == [(paper.runs()[0].command, "missing")]
    (reversed_panel,) = selection(
        (other := dataclasses.replace(paper, solvers=paper.solvers[::-1])),
        match(other, Store(tmp_path)),
        "kev_ondemand",
    ).panels
    assert [curve.label for curve in reversed_panel.curves] == ["SMO", "SBP"]


def test_a_run_without_the_counter_is_left_out(paper, tmp_path):
    for run in paper.runs():
        store_planned(tmp_path, run)
    chosen = selection(paper, match(paper, Store(tmp_path)), "kev_iter")
    assert not chosen.panels
    assert {reason for _, reason in chosen.left_out} == {"kev_iter cannot be observed for this solver"}
