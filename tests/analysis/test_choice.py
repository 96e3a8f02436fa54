"""The choice of a method from known costs, and how often it is right elsewhere."""

import numpy as np
import pytest

from svmbench.analysis.choice import choose, left_out

INF = np.inf


def test_the_method_near_the_least_on_most_problems_is_chosen():
    # "steady" is never the least, but always within a factor of two of it.
    costs = {
        "p": {"fast": 1.0, "steady": 2.0, "slow": 9.0},
        "q": {"fast": 9.0, "steady": 2.0, "slow": 1.0},
        "r": {"fast": 1.0, "steady": 1.5, "slow": 9.0},
    }
    choice = choose(costs)
    assert (choice.method, choice.near, choice.problems) == ("steady", 3, 3)
    assert (choice.ranks, choice.methods) == ((2.0, 2.0, 2.0), 3)
    # Without q, "fast" is near the best as often, and first in rank, but wrong on q. At random: two of three
    # methods are near the best on each problem.
    assert (choice.right, choice.tried, choice.chance, choice.ahead) == (2, 3, pytest.approx(2.0), False)


def test_of_methods_near_the_least_equally_often_the_best_mean_rank_decides():
    costs = {"p": {"b": 2.0, "a": 1.0}, "q": {"b": 2.0, "a": 1.0}, "r": {"b": 1.0, "a": 1.1}}
    assert choose(costs).method == "a"


def test_a_choice_is_tested_on_the_problem_that_it_did_not_use():
    # "a" is first with p, but without p nothing speaks for it.
    costs = {"p": {"a": 1.0, "b": 10.0}, "q": {"a": 1.0, "b": 10.0}, "r": {"a": 10.0, "b": 1.0}}
    choice = choose(costs)
    assert (choice.method, choice.near) == ("a", 2)
    # Without p: a on q, b on r, and equal ranks, so the first one, which is right; without r: a, wrong.
    assert (choice.right, choice.tried) == (2, 3)
    assert choice.ahead
    halves = {"p": {"a": 1.0, "b": 10.0}, "q": {"a": 10.0, "b": 1.0}}
    choice = choose(halves)
    assert (choice.right, choice.tried, choice.ahead) == (0, 2, False)


def test_where_each_problem_has_another_best_method_none_is_ahead():
    costs = {f"p{k}": {f"m{j}": 1.0 if j == k else 10.0 for j in range(5)} for k in range(5)}
    choice = choose(costs)
    assert (choice.near, choice.right, choice.tried) == (1, 0, 5)
    assert choice.chance == pytest.approx(1.0)
    assert not choice.ahead


def test_a_choice_that_chance_would_make_as_well_is_not_ahead():
    costs = {name: {"a": 1.0, "b": 1.0, "c": 1.0} for name in "pqr"}
    choice = choose(costs)
    assert (choice.right, choice.tried, choice.chance, choice.ahead) == (3, 3, pytest.approx(3.0), False)


def test_an_unknown_cost_is_never_near_and_not_tested():
    costs = {
        "p": {"a": 1.0, "b": 9.0},
        "q": {"a": 1.0, "b": 9.0},
        "r": {"a": 1.0, "b": 9.0},
        "s": {"b": 9.0},
    }
    choice = choose(costs)
    assert (choice.method, choice.near, choice.problems) == ("a", 3, 4)
    assert choice.ranks == (1.0, 1.0, 2.0)
    assert (choice.right, choice.tried) == (3, 3)


def test_a_method_that_does_not_get_there_is_tested_and_wrong():
    costs = {"p": {"a": 1.0, "b": INF}, "q": {"a": 1.0, "b": INF}, "r": {"a": INF, "b": 9.0}}
    choice = choose(costs)
    assert (choice.near, choice.right, choice.tried) == (2, 2, 3)


def test_a_problem_where_no_method_gets_there_does_not_count():
    costs = {"p": {"a": 1.0, "b": 5.0}, "q": {"a": 1.0, "b": 5.0}, "r": {"a": INF, "b": INF}, "s": {}}
    assert choose(costs).problems == choose(costs).tried == 2
    assert choose({"r": {"a": INF}}) is choose({}) is None


def test_one_problem_alone_tells_nothing():
    choice = choose({"p": {"a": 1.0, "b": 5.0}})
    assert (choice.method, choice.right, choice.tried, choice.ahead) == ("a", 0, 0, False)


def test_two_and_a_half_times_the_least_is_not_near_it():
    costs = {"p": {"a": 1.0, "b": 2.5}, "q": {"a": 9.0, "b": 1.0}}
    assert (choose(costs).method, choose(costs).near) == ("a", 1)


def test_a_choice_that_is_right_on_half_of_the_problems_is_not_ahead_though_chance_is_worse():
    best = {"p": "a", "q": "a", "r": "b", "s": "c"}
    costs = {problem: {m: 1.0 if m == one else 10.0 for m in "abcde"} for problem, one in best.items()}
    choice = choose(costs)
    assert (choice.method, choice.right, choice.tried, choice.ahead) == ("a", 2, 4, False)
    assert choice.chance == pytest.approx(0.8)


def test_each_problem_is_left_out_with_the_method_that_the_others_choose():
    costs = {"p": {"a": 1.0, "b": 9.0}, "q": {"a": 1.0, "b": 9.0}, "r": {"a": 9.0, "b": 1.0}, "s": {"a": INF}}
    assert list(left_out(costs)) == [(name, "a", costs[name]) for name in "pqr"]
    assert list(left_out({"p": {"a": 1.0}})) == []
    # With a factor of ten, both are near everywhere, and ranks decide.
    assert (choose(costs).near, choose(costs, 10.0).near) == (2, 3)
    assert choose(costs, tested=False).tried == 0
