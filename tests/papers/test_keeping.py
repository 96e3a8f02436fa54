"""Which checkpoints are kept of the runs of a figure."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmbench.analysis.arrivals import stays_below
from svmbench.figures.series import Steps
from svmbench.papers import pages
from svmbench.papers.artifact import load
from svmbench.papers.drawing import draw
from svmbench.papers.keeping import _pictures, arrivals, checkpoints, compares_errors
from svmbench.store import StoredRun

from .written import artifact, errors, material, store

ERRORS = (0.5, 0.3, 0.3, 0.3, 0.2, 0.2, 0.2)
RUN = cast(StoredRun, SimpleNamespace(status="budget"))


def trace(errors: tuple[float | None, ...]) -> list[dict[str, Any]]:
    return [{"test_error": error} for error in errors]


def steps(rows: list[dict[str, Any]], places: list[int]) -> Steps:
    known = [place for place in places if rows[place]["test_error"] is not None]
    cost = np.array([place + 1.0 for place in known])
    return Steps(RUN, cost, np.array([rows[place]["test_error"] for place in known]))


@given(st.lists(st.none() | st.integers(0, 5).map(float), min_size=1, max_size=30))
def test_costs_of_arrival_stay_what_they_are(errors: list[float | None]) -> None:
    rows = trace(tuple(errors))
    whole = steps(rows, list(range(len(rows))))
    thin = steps(rows, arrivals(rows, ["test_error"]))
    for level in np.arange(-0.5, 6.0, 0.5) if whole.cost.size else ():
        assert stays_below(thin, level) == stays_below(whole, level)
        assert thin.cost[-1] == whole.cost[-1]


def test_a_trace_without_rows_keeps_none() -> None:
    assert arrivals([], ["test_error"]) == []


@pytest.mark.parametrize(
    ("paper", "places"),
    [
        ("as-f1", [6]),  # a grid of values at the end
        ("x-where", [0, 1, 3, 4, 6]),  # a sweep of costs of arrival
        ("rup-7", [0, 1, 2, 3, 4, 5, 6]),  # arrivals of what is no column of the trace
        ("sbp-f2", [0, 1, 2, 3, 4, 5, 6]),  # curves
        ("x-profile", [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_an_artifact_keeps_what_it_asks_for(paper: str, places: list[int]) -> None:
    assert list(checkpoints(load(paper))(trace(ERRORS))) == places


@pytest.mark.parametrize(
    ("paper", "compares"),
    [("sbp-f2", True), ("as-f1", True), ("x-profile", False), ("x-where", False)],
)
def test_mistakes_are_kept_where_errors_are_compared(paper: str, compares: bool) -> None:
    assert compares_errors(load(paper)) == compares


@pytest.mark.parametrize(
    ("kind", "options", "names"),
    [
        ("curves", {}, ["small-kev_ondemand.png", "small-kev_ondemand.txt"]),
        ("grid", {"cell": "{e}", "values": {"e": {"metric": "test_error"}}}, ["small.csv", "small.md"]),
        ("grid", {"layout": "runs"}, ["small.csv", "small.md"]),
    ],
)
def test_verdicts_link_the_picture_or_table_that_is_kept_beside_them(
    kind: str, options: dict[str, Any], names: list[str], tmp_path: Path
) -> None:
    paper = artifact(["sbp"], kind=kind, **options)
    store(tmp_path, paper.runs.planned()[0], errors(20, 10))
    found = material(paper, tmp_path)
    reference = tmp_path / "reference"
    kept = _pictures(paper, draw(found, tmp_path), reference)
    assert sorted(path.name for path in kept) == names
    (link,) = re.findall(r"\]\(([^)]*)\)", pages.sections(pages.judged([found])))
    assert reference / link in kept


def test_what_is_committed_stays_small():
    reference = Path(__file__).parents[2] / "results" / "reference"
    assert sum(path.stat().st_size for path in reference.rglob("*") if path.is_file()) <= 21_000_000
