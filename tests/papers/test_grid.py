"""Tables of cells in their formats."""

from __future__ import annotations

from svmbench.papers.grid import _latex


def test_cells_are_plain_text_to_latex():
    text = _latex(["", "γ = 1, λ = 10⁻⁴"], [["a_b & c {d} #1 50 %", "1.2 ± 0.1 – $5 \\x"]])
    lines = text.splitlines()
    assert lines[2] == r" & $\gamma$ = 1, $\lambda$ = 10$^-$$^4$ \\"
    assert lines[4] == r"a\_b \& c \{d\} \#1 50 \% & 1.2 $\pm$ 0.1 -- \$5 \textbackslash{}x \\"
    assert lines[0] == r"\begin{tabular}{ll}" and lines[-1] == r"\end{tabular}"
