"""Centres and spreads of cells, and which cells of a row are marked as the best."""

import numpy as np
import pytest

from svmbench.analysis.cell import Cell, center, mark, spread

INF = np.inf


@pytest.mark.parametrize(
    ("values", "average", "expected"),
    [
        ([1.0, 2.0, 6.0], "mean", 3.0),
        ([6.0, 1.0, 2.0], "median", 2.0),
        ([3.0, 1.0], "median", 2.0),
        ([2.0, INF, 1.0], "median", 2.0),
        ([INF, 1.0], "median", INF),  # half of the runs reach the target: more than half would have to
        ([INF, 1.0], "mean", INF),
    ],
)
def test_the_centre_is_known_if_most_runs_reach_the_target(values, average, expected):
    assert center(np.array(values), average) == expected


@pytest.mark.parametrize(
    ("values", "average", "expected"),
    [
        ([1.0], "mean", ()),
        ([1.0], "median", ()),
        ([1.0, 3.0], "mean", (np.sqrt(2.0),)),
        ([1.0, INF], "mean", ()),
        ([5.0, 1.0, 2.0, 4.0, 3.0], "median", (2.0, 4.0)),
        ([1.0, 2.0], "median", (1.25, 1.75)),
        ([1.0, 2.0, 3.0, INF], "median", (2.0, INF)),
    ],
)
def test_the_spread_is_a_deviation_or_quartiles(values, average, expected):
    assert spread(np.array(values), average) == pytest.approx(expected)


def seeds(*values, first=0, constant=False):
    return Cell(dict(enumerate(values, first)), constant=constant)


def marked(*row, average="mean", timed=False):
    mark(row, average, timed=timed)
    return [cell.best for cell in row]


#: Eight seeds of a method, which differ from 10 and from 15 by more than chance.
HIGHER = 11.0 + 0.1 * np.arange(8)


def test_a_method_without_random_choices_stands_for_every_seed():
    assert marked(seeds(10.0, constant=True), seeds(*HIGHER)) == [True, False]
    assert marked(seeds(*HIGHER), seeds(10.0, constant=True)) == [False, True]
    assert marked(seeds(*HIGHER), seeds(15.0, constant=True)) == [True, False]
    # A single run of a method with random choices is no evidence.
    assert marked(seeds(10.0), seeds(*HIGHER)) == [False, False]


def test_methods_without_random_choices_differ_if_their_values_do_unless_they_are_seconds():
    row = [seeds(value, constant=True) for value in (2.0, 1.0, 1.0)]
    assert marked(*row) == [False, True, True]
    row = [seeds(value, constant=True) for value in (2.0, 1.0, 1.0)]
    assert marked(*row, timed=True) == [False, False, False]
    assert marked(seeds(1.0, constant=True), seeds(1.0, constant=True)) == [False, False]


def test_equal_seeds_are_compared_in_pairs_and_others_as_groups():
    values = np.array([1.0, 5.0, 2.0, 9.0, 4.0, 7.0, 3.0, 8.0])
    assert marked(seeds(*values), seeds(*(values + 0.01))) == [True, False]  # in pairs it is always less
    assert marked(seeds(*values), seeds(*(values + 0.01), first=100)) == [False, False]
    assert marked(seeds(*values), seeds(*(values + 20.0), first=100)) == [True, False]


def test_pairs_that_both_miss_the_target_say_nothing():
    reached = [1.0] * 7
    row = seeds(*reached, INF), seeds(*(2.0 * np.array(reached)), INF)
    assert marked(*row, average="median") == [True, False]
    row = seeds(*reached[:4], *[INF] * 4, 1.0), seeds(*[2.0] * 4, *[INF] * 4, 2.0)
    assert marked(*row, average="median") == [False, False]  # five pairs cannot decide


def test_a_row_without_values_or_others_has_no_best():
    assert marked(seeds(*HIGHER)) == [False]
    assert marked(seeds(INF, INF), seeds(INF, INF)) == [False, False]
    assert seeds(3.0, 1.0, first=5).array.tolist() == [3.0, 1.0]
    assert Cell({2: 1.0, 0: 3.0}).array.tolist() == [3.0, 1.0]


def test_one_shared_seed_makes_no_pair_where_there_are_many_others():
    # Of 41 values the least is that of the other method: 2 in 41.
    assert marked(seeds(5.0), seeds(*(10.0 + np.arange(40.0)))) == [True, False]
