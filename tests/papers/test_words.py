"""The sentence that defines a test, for every predicate and every key that it may be given."""

from dataclasses import MISSING, fields, replace

import pytest

from svmbench.papers import predicates
from svmbench.papers.keys import N
from svmbench.papers.predicates import Below, Ended, Exact, Flat, Late, Near, Order, Ratio, Rises, Slope
from svmbench.papers.quantities import (
    EACH,
    Area,
    Arrival,
    FirstEpoch,
    Known,
    LastShared,
    Measured,
    Optimum,
    Stable,
    Value,
    by_panel,
    cost_words,
    words_of,
)

SBP, SDCA = Value("sbp"), Value("sdca")
MEAN = Below("c", "sbp", "sdca")
FROM = {"metric": "primal_objective", "since": FirstEpoch("sdca")}

#: What the sentences have in common.
ERROR = "the test error of sbp at the end"
LOG = "the slope of the logarithm of"
RATIO = "the mean ratio (in the logarithm) of the"
LEAST = "the least value of smo until 0.25 of the cost from which it stays within 0.1 of its last value is at"
RISE = "of sbp over the last doubling of the cost is at least 0.5 above that of its best earlier doubling"
BY_PANEL = by_panel(adult=(0, 1), mnist=(None, 2))

SENTENCES = [
    (Order("c", SBP, 3), f"{ERROR} is less than 3"),
    (
        Order("c", SBP, SDCA, margin=0.5, ratio=True),
        f"{ERROR} is less than the test error of sdca at the end by at least 0.5",
    ),
    (Ratio("c", SBP, 20, (0.5, 2)), f"{ERROR} divided by 20 is from 0.5 to 2"),
    (Ratio("c", SBP, 20, (2, None)), f"{ERROR} divided by 20 is at least 2"),
    (Ratio("c", SBP, 20, (None, 2)), f"{ERROR} divided by 20 is at most 2"),
    (
        Ratio("c", SBP, 20, BY_PANEL),
        f"{ERROR} divided by 20 is in the range 0 to 1 on adult, any to 2 on mnist",
    ),
    (Near("c", SBP, (14, 15), 0.1), f"{ERROR} is within 0.1 of the printed 14 to 15"),
    (
        Near("c", SBP, 14.9, same_set=True),
        f"{ERROR} is within a tenth of the printed 14.9, measured on the same test examples",
    ),
    (Slope("c", SBP, (-1, 0), over="problem.C"), f"{LOG} {ERROR} over problem.C is from -1 to 0"),
    (
        Slope("c", Measured("m"), (1, 1.5), since=10, until=1000),
        f"{LOG} m over its places since 1.0e1 until 1.0e3 is from 1 to 1.5",
    ),
    (
        Slope("c", Value("sbp", "norm"), (0, 1)),
        f"{LOG} the norm of sbp at the end over cost is from 0 to 1",
    ),
    (
        Slope("c", SBP, (0, 1), over=["solver.k", N], against=SDCA),
        f"{LOG} the ratio of {ERROR} to the test error of sdca at the end over solver.k or n is from 0 to 1",
    ),
    (
        Flat("c", SBP, 2, over="problem.C", since=1, until=9),
        f"the greatest of {ERROR} over problem.C since 1.0e0 until 9.0e0 is at most 2 times the least",
    ),
    (
        MEAN,
        f"{RATIO} test error of sbp to that of sdca over all costs that both reach is from 0 to 1",
    ),
    (
        replace(MEAN, **FROM, until=100, within=(0.8, 1.25)),
        f"{RATIO} primal objective of sbp to that of sdca over all costs that both reach since the end of "
        "the first epoch of sdca until cost 1.0e2 is from 0.8 to 1.25",
    ),
    (Late("c", "smo", 0.25, 0.1, far=1.0), f"{LEAST} least 1 above that"),
    (Late("c", "smo", 0.25, 0.1, within=0.5), f"{LEAST} most 0.5 above that"),
    (Rises("c", "sbp", 0.5), f"the mean test error {RISE}"),
    (
        Rises("c", "sbp", 0.5, **FROM),
        f"the mean primal objective {RISE} after the end of the first epoch of sdca",
    ),
    (
        Ended("c", "sbp", "budget"),
        "the share of runs of sbp that ended because of 'budget' is from 1 to 1",
    ),
    (
        Ended("c", "sbp", "budget", share=(0.5, None)),
        "the share of runs of sbp that ended because of 'budget' is at least 0.5",
    ),
    (Exact("c", SBP, 5), f"{ERROR} equals 5"),
    (Exact("c", SBP, 5, within=1e-9), f"{ERROR} equals 5 to 1e-09"),
]


@pytest.mark.parametrize(
    ("test", "sentence"),
    SENTENCES,
    ids=[f"{type(test).__name__}-{k}" for k, (test, _) in enumerate(SENTENCES)],
)
def test_the_sentence_that_defines_a_test(test, sentence):
    assert test.definition == f"{sentence[0].upper()}{sentence[1:]}."


def test_every_predicate_and_each_of_its_arguments_is_in_a_sentence():
    common = {one.name for one in fields(predicates.Test)}
    unsaid = {}
    for kind in {type(test) for test, _ in SENTENCES}:
        mine = [one for one in fields(kind) if one.name not in common]
        given = [test for test, _ in SENTENCES if type(test) is kind]
        unsaid[kind.__name__] = {
            one.name
            for one in mine
            if one.default is not MISSING or one.default_factory is not MISSING
            if all(getattr(test, one.name) == getattr(kind, one.name, {}) for test in given)
        }
    assert len(unsaid) == 10
    # Which runs a curve is of, and that it may be unfinished, is in no sentence.
    assert {name: keys for name, keys in unsaid.items() if keys} == {
        "Below": {"where"},
        "Ended": {"where"},
        "Late": {"where", "metric", "unfinished"},
        "Rises": {"where"},
    }


STABLE = Stable(EACH, within=0.5, span=2)
STAYED = "has first stayed within 0.5 over the last factor of 2"
SETS = by_panel(adult=1, mnist=2)
LEVEL = Arrival(EACH, level=10)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (5, "5"),
        (SETS, "1 on adult, 2 on mnist"),
        (3, "3"),
        (2 * Measured("m"), "2 times m"),
        (Optimum("nu") + 0.5, "the nu of the certified optimum plus 0.5"),
        (Optimum("test_error"), "the test error of the certified optimum"),
        (Known("support_vectors"), "the known support vectors"),
        (
            Area("sbp", where={"solver.k": 5, "n": 7}),
            "the mean test error of sbp, solver.k = 5, n = 7 over the costs compared",
        ),
        (replace(SBP, where={"n": SETS}), "the test error of sbp, n = 1 on adult, 2 on mnist at the end"),
        (replace(STABLE, solver="sbp"), f"the cost at which the test error of sbp {STAYED}"),
        (replace(LEVEL, solver="sbp"), "the cost at which sbp stays at or below test error 10"),
        (replace(LEVEL, solver="sbp", first=True), "the cost at which sbp first reaches test error 10"),
        (
            Arrival("sbp", within=0.5),
            "the cost at which sbp stays within 0.5 of the optimum's test error",
        ),
        (
            Arrival("sbp", level=Measured("m")),
            "the cost at which sbp stays at or below m",
        ),
        (replace(SBP, metric="primal_objective", plus=1), "the primal objective of sbp at the end plus 1"),
        (replace(SBP, envelope=True, at=1000), "the least test error of sbp at cost 1.0e3"),
        (replace(SBP, peak=True), "the greatest test error of sbp over the whole run"),
        (replace(SBP, at_most=True), "the test error of sbp at the end (an upper bound)"),
    ],
)
def test_each_quantity_has_words(given, words):
    assert words_of(given) == words


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (1000, "cost 1.0e3"),
        (1000.0, "cost 1.0e3"),
        (FirstEpoch("sbp"), "the end of the first epoch of sbp"),
        (0.5 * FirstEpoch("sbp"), "0.5 of the end of the first epoch of sbp"),
        (LastShared("sbp", "smo"), "the last cost that sbp and smo reach"),
        (STABLE, f"the cost at which its test error {STAYED}"),
        (LEVEL, "its own arrival at test error 10"),
        (Arrival(EACH, within=0.5), "its own arrival within 0.5 of the optimum's test error"),
        (0.5 * Measured("m"), "0.5 of m"),
    ],
)
def test_each_cost_has_words(at, words):
    assert cost_words(at) == words
