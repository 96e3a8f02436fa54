"""Which checkpoints are kept of the runs of a figure."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmbench.analysis.arrivals import stays_below
from svmbench.figures.series import Steps
from svmbench.papers import keeping, pages, predicates
from svmbench.papers.artifact import load
from svmbench.papers.claims import claim
from svmbench.papers.drawing import draw
from svmbench.papers.keeping import _pictures, arrivals, checkpoints, compares_errors, keep
from svmbench.papers.predicates import Flat, Order, Ratio, Rises, Slope
from svmbench.papers.quantities import EACH, Area, Arrival, Measured, Quantity, Value
from svmbench.store import Store, StoredRun, packs

from .written import artifact, errors, filled, material, store

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


OF_ONE = Value("sbp")
ARRIVAL = Arrival("sbp", level=10)
LAST, ARRIVALS, EVERY = [6], [0, 1, 3, 4, 6], [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("value", "test", "places"),
    [
        (OF_ONE, None, LAST),
        (replace(OF_ONE, at=1000), None, EVERY),
        (replace(OF_ONE, plus=replace(OF_ONE, envelope=True)), None, EVERY),
        (ARRIVAL, None, ARRIVALS),
        (replace(ARRIVAL, first=True), None, EVERY),
        (replace(OF_ONE, plus=ARRIVAL), None, ARRIVALS),
        (replace(ARRIVAL, metric="suboptimality"), None, EVERY),
        (OF_ONE, Order("c", OF_ONE, 10), LAST),
        (OF_ONE, Order("c", ARRIVAL, 10), ARRIVALS),
        (OF_ONE, Rises("c", "sbp", 1), EVERY),
        (OF_ONE, Slope("c", OF_ONE, (0, 1), over="problem.C"), LAST),
        (OF_ONE, Slope("c", OF_ONE, (0, 1)), EVERY),
        (OF_ONE, Flat("c", OF_ONE, 2, over="problem.C"), LAST),
        (OF_ONE, Ratio("c", OF_ONE, Measured("m"), (0, 1)), LAST),
        (OF_ONE, Ratio("c", Value("sbp"), 10, (0, 1)), LAST),
    ],
)
def test_checkpoints_are_kept_for_what_a_table_and_its_claims_use(
    value: Quantity, test: predicates.Test | None, places: list[int]
) -> None:
    claims = [claim("c", "p", "t", test)] if test else []
    paper = artifact(["sbp"], kind="grid", cell="{e}", values={"e": value}, claims=claims)
    assert list(checkpoints(paper)(trace(ERRORS))) == places


def test_a_listing_keeps_all_checkpoints() -> None:
    assert list(checkpoints(artifact(["sbp"], kind="listing"))(trace(ERRORS))) == EVERY


@pytest.mark.parametrize(
    ("less", "places"),
    [
        (Area("sbp"), [1, 3, 5, 6]),
        (replace(OF_ONE, at=1000), EVERY),  # a claim uses more
        (Area("sbp", by="validation_error"), [0, 1, 3, 5, 6]),
    ],
)
def test_a_front_keeps_where_an_error_falls_unless_a_claim_uses_more(
    less: Quantity, places: list[int]
) -> None:
    paper = artifact(["sbp"], kind="front", claims=[claim("c", "p", "t", Order("c", less, 10))])
    validation = (0.4, 0.4, None, 0.4, 0.4, 0.3, 0.3)
    rows = trace((None, 0.5, 0.5, 0.3, None, 0.2, 0.4))
    rows = [{**row, "validation_error": other} for row, other in zip(rows, validation, strict=True)]
    assert list(checkpoints(paper)(rows)) == places
    assert list(checkpoints(paper)([])) == []


def test_a_front_keeps_all_fits_from_scratch_of_which_a_later_one_costs_less() -> None:
    paper = artifact(["sbp"], kind="front")
    costs = {(1.0, 2.0, 3.0): [0, 2], (3.0, 1.0, 2.0): [0, 1, 2]}
    for spent, places in costs.items():
        rows = [{"test_error": 0.3, "cpu_seconds": cost} for cost in spent]
        assert list(checkpoints(paper)(rows)) == places


def test_of_a_front_the_picture_of_its_first_cost_is_kept(tmp_path: Path) -> None:
    paper = artifact(["sbp", "smo"], kind="front", counters="kev_iter kev_ondemand")
    optimum = Store(tmp_path).put_optimum({"key": "k", "test_error": 0.1, "empty_test_error": 0.5})
    found, reference = filled(paper, tmp_path, errors(20, 10), optimum=optimum), tmp_path / "reference"
    kept = _pictures(paper, draw(found, tmp_path), reference)
    named = ["small-kev_iter.png", "small-kev_iter.txt", "small.csv", "small.md"]
    assert sorted(path.name for path in kept) == named
    (link,) = re.findall(r"\]\(([^)]*\.png)\)", pages.sections(pages.judged([found])))
    assert reference / link in kept


@pytest.mark.parametrize(
    ("kind", "less", "compares"),
    [
        ("curves", OF_ONE, True),
        ("curves", Value("sbp"), True),
        ("curves", Measured("m"), False),
        ("curves", Measured("m") + OF_ONE, True),
        ("curves", Value("sbp", "norm"), False),
        ("curves", ARRIVAL, False),
        ("front", OF_ONE, False),
    ],
)
def test_mistakes_are_kept_for_an_error_that_a_claim_compares(
    kind: str, less: Quantity, compares: bool
) -> None:
    paper = artifact(["sbp"], kind=kind, claims=[claim("c", "p", "t", Order("c", less, 10))])
    assert compares_errors(paper) == compares


def test_what_is_kept_replaces_loose_runs_of_the_same_configurations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "draw", lambda *given: [])
    paper, reference = artifact(["sbp"], seeds=2), tmp_path / "reference"
    first, second = paper.runs.planned()
    store(reference, first, version=0)
    other = store(reference, artifact(["smo"]).runs.planned()[0])
    optimum = Store(tmp_path).put_optimum({"key": "a", "primal": 0.3, "dual": 0.3})
    made = [store(tmp_path, run, errors(20, 10), optimum=optimum) for run in (first, second)]
    pack = reference / "packs" / "small.jsonl.xz"
    assert keep(material(paper, tmp_path), tmp_path) == [pack]
    assert [path.name for path in (reference / "runs").iterdir()] == [other.id]
    assert [path.name for path in (reference / "optima").iterdir()] == [f"{optimum}.json"]
    shutil.rmtree(tmp_path / "runs")
    kept = material(paper, tmp_path).stored
    assert {run.id for run in kept} == {run.id for run in made}
    assert [len(run.rows()) for run in kept] == [2, 2]


def test_pictures_are_drawn_before_the_pack_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = artifact(["sbp"])
    store(tmp_path, next(iter(paper.runs.planned())), errors(4))
    pack = tmp_path / "reference/packs/small.jsonl.xz"
    there: list[bool] = []

    def drawn(*given: object) -> list[Path]:
        there.append(pack.exists())
        return []

    monkeypatch.setattr(keeping, "draw", drawn)
    assert keep(material(paper, tmp_path), tmp_path) == [pack]
    assert there == [False] and pack.exists()


def test_runs_of_another_artifact_are_not_kept_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "draw", lambda *given: [])
    paper = artifact(["sbp"])
    paper = replace(paper, runs=replace(paper.runs, of="another"))
    store(tmp_path, paper.runs.planned()[0], errors(20, 10))
    assert keep(material(paper, tmp_path), tmp_path) == []
    assert not (tmp_path / "reference").exists()


@pytest.mark.parametrize(
    ("kind", "options", "names"),
    [
        ("curves", {}, ["small-kev_ondemand.png", "small-kev_ondemand.txt"]),
        ("grid", {"cell": "{e}", "values": {"e": Value(EACH)}}, ["small.csv", "small.md"]),
        ("listing", {}, ["small.csv", "small.md"]),
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
    assert sum(path.stat().st_size for path in reference.rglob("*") if path.is_file()) <= 18_000_000


def test_the_environment_and_the_optimum_of_every_committed_run_are_there():
    reference = Path(__file__).parents[2] / "results" / "reference"
    runs = [record["run"] for path in (reference / "packs").iterdir() for record in packs._records(path)]
    missing = [
        run["id"]
        for run in runs
        for folder, name in (("environments", "environment"), ("optima", "optimum"))
        if run.get(name) and not (reference / folder / f"{run[name]}.json").is_file()
    ]
    assert len(runs) > 5000 and missing == []
