import io
import warnings
from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from PIL import Image

from svmbench.errors import UserError
from svmbench.figures.style import _SOLVERS, drawing, look, looks, save
from svmbench.solvers import registry


def test_no_two_looks_of_solvers_are_alike():
    mine = [look(place) for place in range(len(_SOLVERS))]
    for one, other in combinations(mine, 2):
        assert (one.colour, one.line) != (other.colour, other.line)
        assert (one.colour, one.marker) != (other.colour, other.marker)


def test_a_solver_keeps_its_look_beside_others():
    alone = looks([("SMO", "smo")])["SMO"]
    crowd = looks([(name, name) for name in registry.built_in()])
    assert crowd["smo"] == alone and len(set(crowd.values())) == len(crowd)


def test_a_new_solver_has_the_same_look_in_all_pictures():
    alone, beside = looks([("Mine", "mine")]), looks([("SMO", "smo"), ("Mine", "mine"), ("SBP", "sbp")])
    assert beside["Mine"] == alone["Mine"]
    own = {(one.colour, one.marker) for one in (look(place) for place in range(len(_SOLVERS)))}
    many = looks([(name, name) for name in ("mine", "other", "third", *_SOLVERS)])
    assert many["smo"] == look(0)
    assert not own & {(many[name].colour, many[name].marker) for name in ("mine", "other", "third")}


def test_of_two_lines_of_one_solver_the_first_has_its_look():
    found = looks([("SBP, nu = 1", "sbp"), ("SBP, nu = 2", "sbp"), ("mine", "unknown")])
    assert found["SBP, nu = 1"] == looks([("SBP", "sbp")])["SBP"] and len(set(found.values())) == 3


def test_a_png_of_a_palette_shows_what_was_drawn(tmp_path):
    with drawing():
        figure = Figure(figsize=(5, 3))
        axes = figure.subplots()
        for number in range(14):
            one = look(number)
            axes.plot([0, 1], [number, number + 3], color=one.colour, marker=one.marker, label=str(number))
        axes.legend()
        full = io.BytesIO()
        figure.savefig(full, format="png", dpi=200)
        path, _ = save(figure, tmp_path / "picture", "caption", ("png",))
    with Image.open(path) as few, Image.open(full) as many:
        assert few.mode == "P"
        shown, drawn = (np.asarray(image.convert("RGB")).astype(int) for image in (few, many))
    assert path.stat().st_size < 0.6 * len(full.getvalue())
    assert np.array_equal(shown[0, 0], (255, 255, 255))
    difference = np.abs(shown - drawn)
    assert difference.mean() < 1.0 and np.quantile(difference, 0.999) <= 16


def test_overlapping_bands_keep_their_colours(tmp_path):
    generator = np.random.default_rng(1)
    with drawing():
        figure = Figure(figsize=(7, 4))
        axes = figure.subplots()
        for number in range(6):
            one, x = look(number), np.arange(60)
            walk = np.cumsum(generator.standard_normal(60)) + 2 * number
            spread = 1.0 + np.abs(generator.standard_normal(60))
            axes.fill_between(x, walk - spread, walk + spread, color=one.colour, alpha=0.13, linewidth=0)
            axes.plot(x, walk, color=one.colour, linestyle=one.line, marker=one.marker)
        full = io.BytesIO()
        figure.savefig(full, format="png", dpi=200)
        path, _ = save(figure, tmp_path / "picture", "caption", ("png",))
    with Image.open(path) as few, Image.open(full) as many:
        shown, drawn = (np.asarray(image.convert("RGB")).astype(int) for image in (few, many))
    _, where, counts = np.unique(drawn.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    areas = np.flatnonzero(counts > 2000)  # bands and what they overlap to
    away = np.abs(shown - drawn).reshape(-1, 3).max(axis=1)
    assert areas.size > 10 and max(away[where.ravel() == area].max() for area in areas) <= 7


def test_the_style_of_papers_is_serif_in_small_sizes_and_has_every_sign():
    with drawing("paper"), warnings.catch_warnings():
        warnings.simplefilter("error")  # a sign that no font has is a warning
        figure = Figure(figsize=(3.4, 3.0))
        axes = figure.subplots()
        axes.set_title("γ = 0.05, λ = 10⁻⁷, ν → 1")
        axes.set_xlabel("0123456789 ⁰¹²³⁴⁵⁶⁷⁸⁹ ≤ × – α")
        figure.savefig(io.BytesIO(), format="pdf")
        assert axes.title.get_fontname() == "STIXGeneral" and axes.title.get_fontsize() == 8.0
        assert axes.get_xticklabels()[0].get_fontsize() == 7.0
    with drawing():
        assert Figure().subplots().title.get_fontname() == "DejaVu Sans"


def test_an_unknown_style_is_refused():
    with pytest.raises(UserError, match="style=papr is not allowed: give screen or paper"), drawing("papr"):
        pass


def test_files_of_formats_that_are_not_asked_for_stay(tmp_path):
    (thesis := tmp_path / "thesis.pdf").write_text("years of work")
    with drawing():
        paths = save(Figure(), tmp_path / "thesis", "nothing", ("png",))
    assert [path.name for path in paths] == ["thesis.png", "thesis.txt"]
    assert thesis.read_text() == "years of work"


def ticked(bare):
    """Return a figure with minor ticks on its x axis, with or without labels."""
    figure = Figure(layout="constrained")
    axis = figure.subplots()
    axis.set_xscale("log")
    axis.set_xlim(2.0, 9.0)
    if bare:
        axis.xaxis.set_minor_formatter(NullFormatter())
    return figure, axis


@pytest.mark.parametrize("bare", [True, False])
def test_minor_ticks_are_drawn_and_have_room_for_their_labels(tmp_path, bare):
    with drawing():
        (figure, axis), (other, expected) = ticked(bare), ticked(bare)
        other.get_layout_engine().execute(other)
        save(figure, tmp_path / "curves", "ticks", ("svg",))
        assert axis.get_position().bounds == pytest.approx(expected.get_position().bounds, rel=1e-14)
    assert (tmp_path / "curves.svg").read_text().count('id="xtick_') > 5


def test_a_name_with_dollar_signs_is_no_formula(tmp_path):
    with drawing():
        figure = Figure()
        figure.suptitle("$\\foo$ and $x_{$")
        paths = save(figure, tmp_path / "curves", "names", ("png", "pdf", "svg"))
    (svg,) = (path for path in paths if path.suffix == ".svg")
    assert "$\\foo$ and $x_{$" in svg.read_text()
