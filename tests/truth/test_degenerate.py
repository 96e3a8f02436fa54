"""What is stored of runs on degenerate problems is true, and what is not is seen."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from svmbench.runner.ends import FLAG
from tests.truth.degenerate import Truth, best, case, checked, complaints, play


def test_what_is_stored_of_degenerate_problems_is_true():
    ends = set()
    for number in range(40):
        given, end, found = checked(number)
        assert found == [], given
        ends.add(end.split(":")[0])
    assert "converged" in ends


@pytest.mark.parametrize("number", [942, 1878])  # far from zero, with C above 1e11
def test_the_objective_of_weights_is_that_of_the_stored_weights(number):
    given, _, found = checked(number)
    assert found == [], given


@pytest.mark.parametrize("solver", ["svm_light", "decomposition", "ocas", "randsvm"])
def test_numbers_that_are_not_true_are_seen(solver, tmp_path):
    given = dataclasses.replace(case(10, solver), C=10.0)
    end, row, model = play(given, tmp_path)
    assert row is not None and complaints(given, end, row, model) == []
    P = row["primal_objective"]
    high = row | {"dual_objective": row["dual_objective"] + 1e-8 * P + (P if solver == "ocas" else 0.0)}
    assert len(complaints(given, end, high, model)) == 1
    assert len(complaints(given, end, row | {"primal_objective": (1.0 + 1e-5) * P}, model)) == 1
    far = dataclasses.replace(model, bias=model.bias + 5.0)
    there = row | {"primal_objective": float(Truth(given).primal(*Truth(given).responses(far)[:2], far.bias))}
    wrong = complaints(given, "converged: its rule holds", there, far)
    assert len(wrong) == 1 and "above the optimum" in wrong[0]
    assert complaints(given, f"converged: its rule holds, {FLAG}", there, far) == []


@pytest.mark.parametrize("number", range(20))
def test_both_bounds_of_the_optimum_are_bounds_and_near_where_c_is_moderate(number):
    given = dataclasses.replace(case(number, "decomposition"), C=1.0)
    upper, lower = best(Truth(given), given)
    assert 0.0 <= float(lower) <= float(upper) * (1.0 + 1e-12)
    if np.abs(given.X).max() < 10.0:
        assert float(upper - lower) <= 1e-4 * float(upper)


@pytest.mark.parametrize("solver", ["sdca", "decomposition", "smo", "pegasos", "svm_light"])
def test_an_example_at_zero_hides_no_other(solver, tmp_path):
    # Without bias its coefficient goes to C: times the middle of the others, no digit of theirs is left.
    given = case(10, solver)
    X = np.random.default_rng(5).integers(1, 4, (23, 3)).astype(np.float32)
    X[7] = 0.0
    y = np.where(np.arange(23) % 3 == 0, 1.0, -1.0)
    given = dataclasses.replace(given, X=X, y=y, kernel={"name": "linear"}, C=9.5e21, bias="none")
    end, row, model = play(given, tmp_path)
    assert row is not None and complaints(given, end, row, model) == []
