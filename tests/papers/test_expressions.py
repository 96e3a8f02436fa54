"""Arithmetic with keys of a configuration."""

import pytest

from svmbench.errors import UserError
from svmbench.papers.expressions import value_of

CONFIG = {
    "budget": {"iterations": 100, "seconds": None, "stop": True},
    "kernel": {"gamma": 0.5, "huge": float("inf"), "name": "gaussian"},
    "solver": {"k": 3},
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2", 2.0),
        ("-solver.k", -3.0),
        ("1 - -kernel.gamma", 1.5),
        ("budget.iterations / solver.k", 100.0 / 3.0),
        ("(solver.k + 1) * kernel.gamma ** 2", 1.0),
        ("solver.k * n", 600.0),
        ("budget.iterations - n", -100.0),
    ],
)
def test_an_expression_has_the_value_of_its_arithmetic(expression, value):
    assert value_of(expression, CONFIG, rows=200) == pytest.approx(value)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("solver.k +", "cannot be computed"),
        ("1 / 0", "division by zero"),
        ("10.0 ** 999", "cannot be computed"),
        ("solver.q", "'q'"),
        ("m", "'m'"),
        ("solver.k.x", "cannot be computed"),
        ("n", "known only for stored runs"),
        ("budget.seconds", "budget.seconds=None is not a number"),
        ("budget.stop", "budget.stop=True is not a number"),
        ("kernel.huge", "kernel.huge=inf is not a number"),
        ("kernel.name", "kernel.name=gaussian is not a number"),
        ("+solver.k", "is not allowed"),
        ("solver.k % 2", "is not allowed"),
        ("abs(solver.k)", "is not allowed"),
    ],
)
def test_what_has_no_value_is_refused_with_the_reason(expression, reason):
    with pytest.raises(UserError, match="cannot be computed from the configuration") as refused:
        value_of(expression, CONFIG)
    assert expression in str(refused.value) and reason in str(refused.value)
