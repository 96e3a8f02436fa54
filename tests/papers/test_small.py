"""Every figure end to end at a small size: its solvers on a generated data set, in processes of their own."""

import dataclasses
import json

import pytest

from svmbench.papers import commands, ids
from svmbench.papers import paper as papers
from svmbench.papers.paper import PanelPlan, SolverPlan


def small(paper):
    """The first panel and the first seed of each solver, on a hundred points in the plane."""
    board = ("dataset=checkerboard", "dataset.n_train=100", "dataset.n_test=100", "kernel.gamma=2")
    limits = ("budget.kev=100000", "budget.memory=1")
    first = paper.panels[0]
    solvers = tuple(SolverPlan(solver.name, solver.seeds[:1]) for solver in paper.solvers)
    panel = PanelPlan(first.name, first.title, (*board, *limits))
    return dataclasses.replace(paper, panels=(panel,), solvers=solvers)


@pytest.mark.parametrize("name", ids())
def test_a_figure_runs_small_from_plan_to_reference(name, tmp_path, monkeypatch, capfd):
    figure = small(papers.load(name))
    monkeypatch.setattr(papers, "load", lambda paper_id: figure)
    results, count = str(tmp_path / "results"), len(figure.solvers)

    assert commands.run(name, results) == 0
    out, _ = capfd.readouterr()
    assert f"0 of {count} runs are stored" in out and out.count(": done, ") == count

    assert commands.run(name, results) == 0  # nothing is missing, nothing is run
    assert capfd.readouterr().out == f"{count} of {count} runs are stored\n"

    assert commands.draw(name, results) == 0
    assert commands.verdict(name, results) == 0
    document = json.loads((tmp_path / "results" / "figures" / name / "verdict.json").read_text())
    assert {run["state"] for run in document["runs"]} == {"stored"}
    assert commands.keep(name, results) == 0
    assert len(list((tmp_path / "results" / "reference" / "runs").iterdir())) == count


def test_a_failed_run_does_not_stop_the_others(tmp_path, monkeypatch, capfd):
    figure = small(papers.load("sbp-f2"))
    greedy, smo = SolverPlan("sbp", (0,), ("budget.memory=1e12",)), SolverPlan("smo", (0,))
    figure = dataclasses.replace(figure, solvers=(greedy, smo))
    monkeypatch.setattr(papers, "load", lambda paper_id: figure)
    assert commands.run("sbp-f2", str(tmp_path)) == 1
    out, err = capfd.readouterr()
    assert "smo reuters seed 0: done" in out
    assert err.startswith("1 of 2 runs failed:\n[1/2] sbp reuters seed 0: not enough memory")
