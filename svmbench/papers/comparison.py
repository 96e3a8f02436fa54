"""Tables of solvers on problems from stored runs, each compared with the best certified bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from svmbench.figures.bounds import problem_of
from svmbench.figures.series import Bound
from svmbench.figures.tables import count, csv_text, table
from svmbench.papers.artifact import Listing
from svmbench.papers.matching import Match
from svmbench.papers.material import Material
from svmbench.papers.runs import Panel
from svmbench.store import SUMMARY_KEYS
from svmbench.store.timing import disturbed

_ABOUT = """\
One line for each run, with the numbers of its last checkpoint. The objective P is that of the λ-form,
λ/2 |w|² + mean hinge loss. The suboptimality is (P - D)/P for the greatest lower bound D of the optimum that
is certified for the problem: by the stored optimum, or by the dual point of a run in this table. The gap is
the same with the run's own dual point, where its method has one. Evaluations are counted on demand (A), by
row update (B), and as really computed. CPU s are the processor's seconds of training alone; they stand in
parentheses, and are not to be compared, where the run did not have its machine to itself or where that was
not recorded. MiB is the most memory that the process held, program and data included. An en dash is
unknown."""


@dataclass(frozen=True)
class Row:
    """One run of the table.

    Attributes
    ----------
    title : str
        Name of the solver.
    match : Match
        The run.
    last : mapping
        Summary of the stored run; empty if there is no result.
    bound : Bound or None
        Greatest lower bound of its problem.
    baseline : float or None
        Objective of the solver that it is compared with.
    known : float or None
        Published test error, in percent.
    """

    title: str
    match: Match
    last: Mapping[str, Any]
    bound: Bound | None
    baseline: float | None
    known: float | None

    @property
    def objective(self) -> float | None:
        """Primal objective P, λ-form."""
        return self.last.get("primal_objective")

    @property
    def suboptimality(self) -> float | None:
        """(P - D)/P; None if there is no bound."""
        return None if self.bound is None or not self.objective else 1.0 - self.bound.value / self.objective

    @property
    def against_baseline(self) -> float | None:
        """Difference of the objective from the baseline's, relative to the latter."""
        if self.baseline is None or self.objective is None:
            return None
        return self.objective / self.baseline - 1.0


@dataclass(frozen=True)
class Block:
    """Rows of one problem, in the order of the file, and the record of its optimum, if stored."""

    panel: Panel
    lines: tuple[Row, ...]
    optimum: Mapping[str, Any] | None


def listing(material: Material) -> Mapping[str, str]:
    """Return the table of an artifact with one line per run, by file suffix; CSV has floats as stored."""
    artifact = material.artifact
    blocks = [_block(material, panel) for panel in artifact.runs.panels]
    origin = (
        f"Made by `svmbench paper run {artifact.id}` and `svmbench paper draw {artifact.id}`. "
        f"{len(material.stored)} of {len(material.matches)} runs are stored."
    )
    parts = [f"# {artifact.title}", f"{artifact.source}.", origin, _ABOUT]
    for block in blocks:
        given = f"{artifact.runs.overrides} {block.panel.overrides}"
        parts += [f"## {block.panel.title}", f"`{given}`", _certified(block), _table(block.lines)]
    rows = [_record(block.panel.name, line) for block in blocks for line in block.lines]
    return {"md": "\n\n".join(parts) + "\n", "csv": csv_text(list(rows[0]), (row.values() for row in rows))}


def _block(material: Material, panel: Panel) -> Block:
    artifact = material.artifact
    here = [match for match in material.matches if match.planned.panel == panel.name]
    last = [match.result.summary() if match.complete else {} for match in here]
    plans = {line.name: line for line in artifact.runs.lines}
    baseline = artifact.baseline if isinstance(artifact, Listing) else ""
    objective = next(
        (
            numbers.get("primal_objective")
            for match, numbers in zip(here, last, strict=True)
            if match.planned.solver == baseline
        ),
        None,
    )
    rows = []
    for match, numbers in zip(here, last, strict=True):
        plan = plans[match.planned.solver]
        known = material.references.get(problem_of(match.result)) if match.complete else None
        rows.append(
            Row(
                plan.title or (match.stored.title if match.stored is not None else plan.name),
                match,
                numbers,
                None if known is None else known.bound,
                None if match.planned.solver == baseline else objective,
                plan.known.get(panel.name),
            )
        )
    records = (material.references[problem_of(match.result)].record for match in here if match.complete)
    return Block(panel, tuple(rows), next((record for record in records if record), None))


def _certified(block: Block) -> str:
    """Return the certified optimum of a problem, with previously known values."""
    known, record = block.panel.known, block.optimum or {}
    bounds = {line.bound for line in block.lines if line.bound is not None}
    text = []
    if len(bounds) == 1:
        bound = bounds.pop()
        reached = [
            line.objective for line in block.lines if line.bound == bound and line.objective is not None
        ]
        best = min([*reached, *([record["primal"]] if record else [])])
        text.append(f"Optimum: from {bound.value:.7g}, by {bound.origin}, to {best:.7g}")
        if "objective" in known:
            text.append(
                f"known {known['objective']:g}, the latter is {best / known['objective'] - 1.0:+.1e} of it"
            )
    else:
        text.append(
            "No bound of the optimum is certified" if not bounds else "The lines solve several problems"
        )
        if "objective" in known:
            text.append(f"known optimum {known['objective']:g}")
    for key, column, what in (
        ("mistakes", "test_mistakes", "test errors there"),
        ("support_vectors", "support_vectors", "support vectors"),
    ):
        there = None if record.get(column) is None else f"{record[column]:,}"
        beside = None if key not in known else f"known {known[key]:,}"
        if there or beside:
            text.append(f"{what}: {', '.join(part for part in (there, beside) if part)}")
    return "; ".join(text) + "."


def _table(lines: Sequence[Row]) -> str:
    """Return the rows of one problem; columns unknown in all of them are omitted."""
    columns = {name: [make(line) for line in lines] for name, make in _COLUMNS.items()}
    shown = {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}
    return table(list(shown), list(zip(*shown.values(), strict=True)))


def _record(problem: str, line: Row) -> dict[str, object]:
    """Return the line of the CSV: the columns of the table, then the summary of the run."""
    return {
        "problem": problem,
        "line": line.match.planned.solver,
        "title": line.title,
        "command": line.match.planned.command,
        "lower_bound": None if line.bound is None else line.bound.value,
        "suboptimality": line.suboptimality,
        "against_baseline": line.against_baseline,
        "known_test_error": None if line.known is None else line.known / 100.0,
        **{key: line.last.get(key) for key in SUMMARY_KEYS if key not in ("path", "config")},
    }


def _show(form: Callable[[Any], str], column: str) -> Callable[[Row], str | None]:
    """Return a function that formats a column of the summary."""

    def write(line: Row) -> str | None:
        value = line.last.get(column)
        return None if value is None else form(value)

    return write


def _own_gap(line: Row) -> str | None:
    return _show("{:.1e}".format, "relative_gap")(line) if line.last.get("dual_source") == "solver" else None


def _seconds(line: Row) -> str | None:
    shown = _show("{:.1f}".format, "cpu_seconds")(line)
    return shown if shown is None or not disturbed(line.match.result) else f"({shown})"


def _end(line: Row) -> str:
    """Return how the run ended and why; for unfinished, killed and missing runs, the state."""
    stored = line.match.stored
    if stored is None or stored.ended is None or line.match.stale:
        return line.match.state
    return f"{stored.status}: {stored.reason}"


#: Columns of the page, from left to right.
_COLUMNS: Mapping[str, Callable[[Row], object]] = {
    "solver": lambda line: line.title,
    "objective": _show("{:.6g}".format, "primal_objective"),
    "suboptimality": lambda line: None if line.suboptimality is None else f"{line.suboptimality:.1e}",
    "gap": _own_gap,
    "against baseline": lambda line: (
        None if line.against_baseline is None else f"{line.against_baseline:+.1e}"
    ),
    "test errors": lambda line: line.last.get("test_mistakes"),
    "%": _show(lambda error: f"{100.0 * error:.2f}", "test_error"),
    "known %": lambda line: None if line.known is None else f"{line.known:.2f}",
    "support vectors": lambda line: line.last.get("support_vectors"),
    "A": _show(count, "kev_ondemand"),
    "B": _show(count, "kev_rowupdate"),
    "computed": _show(count, "kev_computed"),
    "inner products": _show(count, "inner_products"),
    "CPU s": _seconds,
    "MiB": _show("{:.0f}".format, "peak_memory"),
    "end": _end,
}
