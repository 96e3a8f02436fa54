"""The choice of a method from known costs, and how often it is right elsewhere."""

import numpy as np
import pytest

from svmbench.analysis.choice import choose, left_out

INF = np.inf


def least(**best):
    """Costs of five methods, of which one is the least on each problem, and the others ten times it."""
    return {problem: {m: 1.0 if m == one else 10.0 for m in "abcde"} for problem, one in best.items()}


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        (
            # "steady" is never the least, but always within a factor of two of it. Without q, "fast" is near
            # the best as often, and first in rank, but wrong on q. At random: two of three methods are near.
            {
                "p": {"fast": 1.0, "steady": 2.0, "slow": 9.0},
                "q": {"fast": 9.0, "steady": 2.0, "slow": 1.0},
                "r": {"fast": 1.0, "steady": 1.5, "slow": 9.0},
            },
            {"method": "steady", "near": 3, "problems": 3, "ranks": (2.0, 2.0, 2.0), "methods": 3}
            | {"right": 2, "tried": 3, "chance": pytest.approx(2.0), "ahead": False},
        ),
        (  # of methods near the least equally often, the best mean rank decides
            {"p": {"b": 2.0, "a": 1.0}, "q": {"b": 2.0, "a": 1.0}, "r": {"b": 1.0, "a": 1.1}},
            {"method": "a"},
        ),
        (
            # "a" is first with p. Without p: a on q, b on r, and equal ranks, so the first one, which is
            # right; without r: a, wrong.
            {"p": {"a": 1.0, "b": 10.0}, "q": {"a": 1.0, "b": 10.0}, "r": {"a": 10.0, "b": 1.0}},
            {"method": "a", "near": 2, "right": 2, "tried": 3, "ahead": True},
        ),
        (
            {"p": {"a": 1.0, "b": 10.0}, "q": {"a": 10.0, "b": 1.0}},
            {"right": 0, "tried": 2, "ahead": False},
        ),
        (  # each problem has another best method
            least(p="a", q="b", r="c", s="d", t="e"),
            {"near": 1, "right": 0, "tried": 5, "chance": pytest.approx(1.0), "ahead": False},
        ),
        (  # chance would choose as well
            {name: {"a": 1.0, "b": 1.0, "c": 1.0} for name in "pqr"},
            {"right": 3, "tried": 3, "chance": pytest.approx(3.0), "ahead": False},
        ),
        (  # an unknown cost is never near, and not tested
            {**{name: {"a": 1.0, "b": 9.0} for name in "pqr"}, "s": {"b": 9.0}},
            {"method": "a", "near": 3, "problems": 4, "ranks": (1.0, 1.0, 2.0), "right": 3, "tried": 3},
        ),
        (  # a method that does not get there is tested, and wrong
            {"p": {"a": 1.0, "b": INF}, "q": {"a": 1.0, "b": INF}, "r": {"a": INF, "b": 9.0}},
            {"near": 2, "right": 2, "tried": 3},
        ),
        ({"p": {"a": 1.0, "b": 5.0}}, {"method": "a", "right": 0, "tried": 0, "ahead": False}),
        ({"p": {"a": 1.0, "b": 2.5}, "q": {"a": 9.0, "b": 1.0}}, {"method": "a", "near": 1}),
        (  # right on half of the problems, though chance is worse
            least(p="a", q="a", r="b", s="c"),
            {"method": "a", "right": 2, "tried": 4, "chance": pytest.approx(0.8), "ahead": False},
        ),
    ],
)
def test_the_method_near_the_least_on_most_problems_is_chosen_and_tested_on_the_others(costs, expected):
    choice = choose(costs)
    assert {name: getattr(choice, name) for name in expected} == expected


def test_a_problem_where_no_method_gets_there_does_not_count():
    costs = {"p": {"a": 1.0, "b": 5.0}, "q": {"a": 1.0, "b": 5.0}, "r": {"a": INF, "b": INF}, "s": {}}
    assert choose(costs).problems == choose(costs).tried == 2
    assert choose({"r": {"a": INF}}) is choose({}) is None


def test_each_problem_is_left_out_with_the_method_that_the_others_choose():
    costs = {"p": {"a": 1.0, "b": 9.0}, "q": {"a": 1.0, "b": 9.0}, "r": {"a": 9.0, "b": 1.0}, "s": {"a": INF}}
    assert list(left_out(costs)) == [(name, "a", costs[name]) for name in "pqr"]
    assert list(left_out({"p": {"a": 1.0}})) == []
    # With a factor of ten, both are near everywhere, and ranks decide.
    assert (choose(costs).near, choose(costs, 10.0).near) == (2, 3)
    assert choose(costs, tested=False).tried == 0
