"""Costs of arrival in the predicates: between two checkpoints, censored, and where a run is stable."""

from dataclasses import replace

import pytest

from svmbench.papers.estimate import DEVIATES, INCONCLUSIVE, NOT_ATTEMPTED, REPRODUCED
from svmbench.papers.predicates import Exact, Flat, Near, Order, Ratio, Slope
from svmbench.papers.quantities import EACH, Arrival, Stable, Value

from .judged import ARRIVAL, COSTS, NEVER, arrives, flat_at, judged

HOLDS, NOT, UNSURE = REPRODUCED, DEVIATES, INCONCLUSIVE

BY_ARRIVAL = Order("c", Arrival("sbp", level=10), Arrival("sdca", level=10), ratio=True)


@pytest.mark.parametrize(
    ("sbp", "sdca", "verdict", "number"),
    [
        (arrives(2), arrives(5), HOLDS, "0.125 (0.0625 to 0.25)"),
        (arrives(5), arrives(2), NOT, "8 (4 to 16)"),
        (arrives(3), arrives(4), UNSURE, "0.5 (0.25 to 1)"),  # either between the same two checkpoints
        (arrives(3), NEVER, HOLDS, "< 0.0625 (0 to 0.0625)"),
        (arrives(7), NEVER, UNSURE, "< 1 (0 to 1)"),  # at its last checkpoint, where the other one ended
        (NEVER, arrives(3), NOT, "> 16 (16 to unbounded)"),
        (NEVER, NEVER, UNSURE, "unknown (0 to unbounded)"),
        (arrives(0), arrives(4), HOLDS, "0.0625 (0 to 0.125)"),  # at its first checkpoint, or before
        (arrives(4), arrives(0), NOT, "16 (8 to unbounded)"),
    ],
)
def test_order_of_arrivals(tmp_path, sbp, sdca, verdict, number):
    found = judged(tmp_path, BY_ARRIVAL, sbp=sbp, sdca=sdca)
    assert (found.verdict, found.estimate.text()) == (verdict, number)


def test_an_arrival_that_was_cut_off_is_shown_as_more_than_what_was_spent(tmp_path):
    falls = [50, 20, 9, 12, 9, 9, 9, 9]  # stays from the fifth checkpoint on
    found = judged(tmp_path / "a", BY_ARRIVAL, sbp=falls, sdca=NEVER)
    assert found.text == "1.6e4 against > 1.3e5"
    some = lambda seed: falls if seed < 2 else [50] * 8  # noqa: E731
    found = judged(tmp_path / "b", BY_ARRIVAL, sbp=some, sdca=NEVER)
    assert found.text == "1.6e4 (1.6e4 to > 1.3e5) against > 1.3e5"
    most = lambda seed: falls if seed < 1 else [50] * 8  # noqa: E731
    found = judged(tmp_path / "c", BY_ARRIVAL, sbp=most, sdca=falls)
    assert found.text == "> 1.3e5 (1.6e4 to > 1.3e5) against 1.6e4" and found.verdict == UNSURE


def test_a_run_that_ended_by_its_own_tolerance_above_the_level_is_censored_too(tmp_path):
    given = replace(BY_ARRIVAL, than=Arrival("smo", level=10))
    found = judged(tmp_path, given, sbp=arrives(7), smo=NEVER)
    assert found.verdict == UNSURE and found.estimate.text() == "< 1 (0 to 1)"


def test_the_first_arrival_may_be_left_again(tmp_path):
    less, than = (replace(one, first=True) for one in (BY_ARRIVAL.less, BY_ARRIVAL.than))
    falls = [50, 50, 9, 50, 50, 50, 50, 50]
    found = judged(tmp_path, Order("c", less, than, ratio=True), sbp=falls, sdca=NEVER)
    assert found.text == "4e+03 against > 1.3e5" and found.estimate.text() == "< 0.0312 (0 to 0.0312)"


def test_a_value_at_an_arrival_holds_what_it_was_at_the_checkpoint_before(tmp_path):
    at = Arrival("sdca", level=10)
    given = Exact("c", Value("sbp", "primal_objective", at=at), 4, within=1.5)
    falling = [8, 7, 6, 5, 4, 3, 2, 1]
    found = judged(tmp_path / "a", given, sbp=falling, sdca=arrives(4))
    assert found.verdict == HOLDS and found.estimate.text() == "0 (0 to 1)"
    found = judged(tmp_path / "b", replace(given, within=0.5), sbp=falling, sdca=arrives(4))
    assert found.verdict == UNSURE
    found = judged(tmp_path / "c", given, sbp=falling, sdca=NEVER)
    assert found.verdict == NOT_ATTEMPTED and "end before the required cost" in found.text
    own = Arrival(EACH, level=10)  # of its own: at the checkpoint that is there
    given = replace(given, value=replace(given.value, at=own))
    found = judged(tmp_path / "d", given, sbp=arrives(4))
    assert found.estimate.text() == "5"
    found = judged(tmp_path / "e", given, sbp=NEVER)
    assert found.verdict == NOT_ATTEMPTED and found.text == "sbp: 3 of 3 runs end before they reach it"


#: Stable at the sixth checkpoint, 12 to 11.8 over a factor of four; alike before for too short a time.
STABLE = [50, 20, 20, 12, 12, 11.8, 9, 8]
RULE = Stable("sbp", span=4.0, within=0.25)


@pytest.mark.parametrize(
    ("percent", "stop", "verdict"),
    [
        (STABLE, "3.2e4", HOLDS),
        ([10] * 8, "4e+03", HOLDS),  # observed over the whole factor, from the first checkpoint on
        ([10, 10, 50, 50, 50, 20, 10, 5], "1.6e4", HOLDS),  # the first cost whose whole factor was observed
        ([50, 20, 10, 5, 2.5, 1.25, 0.6, 0.3], "> 1.3e5", UNSURE),
        ([10, 10.5, 10, 10.5, 10, 10.5, 10, 10.5], "> 1.3e5", UNSURE),
        ([50, 20, 20, 12, 12, 40, 40, 40], "1.3e5", HOLDS),  # not before the value at the cost is alike
    ],
)
def test_a_run_is_stable_where_all_its_values_have_been_alike_for_long(tmp_path, percent, stop, verdict):
    found = judged(tmp_path, Order("c", RULE, 2e5, ratio=True), sbp=percent)
    assert found.verdict == verdict and found.text == f"{stop} against 200000"


@pytest.mark.parametrize(("limit", "verdict"), [(33_000, HOLDS), (24_000, UNSURE), (15_000, NOT)])
def test_a_stop_lies_between_two_checkpoints(tmp_path, limit, verdict):
    assert judged(tmp_path, Order("c", RULE, limit, ratio=True), sbp=STABLE).verdict == verdict


@pytest.mark.parametrize(
    ("sbp", "end", "verdict"),
    [
        (STABLE, 30.0, HOLDS),
        (STABLE, 1.0, NOT),
        (STABLE, 11.8, UNSURE),  # as where it stops: what comes later has no part in it
        (COSTS[::-1] / 1e4, 9.0, NOT_ATTEMPTED),  # never stable
    ],
)
def test_a_run_is_looked_at_where_it_is_stable(tmp_path, sbp, end, verdict):
    given = Order("c", Value("sbp", at=replace(RULE, solver=EACH)), Value("sdca"))
    assert judged(tmp_path, given, sbp=sbp, sdca=flat_at(end)).verdict == verdict


#: Censored above this cost: what holds, what does not, and what the bound cannot tell.
CENSORED = [
    (Ratio("c", ARRIVAL, 1000, (100, None)), HOLDS),
    (Ratio("c", ARRIVAL, 1000, (0, 100)), NOT),
    (Ratio("c", ARRIVAL, 1000, (0, 200)), UNSURE),
    (Ratio("c", 1000, ARRIVAL, (0, 0.01)), HOLDS),
    (Order("c", 1000, ARRIVAL), HOLDS),
    (Order("c", ARRIVAL, 1000), NOT),
    (Order("c", ARRIVAL, 200_000), UNSURE),
    (Near("c", ARRIVAL, 1000, 1000), NOT),
    (Near("c", ARRIVAL, 128_000, 1000), UNSURE),
    (Exact("c", ARRIVAL, 1000), NOT),
    (Exact("c", ARRIVAL, 200_000), UNSURE),
]


@pytest.mark.parametrize(("given", "verdict"), CENSORED)
def test_a_censored_cost_is_a_lower_bound(tmp_path, given, verdict):
    assert judged(tmp_path, given, sbp=NEVER).verdict == verdict


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (Slope("c", ARRIVAL, (1.5, None), over="problem.C"), HOLDS),
        (Slope("c", ARRIVAL, (None, 1.5), over="problem.C"), NOT),
        (Slope("c", ARRIVAL, (None, 2.5), over="problem.C"), UNSURE),
        (Flat("c", ARRIVAL, 20, over="problem.C"), NOT),
        (Flat("c", ARRIVAL, 200, over="problem.C"), UNSURE),
    ],
)
def test_a_censored_place_of_a_series(tmp_path, given, verdict):
    # It arrives between 500 and 1,000 at C = 1, which is its first checkpoint, and after 128,000 at C = 10.
    over = {"problem.C": [1.0, 10.0]}
    sbp = lambda seed, C: (arrives(1) if C == 1.0 else NEVER)(seed)  # noqa: E731
    assert judged(tmp_path, given, over=over, sbp=sbp).verdict == verdict


def test_a_run_is_stable_up_to_the_tolerance_itself(tmp_path):
    given = Order("c", replace(RULE, metric="primal_objective"), 2e5, ratio=True)
    found = judged(tmp_path, given, sbp=[50, 20, 20, 12, 12, 11.75, 9, 8])
    assert found.text == "3.2e4 against 200000"
