"""Text and tables for LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

#: Characters that need escaping in LaTeX, or are missing in its fonts.
_TEX = str.maketrans(
    {character: f"\\{character}" for character in "%_&#${}"}
    | {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "–": "--"}
    | {"<": r"\textless{}", ">": r"\textgreater{}"}
    | {
        "±": r"$\pm$",
        "×": r"$\times$",
        "γ": r"$\gamma$",
        "λ": r"$\lambda$",
        "ν": r"$\nu$",
        "ε": r"$\varepsilon$",
        "√": r"$\surd$",
    }
    | {raised: f"$^{number}$" for number, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
    | {"⁻": "$^-$"}
)


def escape(text: str) -> str:
    """Escape a text for LaTeX."""
    return text.translate(_TEX)


def tabular(
    heads: Sequence[Sequence[tuple[str, int]]], rows: Sequence[Sequence[tuple[str, bool]]], left: int
) -> str:
    r"""Return a ``tabular`` environment with rules of the package booktabs.

    Parameters
    ----------
    heads : sequence of sequence of (str, int)
        Header lines: the text of each cell, and the number of columns that it spans.
    rows : sequence of sequence of (str, bool)
        Texts of cells, and whether they are bold.
    left : int
        Number of left-aligned columns at the left; the others are right-aligned.
    """
    right = sum(over for _, over in heads[0]) - left
    lines = [f"\\begin{{tabular}}{{{'l' * left}{'r' * right}}}", r"\toprule"]
    for place, head in enumerate(heads):
        cells, rules, column = [], [], 1
        for text, over in head:
            cells.append(escape(text) if over == 1 else f"\\multicolumn{{{over}}}{{c}}{{{escape(text)}}}")
            if over > 1 and text and place < len(heads) - 1:
                rules.append(f"\\cmidrule(lr){{{column}-{column + over - 1}}}")
            column += over
        lines += [" & ".join(cells) + r" \\", *(["".join(rules)] if rules else [])]
    lines.append(r"\midrule")
    for row in rows:
        cells = [f"\\textbf{{{escape(text)}}}" if bold else escape(text) for text, bold in row]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def floating(table: str, caption: str, label: str) -> str:
    r"""Wrap a ``tabular`` in a ``table`` environment; the label is not escaped."""
    head = ["% needs \\usepackage{booktabs}", r"\begin{table}", r"\centering"]
    named = [f"\\caption{{{escape(caption)}}}", f"\\label{{{label}}}"]
    return "\n".join([*head, *named, table + r"\end{table}"]) + "\n"
