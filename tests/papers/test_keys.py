"""Arithmetic with keys of a configuration."""

import pytest

from svmbench.errors import UserError
from svmbench.papers.keys import TESTS, Key, N, axis_words, place

CONFIG = {
    "budget": {"iterations": 100, "seconds": None, "stop": True},
    "kernel": {"gamma": 0.5, "huge": float("inf"), "name": "gaussian"},
    "solver": {"k": 3},
}
K = Key("solver.k")


@pytest.mark.parametrize(
    ("axis", "value", "text"),
    [
        ("solver.k", 3.0, "solver.k"),
        (K * N, 600.0, "solver.k * n"),
        (Key("budget.iterations") / K, 100.0 / 3.0, "budget.iterations / solver.k"),
        (Key("budget.iterations") / (K * 2), 100.0 / 6.0, "budget.iterations / (solver.k * 2)"),
        (K * 2 / 4, 1.5, "solver.k * 2 / 4"),
        (0.5 / K * TESTS, 25.0 / 3.0, "0.5 / solver.k * n_test"),
        (["solver.q", K], 3.0, "solver.q or solver.k"),
    ],
)
def test_an_axis_has_the_value_of_its_arithmetic_and_is_written_like_it(axis, value, text):
    assert place(axis, CONFIG, {"train": 200, "test": 50}) == pytest.approx(value)
    assert axis_words(axis) == text


@pytest.mark.parametrize(
    ("axis", "reason"),
    [
        ("solver.q", "'solver.q' cannot be computed from the configuration: it is None"),
        ("solver.k.x", "it is None"),
        (N, "n is known only for stored runs"),
        ("budget.seconds", "it is None"),
        ("budget.stop", "it is True"),
        ("kernel.huge", "it is inf"),
        ("kernel.name", "it is gaussian"),
        (K / 0, "'solver.k / 0' cannot be computed from the configuration"),
        (["solver.q", "solver.r"], "solver.r"),
    ],
)
def test_what_has_no_value_is_refused_with_the_reason(axis, reason):
    with pytest.raises(UserError, match=r"known only|cannot be computed") as refused:
        place(axis, CONFIG, None)
    assert reason in str(refused.value)
