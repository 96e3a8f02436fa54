"""Every figure and table end to end at a small size, on a generated data set, in processes of their own."""

import csv
import dataclasses
import json

import pytest

from svmbench.papers import commands, ids
from svmbench.papers import paper as papers
from svmbench.papers.paper import PanelPlan

FIGURES = [name for name in ids() if not papers.load(name).is_table]
TABLES = [name for name in ids() if papers.load(name).is_table]


def small(paper):
    """The first panel and the first seed of each solver, on a hundred points in the plane."""
    board = ("dataset=checkerboard", "dataset.n_train=100", "dataset.n_test=100")
    limits = ("budget.kev=100000", "budget.memory=1")
    sample = ("features.s=20",) if "features=nystrom" in paper.overrides else ()
    first = paper.panels[0]
    solvers = tuple(dataclasses.replace(solver, seeds=solver.seeds[:1]) for solver in paper.solvers)
    panel = PanelPlan(first.name, first.title, (*board, *limits, *sample))
    return dataclasses.replace(paper, panels=(panel,), solvers=solvers)


@pytest.mark.parametrize("name", FIGURES)
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


@pytest.mark.parametrize("name", TABLES)
def test_a_table_runs_small_from_plan_to_reference(name, tmp_path, monkeypatch, capfd):
    whole = small(papers.load(name))
    monkeypatch.setattr(papers, "load", lambda paper_id: whole)
    count = len(whole.solvers)

    assert commands.table_of(name, str(tmp_path)) == 0  # nothing is stored: every line is there and says so
    pages = [tmp_path / "tables" / f"{name}.{ending}" for ending in ("md", "csv")]
    assert pages[0].read_text().count("| missing ") == count
    assert commands.run(name, str(tmp_path)) == 0
    assert capfd.readouterr().out.count(": done, ") == count

    assert commands.table_of(name, str(tmp_path)) == 0
    page = pages[0].read_text()
    assert f"{count} of {count} runs are stored" in page and "missing" not in page
    with pages[1].open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["line"] for row in rows] == [solver.name for solver in whole.solvers]
    # A run on explicit features has another problem, of which no optimum is certified.
    certified = not any(override.startswith("features=") for override in whole.overrides)
    assert [float(row["suboptimality"] or "nan") >= 0.0 for row in rows] == [certified] * count
    assert all(row["status"] in ("converged", "budget", "timeout") for row in rows)

    assert commands.keep(name, str(tmp_path)) == 0
    reference = tmp_path / "reference"
    assert len(list((reference / "runs").iterdir())) == count
    again = tmp_path / "again"
    again.mkdir()
    reference.rename(again / "reference")  # as in a fresh clone
    assert commands.table_of(name, str(again)) == 0
    for path in pages:
        assert path.read_bytes() == (again / "tables" / path.name).read_bytes()
        assert path.read_bytes() == (again / "reference" / "tables" / path.name).read_bytes()


def test_a_failed_run_does_not_stop_the_others(tmp_path, monkeypatch, capfd):
    figure = small(papers.load("sbp-f2"))
    greedy, smo = (
        dataclasses.replace(solver, overrides=given)
        for solver, given in ((figure.solvers[0], ("budget.memory=1e12",)), (figure.solvers[3], ()))
    )
    figure = dataclasses.replace(figure, solvers=(greedy, smo))
    monkeypatch.setattr(papers, "load", lambda paper_id: figure)
    assert commands.run("sbp-f2", str(tmp_path)) == 1
    out, err = capfd.readouterr()
    assert "smo reuters seed 0: done" in out
    assert err.startswith("1 of 2 runs failed:\n[1/2] sbp reuters seed 0: not enough memory")
