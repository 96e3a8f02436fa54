"""Tables below the figures of a page: verdicts, runs, environments, commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from svmbench.files import digest
from svmbench.report.command import command
from svmbench.report.compressed import Packs, escape, head
from svmbench.store import StoredRun, opened

#: Columns of the verdicts that have whole sentences.
_LONG = ("claim", "text", "place")

#: Columns of the table of runs: key of a summary, heading, factor.
_TABLE: tuple[tuple[str, str, float], ...] = (
    ("run", "run", 0), ("solver", "solver", 0), ("dataset", "data set", 0), ("seed", "seed", 1),
    ("status", "end", 0), ("test_error", "test error (%)", 100), ("primal_objective", "primal objective", 1),
    ("relative_gap", "relative gap", 1), ("support_vectors", "support vectors", 1),
    ("kev_ondemand", "evaluations (A)", 1), ("kev_rowupdate", "evaluations (B)", 1),
    ("kev_iter", "evaluations (C)", 1), ("iterations", "iterations", 1), ("wall_seconds", "wall seconds", 1),
)  # fmt: skip


def run_table(runs: Sequence[StoredRun], tags: Mapping[str, Sequence[str]], packs: Packs) -> str:
    """Return the table of runs with the values at their last checkpoints."""
    named = [name for _, name, _ in _TABLE] + (["tags"] if tags else [])

    def row(run: StoredRun) -> str:
        summary = run.summary()
        cells = "".join(_cell(summary[key], factor) for key, _, factor in _TABLE)
        cells += f"<td>{escape(' '.join(tags.get(run.id, ())))}</td>" if tags else ""
        return f"<tr>{cells}</tr>"

    return _table(
        "Runs", "the last checkpoint of each run; a heading sorts by its column", named, map(row, runs), packs
    )


def verdict_table(claims: Sequence[Mapping[str, Any]], packs: Packs) -> str:
    """Return the table of the papers' claims; an empty string without claims."""
    if not claims:
        return ""
    names = ("id", "claim", "verdict", "place", "text")
    kinds = {name: ' class="text"' * (name in _LONG) for name in names}
    cells = (
        "".join(f"<td{kind}>{escape(str(claim.get(name, '')))}</td>" for name, kind in kinds.items())
        for claim in claims
    )
    rows = (f"<tr>{row}</tr>" for row in cells)
    said = Counter(str(claim.get("verdict")) for claim in claims)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in said.most_common())
    return _table(
        "Verdicts", f"what the papers claim, and what was found: {escape(counts)}", names, rows, packs
    )


def _cell(value: Any, factor: float) -> str:
    if factor == 0:
        return f"<td>{escape(str(value))}</td>"
    if value is None:
        return '<td class="number" data-value=""></td>'
    number = value * factor
    shown = f"{number:,}" if isinstance(number, int) else f"{number:.4g}"
    return f'<td class="number" data-value="{number:.6g}">{shown}</td>'


def _table(title: str, caption: str, names: Iterable[str], rows: Iterable[str], packs: Packs) -> str:
    """Pack a table; return its heading, and the element that the script fills."""
    name = title.lower().replace(" ", "-")
    before = (
        f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{name}">'
        f"<table><caption><span>{title}: {caption}</span></caption>{head(names)}<tbody>"
    )
    whole = packs.later(chain([before], rows, ["</tbody></table></div>"]))
    return f'<h2 id="{name}">{title}</h2>{whole}'


def environment_table(runs: Sequence[StoredRun], packs: Packs) -> str:
    """Return the table of the machines and the software."""
    records: dict[str, tuple[int, dict[str, Any]]] = {}
    for run in runs:
        name = str(run.copy().manifest.get("environment"))
        number, record = records.get(name, (0, {}))
        found = (opened(root).environment(name) for root in run.homes)
        records[name] = (number + 1, record or next((one for one in found if one is not None), {}))
    keys = ("svmbench", "python", "numpy", "compiler", "platform", "processor", "cores", "isa")
    rows = []
    for number, record in sorted(records.values(), key=lambda entry: -entry[0]):
        cells = "".join(f"<td>{escape(str(record.get(key, 'unknown')))}</td>" for key in keys)
        rows.append(f'<tr><td class="number" data-value="{number}">{number}</td>{cells}</tr>')
    return _table("Environment", "where the runs were made", ("runs", *keys), rows, packs)


def commands(runs: Sequence[StoredRun], packs: Packs) -> str:
    """Return the list of the commands that repeat the runs."""
    lines = (escape(line) + "\n" for line in _distinct(command(run.config) for run in runs))
    whole = packs.later(chain(['<pre tabindex="0">'], lines, ["</pre>"]))
    return (
        '<h2 id="commands">Commands</h2><details><summary>The exact command of each run, in a shell</summary>'
        f"{whole}</details>"
    )


def _distinct(lines: Iterable[str]) -> Iterator[str]:
    """Generate each line once, in order, remembering only digests."""
    seen = set()
    for line in lines:
        key = digest(line)
        if key not in seen:
            seen.add(key)
            yield line
