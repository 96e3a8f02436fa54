"""The layout that is chosen for an example of each kind of data, and what each layout needs."""

import numpy as np
import pytest
import scipy.sparse

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.functions.registry import kernel_of
from svmbench.kernels.layouts._bits import kernel_table
from svmbench.kernels.layouts._bytes import MOST_FEATURES, common_unit
from svmbench.kernels.layouts._mixed import indicator_groups
from svmbench.kernels.layouts.choice import LAYOUTS, choose, make_layout
from tests.kernels.reference import KERNELS, kernel_matrix, matrix

RNG = np.random.default_rng(0)
ADULT, PIXELS, COVTYPE, GENERAL = (
    matrix(RNG, 500, 54, 0.3, name)[0] for name in ("bits", "bytes", "mixed", "dense")
)


def indicators(codes: np.ndarray, count: int) -> np.ndarray:
    return np.eye(count, dtype=np.float32)[codes]


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (ADULT, "bits"),
        (np.zeros((4, 3), dtype=np.float32), "bits"),
        (2.0 * ADULT, "bytes"),
        (PIXELS, "bytes"),
        (np.rint(255 * PIXELS), "bytes"),
        (COVTYPE, "mixed"),
        (GENERAL, "dense"),
        (np.hstack([GENERAL, indicators(RNG.integers(0, 4, 500), 4)]), "dense"),  # too few indicators
        (np.hstack([RNG.normal(size=(500, 65)), indicators(np.arange(500) % 200, 200)]), "dense"),
        (np.tile(PIXELS[:2], (1, 700)), "dense"),  # too many features for 31 bits
        (scipy.sparse.csr_array(GENERAL), "sparse"),
        (scipy.sparse.csr_array(ADULT), "bits"),
        (scipy.sparse.eye_array(40, 9000, format="csr"), "sparse"),  # ones, but far apart
    ],
)
def test_the_layout_that_is_chosen(X, expected):
    X = X.astype(np.float32)
    assert choose(X, kernel_of({"name": "gaussian", "gamma": 0.1}))[0] == expected
    assert make_layout(X, KERNELS[0]).name == expected
    assert Oracle(X, KERNELS[0]).layout_name == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_choice_can_be_overridden_where_the_data_fit(layout):
    X = np.hstack([ADULT, indicators(np.arange(500) % 7, 7)])
    stored = make_layout(X, KERNELS[0], layout=layout)
    assert stored.name == layout
    assert np.abs(stored.block([5]) - kernel_matrix(X[[5]], X, KERNELS[0])).max() <= 1e-6


@pytest.mark.parametrize(
    ("layout", "X", "reason"),
    [
        ("bits", PIXELS, "layout=bits does not fit these examples: .*features that are all 0 or 1"),
        ("bytes", GENERAL, "layout=bytes does not fit .*: .*whole multiples, 0 to 255, of one number"),
        ("bytes", np.ones((2, MOST_FEATURES + 1), np.float32), f"not fit .*at most {MOST_FEATURES} features"),
        ("mixed", ADULT[:, :3], "layout=mixed does not fit these examples: .*have exactly one 1 each"),
        ("bit", ADULT, r"unknown layout 'bit'; did you mean 'bits'\? \(layouts: bits"),
    ],
)
def test_a_layout_that_does_not_fit_is_refused_in_words(layout, X, reason):
    with pytest.raises(UserError, match=reason):
        make_layout(X, KERNELS[0], layout=layout)


def test_bits_give_the_formula_rounded_once():
    distances = np.arange(129)
    for kernel in KERNELS:
        x = np.tril(np.ones((129, 128), dtype=np.float32), -1)  # the first row is 0; row i has i ones
        row = make_layout(x, kernel, layout="bits").block([0 if kernel["name"] == "gaussian" else 128])[0]
        exact = kernel_table(kernel_of(kernel), 128)[distances]
        assert np.array_equal(row, exact)
        expected = kernel_matrix(x[[0]] if kernel["name"] == "gaussian" else x[[128]], x, kernel)[0]
        assert np.array_equal(row, expected.astype(np.float32))


def test_bytes_multiply_the_largest_numbers_exactly():
    X = np.full((20, MOST_FEATURES), 255, dtype=np.float32)
    X[1, 0] = 254.0
    stored = make_layout(X, {"name": "gaussian", "gamma": 1.0}, layout="bytes")
    expected = np.exp(np.float32(-1.0))
    assert stored.block([0])[0, :3] == pytest.approx([1.0, expected, 1.0], rel=1e-6)
    X[2] = 0.0
    far = make_layout(X, {"name": "linear"}, layout="bytes").block([0])[0]
    assert far[0] == np.float32(255**2 * MOST_FEATURES)
    assert far[2] == 0.0


def test_the_common_unit():
    X = (RNG.integers(0, 256, size=(5000, 3)) / 255).astype(np.float32)
    X[0] = [1.0, 0.0, 1 / 255]
    assert common_unit(X) == pytest.approx(1 / 255)
    assert common_unit((X > 0).astype(np.float32)) == 1.0
    assert common_unit(np.zeros((3, 2), dtype=np.float32)) == 1.0
    assert common_unit(X[:1, :2] * np.float32(0.9)) == pytest.approx(0.9)
    between = np.array([[0.6, 1.0]], dtype=np.float32)  # the unit is smaller than any value
    assert common_unit(between) == pytest.approx(0.2)
    assert common_unit(np.array([[1e-30, 1e30]], dtype=np.float32)) is None
    X[7, 2] = -0.0
    assert common_unit(X) == pytest.approx(1 / 255)
    for spoilt in (-1 / 255, 0.5 / 255, 300 / 255, np.inf, -np.inf, np.nan, -np.nan):
        Z = X.copy()
        Z[4500, 1] = spoilt
        assert common_unit(Z) is None


def test_indicator_groups():
    a, b = indicators(np.arange(30) % 4, 4), indicators(np.arange(30) // 6, 5)
    number = np.linspace(-1, 2, 30, dtype=np.float32)[:, None]
    assert indicator_groups(np.hstack([number, a, b])) == [(1, 5), (5, 10)]
    assert indicator_groups(np.hstack([a, number, b])) == [(0, 4), (5, 10)]
    # A stray indicator before a group hides where the group begins, unless it overlaps with it.
    overlapping = np.ones((30, 1), dtype=np.float32)
    overlapping[3] = 0.0
    assert indicator_groups(np.hstack([overlapping, a])) == [(1, 5)]
    spoilt = a.copy()
    spoilt[7] = 0.0
    assert indicator_groups(spoilt) == []
    assert indicator_groups(number) == []
