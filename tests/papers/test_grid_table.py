"""Tables of cells in their formats."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from svmbench.figures.latex import tabular
from svmbench.papers.drawing import draw
from svmbench.papers.estimate import NotAttempted
from svmbench.papers.grid_table import _cell, _deviation, _legend, _title, grid_table

from .written import artifact, errors, material, store


def test_cells_are_plain_text_to_latex():
    row = [("a_b & c {d} #1 50 %", False), ("1.2 ± 0.1 – $5 \\x", True)]
    lines = tabular([[("", 1), ("γ = 1, λ = 10⁻⁴", 1)]], [row], 1).splitlines()
    assert lines[2] == r" & $\gamma$ = 1, $\lambda$ = 10$^-$$^4$ \\"
    assert lines[4] == r"a\_b \& c \{d\} \#1 50 \% & \textbf{1.2 $\pm$ 0.1 -- \$5 \textbackslash{}x} \\"
    assert lines[:2] == [r"\begin{tabular}{lr}", r"\toprule"]
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_a_single_run_shows_no_deviation():
    evidence = SimpleNamespace(values=lambda given: np.array(given["of"]))
    options = {
        "cell": "{error:.2f} ± {sd:.2f} %, {vectors:,.0f} SV",
        "values": {
            "error": {"of": [8.0], "take": "mean"},
            "sd": {"of": [8.0], "take": "sd"},
            "vectors": {"of": [12.0]},
        },
    }
    line = SimpleNamespace(name="sbp")
    assert _cell(evidence, options, "adult", line) == "8.00 %, 12 SV"
    options["values"]["sd"]["of"] = [8.0, 8.0]
    assert _cell(evidence, options, "adult", line) == "8.00 ± 0.00 %, 12 SV"
    assert "Without ±: a single run" in _legend(options)


def test_a_cell_shows_the_numbers_that_are_there():
    there = {100: [2.0, 4.0]}

    def values(given):
        if given["n"] not in there:
            raise NotAttempted("no runs")
        return np.array(there[given["n"]])

    options = {"cell": "{small:.1f} s, {large:.1f} s", "values": {"small": {"n": 100}, "large": {"n": 1000}}}
    line = SimpleNamespace(name="libsvm")
    assert _cell(SimpleNamespace(values=values), options, "adult", line) == "3.0 s, – s"
    there.clear()
    assert _cell(SimpleNamespace(values=values), options, "adult", line) == "–"


def test_a_table_has_a_row_of_cells_for_each_panel_and_one_of_published_values():
    def line(name, title=None):
        return SimpleNamespace(name=name, title=title)

    class Evidence:
        def __init__(self, panel):
            self.panel = panel

        def values(self, given):
            if (self.panel, given["solver"]) == ("mnist", "sbp"):
                raise NotAttempted("no runs")
            return np.array([1.0, 2.0, 6.0])

    options = {
        "cell": "{mid:.1f} [{mean:.1f}]",
        "values": {"mid": {"metric": "test_error"}, "mean": {"arrival": "train_error", "take": "mean"}},
        "hidden": ["smo"],
        "published": {"adult": {"sbp": 15.2}},
    }
    runs = SimpleNamespace(
        panels=[SimpleNamespace(name="adult", title="Adult"), SimpleNamespace(name="mnist", title="MNIST")],
        lines=[line("sbp"), line("smo"), line("peg", "Pegasos")],
    )
    match = SimpleNamespace(
        planned=SimpleNamespace(solver="sbp"), complete=True, result=SimpleNamespace(title="SBP")
    )
    material = SimpleNamespace(
        artifact=SimpleNamespace(runs=runs, options=options, title="T", source="S", counters=("kev_iter",)),
        matches=[match],
        evidence=lambda panel, counter: Evidence(panel),
        tally=lambda: "2 of 4 runs are stored",
    )
    made = grid_table(material)
    assert made["csv"].splitlines() == [
        ",SBP,Pegasos",
        "Adult,2.0 [3.0],2.0 [3.0]",
        '"Adult, published",15.2,',
        "MNIST,\N{EN DASH},2.0 [3.0]",
    ]
    assert made["txt"].splitlines()[:2] == [
        "                  SBP        Pegasos",
        "Adult             2.0 [3.0]  2.0 [3.0]",
    ]
    head, source, tally, legend, _ = made["md"].split("\n\n")
    assert (head, source, tally) == ("# T", "S.", "2 of 4 runs are stored.")
    assert legend.startswith(
        "Each cell is `{mid:.1f} [{mean:.1f}]`; mid: test error, median over seeds; "
        "mean: train error, mean over seeds. "
    )
    assert "Without" not in legend
    assert made["tex"].splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" & SBP & Pegasos \\",
        r"\midrule",
        r"Adult & 2.0 [3.0] & 2.0 [3.0] \\",
        r"Adult, published & 15.2 &  \\",
        r"MNIST & -- & 2.0 [3.0] \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_table_is_drawn_into_the_folder_of_tables_in_its_four_formats(tmp_path):
    values = {"error": {"metric": "test_error"}, "steps": {"metric": "kev_iter"}}
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


def test_a_column_has_the_title_of_its_file_or_of_its_own_stored_runs_or_its_name():
    def match(name, complete):
        planned = SimpleNamespace(solver="".join(name))  # equal, and another object
        return SimpleNamespace(
            planned=planned, complete=complete, result=SimpleNamespace(title=f"run of {name}")
        )

    matches = [match("sbp", True), match("smo", True), match("sdca", True), match("z", False)]
    material = SimpleNamespace(matches=matches)
    titles = [_title(material, SimpleNamespace(name=name, title=None)) for name in ("-".join(["sdca"]), "z")]
    assert titles == ["run of sdca", "z"]
    assert _title(material, SimpleNamespace(name="sdca", title="SDCA")) == "SDCA"
