"""The page on choosing a solver: groups, wishes, and its tables."""

import csv
import importlib.util
import math
from collections import defaultdict
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.papers import artifact as artifacts
from svmbench.papers import summary
from svmbench.papers.fronts import standings
from svmbench.papers.material import Material
from svmbench.papers.method_costs import EARLY, WISHES, costs, measured
from svmbench.papers.runs import Group, Line
from svmbench.solvers import registry
from tests.papers.test_advice import SHAPES, found, stored  # noqa: F401  # a fixture

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("site_field", ROOT / "cmake" / "site_field.py")
field_page = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(field_page)
TABLES, backtest, best, blocks = field_page.TABLES, field_page.backtest, field_page.best, field_page.blocks
chart, data_sets, groups = field_page.chart, field_page.data_sets, field_page.groups
ranks, rewrite = field_page.ranks, field_page.rewrite

PAGE = ROOT / "docs" / "which-solver.md"
COUNTING = ROOT / "docs" / "counting.md"
NEWER = ROOT / "docs" / "newer-methods.md"


def test_groups_are_by_rows_and_columns(found):  # noqa: F811
    # 100 * 4^k rows, 2 + k^2 columns.
    assert groups(found, SHAPES) == {
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
    monkeypatch.setattr(field_page, "shapes_of", lambda material: shapes)
    there = groups(found, SHAPES)
    assert there["fewer than 10,000 examples"] == ["s0"] and there["more than 50,000 examples"] == ["s3"]
    assert there["10,000 to 50,000 examples"] == ["s1", "s2"]
    assert (there["at most 25 columns"], there["more than 25 columns"]) == (["s0", "s2"], ["s1", "s3"])


def test_the_chart_names_the_method_of_each_group_and_wish_and_how_sure_it_is(found):  # noqa: F811
    told = {(group, wish): cells for wish in WISHES for group, *cells in cells_of(chart(found, wish))[2:]}
    # Of the two exact methods, SMO takes three times as long.
    assert told["fewer than 10,000 examples", "the optimum"] == [
        *("Decomposition", "4 of 4", "1 to 1 of 2", "4 of 4", "2.0", "4 times: none")
    ]
    assert told["all", "a low test error early"][0] == "SBP"
    # SBP and SMO end 0.4 and 0.3 points above the optimum's test error, which is not within 0.25.
    assert told["all", "a small model"][0::5] == ["SBP", "0.25 points: Decomposition"]
    # Three of the four methods end near the optimum's test error, with the same memory.
    assert told["all", "little memory"][:5] == ["Decomposition", "7 of 7", "2 to 2 of 4", "7 of 7", "5.2"]
    # One data set alone tells nothing.
    assert told["10,000 to 50,000 examples", "the optimum"][0] == "none is ahead; Decomposition is first"


def test_the_methods_with_the_least_cost_on_each_data_set_are_named_with_it(found):  # noqa: F811
    told = cells_of(best(found))
    times, others = ([row[:4] for row in told], [row[4:] for row in told])
    assert times[0][:3] == ["data set", "the optimum, s", "a low test error early, s"]
    # 40 % of the time at the first checkpoint, from which on SBP alone is near the optimum's test error.
    assert times[2][:3] == ["Set s0", "Decomposition (0.01)", "SBP (0.004)"]
    assert times[8][:3] == ["Set s6", "Decomposition (41)", "SBP (16.4)"]
    assert others[0] == ["a small model, support vectors or features", "little memory, MiB"]
    assert others[2] == ["SBP (20)", "Decomposition and 2 more (12.4)"]
    assert len(told) == 2 + 7


def test_where_no_method_gets_there_or_none_was_measured_no_method_is_named(tmp_path):
    known = {"sbp": {f"s{k}": (50, 50) if k else (10, 10) for k in range(7)}}
    told = cells_of(best(stored(tmp_path, known)))
    assert [row[1:3] for row in told[2:4]] == [["–", "SBP (0.004)"], ["–", "none"]]
    assert told[3][4:] == ["none", "none"]


def test_ranks_stand_beside_those_under_the_other_rule(tmp_path):
    # SMO answers at once, with 90 %, where the empty model errs on 50; SBP answers later, with 30.
    known = {"smo": (90, 10), "sbp": (30, 10), "pegasos": (55, 20), "perceptron": (52, 20)}
    header, _, *rows = cells_of(ranks(stored(tmp_path, known)))
    assert header[1:] == [
        *("rank by seconds", "p", "other rule", "rank by evaluations", "p", "other rule"),
        *("by seconds on 0 sets", "chosen by validation"),
    ]
    told = {name: cells for name, *cells in rows}
    # By evaluations, all answer at the same costs; only the first error differs.
    assert [told[name][3] for name in ("SBP", "SMO", "Pegasos", "Perceptron")] == ["1.0", *["3.0"] * 3]
    assert [told[name][5] for name in ("SBP", "SMO", "Pegasos", "Perceptron")] == ["1.0", "4.0", "3.0", "2.0"]


def test_on_each_data_set_the_same_method_is_first_if_chosen_by_validation(field):
    assert "the same method has the least mean error on each of them" in " ".join(PAGE.read_text().split())
    for counter in ("cpu_seconds", "kev_ondemand"):
        held = standings(field, counter, by="validation_error")
        assert len(held) == 5
        for panel, one in standings(field, counter).items():
            if panel in held:
                there = held[panel].means
                assert min(there, key=there.__getitem__) == min(one.means, key=one.means.__getitem__)


def test_what_programs_of_others_take_is_in_the_table_of_speed():
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    table = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8").split("<!-- stored: baselines -->")[1]
    _, _, *rows = cells_of(table.split("\n\n")[1])
    for names, ours, told in (
        (("sklearn_svc",), "decomposition", "LIBSVM takes {} to {} times and"),
        (("sklearnex_svc", "sklearnex_svc float32"), "decomposition", "oneDAL {} to {} times the"),
        (("sklearn_linearsvc",), "dcd", "LIBLINEAR takes {} to {} times those of DCD"),
        (("sklearn_nystroem", "sklearn_rbfsampler"), "asset", "features takes {} to {} times those of ASSET"),
    ):
        there = [row[5::2] for row in rows if row[1] in names and row[3] == ours]
        ratios = [float(cell) for cells in there for cell in cells if cell != "–"]
        assert told.format(f"{min(ratios):g}", f"{max(ratios):g}") in page


def test_the_advice_is_compared_with_the_best_and_with_a_subset(tmp_path):
    groups = [Group(1, "smo sbp"), Group(1, "subset", over={"subset": [50]})]
    lines = [Line("smo"), Line("sbp"), Line("subset", solver="decomposition")]
    known = {"smo": (30, 10), "sbp": (10, 10), "subset": (30, 10)}
    made = stored(tmp_path, known, lines=lines, groups=groups)
    rows = {wish: cells for wish, *cells in cells_of(backtest(made))}
    # 40 % of the time at the first checkpoint; the subset ends at all of it.
    assert rows["a low test error early"] == ["times the least cost", "7", "1", "1", "2.5", "2.5"]
    assert rows["the optimum"] == ["times the least cost", "7", "1", "1", "not there", "not there on 7"]
    measure, sets, median, worst, *_ = rows["the best mean rank by seconds"]
    assert (measure, sets, median, worst) == ("points above the least mean error", "7", "0", "0")


def test_size_kernel_optimum_and_limit_of_each_data_set_are_listed(found):  # noqa: F811
    header, _, first, *others = cells_of(data_sets(found))
    config = found.matches[0].planned.config
    sizes, errors = ["examples", "columns"], ["optimum's test error, %", "empty model's, %"]
    assert header[1:] == [*sizes, "γ", "C", *errors, "limit, s"]
    assert first[:3] == ["Set s0", "100", "2"] and others[-1][:3] == ["Set s6", "409,600", "38"]
    kernel = [f"{config.kernel.parameters['gamma']:g}", f"{config.problem.C:g}"]
    assert first[3:] == [*kernel, "10.00", "50.00", "–"]


def cells_of(table):
    """The cells of the lines of a table, with its header and the line below it."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


def test_a_page_is_rewritten_between_its_markers(found, tmp_path):  # noqa: F811
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- field: model -->\n\nold\nold\n\nText.\n\n<!-- field: costs -->\n\nold")
    rewrite(found, page)
    once = page.read_text()
    assert once == (
        f"# Page\n\n<!-- field: model -->\n\n{chart(found, 'a small model')}\n\nText.\n\n"
        "<!-- field: costs -->\n\n"
        f"{TABLES['costs'](found)}"
    )
    rewrite(found, page)
    assert page.read_text() == once


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no marker", "has no marker of a table: write <!-- field: NAME --> with one of optimum, early"),
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


@pytest.fixture(scope="module")
def field(index):
    """The comparison with its stored runs."""
    return Material.of(artifacts.load("field"), index)


def test_the_shipped_summary_is_that_of_the_stored_runs(field):
    assert summary.read() == summary.of(field), "svmbench field --draw --summary svmbench/papers/summary.json"


def test_the_tables_of_the_pages_are_those_of_the_stored_runs(field, index):
    pages = (PAGE, COUNTING, NEWER)
    there = dict(pair for page in pages for pair in blocks(page.read_text(encoding="utf-8")))
    assert list(there) == list(TABLES)
    for name, make in TABLES.items():
        material = Material.of(artifacts.load("outside"), index) if name == "outside" else field
        assert material.stored, f"the runs of {name} are not stored"
        assert there[name] == make(material), f"{name}: python cmake/site_field.py results PAGE"


def test_claims_of_the_newer_methods_are_counted_from_the_table():
    errors = {}
    table = (ROOT / "results/reference/tables/field.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(table.splitlines()):
        errors[row["cost"], row["method"], row["data set"]] = row["mean error"]
    runs = artifacts.load("field").runs
    names = {line.title or registry.get(line.solver).title: line.name for line in runs.lines}
    section = NEWER.read_text(encoding="utf-8").split("## What the papers of the newer methods claim")[1]
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


def test_projectron_has_as_few_points_on_as_many_sets_as_the_page_says(field):
    sizes = defaultdict(list)
    for match in field.matches:
        if match.planned.solver in ("perceptron", "projectron"):
            size = float(match.result.trace()["support_vectors"].iloc[-1])
            sizes[match.planned.panel, match.planned.solver, match.planned.over].append(size)
    fewer = {
        panel
        for (panel, name, _), points in sizes.items()
        if name == "projectron" and median(points) <= 0.5 * median(sizes[panel, "perceptron", ()])
    }
    told = f"holds on demand; at most half the points on {len(fewer)} of 15 |"
    assert told in NEWER.read_text(encoding="utf-8")


def test_decomposition_gets_there_wherever_any_method_does(field):
    assert "gets there on the 14 where any method does" in " ".join(PAGE.read_text(encoding="utf-8").split())
    for near in (0.25, 0.5, 1.0):
        there = costs(measured(field, EARLY, near))
        assert len(there) == 15
        reached = [one for one in there.values() if min(one.values()) < math.inf]
        assert len(reached) == 14 and all(one["decomposition"] < math.inf for one in reached)


def test_seeds_change_less_than_what_is_decided_beside_the_programs(field, index):
    # What a method beside the programs is in the comparison of the field, where features are ours.
    alike = {"libsvm_subset": "subset", "nystroem": "nystrom"}
    ratios = []
    material = Material.of(artifacts.load("programs"), index)
    for test, findings in material.judged()[1][1]:
        mine, theirs = (alike.get(area.solver, area.solver) for area in (test.less, test.than))
        for finding in findings:
            if finding.verdict != "reproduced":
                continue
            there = field.evidence(finding.panel, "cpu_seconds")
            window = there.window("test_error")
            apart = sum(np.ptp(window.means(there.front(line, "test_error"))) for line in (mine, theirs))
            ratios.append(abs(finding.estimate.value) / apart)
    assert len(ratios) == 38
    assert f"at least {min(ratios):.3g} times what both differ by" in " ".join(PAGE.read_text().split())
