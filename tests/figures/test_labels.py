"""The words on a sheet."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle

from svmbench.figures.labels import draw_levels, fit, further, handles_of, put_legend
from svmbench.figures.panel import scale_x
from svmbench.figures.settings import power_of_ten
from svmbench.figures.style import drawing, looks


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "10⁰"),
        (1e6, "10⁶"),
        (1e-12, "10⁻¹²"),
        (1000.0000000001, "10³"),
        (2.5e6, "2.5×10⁶"),
        (0.05, "5×10⁻²"),
        (0.0, "0"),
        (-3e-6, "-3×10⁻⁶"),
    ],
)
def test_a_tick_is_written_as_a_power_of_ten(value, text):
    assert power_of_ten(value) == text


@pytest.mark.parametrize(
    ("curve", "corner"),
    [
        ([(0, 0), (1, 0)], ("right", "bottom")),  # nothing is near
        ([(0, 9), (0.5, 9), (1, 5.3)], ("right", "top")),  # a curve ends above the right end
        ([(0, 5.1), (1, 5.1)], ("right", "top")),
        ([(0, 9), (0.5, 9), (0.6, 5.3), (0.8, 4.7), (1, 5.3)], ("left", "bottom")),  # it crosses at the right
    ],
)
def test_the_word_of_a_level_stands_where_no_curve_passes(curve, corner):
    axes = Figure().subplots()
    axes.set(xlim=(0, 1), ylim=(0, 10))
    x, y = np.array(curve, dtype=float).T
    draw_levels(axes, [("published", 5.0)], [(x, y), (np.empty(0), np.empty(0))])
    (word,) = axes.texts
    assert (word.get_horizontalalignment(), word.get_verticalalignment()) == corner
    assert word.get_position()[0] in (0.0, 1.0, 0, 1) and word.xy[1] == 5.0


def test_the_word_of_a_level_stays_inside_the_panel():
    axes = Figure().subplots()
    axes.set(xlim=(0, 1), ylim=(0, 10))
    draw_levels(axes, [("the bound", 9.9)], [])
    assert axes.texts[0].get_verticalalignment() == "top"


def test_texts_are_measured_without_an_image_of_the_sheet():
    figure = Figure(figsize=(3.0, 700.0))  # matplotlib makes no image of so many pixels
    fit(figure.suptitle("a title: of so many words that it needs two lines"), 300.0)
    assert figure.get_suptitle().count("\n") == 1
    legend = put_legend(figure, handles_of(looks([("SBP", "sbp"), ("Pegasos", "pegasos")])))
    assert len(legend.get_texts()) == 2


def test_the_marker_of_a_bound_is_an_arrow_without_dollar_signs():
    arrow = MarkerStyle("$\u2191$").get_path()
    with drawing():
        (handle,) = further(optimum="", published=False, bounds=True)
    assert len(MarkerStyle(handle._marker).get_path()) == len(arrow)


@pytest.mark.parametrize(
    ("places", "ticks"),
    [
        ([16, 128, 512], ["16", "64", "256"]),
        ([32, 64, 512], ["32", "64", "128", "256", "512"]),
        ([16, 100, 512], ["2×10¹", "5×10¹", "10²", "2×10²", "5×10²"]),
    ],
)
def test_ticks_are_powers_of_two_where_all_places_are(places, ticks):
    ax = Figure().add_subplot()
    low, *_, high = places
    scale_x(ax, low, high, "log", np.array(places, dtype=float))
    ax.figure.draw_without_rendering()
    shown = [text.get_text() for text in ax.get_xticklabels() if low <= text.get_position()[0] <= high]
    assert shown == ticks
