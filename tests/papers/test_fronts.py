"""Artifacts of the kind front: mean errors in claims, pictures, tables, packs, and a solver entered."""

import pytest

from svmbench.errors import UserError
from svmbench.figures.series import COUNTERS
from svmbench.papers import artifact as artifacts
from svmbench.papers import drawing, fronts
from svmbench.papers.claims import claim
from svmbench.papers.drawing import draw
from svmbench.papers.entered_solver import NAME, absent, entered
from svmbench.papers.fronts import (
    FRONT_CAPTION,
    Standing,
    agreements,
    emphasis,
    front_table,
    section_cells,
    standings,
)
from svmbench.papers.keeping import checkpoints, compares_errors
from svmbench.papers.predicates import Order
from svmbench.papers.quantities import Area, Value
from svmbench.papers.runs import Group, Line, Panel
from svmbench.store import Store
from tests.papers import written
from tests.papers.written import artifact, errors, material

GROUPS = [
    Group(2, "sbp"),
    Group(2, "bsgd", over={"solver.budget": [50, 800]}),
]
BSGD = Order("BSGD", Area("sbp"), Area("bsgd"))
CLAIM = claim("SBP has the lower mean error", "a test", "So it is.", BSGD)


def empty(root):
    """Options of runs of a problem whose empty model errs on 45 %."""
    optimum = {"key": "small", "test_error": None, "empty_test_error": 0.45}
    return {"optimum": Store(root).put_optimum(optimum)}


def store(root, *given, **options):
    return written.store(root, *given, **empty(root), **options)


def filled(made, root, rows):
    return written.filled(made, root, rows, **empty(root))


def made(**options):
    return artifact(["sbp", "bsgd"], kind="front", groups=GROUPS, counters="kev_ondemand", **options)


def stored(tmp_path, *, skip=None, **options):
    """The runs of `made`: the small budget is early, the large one better."""
    found = made(**options)
    known = {"sbp": (44, 35, 34), 50: (30, 20, 20), 800: (45, 25, 10)}

    def rows(planned):
        name = dict(planned.over).get("solver.budget", planned.solver)
        return None if skip == planned.solver else errors(*known[name])

    return filled(found, tmp_path, rows)


def test_a_line_with_several_settings_has_the_best_of_them(tmp_path):
    curve = stored(tmp_path).evidence("board", "kev_ondemand").front("bsgd", "test_error")
    assert len(curve.steps) == 2
    assert curve.steps[0].value.tolist() == [30, 20, 10]


def test_mean_errors_are_judged(tmp_path):
    found = stored(tmp_path, claims=[CLAIM])
    # 1,000 to 2,000: 44 and 30; to 4,000: 35 and 20; before: 45, the error of the empty model.
    one = standings(found, "kev_ondemand")["board"]
    assert (one.low, one.high) == (4.0, 4000.0)
    difference = one.means["sbp"] - one.means["bsgd"]
    assert difference == pytest.approx((14 + 15) * 0.30103 / 3, rel=1e-4)
    assert one.ends["sbp"] == (one.means["sbp"], one.means["sbp"])
    ((_, ((part, (finding,)),)),) = found.judged()
    assert finding.verdict == "deviates"
    assert finding.estimate.unit == "points"
    mean = "mean test error of {}, or the empty model's, over the costs compared"
    assert part.definition == f"The {mean.format('sbp')} is less than the {mean.format('bsgd')}."


def test_means_are_of_what_the_validation_error_chooses(tmp_path):
    # By the test error, the large budget is the better one; by the validation error, the small one.
    chosen = Order("BSGD", Area("bsgd", by="validation_error"), Area("bsgd"))
    found = made(claims=[claim("c", "p", "t", chosen)])
    known = {"sbp": (44, 44), 50: (30, 20), 800: (25, 10)}
    judges = {"sbp": (44, 44), 50: (20, 19), 800: (30, 30)}
    for planned in found.runs.planned():
        name = dict(planned.over).get("solver.budget", planned.solver)
        rows = [
            {**row, "validation_error": judge / 100.0}
            for row, judge in zip(errors(*known[name]), judges[name], strict=True)
        ]
        store(tmp_path, planned, rows)
    ((_, ((part, (finding,)),)),) = material(found, tmp_path).judged()
    # Up to 2,000, 30 for 25; at the end, where all costs compared are below, nothing.
    assert finding.estimate.value == pytest.approx((30 - 25) * 0.30103 / 3, rel=1e-4)
    assert "The mean test error of bsgd, chosen by the validation error, or the empty" in part.definition


def test_a_method_that_answers_late_or_badly_has_the_error_of_the_empty_model(tmp_path):
    # At 45 %, whatever the others answer first: 97 % here, which no method has to carry.
    found = artifact(["sbp", "smo", "pegasos"], kind="front", counters="kev_ondemand")
    known = {"sbp": (97, 20), "smo": (45, 20), "pegasos": (30, 20)}
    there = filled(found, tmp_path, lambda planned: errors(*known[planned.solver]))
    (one,) = standings(there, "kev_ondemand").values()
    assert one.means["sbp"] == one.means["smo"] == pytest.approx(45.0, abs=1e-9)
    assert one.ahead["pegasos"] == 1.0 and one.ahead["sbp"] < 0.2
    (other,) = standings(there, "kev_ondemand", unanswered=True).values()
    assert other.means["sbp"] == pytest.approx(97.0) and other.means["smo"] < 97.0
    drawn = drawing.selection(there, "kev_ondemand", "test_error").panels[0].curves
    assert max(steps.value.max() for curve in drawn for steps in curve.steps) == pytest.approx(45.0)


def test_a_method_that_does_not_answer_within_its_limit_has_the_error_of_the_empty_model(tmp_path):
    board = [Panel("board", "Board", "dataset=checkerboard budget.seconds=6")]
    found = artifact(["sbp", "smo", "cpny"], kind="front", panels=board, counters="cpu_seconds")
    alone = {"seconds": 5.0, "others": 0.0, "stolen": 0.0, "cores": 2}
    for planned in found.runs.planned():
        row = {**errors(20)[0], "cpu_seconds": 1.0}
        rows = {"sbp": [row], "smo": [], "cpny": [{**row, "test_error": None, "test_mistakes": None}]}
        store(tmp_path, planned, rows[planned.solver], status="timeout", load=alone)
    evidence = material(found, tmp_path).evidence("board", "cpu_seconds")
    window = evidence.window("test_error")
    assert window.high == 1.0
    for name in ("smo", "cpny"):  # no checkpoint; no model with a term
        (late,) = evidence.front(name, "test_error").steps
        assert (late.cost.tolist(), late.value.tolist()) == ([6.0], [45.0])
        assert window.means(evidence.front(name, "test_error")) == pytest.approx([45.0])


def test_a_fit_that_costs_more_than_a_later_one_counts(tmp_path):
    # As the first of several fits from scratch may.
    found = artifact(["sbp"], kind="front", counters="cpu_seconds")
    (planned,) = found.runs.planned()
    costs = (0.6, 0.4, 0.4, 0.5)
    rows = [{**row, "cpu_seconds": cost} for row, cost in zip(errors(20, 25, 40, 30), costs, strict=True)]
    store(tmp_path, planned, rows, load={"seconds": 5.0, "others": 0.0, "stolen": 0.0, "cores": 2})
    (steps,) = material(found, tmp_path).evidence("board", "cpu_seconds").front("sbp", "test_error").steps
    assert (steps.cost.tolist(), steps.value.tolist()) == ([0.4, 0.5, 0.6], [40.0, 30.0, 20.0])


def test_without_the_error_of_the_empty_model_there_is_no_comparison(tmp_path):
    found = artifact(["sbp", "smo"], kind="front", counters="kev_ondemand")
    there = written.filled(found, tmp_path, errors(40, 20))
    assert standings(there, "kev_ondemand") == {}
    assert not drawing.selection(there, "kev_ondemand", "test_error").panels


def test_no_two_coloured_lines_share_a_colour(tmp_path):
    # SBP and RandSVM do elsewhere.
    names = ["sbp", "smo", "pegasos", "lasvm", "randsvm", "bsgd", "decomposition", "sdca"]
    found = artifact(names, kind="front", counters="kev_ondemand")
    style = emphasis(filled(found, tmp_path, errors(40, 20)), "kev_ondemand").style
    assert len({look.colour for look in style.values()}) == len(names)


def test_a_line_with_a_missing_run_has_no_front(tmp_path):
    found = stored(tmp_path, skip="bsgd", claims=[CLAIM])
    one = standings(found, "kev_ondemand")["board"]
    assert list(one.means) == ["sbp"]
    assert one.missing == {"bsgd": "bsgd: 0 of 4 runs are stored (missing)"}
    assert found.judged()[0][1][0][1][0].verdict == "not attempted"


def test_the_seconds_of_disturbed_runs_are_not_used(tmp_path):
    found = artifact(["sbp", "smo"], kind="front", counters="cpu_seconds")
    quiet, busy = ({"seconds": 5.0, "others": part, "stolen": 0.0, "cores": 2} for part in (0.0, 0.9))
    for planned in found.runs.planned():
        rows = [{**row, "cpu_seconds": 0.1 * k} for k, row in enumerate(errors(40, 20), start=1)]
        store(tmp_path, planned, rows, load=busy if planned.solver == "smo" else quiet)
    one = standings(material(found, tmp_path), "cpu_seconds")["board"]
    assert list(one.means) == ["sbp"]
    assert "ran alone" in one.missing["smo"]


def test_the_picture_greys_what_is_least_ahead_and_the_table_lists_all(tmp_path, monkeypatch):
    monkeypatch.setattr("svmbench.papers.fronts._SHOWN", 2)
    found = artifact(["sbp", "smo", "pegasos"], kind="front", counters="kev_ondemand", panels=BOARDS)
    known = {"sbp": (30, 10), "smo": (45, 44), "pegasos": (20, 15)}
    paths = draw(filled(found, tmp_path, lambda planned: errors(*known[planned.solver])), tmp_path)
    names = [path.name for path in paths]
    assert names[:3] == ["small-kev_ondemand.png", "small-kev_ondemand.svg", "small-kev_ondemand.pdf"]
    svg = paths[1].read_text()
    assert "other methods" in svg and ">SBP<" in svg and ">SMO<" not in svg
    (caption,) = (" ".join(path.read_text().split()) for path in paths if path.suffix == ".txt")
    assert caption.index(FRONT_CAPTION) < caption.index("Source: A test.") < caption.index("Redrawn from")
    table = (tmp_path / "tables" / "small.md").read_text()
    lines = [line for line in table.splitlines() if line.startswith(("| S", "| P"))]
    assert [line.split("|")[1].strip() for line in lines] == ["Pegasos", "SBP", "SMO"]
    assert lines[0].split("|")[2].strip() == "1.0"
    csv = (tmp_path / "tables" / "small.csv").read_text().splitlines()
    assert csv[0] == "cost,data set,method,mean error,least,greatest,part ahead"
    assert len(csv) == 1 + 3 * 2


BOARDS = [
    Panel(name, name.title(), f"dataset=checkerboard dataset.seed={seed}")
    for seed, name in enumerate(("one", "two"))
]


def test_packs_of_fronts_keep_where_the_error_falls_and_the_end():
    rows = [{"test_error": error} for error in (0.3, 0.3, None, 0.2, 0.25, 0.2)]
    assert checkpoints(made())(rows) == [0, 3, 5]
    assert not compares_errors(made(claims=[CLAIM]))
    other = Order("part", Value("sbp", at=1e3), 20.0)
    assert list(checkpoints(made(claims=[claim("c", "p", "t", other)]))(rows)) == list(range(6))


def test_a_solver_is_entered_with_its_settings():
    shown, alone = entered(made(), ["perceptron"], 3)
    assert {planned.solver for planned in shown.runs.planned()} == {"sbp", "bsgd", NAME}
    planned = alone.runs.planned()
    assert [(run.solver, run.seed) for run in planned] == [(NAME, 0), (NAME, 1), (NAME, 2)]
    assert shown.highlight == NAME
    assert shown.id == alone.id == "small-perceptron"
    shown, alone = entered(made(), ["bsgd", "solver.budget=50,100"], 1)
    assert [run.over for run in alone.runs.planned()] == [
        (("solver.budget", "50"),),
        (("solver.budget", "100"),),
    ]


def standing(**means):
    """The mean errors of methods on a data set."""
    return Standing(means, {}, dict.fromkeys(means, 0.0), 1.0, 1e3, {})


def test_ranks_are_over_all_data_sets_among_the_methods_that_are_on_all(tmp_path):
    boards = [Panel(name, name, "dataset=checkerboard") for name in ("one", "two")]
    found = artifact(["sbp", "bsgd", "smo"], kind="front", panels=boards, counters="kev_ondemand")
    both = {"one": standing(sbp=3.0, bsgd=2.0), "two": standing(sbp=3.0, bsgd=2.0, smo=1.0)}
    header, rows = section_cells(material(found, tmp_path), both)
    assert header[1] == "mean rank of 2"
    assert [row[1] for row in rows] == ["1.0", "2.0", "–"]


def test_costs_agree_on_data_sets_that_have_three_methods_under_both():
    orders = {
        "same": (standing(a=1.0, b=2.0, c=3.0, d=9.0), standing(a=10.0, b=20.0, c=30.0, e=9.0)),
        "swapped": (standing(a=1.0, b=2.0, c=3.0), standing(a=2.0, b=1.0, c=3.0)),
        "two alone": (standing(a=1.0, b=2.0, c=3.0), standing(a=2.0, b=1.0)),
        "one alone": (standing(a=1.0, b=2.0, c=3.0), standing(a=2.0)),
    }
    seconds, counted = ({name: pair[side] for name, pair in orders.items()} for side in (0, 1))
    # The order by seconds is not compared with itself, nor a data set of which no seconds are known.
    counted["without seconds"] = standing(c=1.0, b=2.0, a=3.0)
    table = agreements({"cpu_seconds": seconds, "kev_ondemand": counted})
    (row,) = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    # A pair of three in another order: 2 pairs less 1, of 3.
    assert row == [COUNTERS["kev_ondemand"], "0.67", "0.33 to 1.00", "2"]
    counted = {name: counted[name] for name in ("two alone", "one alone", "without seconds")}
    text = agreements({"cpu_seconds": seconds, "kev_ondemand": counted})
    assert text == "Not known: no data set has seconds and another cost of three methods."


def test_the_table_of_a_front_has_the_data_sets_of_which_half_of_the_methods_have_the_cost(tmp_path):
    found = artifact(["sbp", "smo", "pegasos"], kind="front", counters="kev_ondemand", panels=BOARDS, seeds=3)
    levels = {"sbp": 20, "smo": 31, "pegasos": 32}
    for planned in found.runs.planned():
        if planned.panel == "one" or planned.solver == "sbp":
            level = (levels[planned.solver] + (10 * planned.seed if planned.solver == "sbp" else 0)) / 100.0
            # From the first cost compared to the last, with one error throughout.
            rows = [{"test_error": level, "kev_ondemand": cost} for cost in (1, 1000)]
            store(tmp_path, planned, rows)
    made = front_table(material(found, tmp_path))
    assert "Fewer than half of the methods have this cost on Two." in made["md"]
    assert made["csv"].splitlines() == [
        "cost,data set,method,mean error,least,greatest,part ahead",
        "kev_ondemand,one,sbp,30,20,40,1.000",
        "kev_ondemand,one,smo,31,31,31,1.000",  # of 1,000 examples, the standard error is 1.4 points
        "kev_ondemand,one,pegasos,32,32,32,0.000",
    ]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in made["md"].splitlines()]
    assert [row for row in rows if len(row) == 4 and "--" not in row[0]] == [
        ["method", "mean rank of 3", "p", "One"],
        ["SBP", "1.0", "\N{EN DASH}", "30.00 (100)"],
        ["SMO", "2.0", "\N{EN DASH}", "31.00 (100)"],
        ["Pegasos", "3.0", "\N{EN DASH}", "32.00 (0)"],
    ]


MALFORMED = "give each key once, as KEY=VALUE or KEY=VALUE,VALUE"
FIXED = "problem and budget are those of the comparison; give keys of the"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("solver.budget =5 solver.budget=", MALFORMED),
        ("kernel.gamma=1 problem.C=2 budget.seconds=9 seed=3 results=x", FIXED),
    ],
)
def test_a_setting_that_is_malformed_or_of_the_problem_is_refused(words, sentence):
    for word in words.split():
        with pytest.raises(UserError, match=sentence):
            entered(made(), ["bsgd", word], 1)


def test_a_highlighted_line_must_exist():
    with pytest.raises(UserError, match="highlight: unknown 'x'"):
        made(highlight="x")


def test_the_comparison_has_all_sets_and_its_claims_use_its_lines():
    field = artifacts.load("field")
    assert len(field.runs.panels) == 15
    assert field.timed
    assert len({line.name for line in field.runs.lines}) == len(field.runs.lines) >= 13


@pytest.mark.parametrize("missing", [("smo",), ("smo", "pegasos")])
def test_a_data_set_without_the_line_of_the_window_or_half_of_the_lines_hides_none_after_it(
    tmp_path, missing
):
    names, counters = ["sbp", "smo", "pegasos"], "kev_ondemand"
    found = artifact(names, kind="front", panels=BOARDS, counters=counters, window="smo")
    for planned in found.runs.planned():
        if planned.panel == "two" or planned.solver not in missing:
            store(tmp_path, planned, errors(40, 20))
    assert list(standings(material(found, tmp_path), "kev_ondemand")) == ["two"]


def test_a_data_set_on_which_all_methods_are_equal_tells_nothing_of_costs():
    level, order = standing(a=1.0, b=1.0, c=1.0), standing(a=1.0, b=2.0, c=3.0)
    by_counter = {"cpu_seconds": {"one": order, "two": order}, "kev_ondemand": {"one": level, "two": order}}
    *_, row = agreements(by_counter).splitlines()
    assert [cell.strip() for cell in row.split("|")[2:-1]] == ["1.00", "1.00 to 1.00", "1"]


def test_the_eight_methods_that_are_most_ahead_over_all_data_sets_have_a_colour(tmp_path, monkeypatch):
    titles = {f"m{k}": f"M{k}" for k in range(9)}
    others = dict.fromkeys(list(titles)[1:], 0.3)
    both = {"one": {"m0": 0.5, **others}, "two": others}
    found = {panel: Standing({}, {}, ahead, 1.0, 1e3, {}) for panel, ahead in both.items()}
    monkeypatch.setattr(fronts, "standings", lambda material, counter: found)
    lines = [Line(name, solver="sbp", title=title) for name, title in titles.items()]
    looks = emphasis(material(artifact(lines, kind="front"), tmp_path), "kev_iter")
    assert [title for title, look in looks.style.items() if look is fronts._PALE] == ["M0"]
    assert [handle.get_label() for handle in looks.handles] == [*list(titles.values())[1:], "other methods"]


def test_the_highlighted_method_alone_has_a_colour(tmp_path):
    paper = artifact(["sbp", "smo", "bsgd"], kind="front", highlight="smo")
    looks = emphasis(material(paper, tmp_path), "kev_iter")
    assert [name for name, look in looks.style.items() if look is not fronts._PALE] == ["smo"]
    assert [handle.get_label() for handle in looks.handles] == ["smo", "other methods"]
    alone = artifact(["smo"], kind="front", highlight="smo")
    assert [one.get_label() for one in emphasis(material(alone, tmp_path), "kev_iter").handles] == ["smo"]


def test_fronts_have_a_picture_for_each_cost_and_one_table(tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "_draw_sheet", lambda material, rows, stem, looks: [stem])
    counters = "kev_ondemand kev_iter kev_rowupdate"
    found = artifact(["sbp", "smo"], kind="front", counters=counters)
    paths = draw(filled(found, tmp_path, errors(40, 20)), tmp_path)
    first, *table, second, third = (path.name for path in paths)
    assert [first, second, third] == [f"small-{counter}" for counter in counters.split()]
    assert table == ["small.md", "small.csv"]


ENTERED = Line(NAME, solver="pegasos", title="pegasos (entered)")


def test_an_entered_solver_without_a_line_is_not_in_the_legend_and_said(tmp_path):
    lines = ["sbp", "smo", ENTERED]
    found = artifact(lines, kind="front", counters="kev_ondemand", panels=BOARDS, highlight=NAME)
    there = filled(found, tmp_path, lambda planned: errors(30, 10) if planned.solver != NAME else None)
    svg = draw(there, tmp_path)[1].read_text()
    assert "other methods" in svg and "(entered)" not in svg
    (what, why), *_ = absent(there)
    assert what.startswith("the line on ") and "runs are stored (missing)" in why


def test_a_solver_that_is_compared_with_nothing_is_said_to_be(tmp_path):
    found = artifact(["sbp", ENTERED], kind="front", counters="kev_ondemand", highlight=NAME)
    there = filled(found, tmp_path, lambda planned: errors(30, 10) if planned.solver == NAME else None)
    ((what, why),) = absent(there)
    assert what == "all other methods" and "give --results CLONE/results" in why
