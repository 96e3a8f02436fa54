"""Fronts of methods with known curves."""

import numpy as np
import pytest

from svmbench.analysis.fronts import (
    PER_DECADE,
    Window,
    against_best,
    agreement,
    ahead,
    front,
    lower,
    mean_ranks,
    stairs,
)
from svmbench.figures.series import steps_of
from tests.figures.stored import stored_run


def steps(root, solver, costs, errors, **options):
    return steps_of(stored_run(root, solver, costs=costs, errors=errors, **options), "kev_ondemand")


def of_one(root, name, costs, errors, **options):
    """The front of a method with one run."""
    return front(name, name, [steps(root / name, "sbp", costs, errors, **options)])


@pytest.fixture
def family(tmp_path):
    """A small budget, which is early and stays at 20 %, and a large one, which is late and better."""
    small = steps(tmp_path / "s", "bsgd", [10, 20, 40], [30, 20, 25])
    large = steps(tmp_path / "l", "bsgd", [40, 80, 160], [35, 15, 10])
    return small, large


def test_a_front_is_the_least_value_of_any_setting_so_far(family):
    least = lower(family)
    np.testing.assert_array_equal(least.cost, [10, 20, 80, 160])
    np.testing.assert_array_equal(least.value, [30, 20, 15, 10])
    assert least.end == 160


def test_the_last_cost_is_kept_though_nothing_falls_there(tmp_path):
    one = steps(tmp_path, "sbp", [10, 20, 40], [30, 10, 10])
    assert lower([one]).cost.tolist() == [10, 20, 40]


def test_a_setting_that_can_go_on_decides_how_far_a_front_is_known(tmp_path):
    settled = steps(tmp_path / "a", "sbp", [10, 400], [30, 10], status="converged")
    unsettled = steps(tmp_path / "b", "sbp", [10, 100], [20, 20])
    assert lower([settled]).end == np.inf
    assert lower([settled, unsettled]).end == 400
    assert lower([settled, unsettled]).run is unsettled.run


def test_a_front_has_one_curve_per_seed(tmp_path):
    runs = [
        steps(tmp_path / f"{k}", "sbp", [10, 20], [30 + k, 20 - seed], seed=seed)
        for k in range(2)
        for seed in (1, 0)
    ]
    curve = front("sbp", "SBP", runs)
    assert [one.run.seed for one in curve.steps] == [0, 1]
    assert [one.value.tolist() for one in curve.steps] == [[30, 20], [30, 19]]


def test_a_window_has_twenty_costs_per_factor_of_ten_with_equal_ratios():
    places = Window(0.16, 160.0, 50.0).places
    assert places.size == 61  # three factors of ten, with both ends
    assert (places[0], places[-1]) == (pytest.approx(0.16), pytest.approx(160.0))
    np.testing.assert_allclose(places[1:] / places[:-1], 10.0 ** (1.0 / PER_DECADE), rtol=1e-12)


def test_the_mean_error_is_exact_over_the_logarithm_of_the_cost(family):
    window = Window(0.16, 160.0, 50.0)
    # 50 % up to 10, 30 to 20, 20 to 80, 15 to 160.
    parts = np.log([10 / 0.16, 2, 4, 2])
    expected = parts @ [50, 30, 20, 15] / np.log(1000.0)
    np.testing.assert_allclose(window.means(front("bsgd", "BSGD", family)), [expected], rtol=1e-12)


def test_values_before_the_window_count_from_its_begin(family):
    np.testing.assert_allclose(
        Window(25.0, 160.0, 50.0).means(front("bsgd", "BSGD", family)),
        [np.log([80 / 25, 2]) @ [20, 15] / np.log(160 / 25)],
    )


def test_the_window_ends_where_the_first_unsettled_method_ends(tmp_path):
    short, long = of_one(tmp_path, "a", [1, 100], [40, 30]), of_one(tmp_path, "b", [2, 1000], [45, 20])
    done = of_one(tmp_path, "c", [1, 10], [35, 25], status="converged")
    assert Window.of([short, long, done], "kev_ondemand", 30.0) == Window(0.1, 100.0, 30.0)
    # A model can always be smaller than allowed.
    assert Window.of([short, long, done], "prediction", 30.0).high == 1000.0
    assert Window.of([done], "kev_ondemand", 30.0).high == 10.0


def test_ahead_is_who_is_near_the_least_error_where_one_is_known(tmp_path):
    early, late = of_one(tmp_path, "a", [1, 1000], [20, 20]), of_one(tmp_path, "b", [100, 1000], [10, 10])
    window = Window.of([early, late], "kev_ondemand", 50.0)
    parts = ahead(window, {"early": early, "late": late}, 10_000)
    # Three decades; the early one alone for two of them. The grid has both ends.
    assert parts["early"] == pytest.approx(40 / 61, abs=0.02)
    assert parts["late"] == pytest.approx(21 / 61, abs=0.02)
    # With 4 test examples the standard error is 15 points at 10 %, and both are ahead.
    assert ahead(window, {"early": early, "late": late}, 4)["early"] == 1.0


def test_nobody_is_ahead_where_none_is_better_than_the_empty_model(tmp_path):
    curve, other = of_one(tmp_path, "a", [900, 1000], [20, 10]), of_one(tmp_path, "b", [1, 1000], [30, 30])
    assert ahead(Window(1.0, 1000.0, 25.0), {"a": curve, "b": other}, 100) == {"a": 1.0, "b": 0.0}
    assert ahead(Window(1.0, 1000.0, 5.0), {"a": curve, "b": other}, 100) == {"a": 0.0, "b": 0.0}
    perfect = of_one(tmp_path, "c", [1, 1000], [0, 0])
    assert ahead(Window(1.0, 1000.0, 20.0), {"c": perfect}, 100) == {"c": 1.0}


def test_an_answer_worse_than_the_empty_model_counts_as_this_one(family):
    # Until 20 at 22 %, which is better than the 30 % of the first checkpoint; then 20 and 15.
    window = Window(1.0, 160.0, 22.0)
    curve = front("bsgd", "BSGD", family)
    np.testing.assert_allclose(window.means(curve), [np.log([20, 4, 2]) @ [22, 20, 15] / np.log(160)])
    assert window.medians(curve).max() == 22.0
    assert max(one.value.max() for one in stairs(curve, 22.0).steps) == 22.0


def test_methods_that_answer_the_empty_model_throughout_are_equal_to_the_last_bit(tmp_path):
    empty, costs = 100.0 / 3.0, np.geomspace(1.3, 997.0, 60)
    curves = [
        front(f"m{k}", "", [steps(tmp_path, f"m{k}", costs[::k], np.full(costs[::k].size, 60.0))])
        for k in range(1, 9)
    ]
    assert {float(Window(1.0, 1000.0, empty).means(curve)[0]) for curve in curves} == {empty}


def test_stairs_show_no_value_before_it_was_reached(tmp_path):
    seeds = [
        steps(tmp_path, "sbp", costs, [30, 20, 10], seed=seed)
        for seed, costs in enumerate(([10, 100, 1000], [11, 104, 900], [9, 98, 1100]))
    ]
    curve = front("sbp", "SBP", seeds)
    drawn = stairs(curve, 50.0)
    costs = drawn.costs()
    assert (np.diff(costs) > 0).all() and costs.size > 100
    # Never below the median that was reached, and at most a few per cent of cost behind it.
    np.testing.assert_array_less(curve.median(costs) - 1e-12, drawn.median(costs))
    np.testing.assert_array_less(drawn.median(costs * 1.05)[:-5], curve.median(costs)[:-5] + 1e-12)
    # A line between two points of the picture is steep where it falls at all.
    falls = np.flatnonzero(np.diff(drawn.median(costs)) < 0)
    assert (costs[falls + 1] < 1.1 * costs[falls]).all()


MEANS = {f"set{k}": {"a": 1.0, "b": 2.0 + k, "c": 2.0 + k} for k in range(6)}


def test_mean_ranks_share_ties_of_methods_that_all_problems_have():
    assert mean_ranks(MEANS) == {"a": 1.0, "b": 2.5, "c": 2.5}
    assert list(mean_ranks({**MEANS, "other": {"a": 1.0, "c": 0.5}})) == ["a", "c"]
    assert mean_ranks({}) == {}


def test_others_are_tested_against_the_best_with_correction():
    best, values = against_best(MEANS)
    assert best == "a"
    # Six problems, all one way: 2 / 2^6, twice for two methods.
    assert values == pytest.approx({"b": 4 / 64, "c": 4 / 64})


def test_agreement_is_kendalls_over_common_methods():
    one = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}
    assert agreement(one, one) == pytest.approx(1.0)
    assert agreement(one, {"a": 3.0, "b": 2.0, "c": 1.0}) == pytest.approx(-1.0)
    assert agreement(one, {"a": 1.0, "b": 3.0, "c": 2.0, "e": 0.0}) == pytest.approx(1 / 3)


def test_of_two_settings_at_one_cost_the_better_one_is_on_the_front(tmp_path):
    small = steps(tmp_path / "s", "bsgd", [10, 20, 40], [30, 20, 18])
    large = steps(tmp_path / "l", "bsgd", [40, 80], [15, 10])
    for pair in ((small, large), (large, small)):
        least = lower(pair)
        assert (least.cost.tolist(), least.value.tolist()) == ([10, 20, 40, 80], [30, 20, 15, 10])


def test_the_value_at_the_begin_of_a_window_is_the_last_one_before_it(family):
    curve = front("bsgd", "BSGD", family)
    window = Window(100.0, 160.0, 50.0)
    np.testing.assert_allclose(window.means(curve), [15.0])
    assert set(Window(85.0, 150.0, 50.0).medians(curve)) == {15.0}


def test_the_medians_of_a_front_begin_at_the_empty_model(family):
    window = Window(1.0, 159.0, 50.0)
    places, errors = window.places, window.medians(front("bsgd", "BSGD", family))
    assert set(errors[places < 10.0]) == {50.0}
    for low, high, error in ((10.0, 20.0, 30.0), (20.0, 80.0, 20.0), (80.0, 159.0, 15.0)):
        assert set(errors[(places >= low) & (places < high)]) == {error}


@pytest.mark.parametrize(("error", "part"), [(24.99, 1.0), (25.01, 0.0)])
def test_a_standard_error_decides_who_is_near_the_least_error(tmp_path, error, part):
    # Of 10 % on 4 test examples it is 15 points.
    best, other = (of_one(tmp_path, name, [1, 1000], [e, e]) for name, e in (("a", 10), ("b", error)))
    assert ahead(Window(1.0, 1000.0, 50.0), {"best": best, "other": other}, 4) == {"best": 1.0, "other": part}


def test_stairs_have_sixty_costs_per_factor_of_ten_and_the_ends_of_each_seed(tmp_path):
    one = steps(tmp_path, "sbp", [10, 100, 1000], [30, 20, 10])
    (alone,) = stairs(front("sbp", "SBP", [one]), 50.0).steps
    assert alone.cost.size == 121 and np.ptp(np.diff(np.log(alone.cost))) < 1e-9
    other = steps(tmp_path, "sbp", [12, 105, 875.0], [30, 20, 10], seed=1)
    drawn = stairs(front("sbp", "SBP", [one, other]), 50.0).steps[1]
    assert (drawn.cost[0], drawn.cost[-1]) == (12.0, 875.0)
    assert (drawn.value[0], drawn.value[-1]) == (30.0, 10.0)
