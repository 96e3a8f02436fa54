import re

import numpy as np
import pytest
from matplotlib.image import imread

from svmbench.errors import UserError
from svmbench.figures.decision import draw_regions
from svmbench.figures.plane import Grid


@pytest.fixture
def points():
    return np.random.default_rng(0).uniform(0, 4, (300, 2)).astype(np.float32)


def test_the_grid_covers_the_points_row_by_row(points):
    grid = Grid.around(points, resolution=5)
    assert grid.points.shape == (25, 2) and grid.points.dtype == np.float64
    assert (grid.points.min(axis=0) < points.min(axis=0)).all()
    assert (grid.points.max(axis=0) > points.max(axis=0)).all()
    assert len(set(grid.points[:5, 1])) == 1 and len(set(grid.points[:5, 0])) == 5


def test_the_regions_are_where_the_values_say(points, tmp_path):
    grid = Grid.around(points)
    y = np.where(points[:, 0] > 2, 1.0, -1.0)
    png, svg, _ = draw_regions(
        grid, grid.points[:, 0].astype(float) - 2, points, y, tmp_path / "r", title="T"
    )
    picture = imread(png)[..., :3]
    row = picture[picture.shape[0] // 2]
    left, right = row[: row.shape[0] // 3].mean(axis=0), row[-row.shape[0] // 3 :].mean(axis=0)
    assert left[0] > left[2] and right[2] > right[0]  # orange where -1, blue where +1
    assert "T" in re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text())
    assert "training points" not in svg.read_text()


def test_one_label_everywhere_can_be_drawn(points, tmp_path):
    grid = Grid.around(points, resolution=10)
    paths = draw_regions(grid, np.ones(100), points, np.ones(300), tmp_path / "r")
    assert all(path.stat().st_size > 0 for path in paths)


def test_many_points_are_thinned_and_the_legend_says_so(tmp_path):
    X = np.random.default_rng(0).uniform(0, 4, (5000, 2)).astype(np.float32)
    grid = Grid.around(X, resolution=10)
    _, svg, _ = draw_regions(grid, np.ones(100), X, np.ones(5000), tmp_path / "r")
    assert "2000 of 5000 training points" in svg.read_text()


def test_points_that_lie_on_a_line_have_a_grid():
    grid = Grid.around(np.array([[1.0, 0.0], [1.0, 1.0]], dtype=np.float32), resolution=4)
    assert grid.x1[0] < 1.0 < grid.x1[-1]


def test_other_dimensions_are_refused():
    with pytest.raises(UserError, match="need points with 2 features, these have 3"):
        Grid.around(np.zeros((4, 3), dtype=np.float32))


def test_values_that_are_no_numbers_are_drawn_as_not_positive(points, tmp_path):
    grid = Grid.around(points)
    values = np.where(grid.points[:, 0] > 2, np.inf, np.nan)
    png = draw_regions(grid, values, points, np.ones(300), tmp_path / "r", formats=("png",))[0]
    picture = imread(png)
    middle = picture[picture.shape[0] // 2]
    assert (middle[:, 0] > middle[:, 2] + 0.05).any() and (middle[:, 2] > middle[:, 0] + 0.05).any()


@pytest.mark.parametrize("stretch", [(50.0, 1.0), (1.0, 50.0)])
def test_the_picture_is_as_high_as_the_plane_asks_for_within_limits(points, stretch, tmp_path):
    stretched = (points * stretch).astype(np.float32)
    grid = Grid.around(stretched, resolution=10)
    png = draw_regions(grid, np.ones(100), stretched, np.ones(300), tmp_path / "r", formats=("png",))[0]
    height, width = imread(png).shape[:2]
    assert 0.4 < height / width < 1.7
