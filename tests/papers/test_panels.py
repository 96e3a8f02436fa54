"""What pictures of artifacts and checks show."""

from types import SimpleNamespace

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.figures.panel import Known
from svmbench.figures.series import METRICS
from svmbench.papers import drawing, samples
from svmbench.papers.artifact import Check, Sweep, finished
from svmbench.papers.drawing import _rows, _y_label
from svmbench.papers.estimate import DRAWS, Draw, NotAttempted, Rows, binomial_error
from svmbench.papers.fronts import FRONT_CAPTION
from svmbench.papers.material import Material
from svmbench.papers.panels import check_plots, known_points, levels_of, places_of, title_of
from svmbench.papers.quantities import EACH, Arrival, Value
from svmbench.papers.runs import Group, Line, Runs
from svmbench.store import Store

from .written import artifact, errors, filled, material, store


def panel(title, y_label, *ys, scale="log"):
    lines = [{"label": f"line {k}", "x": [1, 2], "y": y} for k, y in enumerate(ys)]
    return {"title": title, "x_label": "n", "y_label": y_label, "scale": scale, "lines": lines}


def artifact_with(**options):
    return Sweep("", "T", "S", Runs("", [], [Line("a", title="A")]), x="problem.C", y=Value(EACH), **options)


def test_panels_of_one_quantity_have_one_range():
    plots, label, scale = check_plots(
        artifact_with(levels=[{"label": "printed", "value": "3", "panel": "one"}]),
        [panel("one", "errors", [1.0, 2.0]), panel("two", "errors", [5.0, 100.0], [2.0, 4.0])],
    )
    assert (label, scale) == ("errors", "log")
    assert [plot.title for plot in plots] == ["one", "two"] and [plot.x_label for plot in plots] == ["n", "n"]
    assert plots[0].y == plots[1].y and plots[0].y[0] <= 1.0 and plots[0].y[1] >= 100.0
    assert [list(line.y) for line in plots[1].lines] == [[5.0, 100.0], [2.0, 4.0]]
    assert list(plots[0].levels) == [("printed", 3.0)] and not list(plots[1].levels)
    (alone,), _, _ = check_plots(artifact_with(), [panel("one", "errors", [1.0, 2.0])])
    assert alone.y is None
    plots, _, _ = check_plots(artifact_with(), [panel("one", "errors", [1.0]), panel("two", "costs", [2.0])])
    assert plots[0].y is None and plots[1].y is None


@pytest.mark.parametrize(
    ("panels", "label", "y"),
    [
        ([("CPU seconds", [1e-6, 2e-6], [1e-5, 9e-4])], "CPU microseconds", [10.0, 900.0]),
        ([("CPU seconds", [1e-6, 2e-6], [1e-5, 1e-3])], "CPU seconds", [1e-5, 1e-3]),
        ([("CPU seconds", [1e-6, 0.5])], "CPU seconds", [1e-6, 0.5]),
        ([("CPU seconds", [1e-6, 2e-6]), ("errors", [1e-6])], "CPU seconds", [1e-6, 2e-6]),
    ],
)
def test_short_times_are_in_microseconds(panels, label, y):
    plots, found, _ = check_plots(artifact_with(), [panel("a", *one) for one in panels])
    assert found == label and list(plots[0].lines[-1].y) == pytest.approx(y)


def test_a_band_and_a_bare_line_are_drawn_as_measured():
    line = {"label": "a", "solver": "sbp", "x": [1], "y": [2], "band": [[1], [3]], "bare": True}
    (plot,), _, _ = check_plots(artifact_with(), [{**panel("a", "b"), "lines": [line]}])
    (drawn,) = plot.lines
    assert drawn.bare and drawn.solver == "sbp" and drawn.band.tolist() == [[1.0], [3.0]]


def test_published_points_and_levels_are_those_of_the_panel_and_the_counter():
    point = {"panel": "adult", "solver": "a", "at": "100", "value": 5.0}
    more = ({"value": [4.0, 6.0], "counter": "kev_iter"}, {"panel": "mnist"}, {"counter": "kev_rowupdate"})
    made = artifact_with(points=[point, *({**point, **one} for one in more)])
    found = known_points(SimpleNamespace(artifact=made, matches=[]), "adult", "kev_iter")
    assert found == [Known("A", 100.0, 5.0, 5.0), Known("A", 100.0, 4.0, 6.0)]
    assert not known_points(SimpleNamespace(artifact=artifact_with(), matches=[]), "adult", "kev_iter")
    levels = [{"label": "all", "value": "1"}, {"label": "one", "value": 2, "panel": "adult"}]
    assert levels_of(artifact_with(levels=levels), "adult") == [("all", 1.0), ("one", 2.0)]
    assert levels_of(artifact_with(levels=levels), "mnist") == [("all", 1.0)]


def test_a_point_or_level_belongs_to_its_own_panel_and_line():
    lines = [SimpleNamespace(name=name, title=name.upper()) for name in ("cc", "aa", "bb")]
    point = {"panel": "-".join(["n", "n"]), "solver": "".join(["b", "b"]), "at": 1, "value": 5.0}
    points = [{**point, "panel": "m"}, point, {**point, "panel": "z"}]
    points += [{**point, "counter": counter} for counter in ("kev_a", "kev_z")]
    levels = [{"label": name, "value": 1, "panel": name} for name in ("m", point["panel"], "z")]
    artifact = SimpleNamespace(points=points, levels=levels, runs=SimpleNamespace(lines=lines))
    found = known_points(SimpleNamespace(artifact=artifact, matches=[]), "n-n", "kev_iter")
    assert found == [Known("BB", 1.0, 5.0, 5.0)]
    assert levels_of(artifact, "n-n") == [("n-n", 1.0)]


def test_the_scale_of_the_first_panel_is_that_of_all():
    panels = [panel("a", "errors", [1.0]), panel("b", "errors", [2.0], scale=None)]
    assert check_plots(artifact_with(), panels)[2] == "log"


def test_two_panels_in_microseconds_have_one_label_and_one_range():
    panels = [panel(name, "CPU seconds", [1e-6, 2e-6]) for name in ("a", "b")]
    plots, label, _ = check_plots(artifact_with(), panels)
    assert label == "CPU microseconds"
    assert [list(plot.lines[0].y) for plot in plots] == [pytest.approx([1.0, 2.0])] * 2
    assert plots[0].y == plots[1].y and plots[0].y[0] > 0.1


def test_a_place_that_the_configuration_lacks_is_left_out():
    def place(x):
        raise UserError("no such key")

    match = SimpleNamespace(planned=SimpleNamespace(solver="sbp", over=()), place=place)
    evidence = SimpleNamespace(matches=[match])
    assert places_of(evidence, SimpleNamespace(name="sbp"), "n", Value(EACH), None) == ([], [], [])


def test_the_median_of_seeds_is_shown_between_the_least_and_the_greatest():
    assert samples.counts(np.array([8.0, 16.0, 9.0])) == "9 (8 to 16)"
    assert samples.counts(np.array([2.0, 3.0, 4.0])) == "3 (2 to 4)"
    assert samples.counts(np.array([9999.0])) == "1e+04" and samples.counts(np.array([1e4])) == "1.0e4"
    assert samples.counts(np.array([2e4])) == "2.0e4" and samples.counts(np.array([-1e4])) == "-1.0e4"


def test_half_of_the_repetitions_of_a_measure_are_at_either_end_of_its_interval():
    at = samples.measured({"value": 4, "low": 1, "high": 16}, Draw()).rows.at
    assert at[0] == 4.0 and at[1:].tolist() == [1.0, 16.0] * (DRAWS[0] // 2)
    found = samples.measured({"value": 4}, Draw())
    assert set(found.rows.at) == {4.0} and found.shown == "4"
    found = samples.measured({"values": [3, 1, 2]}, Draw())
    assert found.rows.at.tolist() == Draw().medians(np.array([3.0, 1.0, 2.0]), range(3)).tolist()
    assert found.shown == "2 (1 to 3)"


def test_arrivals_of_which_some_were_cut_off_are_ordered_by_cost_and_by_what_was_spent():
    before, at = np.array([500.0, 4000.0, 8000.0, 1000.0]), np.array([1000.0, np.inf, np.inf, 2000.0])
    assert samples.arrival_words(before, at) == "> 2.5e3 (1.0e3 to > 8.0e3)"
    assert samples.arrival_words(before[1:2], at[1:2]) == "> 4.0e3"
    assert samples.arrival_words(before[[0, 3]], at[[0, 3]]) == "1.5e+03 (1e+03 to 2e+03)"


def test_the_noise_of_a_test_set_is_that_of_a_single_error():
    rows = Rows.of(Draw().constant(10.0))
    noise = [
        samples.Sample(rows, "", single, tests).noise for single in (True, False) for tests in (1000, None)
    ]
    assert noise == [binomial_error(10.0, 1000), 0.0, 0.0, 0.0]


def test_the_first_epoch_ends_at_the_last_checkpoint_within_it(monkeypatch):
    rows = [{"iterations": k} for k in (10, 99, 100, 101, 500)]
    run = SimpleNamespace(manifest={"dataset": {"rows": {"train": 100}}}, rows=lambda: rows)
    monkeypatch.setattr(samples, "costs_of", lambda run, counter: [1.0, 9.0, 10.0, 11.0, 50.0])
    assert samples.first_epoch_end(SimpleNamespace(run=run), "kev_iter") == 10.0
    run.manifest["dataset"]["rows"]["train"] = 500
    assert samples.first_epoch_end(SimpleNamespace(run=run), "kev_iter") == 50.0
    run.manifest["dataset"]["rows"]["train"] = 501
    with pytest.raises(NotAttempted, match="within the first epoch"):
        samples.first_epoch_end(SimpleNamespace(run=run), "kev_iter")


def test_mistakes_are_known_if_those_of_all_seeds_are():
    wrong = np.array([True, False])
    known, unknown = (
        SimpleNamespace(run=SimpleNamespace(mistaken_tests=lambda v=v: v)) for v in (wrong, None)
    )
    assert [list(one) for one in samples.wrong_tests(SimpleNamespace(steps=[known, known]))] == [
        [True, False]
    ] * 2
    assert samples.wrong_tests(SimpleNamespace(steps=[known, unknown])) == []


def test_a_line_without_a_title_has_that_of_its_solver_in_a_stored_run():
    def match(name, complete, title):
        planned = SimpleNamespace(solver="".join(name))  # equal, and another object
        return SimpleNamespace(planned=planned, complete=complete, result=SimpleNamespace(title=title))

    lines = [SimpleNamespace(name="sbp-1", title=None, solver="sbp")]
    matches = [match("smo", True, "SMO"), match("sbp-1", False, "old"), match("sbp-1", True, "SBP")]
    artifact = SimpleNamespace(runs=SimpleNamespace(lines=lines))
    name = "-".join(["sbp", "1"])  # as a published point names it
    assert title_of(SimpleNamespace(artifact=artifact, matches=matches), name) == "SBP"
    assert title_of(SimpleNamespace(artifact=artifact, matches=matches[:2]), name) == "sbp"


def test_a_line_is_known_where_its_values_are_and_above_0_on_a_logarithmic_axis(monkeypatch):
    values = {1: [2.0, 3.0], 2: [0.0, 1.0], 3: [np.nan, 1.0], 4: NotAttempted("no run")}
    matches = [
        SimpleNamespace(
            planned=SimpleNamespace(solver=solver, over=(("n", at),)), place=lambda x, at=at: float(at)
        )
        for solver, at in (("sbp", 4), ("sbp", 3), ("sbp", 2), ("smo", 5), ("sbp", 1), ("sbp", 1))
    ]

    def values_at(given, evidence, least=False):
        found = values[given.where["n"]]
        if isinstance(found, NotAttempted):
            raise found
        return np.array(found)

    monkeypatch.setattr(Value, "values", values_at)
    evidence = SimpleNamespace(matches=matches)
    for scale, places in (("log", [1.0]), ("linear", [1.0, 2.0]), (None, [1.0, 2.0])):
        found, shown, bounds = places_of(evidence, SimpleNamespace(name="sbp"), "n", Value(EACH), scale)
        assert found == places
        assert [list(one) for one in shown] == [values[at] for at in places]
        assert not np.any(bounds)


@pytest.mark.parametrize("y", [Arrival(EACH, level=10), Value(EACH, "kev_iter")])
def test_what_is_never_reached_is_shown_at_the_end_of_its_run_as_a_bound(monkeypatch, y):
    match = SimpleNamespace(planned=SimpleNamespace(solver="sbp", over=()), place=lambda x: 1.0)
    known = np.array([70.0, 4.0]), np.array([np.inf, 5.0]), None
    monkeypatch.setattr(type(y), "_per_seed", lambda given, evidence: known)
    places, shown, bounds = places_of(
        SimpleNamespace(matches=[match]), SimpleNamespace(name="sbp"), "n", y, "log"
    )
    assert (places, [list(one) for one in shown]) == ([1.0], [[70.0, 5.0]])
    assert [list(one) for one in bounds] == [[True, False]]


def test_an_axis_names_the_metric_or_the_arrival():
    for metric in ("support_vectors", "test_error"):
        assert _y_label(Value(EACH, metric)) == METRICS[metric][0]
    arrival = Arrival(EACH, "primal_suboptimality", level=1)
    assert _y_label(arrival) == "cost until primal suboptimality is reached"


def test_published_values_belong_to_the_first_metric_alone(tmp_path):
    paper = artifact(
        ["sbp"],
        metrics="test_error primal_objective",
        levels=[{"label": "printed", "value": 3}],
        points=[{"panel": "board", "solver": "sbp", "at": 10, "value": 5}],
        ranges={"x": (1, 9), "y": (2, 8)},
    )
    store(tmp_path, paper.runs.planned()[0], errors(20, 10))
    first, second = (row.views["board"] for row in _rows(material(paper, tmp_path), "kev_iter"))
    assert (first.x, first.y, list(first.levels)) == ((1.0, 9.0), (2.0, 8.0), [("printed", 3.0)])
    assert [(point.x, point.low) for point in first.known] == [(10.0, 5.0)]
    assert (second.x, second.y, list(second.levels), list(second.known)) == ((1.0, 9.0), None, [], [])


@pytest.mark.parametrize("kind", ["curves", "front"])
def test_how_fronts_are_read_is_said_below_fronts_alone(kind, tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(drawing, "draw_rows", lambda *rows, notes, **looks: said.extend(notes))
    drawing._draw_sheet(material(artifact(["sbp"], kind=kind), tmp_path), [], tmp_path / "small")
    assert said[-1] == "Redrawn from stored runs by: svmbench paper draw small"
    assert said[:-1] == [*([FRONT_CAPTION] if kind == "front" else []), "Source: A test."]


@pytest.mark.parametrize(
    ("solvers", "values", "panels"),
    [
        (["sdca", "sbp"], 4, ["board"]),  # eight curves
        (["sdca", "sbp"], 5, ["board, SDCA", "board, SBP"]),
        (["sdca", "sbp", "smo"], 3, ["board, SDCA", "board, SBP", "board, SMO"]),
        (["sdca"], 9, ["board"]),
        # Nine lines of one value each.
        (
            [Line(f"sbp{k}", f"kernel.gamma={k}", solver="sbp") for k in range(1, 10)],
            1,
            ["board"],
        ),
    ],
)
def test_more_than_eight_curves_are_drawn_line_by_line(tmp_path, solvers, values, panels):
    over = {"problem.C": [float(value) for value in range(1, 1 + values)]}
    paper = artifact(solvers, groups=[Group(1, over=over)])
    (row,) = _rows(filled(paper, tmp_path, errors(20, 10)), "kev_iter")
    assert [panel.name for panel in row.selection.panels] == panels
    assert sum(len(panel.curves) for panel in row.selection.panels) == len(solvers) * values
    if len(panels) > 1:
        assert row.views["board, SDCA"].title == "SDCA: Board"
        assert row.selection.panels[0].curves[1].label == "C = 2.0"


def swept(root, stored):
    """A sweep over two values of C with two seeds, of which some runs of SBP are stored, and all of SDCA."""
    over = {"problem.C": [1.0, 2.0]}
    paper = artifact(
        ["sbp", "sdca"],
        kind="sweep",
        groups=[Group(2, over=over)],
        x="problem.C",
        y=Value(EACH),
        hidden="sdca",
    )
    runs = paper.runs.planned()
    for planned in (*runs[:stored], *runs[4:]):
        store(root, planned, errors(20, 10 + planned.seed))
    return material(paper, root), runs


def test_a_sweep_has_the_places_of_which_all_runs_are_stored_and_names_the_other_runs(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(drawing, "draw_sweep", lambda *given, **more: drawn.append((given, more)) or [])
    found, runs = swept(tmp_path, 3)
    drawing.draw(found, tmp_path)
    (((panels, x_label, y_label, stem), more),) = drawn
    (points,) = panels["board"]
    assert (points.label, points.x.tolist()) == ("SBP", [1.0])
    assert [list(values) for values in points.values] == [[10.0, 11.0]]
    assert (x_label, y_label) == ("problem.C", METRICS["test_error"][0])
    assert stem == tmp_path / "figures" / "small" / "small"
    assert more["left_out"] == [(runs[3].command, "missing")] and len(more["runs"]) == 7


def test_a_sweep_without_a_whole_place_says_what_shows_why(tmp_path):
    found, _ = swept(tmp_path, 1)
    expected = "small: no point of the sweep has all its runs; svmbench paper plan small"
    with pytest.raises(UserError, match=expected):
        drawing.draw(found, tmp_path)


def test_what_has_no_run_is_not_drawn_but_says_how_its_runs_are_made(tmp_path):
    expected = "none of the 2 runs of small is stored and up to date: make them by svmbench paper run small"
    with pytest.raises(UserError, match=expected):
        drawing.draw(material(artifact(["sbp", "sdca"]), tmp_path), tmp_path)


def test_a_hidden_line_has_no_curve(tmp_path):
    paper = artifact(["sbp", "sdca"], hidden="sdca")
    (row,) = _rows(filled(paper, tmp_path, errors(20, 10)), "kev_iter")
    assert [[curve.label for curve in panel.curves] for panel in row.selection.panels] == [["SBP"]]


@pytest.mark.parametrize(
    ("records", "optima"),
    [
        ([{"test_error": 0.1, "primal": 0.3}] * 2, (10.0, 0.3, None)),
        ([{"test_error": 0.1, "primal": 0.3}, {"test_error": 0.2, "primal": 0.3}], (None, 0.3, None)),
    ],
)
def test_the_optimum_of_a_panel_is_shown_if_all_of_its_runs_have_the_same(tmp_path, records, optima):
    lines = [Line("a", solver="sbp"), Line("b", "kernel.gamma=2", solver="sbp")]
    paper = artifact(lines, metrics="test_error primal_objective train_error")
    for key, (planned, record) in enumerate(zip(paper.runs.planned(), records, strict=True)):
        optimum = Store(tmp_path).put_optimum({"key": f"{key}", "dual": 0.3, **record})
        rows = [{**row, "primal_objective": 0.4, "train_error": 0.1} for row in errors(20, 10)]
        store(tmp_path, planned, rows, optimum=optimum)
    rows = _rows(material(paper, tmp_path), "kev_iter")
    assert tuple(row.views["board"].optimum for row in rows) == optima


def test_a_sweep_has_a_line_for_each_quantity_at_places_of_its_own(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(drawing, "draw_sweep", lambda *given, **more: drawn.append((given, more)) or [])
    paper = artifact(
        ["sbp", "sdca"],
        kind="sweep",
        groups=[
            Group(1, "sbp", over={"problem.C": [3.0]}),
            Group(1, "sdca", over={"kernel.gamma": [0.5]}),
        ],
        x={"sbp": "problem.C", "sdca": "kernel.gamma"},
        x_label="a place",
        y={"": Value(EACH), "steps": Value(EACH, "iterations")},
        y_label="a number",
        share_y=True,
    )
    drawing.draw(filled(paper, tmp_path, errors(20, 10)), tmp_path)
    (((panels, x_label, y_label, _), more),) = drawn
    assert [(points.label, points.x.tolist()) for points in panels["board"]] == [
        *[("SBP", [3.0]), ("SBP, steps", [3.0])],
        *[("SDCA", [0.5]), ("SDCA, steps", [0.5])],
    ]
    assert [[list(values) for values in points.values] for points in panels["board"]] == [
        [[10.0]],
        [[20.0]],
    ] * 2
    assert (x_label, y_label, more["share_y"]) == ("a place", "a number", True)


def test_a_check_is_drawn_with_its_notes_in_lines_of_a_hundred_characters(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(drawing, "draw_sheet", lambda *given, **more: drawn.append((given, more)) or [])
    check = finished(Check("X-SMALL", "Small", "A test", function="basin"), "small")
    first, second = panel("one", "errors", [1.0]), {**panel("two", "errors", [2.0]), "x_label": "m"}
    fits, wrapped = f"{'a' * 50} {'b' * 49}", f"{'a' * 50} {'b' * 50}"
    outcome = {"panels": [first, second], "notes": [fits, wrapped], "measures": {}}
    drawing.draw(Material(check, [], {}, outcome), tmp_path)
    first["x_scale"] = "log"
    drawing.draw(Material(check, [], {}, outcome), tmp_path)
    (((plots,), x_label, y_labels, stem), more), (_, other) = drawn
    assert ([plot.title for plot in plots], x_label, y_labels) == (["one", "two"], "n", ["errors"])
    assert stem == tmp_path / "figures" / "small" / "small"
    assert (more["title"], more["scale"], more["x_scale"], other["x_scale"]) == (
        "Small",
        "log",
        "linear",
        "log",
    )
    source, command = "Source: A test.", "Redrawn from stored runs by: svmbench paper draw small"
    assert more["caption"] == "\n\n".join(["Small", fits, wrapped.replace(" ", "\n"), source, command]) + "\n"
