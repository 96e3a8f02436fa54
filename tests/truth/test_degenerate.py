"""What is stored of runs on degenerate problems is true, and what is not is seen."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from svmbench.runner.ends import FLAG
from tests.truth.degenerate import Truth, best, case, checked, complaints, dual_point, fractions, play


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


@pytest.mark.parametrize("solver", ["dcd", "decomposition"])
def test_bounds_on_pixels_are_exact_for_the_examples_that_each_kind_of_solver_takes(solver, tmp_path):
    # Linear solvers take the values as loaded, kernel solvers the multiples of 1/255 next to them.
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 256, (30, 8)) * (rng.random((30, 8)) < 0.5)
    whole[:2, 0] = 1, 255
    X = (whole / 255.0).astype(np.float32)
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    given = dataclasses.replace(case(10, solver), X=X, y=y, kernel={"name": "linear"}, C=10.0, bias="none")
    _, row, model = play(given, tmp_path)
    assert row is not None and model is not None
    alpha, found = dual_point(given, model), {}
    for name, taken in (("dcd", fractions(X)), ("decomposition", fractions(whole) / 255)):
        truth = Truth(given)
        truth.X = taken
        scores, norm2, _ = truth.responses(model)
        found[name] = float(truth.primal(scores, norm2, model.bias)), float(truth.dual(alpha))
    own = found.pop(solver)
    assert (row["primal_objective"], row["dual_objective"]) == pytest.approx(own, rel=1e-13)
    (other,) = found.values()
    assert 1e-10 < abs(other[0] / own[0] - 1.0) < 1e-6
