"""The values that `svmbench tune` tries."""

import itertools

import pytest

from svmbench.errors import UserError
from svmbench.sweep.parameter_grid import COARSE, at_edge, best, drawn, halvings, numbers, refined, written


def test_a_tie_falls_to_the_smallest_c_then_gamma():
    assert best({(4.0, 1.0): 0.1, (2.0, 8.0): 0.1, (2.0, 2.0): 0.1, (1.0, 1.0): 0.2}) == (2.0, 2.0)


def test_finer_grids_close_in_on_the_best():
    def error(C, gamma):
        return abs(C / 6.0 - 1.0) + abs(gamma / 0.02 - 1.0)

    axes = [list(values) for values in COARSE.values()]
    errors = {}
    for _ in range(8):
        new = {values: error(*values) for values in itertools.product(*axes)}
        assert len(new.keys() - errors.keys()) <= (25 if not errors else 8)
        errors |= new
        axes = refined(errors)
    assert best(errors) == pytest.approx((6.0, 0.02), rel=0.05)


def test_the_end_of_a_grid_is_told_and_one_value_stays():
    coarse = {"problem.C": [1.0, 4.0], "kernel.gamma": [0.5]}
    errors = {(1.0, 0.5): 0.2, (4.0, 0.5): 0.1}
    assert at_edge(errors, coarse) == ["problem.C"]
    assert refined(errors) == [[2.0, 4.0], [0.5]]


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "auto", "1e999"])
def test_values_that_are_no_numbers_above_zero(text):
    with pytest.raises(UserError, match=f"problem.C={text} cannot be tuned: give numbers above 0"):
        numbers("problem.C", ["1", text])


def test_a_value_is_written_so_that_it_is_read_as_the_same():
    for value in (0.03125, 1.0 / 3.0, 2048.0, 1e-300, 0.1):
        assert float(written(value)) == value
    assert written(0.03125) == "0.03125"


def test_random_settings_lie_within_the_grid_and_begin_alike():
    axes = [[0.01, 1.0, 100.0], [0.5]]
    many = drawn(axes, 200, 1)
    assert many[:5] == drawn(axes, 5, 1) != drawn(axes, 5, 2)
    values = [value for value, fixed in many if fixed == 0.5]
    assert len(values) == 200 and 0.01 <= min(values) < 0.02 and 50 < max(values) <= 100
    assert 80 <= sum(value < 1.0 for value in values) <= 120  # half of them, on a logarithmic scale


def test_halving_keeps_a_third_for_three_times_the_budget():
    assert halvings(27) == [(27, 9), (9, 3), (3, 1)]
    assert halvings(25) == [(25, 9), (9, 3), (3, 1)] and halvings(1) == [(1, 9), (1, 3), (1, 1)]
