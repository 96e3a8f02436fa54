"""Pictures as people ask for them: axes, groups, panels, sizes, heat maps, and what is refused."""

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.figures.heat import Cells, colour_range
from svmbench.figures.request import Request, make
from svmbench.figures.style import drawing

from .stored import store_optimum, stored_run

COSTS = 10.0 ** np.arange(3, 6.05, 0.25)


def setting(gamma, C=1.0):
    """The groups of a configuration with a Gaussian kernel."""
    kernel = {"name": "gaussian", "gamma": gamma}
    return {"kernel": kernel, "problem": {"lam": None, "C": C, "bias": "none"}}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two solvers, three widths, two C, two seeds."""
    root = tmp_path_factory.mktemp("results")
    return [
        stored_run(
            root,
            solver,
            seed=seed,
            costs=COSTS,
            errors=10 + 1e4 * gamma * C / COSTS + seed,
            config=setting(gamma, C),
            wall_seconds=COSTS / 1e5,
            primal_objective=0.2 + 1 / COSTS,
            relative_gap=1 / COSTS,
        )
        for solver in ("sbp", "pegasos")
        for gamma in (0.5, 2.0, 10.0)
        for C in (1.0, 100.0)
        for seed in (0, 1)
    ]


def picture(runs, **asked):
    with drawing():
        figure, caption, left_out = make(runs, Request(**asked))
        figure.draw_without_rendering()
    return figure, caption, left_out


def titles(figure):
    return [ax.get_title() for ax in figure.axes]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_axes_scales_limits_and_title(runs):
    sbp = [run for run in runs if run.solver == "sbp" and run.config.problem.C == 1.0]
    asked = {"x": "wall_seconds", "y": "gap", "xlim": (0.02, 5), "ylim": (0, 1e-3), "yscale": "linear"}
    figure, _, _ = picture(sbp, title="SBP", xscale="linear", **asked)
    (ax,) = figure.axes
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")
    assert ax.get_xlim() == (0.02, 5) and ax.get_ylim() == (0, 1e-3)
    assert ax.get_xlabel() == "training time (wall seconds)" and ax.get_ylabel() == "relative duality gap"
    assert figure.get_suptitle() == "SBP" and titles(figure) == ["adult\nC = 1"]


def test_keys_become_panels_colours_and_dashes(runs):
    figure, _, _ = picture(runs, panels_by=("problem.C",), color_by="kernel.gamma", style_by="solver")
    assert titles(figure) == ["adult, C = 1", "adult, C = 100"]
    assert legend(figure) == ["γ = 0.5", "γ = 2", "γ = 10", "Pegasos", "SBP"]
    for ax in figure.axes:
        lines = [line for line in ax.lines if line.get_linestyle() != "None"]
        assert len({(line.get_color(), str(line._dash_pattern)) for line in lines}) == 6
        assert len(ax.collections) == 6  # a band for each: two seeds


def test_curves_that_would_look_alike_are_refused_with_the_way_out(runs):
    with pytest.raises(UserError, match=r"2 curves .* would all be 'SBP, γ = 0.5'.*problem.C: give one"):
        picture(runs, style_by="kernel.gamma")
    with pytest.raises(UserError, match=r"no run has a key 'kernel.gama'.*did you mean 'kernel.gamma'"):
        picture(runs, color_by="kernel.gama")
    many = [run for run in runs if run.seed == 0]
    with pytest.raises(UserError, match=r"kernel.gamma has 12 values, and --color-by can distinguish 11"):
        picture([*many, *_widths(runs[0].path.parents[1])], color_by="kernel.gamma", panels_by=("solver",))


def _widths(root):
    return [stored_run(root, costs=COSTS, errors=COSTS, config=setting(gamma)) for gamma in range(20, 29)]


def test_more_curves_than_can_be_told_apart_are_refused_with_the_way_out(tmp_path):
    runs = [stored_run(tmp_path, costs=COSTS, errors=COSTS, config=setting(g)) for g in range(1, 14)]
    with pytest.raises(UserError, match=r"13 curves of adult .* differ in kernel.gamma: give .*--panels-by"):
        picture(runs)


def test_runs_without_the_cost_are_left_out_and_named(runs, tmp_path):
    unknown = dict.fromkeys(("kev_ondemand", "kev_rowupdate", "kev_iter"), np.full(COSTS.size, np.nan))
    linear = stored_run(tmp_path, "dcd", costs=COSTS, errors=COSTS, inner_products=COSTS, **unknown)
    _, caption, left_out = picture([runs[0], linear])
    assert left_out == [(linear.id, "kev_ondemand cannot be observed for this solver")]
    assert f"{linear.id}: kev_ondemand cannot" in caption


def test_suboptimality_is_measured_from_the_certified_optimum(tmp_path):
    run = stored_run(tmp_path, costs=COSTS, errors=COSTS, primal_objective=0.3 + 1 / COSTS)
    store_optimum(tmp_path, primal=0.3, dual=0.3)
    figure, _, _ = picture([run], y="suboptimality")
    (line,) = [line for line in figure.axes[0].lines if line.get_linestyle() != "None"]
    np.testing.assert_allclose(line.get_ydata(), 1 / COSTS / 0.3, rtol=1e-9)


@pytest.mark.parametrize(
    ("metric", "last"),
    [
        ("suboptimality", 1e-3 / 0.3),
        ("primal_suboptimality", 1e-3),
        ("slack_suboptimality", 1.0 - 0.4 * 2.0),
        ("dual_guarantee", 1e-3 / np.sqrt(118.0 * 0.1 / 1e-3)),
        ("mistake_bound", 1000 / (100 + 2 * 10 + 4)),
    ],
)
@pytest.mark.parametrize("heat", [None, ("kernel.gamma", "problem.C")])
def test_every_metric_of_the_certified_optimum_can_be_drawn(tmp_path, metric, last, heat):
    objectives = {"primal_objective": 0.301, "dual_objective": 0.2, "native_objective": 0.4}
    constant = {**objectives, "dual_source": "solver"}
    columns = {name: [value] * COSTS.size for name, value in constant.items()}
    run = stored_run(tmp_path, costs=COSTS, errors=COSTS, **columns)
    store_optimum(tmp_path, primal=0.3, dual=0.3, norm=2.0, mean_hinge=0.1, nu=0.05)
    figure, _, left_out = picture([run], y=metric, heat=heat)
    assert not left_out
    drawn = figure.axes[0].collections[0].get_array() if heat else figure.axes[0].lines[0].get_ydata()
    assert np.ravel(drawn)[-1] == pytest.approx(last)


def test_a_heat_map_holds_the_last_medians_and_frames_the_least(runs):
    figure, caption, _ = picture(runs, heat=("kernel.gamma", "problem.C"))
    assert titles(figure)[:2] == ["adult, Pegasos", "adult, SBP"]
    ax = figure.axes[0]
    values = ax.collections[0].get_array()
    np.testing.assert_allclose(values, [[10.505, 10.52, 10.6], [11.0, 12.5, 20.5]])
    assert [text.get_text() for text in ax.texts] == ["10.5", "10.5", "10.6", "11", "12.5", "20.5"]
    (frame,) = ax.patches
    assert frame.contains_point(ax.transData.transform((0.5, 1.0))) and "6 cells" in caption
    assert "frame marks the least" in caption


@pytest.mark.parametrize(
    ("values", "log", "edges"),
    [
        ([0.1, 1.0, 10.0], True, [-1.5, -0.5, 0.5, 1.5]),
        ([0.1, 1.0, 10**0.5, 10.0], True, [-1.5, -0.5, 0.25, 0.75, 1.25]),  # the tick is not in the middle
        ([1, 100], True, [-1.0, 1.0, 3.0]),
        ([1, 2], False, [-0.5, 0.5, 1.5]),
        ([1, 2, 3, 4], False, [-0.5, 0.5, 1.5, 2.5, 3.5]),
        ([1.0, 1.1, 100.0], False, [-0.5, 0.5, 1.5, 2.5]),  # a cell would have no room for its number
        ([0.0, 1.0, 10.0], False, [-0.5, 0.5, 1.5, 2.5]),
        ([True, False], False, [-0.5, 0.5, 1.5]),
        (["sbp", "smo"], False, [-0.5, 0.5, 1.5]),
        ([3.0], False, [-0.5, 0.5]),
    ],
)
def test_cells_of_a_heat_map_are_to_scale_where_values_are_spaced_logarithmically(values, log, edges):
    cells = Cells.of(values)
    assert cells.log == log
    np.testing.assert_allclose(np.log10(cells.edges) if log else cells.edges, edges)
    assert cells.places == (values if log else list(range(len(values))))
    assert cells.edges[0] < cells.within(0, 0.1) < cells.within(0) < cells.edges[1]


def test_a_heat_map_has_a_logarithmic_axis_for_a_grid_of_decades(tmp_path):
    found = [
        stored_run(tmp_path, costs=COSTS, errors=C * COSTS, config=setting(gamma, C))
        for C in (1.0, 10.0, 31.6, 100.0)
        for gamma in (1.0, 2.0, 3.0)
    ]
    figure, _, _ = picture(found, heat=("problem.C", "kernel.gamma"))
    ax = figure.axes[0]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "10", "31.6", "100"]
    places = ax.transData.transform([(C, 1.0) for C in ax.get_xticks()])[:, 0]
    np.testing.assert_allclose(np.diff(places) / (places[1] - places[0]), [1.0, 0.5, 0.5], rtol=1e-3)
    assert not ax.xaxis.get_minorticklocs().size
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])


def test_a_heat_map_of_what_has_no_best_value_frames_none(tmp_path):
    run = stored_run(tmp_path, costs=COSTS, errors=COSTS, support_vectors=COSTS)
    figure, caption, _ = picture([run], y="support_vectors", heat=("kernel.gamma", "problem.C"))
    assert not figure.axes[0].patches and "frame" not in caption


@pytest.mark.parametrize("size", ["one", "two"])
def test_the_ticks_of_a_heat_map_do_not_touch(tmp_path, size):
    kernels = [{"name": "gaussian", "gamma": 2.0**power} for power in (-18.2, *np.arange(-12.5, 0.0), 11)]
    found = [stored_run(tmp_path, costs=COSTS, errors=COSTS, config={"kernel": kernel}) for kernel in kernels]
    figure, _, _ = picture(found, heat=("kernel.gamma", "problem.C"), size=size)
    figure.draw_without_rendering()
    labels = figure.axes[0].get_xticklabels()
    assert [labels[0].get_text(), labels[-1].get_text()] == ["3.32e-06", "2048"]
    thick = labels[0].get_fontsize() / 72 * figure.dpi
    places = [label.get_window_extent().x1 for label in labels]
    assert np.all(np.diff(places) > (1.0 if size == "one" else 1.4) * thick)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"xlim": (5.0, 1.0)}, "xlim=5,1 is empty"),
        ({"xlim": (0.0, 1.0)}, "xlim begins at 0, which a logarithmic axis does not have"),
        ({"size": "three"}, "size=three is not allowed: give one or two"),
        ({"heat": ("kernel.gamma", "problem.C"), "color_by": "solver"}, "a heat map has no color_by"),
        ({"heat": ("kernel.gamma", "kernel.name")}, "would be one cell"),
        ({"y": "eror"}, "metric 'eror' cannot be drawn"),
        ({"xlim": (1e8, 1e9)}, "no run of .* has a cost from 1e.08 to 1e.09"),
    ],
)
def test_what_no_picture_can_have_is_refused(runs, asked, sentence):
    one = [run for run in runs if run.solver == "sbp"]
    with pytest.raises(UserError, match=sentence):
        picture(one, **asked)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 50.0], (1.0, 50.0, "neither")),  # too few to call one an outlier
        ([10, 11, 12, 13, 14, 15, 16, 17, 18, 90], (10, 18, "max")),
        ([0.01, 10, 11, 12, 13, 14, 15, 16, 17, 18], (10, 18, "min")),
        ([-90, 10, 11, 12, 13, 14, 15, 16, 17, 90], (10, 17, "both")),
        ([1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000], (1e-4, 1000, "neither")),  # evenly spread logarithms
        ([3.0] * 9 + [50.0], (3.0, 50.0, "neither")),  # all others are equal
    ],
)
def test_outliers_do_not_stretch_the_colours_of_a_heat_map(values, expected):
    assert colour_range(np.array(values, dtype=float)) == expected


def test_a_value_beyond_the_colours_is_still_written_into_its_cell(tmp_path):
    found = [
        stored_run(
            tmp_path,
            costs=COSTS[:1],
            errors=[90.0 if number == 9 else 10.0 + number],
            config={"kernel": {"name": "gaussian", "gamma": float(number)}},
        )
        for number in range(1, 10)
    ]
    figure, _, _ = picture(found, heat=("kernel.gamma", "problem.C"))
    panel, bar = figure.axes
    assert panel.collections[0].norm.vmax == pytest.approx(18.0)
    assert "90" in [text.get_text() for text in panel.texts]
    assert bar._colorbar.extend == "max"
