"""Tables as aligned text, which is also Markdown."""

from __future__ import annotations

import io
import itertools
import math
import re
from collections.abc import Iterable, Sequence

from svmbench.errors import printable, write_csv


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return an aligned Markdown table; numbers are right-aligned, None is an en dash.

    Parameters
    ----------
    header : sequence of str
        One name per column.
    rows : sequence of sequence
        Cells; floats are shown with four significant digits.
    """
    columns = []
    for name, values in zip(header, zip(*rows) if rows else itertools.repeat(())):
        texts = [cell(name), *map(cell, values)]
        known = [value for value in values if value is not None]
        width, right = max(3, *map(len, texts)), bool(known) and all(map(_is_number, known))
        texts.insert(1, ("-" * (width - 1) + ":") if right else "-" * width)
        columns.append([text.rjust(width) if right else text.ljust(width) for text in texts])
    return "\n".join([f"| {' | '.join(line)} |" for line in zip(*columns)])


def csv_text(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as CSV, by `svmbench.errors.write_csv`."""
    text = io.StringIO()
    write_csv(text, header, rows)
    return text.getvalue()


def cell(value: object) -> str:
    """Return the text of one cell."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}" if value == value else "–"  # NaN differs from itself
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = str(value)
    if not text.isprintable():  # a cell is a single line, without characters that a terminal interprets
        text = printable(text).replace("\n", "\\n")
    return text.replace("|", "\\|")


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Return ``median (least to greatest)`` of values over seeds, or the median alone if all round to it."""
    from statistics import median as median_of  # slow to import

    if len(values) == 0:
        return "–"
    median, low, high = (f"{number:.{digits}f}" for number in (median_of(values), min(values), max(values)))
    return median if low == high else f"{median} ({low} to {high})"


def count(value: float) -> str:
    """Format a number of evaluations with two digits, such as ``6.4e7``; infinity is ``not reached``."""
    if math.isinf(value):
        return "not reached"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def few_digits(value: float, digits: int = 3) -> str:
    """Return a number with few digits, with six from 1000 on, and with a short exponent."""
    return short_exponent(f"{value:.{digits if abs(value) < 1000 else 6}g}")


def short_exponent(number: str) -> str:
    """Return a formatted number with a short exponent: 1e-4 for 1e-04, and 1 for 1e+00."""
    return re.sub(r"e\+?(-?)0*(?=\d)", r"e\1", number).removesuffix("e0")


def _is_number(value: object) -> bool:
    """Return whether a cell is a number, or the text of a formatted number."""
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, int | float) and not isinstance(value, bool)
