"""Ends without the budget or the numbers that make them so."""

import math

import pytest

from svmbench.recompute.ends import ended

BUDGET = {
    "counter": "kev_ondemand",
    **dict.fromkeys(("kev", "iterations", "seconds", "memory", "gap", "test_error")),
}
ROW = {
    "iterations": 200,
    "kev_ondemand": 5000,
    "inner_products": 5000,
    "wall_seconds": 3.0,
    "primal_objective": 0.5,
    "relative_gap": 1e-3,
    "test_error": 0.25,
}


def said(status, reason, rows=(ROW,), several=False, **budget):
    return list(ended({**BUDGET, **budget}, status, reason, rows, several))


RULE = "the solver's stopping rule holds after 200 iterations"
FLAGGED = f"{RULE}, by its own rule alone, at a relative gap of"
SECONDS = "budget.seconds=2.5 reached"
MEMORY = "budget.memory=64 reached (400 MiB taken beside the data, 350 allowed)"
HONEST = [
    ("timeout", SECONDS, {"seconds": 2.5}),
    ("timeout", f"{SECONDS} before it converged, at a relative gap of 1.0e-03", {"seconds": 2.5}),
    ("timeout", "budget.seconds=5 reached; its process was ended from outside", {"seconds": 5.0}),
    ("timeout", "budget.seconds=5 reached within an iteration, after 250 iterations", {"seconds": 5}),
    ("timeout", "the optimum behind it has a relative gap of 1.0e-01 after 5 s", {"seconds": 5}),
    ("budget", MEMORY, {"memory": 64.0}),
    ("budget", f"{MEMORY}, by the optimum behind it at a relative gap of 5.0e-01", {"memory": 64}),
    ("budget", "budget.kev=5000 reached by kev_ondemand", {"kev": 5000.0}),
    ("converged", RULE, {}),
    ("stalled", "no further progress after 200 iterations, at a relative gap of 1.0e-03", {}),
    ("converged", f"{FLAGGED} 5.0e-01 in its own objective", {}),
    ("converged", f"{FLAGGED} 1.0e-03: a smaller solver.eps would go on", {}),
    ("diverged", "the responses are no longer finite after 210 iterations: scale the data", {}),
    ("diverged", "SGDClassifier in epoch 2: Floating-point under-/overflow occurred", {}),
]


@pytest.mark.parametrize(("status", "reason", "budget"), HONEST)
def test_honest_ends(status, reason, budget):
    assert said(status, reason, **budget) == []


@pytest.mark.parametrize(("status", "reason", "budget"), HONEST[:7])
def test_an_end_by_a_limit_has_that_limit(status, reason, budget):
    assert said(status, reason)
    assert said(status, reason, rows=[])
    if reason.startswith("budget"):
        assert said(status, reason, **{key: 7 * value for key, value in budget.items()})


@pytest.mark.parametrize(
    ("status", "reason", "sentence"),
    [
        ("diverged", "budget.kev=5000 reached by kev_ondemand", "the reason is that of another end"),
        ("budget", RULE, "the reason is that of another end"),
        ("diverged", "the objective is inf after 200 iterations", "the objective is 0.5 at the last"),
        ("diverged", RULE, "the objective is 0.5 at the last checkpoint"),
        ("converged", f"{FLAGGED} 1.0e-09", "the last checkpoint has 0.001"),
        ("converged", RULE.replace("200", "199"), "the last checkpoint is at 200 iterations"),
    ],
)
def test_a_reason_fits_the_numbers(status, reason, sentence):
    assert any(sentence in found for found in said(status, reason))


@pytest.mark.parametrize("end", ["", " before it converged"])
def test_a_run_that_ran_out_of_time_trained_that_long(end):
    reason = f"budget.seconds=5 reached{end}"
    (sentence,) = said("timeout", reason, seconds=5.0)
    assert sentence.endswith("the last checkpoint is at 3.0 s")
    assert said("timeout", reason, [{**ROW, "inner_products": None}], seconds=5.0) == []  # of the last fit
    assert said("timeout", reason, several=True, seconds=5.0) == []


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_only_the_last_objective_of_a_run_that_diverged_is_not_finite(value):
    last = {**ROW, "primal_objective": value}
    before = {**ROW, "iterations": 100}
    reason = f"the objective is {value} after 200 iterations"
    assert said("diverged", reason, [before, last]) == []
    for rows, status in (([before, last], "converged"), ([last, {**ROW, "iterations": 300}], "diverged")):
        assert any(f"the objective is {value} at 200 iterations" in one for one in said(status, reason, rows))
    assert said("diverged", reason.replace("200", "100"), [before, last])


def test_a_method_that_converged_has_a_checkpoint():
    assert said("converged", RULE, rows=[]) == [f"the run ended as converged, {RULE}: there is no checkpoint"]
    assert said("interrupted", "interrupted by SIGINT", rows=[]) == []


@pytest.mark.parametrize(
    ("key", "limit", "column"),
    [
        ("kev", 4000.0, "kev_ondemand"),
        ("iterations", 200, "iterations"),
        ("gap", 0.01, "relative_gap"),
        ("test_error", 0.3, "test_error"),
    ],
)
def test_a_run_ends_at_the_first_limit(key, limit, column):
    before = {**ROW, "iterations": 100, "kev_ondemand": 3000, "relative_gap": 0.5, "test_error": 0.5}
    assert said("converged", RULE, [before, ROW], **{key: limit}) == []
    again = {**ROW, "iterations": 201}
    end = "converged", RULE.replace("200", "201"), [before, ROW, again]
    sentence, *_ = said(*end, **{key: limit})
    assert sentence == f"budget.{key}={limit:g} was reached at 200 iterations, the run went on"
    assert said(*end, several=True, **{key: limit}) == []


def test_no_run_makes_more_iterations_than_its_budget():
    (sentence,) = said("converged", RULE, iterations=199)
    assert sentence == "the last checkpoint is at 200 iterations, of at most 199"
