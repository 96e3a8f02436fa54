import csv
import io

import pytest

from svmbench.papers.comparison import listing
from svmbench.papers.runs import Line, Panel
from svmbench.store import Store
from tests.figures.stored import ALONE

from . import written
from .written import artifact

KNOWN = {"objective": 0.25, "mistakes": 7, "support_vectors": 11}
SMO = {"known": {"board": 4.5}}


def paper(known=KNOWN, baseline="", **solvers):
    panels = [Panel("board", "Board", "dataset=checkerboard", known=known)]
    lines = [Line(name, **(keys or {})) for name, keys in solvers.items()]
    return artifact(lines, kind="listing", panels=panels, baseline=baseline)


def store(root, run, *, status="converged", title="Titled", optimum=None, load=None, **last):
    row = {"iterations": 5, "kev_ondemand": 2_000_000, **last}
    return written.store(root, run, [row], status=status, title=title, optimum=optimum, load=load)


def rows(made):
    return {row["line"]: row for row in csv.DictReader(io.StringIO(made["csv"]))}


def compared(plan, root):
    return listing(written.material(plan, root))


def test_every_line_is_held_against_the_greatest_bound(tmp_path):
    plan = paper(smo=SMO, sdca=None, sbp=None)
    smo, sdca, sbp = plan.runs.planned()
    own = {"dual_source": "solver"}
    store(tmp_path, smo, primal_objective=0.26, dual_objective=0.24, relative_gap=0.02 / 0.26, **own)
    store(tmp_path, sdca, primal_objective=0.3, dual_objective=0.2, relative_gap=1 / 3, **own)
    store(tmp_path, sbp, primal_objective=0.32, dual_objective=0.23, dual_source="optimum", relative_gap=0.1)
    made = rows(compared(plan, tmp_path))
    assert {float(row["lower_bound"]) for row in made.values()} == {0.24}
    assert float(made["sdca"]["suboptimality"]) == pytest.approx(0.06 / 0.3)
    assert float(made["sbp"]["suboptimality"]) == pytest.approx(0.08 / 0.32)
    page = compared(plan, tmp_path)["md"]
    assert "| 7.7e-02 |" in page
    assert "Optimum: from 0.24, by the dual point of Titled, to 0.26; known 0.25" in page
    (line,) = [line for line in page.splitlines() if "0.32" in line]
    assert "2.5e-01" in line and "1.0e-01" not in line  # the gap is that of an own dual point only


def test_a_stored_optimum_is_a_bound_and_shows_its_numbers(tmp_path):
    plan = paper(smo=SMO)
    hash = Store(tmp_path).put_optimum(
        {"key": "a", "primal": 0.2501, "dual": 0.25, "test_mistakes": 8, "support_vectors": 12}
    )
    store(tmp_path, plan.runs.planned()[0], primal_objective=0.5, optimum=hash)
    page = compared(plan, tmp_path)["md"]
    assert "from 0.25, by the stored optimum, to 0.2501; known 0.25, the latter is +4.0e-04 of it" in page
    assert "test errors there: 8, known 7; support vectors: 12, known 11." in page
    assert "5.0e-01" in page


def test_bounds_do_not_cross_from_one_problem_to_another(tmp_path):
    plan = paper(smo=SMO, tight={"solver": "smo", "overrides": "problem.C=1"})
    first, other = plan.runs.planned()
    store(tmp_path, first, primal_objective=0.3, dual_objective=0.2, dual_source="solver")
    store(tmp_path, other, primal_objective=0.9, dual_objective=0.8, dual_source="solver")
    made = rows(compared(plan, tmp_path))
    assert float(made["smo"]["lower_bound"]) == 0.2 and float(made["tight"]["lower_bound"]) == 0.8
    assert "The lines solve several problems" in compared(plan, tmp_path)["md"]


def test_the_peer_is_what_objectives_are_compared_with(tmp_path):
    plan = paper(sbp=None, smo=SMO, sdca=None, baseline="sdca")
    sbp, smo, sdca = plan.runs.planned()
    store(tmp_path, sbp, primal_objective=0.6)
    store(tmp_path, smo, primal_objective=0.303)
    store(tmp_path, sdca, primal_objective=0.3)
    made = rows(compared(plan, tmp_path))
    assert float(made["smo"]["against_baseline"]) == pytest.approx(0.01)
    assert float(made["sbp"]["against_baseline"]) == pytest.approx(1.0)
    assert made["sdca"]["against_baseline"] == ""
    page = compared(plan, tmp_path)["md"]
    assert "against baseline" in page and "+1.0e-02" in page
    assert (
        "\nNo bound of the optimum is certified; known optimum 0.25; test errors there: known 7; "
        "support vectors: known 11.\n"
    ) in page


def test_a_line_says_how_it_ended_and_what_it_took(tmp_path):
    plan = paper(smo=SMO)
    last = {"primal_objective": 0.3, "test_error": 0.043, "test_mistakes": 43, "cpu_seconds": 1.25}
    store(tmp_path, plan.runs.planned()[0], status="timeout", title="SMO", load=ALONE, **last)
    (line,) = [line for line in compared(plan, tmp_path)["md"].splitlines() if line.startswith("| SMO")]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    numbers = ["0.3", "43", "4.30", "4.50", "2.0e6", "1.0e3", "1.2", "12"]
    assert cells == ["SMO", *numbers, "timeout: the test says so"]
    # In the CSV all errors are fractions.
    assert rows(compared(plan, tmp_path))["smo"]["known_test_error"] == "0.045"


def test_seconds_of_a_run_that_was_not_alone_stand_in_parentheses(tmp_path):
    plan = paper(smo=SMO)
    store(tmp_path, plan.runs.planned()[0], title="SMO", cpu_seconds=1.25, load={**ALONE, "others": 0.5})
    assert "| (1.2)" in compared(plan, tmp_path)["md"]


def test_what_is_not_stored_is_a_line_too(tmp_path):
    page = compared(paper(smo=SMO), tmp_path)
    assert "0 of 1 runs are stored" in page["md"] and "| missing |" in page["md"]
    assert rows(page)["smo"]["primal_objective"] == ""
    assert rows(page)["smo"]["command"].startswith("svmbench run solver=smo")


def test_a_run_without_a_result_says_why_and_shows_no_numbers(tmp_path):
    plan = paper(smo=SMO, sdca=None)
    smo, sdca = plan.runs.planned()
    own = {"primal_objective": 0.3, "dual_objective": 0.29, "dual_source": "solver"}
    store(tmp_path, smo, status="out_of_memory", **own)
    store(tmp_path, sdca, primal_objective=0.4)
    made = compared(plan, tmp_path)
    assert "out_of_memory: the test says so" in made["md"]
    assert rows(made)["smo"]["primal_objective"] == "" and rows(made)["sdca"]["lower_bound"] == ""


def test_a_stale_run_shows_no_numbers(tmp_path):
    plan = paper(smo=SMO)
    written.store(tmp_path, plan.runs.planned()[0], [{"primal_objective": 0.3}], version=0)
    page = compared(plan, tmp_path)
    assert "stale: made by version 0 of smo" in page["md"]
    assert rows(page)["smo"]["primal_objective"] == ""
