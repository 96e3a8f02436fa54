"""Tables of cells in their formats."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from svmbench.figures.latex import tabular
from svmbench.papers.grid_table import _cell, _legend


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
