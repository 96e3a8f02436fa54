"""Every word of every kind of picture: plain text, inside the picture, none on another one."""

import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from svmbench.analysis import picture as profile_picture
from svmbench.analysis.profiles import profiles
from svmbench.cli.main import main
from svmbench.figures.against_key import Points, draw_sweep
from svmbench.figures.decision import draw_regions
from svmbench.figures.plane import Grid
from svmbench.figures.request import Request, make
from svmbench.figures.style import drawing, save
from svmbench.sweep.select import chosen
from tests.told import refusal

from .stored import store_optimum, stored_run

COSTS = 10.0 ** np.arange(3, 6.05, 0.25)


def visible(figure):
    """Return the texts of a picture that are drawn; ticks outside the range of their axis are not."""
    beyond = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            margin = 1e-9 * (high - low)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low - margin <= tick.get_loc() <= high + margin:
                    beyond |= {tick.label1, tick.label2}
    words = figure.findobj(Text)
    return [one for one in words if one.get_visible() and one.get_text().strip() and one not in beyond]


def check(figure):
    """Fail for a formula, a word beyond the edge, or two words on the same place."""
    figure.draw_without_rendering()  # places in pixels of the figure, not of the file
    renderer = RendererAgg(1, 1, figure.dpi)
    boxes = [(one.get_text(), one.get_window_extent(renderer)) for one in visible(figure)]
    assert boxes
    for text, box in boxes:
        assert "$" not in text and "\\" not in text, text
        inside = (
            box.x0 >= -1 and box.y0 >= -1 and box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1
        )
        assert inside, f"{text!r} is cut at the edge: {box}"
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        width = min(a.x1, b.x1) - max(a.x0, b.x0)
        height = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert width <= 1 or height <= 1, f"{one!r} and {other!r} overlap: {a}, {b}"


@pytest.fixture
def drawn(monkeypatch):
    """Return the figures that were written to files."""
    figures, write = [], Figure.savefig

    def kept(self, *args, **options):
        figures.append(self)
        return write(self, *args, **options)

    monkeypatch.setattr(Figure, "savefig", kept)
    return figures


def runs(root, *, panels=("adult", "reuters", "mnist"), scale=1.0, gamma=2.0**-15):
    """Two methods on every data set and four more on the first; their errors end near each other."""
    found = []
    for place, name in enumerate(panels):
        methods = ["sbp", "pegasos"]
        methods += [] if place else ["sdca", "smo", "lasvm", "sgd_ball_with_a_long_name_of_its_own"]
        for number, method in enumerate(methods):
            config = {"kernel": {"name": "gaussian", "gamma": gamma}}
            errors = 14.8 + 0.1 * number + 30 * (COSTS[0] / COSTS) ** 0.5
            found.append(stored_run(root, method, name, costs=COSTS * scale, errors=errors, config=config))
    store_optimum(root, test_error=14.9)
    return found


@pytest.mark.parametrize("style", ["screen", "paper"])
@pytest.mark.parametrize("size", [None, "one", "two"])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 3e4])
def test_curves(tmp_path, drawn, size, style, scale):
    with drawing(style):
        figure, _, _ = make(runs(tmp_path, scale=scale), Request(size=size, title="Three sets"))
        save(figure, tmp_path / "curves", None, ["png"])
    check(drawn[-1])
    notes = [one.get_text() for one in visible(figure) if one.get_text().startswith("not shown")]
    assert len(notes) == 2


def test_curves_of_a_linear_axis(tmp_path, drawn):
    with drawing():
        asked = Request(xscale="linear", yscale="linear", size="two")
        save(make(runs(tmp_path), asked)[0], tmp_path / "curves", None, ["png"])
    check(drawn[-1])


@pytest.mark.parametrize("gammas", [(2.0**-15, 2.0**-7, 2.0), (0.1, 0.2, 0.3)])
def test_a_heat_map(tmp_path, drawn, gammas):
    found = [
        stored_run(
            tmp_path, costs=COSTS, errors=10 + 1 / gamma + C / COSTS,
            config={
                "kernel": {"name": "gaussian", "gamma": gamma},
                "problem": {"lam": None, "C": C, "bias": "none"},
            },
        )
        for gamma in gammas
        for C in (2.0**-5, 1.0, 2.0**15)
    ]  # fmt: skip
    with drawing():
        save(make(found, Request(heat=("kernel.gamma", "problem.C")))[0], tmp_path / "heat", None, ["png"])
    check(drawn[-1])


@pytest.mark.parametrize("factor", [1.2, 4.0, 70.0, 1e5])
def test_profiles(tmp_path, drawn, factor):
    for number, method in enumerate(("sbp", "pegasos")):
        for name in ("adult", "reuters"):
            errors = 10 + 1e4 * factor**number / COSTS
            stored_run(tmp_path, method, name, costs=COSTS * factor**number, errors=errors)
    found = profiles(chosen(str(tmp_path), ["sbp-*", "pegasos-*"]), "kev_ondemand", "test_error", {})
    profile_picture.draw(found, tmp_path / "profile", ["png"])
    check(drawn[-1])


def test_regions(tmp_path, drawn):
    X = np.random.default_rng(0).uniform(0, 4, (300, 2)).astype(np.float32)
    grid = Grid.around(X, resolution=20)
    y = np.where(X[:, 0] > 2, 1.0, -1.0)
    draw_regions(grid, grid.points[:, 0] - 2, X, y, tmp_path / "regions", title="regions", formats=["png"])
    check(drawn[-1])


@pytest.mark.parametrize("x", [(0.001, 0.02, 3.0), (1e3, 1e5, 1e8), (1.0, 2.0, 3.0)])
def test_a_sweep(tmp_path, drawn, x):
    values = [np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([0.1, 0.2])]
    lines = [Points("SBP", "sbp", np.array(x), values), Points("Pegasos", "pegasos", np.array(x), values)]
    draw_sweep(
        {"a": lines, "b": lines[:1]}, "λ", "error", tmp_path / "sweep",
        title="sweep", titles={"a": "A", "b": "B"}, notes=[], runs=[], left_out=[],
    )  # fmt: skip
    check(drawn[-1])


def test_gamma_is_a_power_and_the_line_of_the_optimum_says_of_which_value(tmp_path):
    with drawing():
        figure, _, _ = make(runs(tmp_path, panels=("adult",)), Request())
    assert "γ = 2⁻¹⁵" in figure.axes[0].get_title()
    assert "test error of the optimum" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_curve_that_its_shortest_run_cuts_is_named(tmp_path):
    for seed, costs in enumerate((COSTS, COSTS, COSTS[:5])):
        stored_run(tmp_path, seed=seed, costs=costs, errors=10 + 1e3 / costs)
    with drawing():
        _, caption, left_out = make(chosen(str(tmp_path), ["sbp-*"]), Request())
    ((part, reason),) = left_out
    assert part == "the end of adult, SBP" and part in caption
    assert "ends at 1e+04 and others go on to 1e+06" in reason
    assert "give it a larger budget" in reason  # a run that has ended at its budget is not resumed


def test_ends_at_about_the_same_cost_cut_nothing(tmp_path):
    for seed, factor in enumerate((1.0, 1.1)):  # the budgets count something else
        stored_run(tmp_path, seed=seed, costs=factor * COSTS, errors=10 + 1e3 / COSTS)
    with drawing():
        assert make(chosen(str(tmp_path), ["sbp-*"]), Request())[2] == []


def test_pixels_per_inch_of_a_journals_column(tmp_path, capsys):
    runs(tmp_path, panels=("adult",))
    plot = ["plot", "sbp-*", "--results", str(tmp_path)]
    for options, width in ((["--size", "one"], 1020), (["--size", "one", "--dpi", "600"], 2040)):
        path = tmp_path / "column.png"
        assert main([*plot, "-o", str(path), *options]) == 0
        with Image.open(path) as picture:
            assert picture.width == width
    assert "give a whole number from 50 to 1200" in refusal(capsys, [*plot, "--dpi", "5"])
