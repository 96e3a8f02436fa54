"""The page on choosing a solver: groups, wishes, and its tables."""

import csv
from collections import defaultdict
from pathlib import Path
from statistics import median

import pytest

from svmbench.errors import UserError
from svmbench.papers import artifact as artifacts
from svmbench.papers import which
from svmbench.papers.material import Material
from svmbench.papers.which import TABLES, best, blocks, chart, data_sets, groups, rewrite
from svmbench.solvers import registry
from tests.papers.test_advice import found, stored  # noqa: F401  # a fixture

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "which-solver.md"


def test_groups_are_by_rows_and_columns(found):  # noqa: F811
    # 100 * 4^k rows, 2 + k^2 columns.
    assert groups(found) == {
        "all": [f"s{k}" for k in range(7)],
        "fewer than 10,000 examples": ["s0", "s1", "s2", "s3"],
        "10,000 to 50,000 examples": ["s4"],
        "more than 50,000 examples": ["s5", "s6"],
        "at most 25 columns": ["s0", "s1", "s2", "s3", "s4"],
        "more than 25 columns": ["s5", "s6"],
        "optimum's test error at least 5 %": [f"s{k}" for k in range(7)],
    }


def test_the_ends_of_a_range_of_sizes_belong_to_it(found, monkeypatch):  # noqa: F811
    ends = [(9_999, 25), (10_000, 26), (50_000, 25), (50_001, 26)]
    shapes = dict(zip(("s0", "s1", "s2", "s3"), ends, strict=True))
    monkeypatch.setattr(which, "shapes_of", lambda material: shapes)
    there = groups(found)
    assert there["fewer than 10,000 examples"] == ["s0"] and there["more than 50,000 examples"] == ["s3"]
    assert there["10,000 to 50,000 examples"] == ["s1", "s2"]
    assert (there["at most 25 columns"], there["more than 25 columns"]) == (["s0", "s2"], ["s1", "s3"])


def test_the_chart_names_the_method_of_each_group_and_wish_and_how_sure_it_is(found):  # noqa: F811
    told = {(group, wish): cells for group, wish, *cells in cells_of(chart(found))[2:]}
    # Of the two exact methods, SMO takes three times as long.
    assert told["fewer than 10,000 examples", "the optimum"] == [
        *("Decomposition", "4 of 4", "1 to 1 of 2", "4 of 4", "2.0")
    ]
    assert told["all", "a low test error early"][0] == "SBP"
    # Three of the four methods end near the optimum's test error, with the same memory.
    assert told["all", "little memory"] == ["Decomposition", "7 of 7", "2 to 2 of 4", "7 of 7", "5.2"]
    # One data set alone tells nothing.
    assert told["10,000 to 50,000 examples", "the optimum"][0] == "none is ahead; Decomposition is first"


def test_the_methods_with_the_least_cost_on_each_data_set_are_named_with_it(found):  # noqa: F811
    times, others = (cells_of(one) for one in best(found).split("\n\n"))
    assert times[0][:3] == ["data set", "the optimum, s", "a low test error early, s"]
    # 40 % of the time at the first checkpoint, from which on SBP alone is near the optimum's test error.
    assert times[2][:3] == ["Set s0", "Decomposition (0.01)", "SBP (0.004)"]
    assert times[8][:3] == ["Set s6", "Decomposition (41)", "SBP (16.4)"]
    assert others[0] == ["data set", "a small model, support vectors or features", "little memory, MiB"]
    assert others[2] == ["Set s0", "SBP (20)", "Decomposition and 2 more (12.4)"]
    assert len(times) == len(others) == 2 + 7


def test_where_no_method_gets_there_or_none_was_measured_no_method_is_named(tmp_path):
    known = {"sbp": {f"s{k}": (50, 50) if k else (10, 10) for k in range(7)}}
    times, others = (cells_of(one) for one in best(stored(tmp_path, known)).split("\n\n"))
    assert [row[1:3] for row in times[2:4]] == [["–", "SBP (0.004)"], ["–", "none"]]
    assert others[3][1:] == ["none", "none"]


def test_size_kernel_optimum_and_limit_of_each_data_set_are_listed(found):  # noqa: F811
    header, _, first, *others = cells_of(data_sets(found))
    config = found.matches[0].planned.config
    assert header[1:] == ["examples", "columns", "γ", "C", "optimum's test error, %", "limit, s"]
    assert first[:3] == ["Set s0", "100", "2"] and others[-1][:3] == ["Set s6", "409,600", "38"]
    assert first[3:] == [f"{config.kernel.parameters['gamma']:g}", f"{config.problem.C:g}", "10.00", "–"]


def cells_of(table):
    """The cells of the lines of a table, with its header and the line below it."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


def test_a_page_is_rewritten_between_its_markers(found, tmp_path):  # noqa: F811
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- field: chart -->\n\nold\nold\n\nText.\n\n<!-- field: costs -->\n\nold")
    rewrite(found, page)
    once = page.read_text()
    assert once == (
        f"# Page\n\n<!-- field: chart -->\n\n{chart(found)}\n\nText.\n\n<!-- field: costs -->\n\n"
        f"{TABLES['costs'](found)}"
    )
    rewrite(found, page)
    assert page.read_text() == once


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no marker", "has no marker of a table: write <!-- field: NAME --> with one of sets, chart, best"),
        ("<!-- field: x -->\n\nold\n\n<!-- field: y -->\n\nold\n\n", "has no table 'x'"),
        (None, "cannot be read"),
    ],
)
def test_a_page_without_tables_is_refused_and_unchanged(found, tmp_path, text, message):  # noqa: F811
    page = tmp_path / "page.md"
    if text is not None:
        page.write_text(text)
    with pytest.raises(UserError, match=message):
        rewrite(found, page)
    assert text is None or page.read_text() == text


def test_the_tables_of_the_page_are_those_of_the_stored_runs(index):
    material = Material.of(artifacts.load("field"), index)
    there = dict(blocks(PAGE.read_text(encoding="utf-8")))
    assert list(there) == list(TABLES)
    assert material.stored, "the comparison is not among the stored runs"
    for name, make in TABLES.items():
        assert there[name] == make(material), f"{name}: svmbench field --draw --page docs/which-solver.md"


def test_claims_of_the_newer_methods_are_counted_from_the_table():
    errors = {}
    table = (ROOT / "results/reference/tables/field.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(table.splitlines()):
        errors[row["cost"], row["method"], row["data set"]] = row["mean error"]
    runs = artifacts.load("field").runs
    names = {line.title or registry.get(line.solver).title: line.name for line in runs.lines}
    section = PAGE.read_text(encoding="utf-8").split("## What the papers of the newer methods claim")[1]
    section = section.split("\n## ")[0]
    lines = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if "| " in line
    ]
    assert len(lines) > 7
    for method, _, other, *told, _ in lines[2:]:
        one, two = names.get(method) or names[f"Nyström features, {method}"], names[other]
        for cost, shown in zip(("kev_ondemand", "kev_iter", "cpu_seconds"), told, strict=True):
            pairs = [
                (float(value), float(errors[cost, two, place]))
                for (counter, name, place), value in errors.items()
                if (counter, name) == (cost, one) and value and errors.get((cost, two, place))
            ]
            assert shown == f"{sum(a < b for a, b in pairs)} of {len(pairs)}", (method, other, cost)


def test_projectron_has_as_few_points_on_as_many_sets_as_the_page_says(index):
    sizes = defaultdict(list)
    for match in Material.of(artifacts.load("field"), index).matches:
        if match.planned.solver in ("perceptron", "projectron"):
            size = float(match.result.trace()["support_vectors"].iloc[-1])
            sizes[match.planned.panel, match.planned.solver, match.planned.over].append(size)
    fewer = {
        panel
        for (panel, name, _), points in sizes.items()
        if name == "projectron" and median(points) <= 0.5 * median(sizes[panel, "perceptron", ()])
    }
    told = f"holds on demand; at most half the points on {len(fewer)} of 15 |"
    assert told in PAGE.read_text(encoding="utf-8")
