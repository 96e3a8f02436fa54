import re

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.image import imread

from svmbench.errors import UserError
from svmbench.figures import curves, sheet, style
from svmbench.figures.curves import Row, View, draw, draw_rows
from svmbench.figures.panel import Drawn, Known, Plot, draw_panel
from svmbench.figures.selection import select
from svmbench.figures.sheet import draw_sheet

from .stored import store_optimum, stored_run

COSTS = 10.0 ** np.arange(3, 6.05, 0.2)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two data sets, three solvers, several seeds, and a run that failed at once."""
    root = tmp_path_factory.mktemp("results")
    found = []
    for dataset, level in (("adult", 15.0), ("mnist", 0.5)):
        for seed in range(3):
            errors = level * (1 + 1e3 / COSTS) + 0.01 * seed
            found.append(stored_run(root, "sbp", dataset, seed, COSTS, errors))
            noise = 1 + 0.1 * np.random.default_rng(seed).random(COSTS.size)
            found.append(stored_run(root, "pegasos", dataset, seed, COSTS, level * noise))
        errors = np.where(COSTS < 2e4, 6 * level, level)
        found.append(stored_run(root, "smo", dataset, 0, COSTS[:10], errors[:10], status="converged"))
    found.append(stored_run(root, "sdca", "adult", 0, status="failed"))
    return found


@pytest.fixture
def drawn(monkeypatch):
    """A function that draws, and returns the figure as it was just before it was written."""
    figures = []

    def save(figure, stem, caption, formats=None):
        figures.append((figure, caption))
        return []

    monkeypatch.setattr(sheet, "save", save)
    monkeypatch.setattr(curves, "save", save)

    def drawn(function, *given, **more):
        function(*given, **more)
        return figures[-1][0]

    drawn.figures = figures
    return drawn


def test_the_same_runs_give_the_same_bytes(runs, tmp_path):
    first = draw(runs, "kev_ondemand", tmp_path / "a" / "figure", title="Title")
    second = draw(list(reversed(runs)), "kev_ondemand", tmp_path / "b" / "figure", title="Title")
    assert [path.name for path in first] == ["figure.png", "figure.svg", "figure.pdf"]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.suffix
    assert {path.name for path in (tmp_path / "a").iterdir()} == {path.name for path in first}


def test_the_picture_is_sharp_and_its_text_is_text(runs, tmp_path):
    png, svg, _ = draw(runs, "kev_rowupdate", tmp_path / "figure")
    height, width = imread(png).shape[:2]
    assert width >= 1000 and height >= 500
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text())
    assert "kernel evaluations, counted by row update (B)" in texts
    assert {"SBP", "Pegasos", "SMO", "adult", "mnist", "test error (%)"} <= set(texts)


def test_the_caption_names_runs_and_reasons(runs, tmp_path):
    row = Row("kev_ondemand", "test_error", select(runs, "kev_ondemand"))
    text = draw_rows([row], tmp_path / "figure")[-1].read_text()
    for run in runs:
        assert run.id in text
    _, _, left_out = text.partition("Runs left out:")
    assert f"{runs[-1].id}: no checkpoint" in left_out and runs[0].id not in left_out
    assert "its band lies between the quartiles" in " ".join(text.split()) and "certified optimum" not in text


def test_each_panel_has_its_lines_and_a_log_axis(runs, drawn):
    figure = drawn(draw, runs, "kev_ondemand", None)
    for ax in figure.axes:
        assert ax.get_xscale() == "log"
        assert ax.get_xlabel() == "kernel evaluations, counted on demand (A)"
        solid = [line for line in ax.lines if line.get_linestyle() not in ("None", ":")]
        assert len(solid) == 3 and len({line.get_color() for line in solid}) == 3
        assert len(ax.collections) == 2  # bands of the two solvers with several seeds
        (dotted,) = [line for line in ax.lines if line.get_linestyle() == ":"]
        assert dotted.get_color() == "#000000" and len(set(dotted.get_ydata())) == 1
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["SBP", "Pegasos", "SMO"]


def test_the_line_is_the_median_and_the_band_the_quartiles(tmp_path, drawn):
    levels = [10.0, 20.0, 40.0, 50.0, 90.0]
    found = [
        stored_run(tmp_path, seed=s, costs=COSTS, errors=np.full(COSTS.size, e)) for s, e in enumerate(levels)
    ]
    figure = drawn(draw, found, "kev_ondemand", None)
    (ax,) = figure.axes
    assert set(ax.lines[0].get_ydata()) == {40.0}
    corners = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (corners.min(), corners.max()) == (20.0, 50.0)


def test_views_set_title_and_ranges(tmp_path, drawn):
    store_optimum(tmp_path, test_error=14.0)
    runs = [
        stored_run(tmp_path, dataset=name, costs=[1e3, 1e4], errors=[20, 15]) for name in ("adult", "mnist")
    ]
    views = {"mnist": View(title="Digits", x=(2e3, 1e5), y=(0.4, 3.0))}
    row = Row("kev_iter", "test_error", select(runs, "kev_iter"), views)
    draw_rows([row], None, notes=["A note."])
    ((figure, caption),) = drawn.figures
    assert [ax.get_title() for ax in figure.axes] == ["adult\nγ = 0.05, C = 1", "Digits\nγ = 0.05, C = 1"]
    assert figure.axes[1].get_xlim() == (2e3, 1e5) and figure.axes[1].get_ylim() == (0.4, 3.0)
    assert any(np.allclose(line.get_ydata(), 14.0) for line in figure.axes[0].lines)
    assert "A note." in caption and "certified optimum" in caption


def test_the_range_shows_everything(runs, drawn):
    figure = drawn(draw, runs, "kev_ondemand", None)
    bottom, top = figure.axes[0].get_ylim()
    assert bottom < 15.0 and top > 6 * 15.0  # SMO is seen before its critical point


@pytest.mark.parametrize("errors", [[5.0], [0.0], [0.0, 0.0]])
def test_a_flat_or_single_point_can_be_drawn(tmp_path, errors):
    costs = [100.0, 200.0][: len(errors)]
    paths = draw([stored_run(tmp_path, costs=costs, errors=errors)], "iterations", tmp_path / "x")
    assert all(path.stat().st_size > 0 for path in paths)


def test_more_solvers_than_colours_stay_apart(tmp_path, drawn):
    found = [stored_run(tmp_path, f"solver{k}", costs=COSTS, errors=10 + k + 0 * COSTS) for k in range(16)]
    figure = drawn(draw, found, "kev_ondemand", None)
    handles = figure.legends[0].legend_handles
    looks = {(h.get_color(), h.get_marker(), str(h.get_linestyle())) for h in handles}
    assert len(handles) == len(looks) == 16


def test_nothing_to_draw_says_why(tmp_path):
    run = stored_run(tmp_path, status="refused")
    with pytest.raises(UserError, match=f"there is nothing to draw .*{run.id}: no checkpoint"):
        draw([run], "kev_ondemand", tmp_path / "x")
    with pytest.raises(UserError, match=r"there is nothing to draw \(no run was given\)"):
        draw([], "kev_ondemand", tmp_path / "x")


def test_a_user_s_own_settings_change_nothing(runs, tmp_path):
    plain = draw(runs, "kev_ondemand", tmp_path / "a")
    with matplotlib.rc_context({"font.size": 30.0, "svg.fonttype": "path"}):
        odd = draw(runs, "kev_ondemand", tmp_path / "b")
        assert matplotlib.rcParams["font.size"] == 30.0
    assert plain[1].read_bytes() == odd[1].read_bytes()


def lines(count, level=1.0):
    return [Drawn(f"line {k}", f"solver{k}", COSTS, np.full(COSTS.size, level + k)) for k in range(count)]


def test_more_lines_than_can_be_told_apart_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"17 lines in the panel 'crowded' cannot be told apart .*: draw"):
        draw_sheet([[Plot("crowded", lines(17))]], "x", ["y"], tmp_path / "x", caption="")


def test_a_legend_is_never_wider_than_the_sheet(drawn):
    named = [Drawn("a rather long name, number " * 2 + str(k), "", COSTS, COSTS) for k in range(9)]
    figure = drawn(draw_sheet, [[Plot("a", named)]], "x", ["y"], None, caption="")
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.width and box.y0 >= 0


def test_few_lines_in_one_column_are_named_at_their_ends(drawn):
    figure = drawn(draw_sheet, [[Plot("a", lines(3, level=10.0))]], "x", ["y"], None, caption="")
    assert not figure.legends
    texts = figure.axes[0].texts
    assert [text.get_text() for text in texts] == ["line 0", "line 1", "line 2"]
    heights = [text.xyann[1] for text in texts]
    assert np.diff(heights).min() >= 0.07


def test_no_leader_of_a_name_can_be_taken_for_a_line(drawn):
    short = Drawn("short", "smo", COSTS[:4], np.full(4, 30.0))
    close = [Drawn(name, name, COSTS, np.full(COSTS.size, y)) for name, y in (("sbp", 10.0), ("sdca", 10.1))]
    figure = drawn(draw_sheet, [[Plot("a", [short, *close])]], "x", ["y"], None, caption="", scale="linear")
    texts = {text.get_text(): text for text in figure.axes[0].texts}
    assert texts["short"].arrow_patch is None  # beside its line
    figure.draw_without_rendering()
    leaders = [text.arrow_patch for text in texts.values() if text.arrow_patch is not None]
    assert leaders and all(to_hex(leader.get_edgecolor()) == "#999999" for leader in leaders)
    right = figure.axes[0].get_window_extent().x1
    assert all(leader.get_window_extent().x0 >= right for leader in leaders)


def test_panels_of_a_row_share_the_kind_of_their_y_axis(drawn):
    narrow, wide = Plot("narrow", lines(1, 5.0)), Plot("wide", lines(9, 1.0))
    figure = drawn(draw_sheet, [[narrow, wide], [narrow, narrow]], "x", ["y", "z"], None, caption="")
    assert [ax.get_yscale() for ax in figure.axes] == ["log", "log", "linear", "linear"]


def test_published_points_are_hollow_in_the_look_of_their_line_and_in_the_range(drawn):
    plot = Plot("a", lines(1, 5.0), known=[Known("line 0", 1e4, 20.0, 30.0)], levels=[("printed", 2.0)])
    figure = drawn(draw_sheet, [[plot, plot]], "x", ["y"], None, caption="", scale="linear")
    ax = figure.axes[0]
    (hollow,) = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert hollow.get_color() == ax.lines[1].get_color() and hollow.get_ydata() == [25.0]
    bottom, top = ax.get_ylim()
    assert bottom < 2.0 and top > 30.0
    assert "published" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_published_points_keep_the_look_of_their_line_where_two_have_one_solver(drawn):
    both = [Drawn("ASSET", "asset", COSTS, COSTS), Drawn("ASSET online", "asset", COSTS, 2.0 * COSTS)]
    draw_sheet([[Plot("a", both, known=[Known("ASSET", 1e4, 1e4, 1e4)])]], "x", ["y"], None, caption="")
    ((figure, _),) = drawn.figures
    (ax,) = figure.axes
    (hollow,) = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert hollow.get_color() == ax.lines[0].get_color() != ax.lines[2].get_color()


def test_a_panel_says_which_lines_of_the_others_it_lacks(runs, drawn):
    fewer = [run for run in runs if run.dataset == "adult" or run.solver != "pegasos"]
    figure = drawn(draw, fewer, "kev_ondemand", None)
    assert [[text.get_text() for text in ax.texts] for ax in figure.axes] == [[], ["not shown: Pegasos"]]


def test_a_single_run_is_pale_until_it_no_longer_jumps(tmp_path, drawn):
    errors = np.where(np.arange(COSTS.size) % 2 == 0, 20.0, 70.0)
    errors[10:] = 15.0
    errors[10] = 70.0  # stays up after the last jump
    smo = stored_run(tmp_path, "smo", costs=COSTS, errors=errors)
    draw([smo, stored_run(tmp_path, costs=COSTS, errors=0.0 * COSTS + 16.0)], "kev_ondemand", None)
    draw([smo], "kev_ondemand", None)
    ((figure, _), (alone, _)) = drawn.figures
    assert all(line.get_alpha() is None for line in alone.axes[0].lines)  # nothing to be hidden
    pale, plain, markers = [line for line in figure.axes[0].lines if line.get_color() == "#000000"]
    assert pale.get_alpha() < 0.5 and pale.get_zorder() < plain.get_zorder()
    assert max(pale.get_ydata()) == 70.0 and set(plain.get_ydata()) == {15.0}
    assert set(markers.get_ydata()) == {15.0}


def test_the_optimum_is_broad_dashes_that_hide_no_line(tmp_path, drawn):
    store_optimum(tmp_path, test_error=15.0)
    runs = [stored_run(tmp_path, "decomposition", costs=COSTS, errors=0.0 * COSTS + 15.0)]
    draw([*runs, stored_run(tmp_path, costs=COSTS, errors=15.0 + 1e4 / COSTS)], "kev_ondemand", None)
    ((figure, _),) = drawn.figures
    optimum, *lines = [line for line in figure.axes[0].lines if line.get_marker() == "None"]
    (along,) = [line for line in lines if set(line.get_ydata()) == {15.0}]
    assert optimum.is_dashed() and set(optimum.get_ydata()) == {15.0}
    assert all(line.get_zorder() > optimum.get_zorder() for line in lines)
    assert optimum.get_linewidth() > 2.0 * along.get_linewidth()
    *_, entry = figure.legends[0].legend_handles
    assert entry.is_dashed() and entry.get_color() == optimum.get_color()


def test_a_line_of_less_than_a_decade_has_a_marker_at_every_place_of_the_legend():
    """Without one, an empty artist at the origin of the figure took the space of all panels."""
    narrow = np.geomspace(1e3, 1.3e3, 20)
    drawn = [Drawn(f"line {k}", f"solver{k}", narrow, np.full(narrow.size, 1.0 + k)) for k in range(8)]
    with style.drawing():
        figure = sheet.make_sheet([[Plot("a", drawn)]], "x", ["y"])
    marked = [line for line in figure.axes[0].lines if line.get_marker() != "None"]
    assert len(marked) == 8 and all(line.get_xdata().size for line in marked)


def test_a_line_has_markers_within_the_heights_of_its_panel_alone():
    with style.drawing():
        line = Drawn("SBP", "sbp", np.array([1.0, 2.0, 4.0, 8.0]), np.array([90.0, 12.0, 5.0, 2.0]))
        figure = sheet.make_sheet([[Plot("adult", [line], y=(2.5, 12.0))]], "cost", ["error"])
    (marked,) = [line for line in figure.axes[0].lines if line.get_marker() != "None"]
    assert list(marked.get_ydata()) == [12.0, 5.0]


def test_a_value_that_is_a_lower_bound_is_hollow_and_joined_by_dots(drawn):
    line = Drawn("SBP", "sbp", COSTS[:3], np.array([1.0, 2.0, 9.0]), open=np.array([False, False, True]))
    figure = drawn(draw_sheet, [[Plot("a", [line])]], "x", ["y"], None, caption="")
    (ax,) = figure.axes
    hollow = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert [list(line.get_ydata()) for line in hollow if line.get_marker() == "s"] == [[9.0]]
    assert not any(9.0 in line.get_ydata() for line in ax.lines if line.get_linestyle() == "-")
    assert "not reached: at least so much" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_title_breaks_after_a_colon_and_never_within_a_word(drawn):
    words = (
        "Pegasos, Figure 7: suboptimality against the size k of a mini-batch, at the last of many iterations"
    )
    figure = drawn(draw_sheet, [[Plot("a", lines(1))]], "x", ["y"], None, caption="", title=words)
    first, *rest = figure.get_suptitle().split("\n")
    assert first == "Pegasos, Figure 7:" or "mini-batch" in figure.get_suptitle()
    figure.draw_without_rendering()
    box = figure._suptitle.get_window_extent()
    assert rest and box.x0 >= 0 and box.x1 <= figure.bbox.width


def test_epochs_are_passes_over_the_examples(tmp_path, drawn):
    run = stored_run(tmp_path, costs=COSTS, errors=COSTS, rows=500, iterations=COSTS)
    figure = drawn(draw, [run], "epochs", None)
    assert np.allclose(figure.axes[0].lines[0].get_xdata(), COSTS / 500, rtol=1e-3)


def test_a_run_with_several_metrics_has_a_row_for_each(tmp_path, drawn):
    run = stored_run(tmp_path, costs=COSTS, errors=0 * COSTS + 5, support_vectors=COSTS / 10)
    rows = [
        Row("kev_ondemand", metric, select([run], "kev_ondemand", metric))
        for metric in ("test_error", "support_vectors")
    ]
    figure = drawn(draw_rows, rows, None)
    assert [ax.get_ylabel() for ax in figure.axes] == ["test error (%)", "support vectors"]


@pytest.mark.parametrize("kind", ["linear", "log"])
@pytest.mark.parametrize(
    ("end", "start"), [(14.8, 41.0), (14.8, 38.0), (0.55, 1.4), (95.2, 270.0), (22.6, 60.0)]
)
def test_an_axis_has_a_number_where_the_curves_end(kind, end, start):
    ends = [end, 1.01 * end, 1.03 * end]
    lines = [
        Drawn(name, name, COSTS, np.where(COSTS < 1e4, start, value)) for name, value in zip("abc", ends)
    ]
    figure = matplotlib.figure.Figure(figsize=(4, 3))
    ax = figure.subplots()
    draw_panel(ax, Plot("Adult", lines), style.looks((line.label, "sbp") for line in lines), "log", kind)
    height = np.log if kind == "log" else np.asarray
    low, high = height(ax.get_ylim())
    ticks = height([tick for tick in ax.get_yticks() if ax.get_ylim()[0] < tick < ax.get_ylim()[1]])
    assert 1 < len(ticks) <= 10
    assert np.abs(ticks - height(ends[1])).min() <= 0.1 * (high - low)
