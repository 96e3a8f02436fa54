"""Tables of cells in their formats."""

from types import SimpleNamespace

import numpy as np
import pytest

from svmbench.figures.latex import tabular
from svmbench.papers.artifact import Grid
from svmbench.papers.drawing import draw
from svmbench.papers.estimate import NotAttempted
from svmbench.papers.grid_table import _cell, _deviation, _legend, grid_table
from svmbench.papers.keys import Key, N
from svmbench.papers.quantities import EACH, Arrival, Value
from svmbench.papers.runs import Group, Line, Panel, Runs

from .written import artifact, errors, filled, material, store


def test_cells_are_plain_text_to_latex():
    row = [("a_b & c {d} #1 50 %", False), ("1.2 ± 0.1 – $5 \\x", True)]
    lines = tabular([[("", 1), ("γ = 1, λ = 10⁻⁴", 1)]], [row], 1).splitlines()
    assert lines[2] == r" & $\gamma$ = 1, $\lambda$ = 10$^-$$^4$ \\"
    assert lines[4] == r"a\_b \& c \{d\} \#1 50 \% & \textbf{1.2 $\pm$ 0.1 -- \$5 \textbackslash{}x} \\"
    assert lines[:2] == [r"\begin{tabular}{lr}", r"\toprule"]
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def grid(cell, values, **keys):
    return Grid("", "T", "S", cell=cell, values=values, **keys)


@pytest.fixture
def known(monkeypatch):
    """The values of each seed, by metric; none where they are not there."""
    there = {}

    def values(given, evidence):
        found = there.get(given.metric, evidence)
        if found is None:
            raise NotAttempted("no runs")
        return np.array(found)

    monkeypatch.setattr(Value, "values", values)
    return there


def test_a_single_run_shows_no_deviation(known):
    values = {
        "error": ("mean", Value(EACH, "test_error")),
        "sd": ("sd", Value(EACH, "train_error")),
        "vectors": Value(EACH, "support_vectors"),
    }
    made, line = grid("{error:.2f} ± {sd:.2f} %, {vectors:,.0f} SV", values), SimpleNamespace(name="sbp")
    known |= {"test_error": [8.0], "train_error": [8.0], "support_vectors": [12.0]}
    assert _cell(None, made, "adult", line) == "8.00 %, 12 SV"
    known["train_error"] = [8.0, 8.0]
    assert _cell(None, made, "adult", line) == "8.00 ± 0.00 %, 12 SV"
    assert "Without ±: a single run" in _legend(made)


def test_a_cell_shows_the_numbers_that_are_there(known):
    values = {"small": Value(EACH, "cpu_seconds"), "large": Value(EACH, "wall_seconds")}
    made, line = grid("{small:.1f} s, {large:.1f} s", values), SimpleNamespace(name="libsvm")
    known["cpu_seconds"] = [2.0, 4.0]
    assert _cell(None, made, "adult", line) == "3.0 s, – s"
    known.clear()
    assert _cell(None, made, "adult", line) == "–"


def test_a_table_has_a_row_of_cells_for_each_panel_and_one_of_published_values(monkeypatch):
    def values(given, evidence):
        if (evidence, given.solver) == ("mnist", "sbp"):
            raise NotAttempted("no runs")
        return np.array([1.0, 2.0, 6.0])

    for kind in (Value, Arrival):
        monkeypatch.setattr(kind, "values", values)
    made = grid(
        "{mid:.1f} [{mean:.1f}]",
        {"mid": Value(EACH), "mean": ("mean", Arrival(EACH, "train_error", level=1))},
        runs=Runs(
            "",
            [Panel("adult", "Adult"), Panel("mnist", "MNIST")],
            [Line("sbp"), Line("smo"), Line("peg", title="Pegasos")],
        ),
        counters="kev_iter",
        hidden="smo",
        published={"adult": {"sbp": "15.2"}},
    )
    match = SimpleNamespace(
        planned=SimpleNamespace(solver="sbp"), complete=True, result=SimpleNamespace(title="SBP")
    )
    material = SimpleNamespace(
        artifact=made,
        matches=[match],
        evidence=lambda panel, counter: panel,
        tally=lambda: "2 of 4 runs are stored",
    )
    made = grid_table(material, made)
    assert made["csv"].splitlines() == [
        ",SBP,Pegasos",
        '"Adult, printed",15.2,',
        '"Adult, here",2.0 [3.0],2.0 [3.0]',
        "MNIST,\N{EN DASH},2.0 [3.0]",
    ]
    assert made["txt"].splitlines()[:2] == [
        "                SBP        Pegasos",
        "Adult, printed  15.2",
    ]
    head, source, tally, legend, _ = made["md"].split("\n\n")
    assert (head, source, tally) == ("# T", "S.", "2 of 4 runs are stored.")
    assert legend.startswith(
        "Each cell is `{mid:.1f} [{mean:.1f}]`; mid: test error, median over seeds; "
        "mean: kev iter to train error 1, mean over seeds. "
    )
    assert "Without" not in legend
    assert made["tex"].splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" & SBP & Pegasos \\",
        r"\midrule",
        r"Adult, printed & 15.2 &  \\",
        r"Adult, here & 2.0 [3.0] & 2.0 [3.0] \\",
        r"MNIST & -- & 2.0 [3.0] \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_lines_of_a_block_have_a_row_and_rows_of_the_document_stand_above_ours(monkeypatch):
    made = grid(
        "{n:.0f}: {error:.0f}",
        {"n": Key("seed") * N, "error": Value(EACH)},
        runs=Runs(
            "",
            [Panel("adult", "Adult"), Panel("mnist", "MNIST")],
            [Line("a1", title="ASSET, s = 1"), Line("a2", title="ASSET, s = 2"), Line("smo", title="SMO 9")],
        ),
        blocks={"s = 1": "a1 smo", "s = 2": "a2 smo"},
        published={"adult CCAT": {"a1": "7"}, "mnist": {"a2": "8"}},
    )
    monkeypatch.setattr(Value, "values", lambda given, evidence: np.array([len(given.solver) + 0.0]))
    match = SimpleNamespace(place=lambda key: key.value({"seed": 3}, {"train": 10}))
    evidence = SimpleNamespace(planned=lambda line, where: [match])
    material = SimpleNamespace(artifact=made, matches=[], evidence=lambda *_: evidence, tally=lambda: "")
    made = grid_table(material, made)
    assert made["csv"].splitlines() == [
        ",ASSET,SMO 9",
        '"CCAT, s = 1, printed",7,',
        '"Adult, s = 1, here",30: 2,30: 3',
        '"MNIST, s = 1",30: 2,30: 3',
        '"Adult, s = 2",30: 2,30: 3',
        '"MNIST, s = 2, printed",8,',
        '"MNIST, s = 2, here",30: 2,30: 3',
    ]
    assert "n: seed * n; error: test error, median over seeds" in made["md"]


def test_a_table_is_drawn_into_the_folder_of_tables_in_its_four_formats(tmp_path):
    values = {"error": Value(EACH), "steps": Value(EACH, "kev_iter")}
    paper = artifact(["sbp"], kind="grid", cell="{error:.1f} after {steps:,.0f}", values=values)
    store(tmp_path, paper.runs.planned()[0], errors(20, 12.5))
    paths = draw(material(paper, tmp_path), tmp_path)
    assert paths == [tmp_path / "tables" / f"small.{ending}" for ending in ("md", "csv", "tex", "txt")]
    md, csv, tex, txt = (path.read_text(encoding="utf-8") for path in paths)
    assert csv.splitlines() == [",SBP", 'Board,"12.5 after 2,000"']
    assert txt.splitlines() == ["       SBP", "Board  12.5 after 2,000"]
    assert md.splitlines()[-1] == "| Board | 12.5 after 2,000 |" and r"Board & 12.5 after 2,000 \\" in tex


def test_a_deviation_is_that_of_a_sample():
    assert _deviation(np.array([1.0, 2.0, 6.0])) == pytest.approx(np.sqrt(7.0))


SETTINGS = {"problem.C": [1.0, 10.0]}


def test_each_value_of_a_key_may_have_a_row_and_a_line_numbers_of_its_own(tmp_path):
    paper = artifact(
        ["sbp", "pegasos"], kind="grid", cell="{error:.0f}", values={"error": Value(EACH)}, split="problem.C",
        own={"pegasos": {"error": 2.0 * Value("sbp", where={"problem.C": 10.0})}},
        groups=[Group(1, over=SETTINGS)], published={"board 10.0": {"sbp": "21"}},
    )  # fmt: skip
    rows = lambda run: errors(20 if dict(run.over)["problem.C"] == 1.0 else 10)  # noqa: E731
    rows = grid_table(filled(paper, tmp_path, rows), paper)["csv"].splitlines()
    assert rows[1:] == [
        '"Board, C = 1.0",20,20',
        '"Board, C = 10.0, printed",21,',
        '"Board, C = 10.0, here",10,20',
    ]


def test_numbers_may_be_relative_to_those_of_a_line(tmp_path):
    paper = artifact(
        ["sbp", "pegasos"], kind="grid", cell="{rate:.2f}", values={"rate": Value(EACH)}, relative="sbp"
    )
    made = grid_table(filled(paper, tmp_path, lambda run: errors(20 if run.solver == "sbp" else 10)), paper)
    assert made["csv"].splitlines()[1:] == ["Board,1.00,2.00"]
    assert "each number is that of sbp divided by that of the line" in made["md"]


def test_the_cost_of_a_run_that_missed_its_test_error_is_a_lower_bound(tmp_path):
    paper = artifact(
        [Line("sbp", "budget.test_error=0.05")], kind="grid", cell="{cost:,.0f}",
        values={"cost": Value(EACH, "kev_iter")},
    )  # fmt: skip
    store(tmp_path, paper.runs.planned()[0], errors(20, 10))
    made = grid_table(material(paper, tmp_path), paper)
    assert made["csv"].splitlines()[1:] == ['Board,"> 2,000"']
