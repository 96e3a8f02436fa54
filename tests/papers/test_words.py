"""The sentences that define tests, where no stored verdict has one; `test_artifact` compares the others."""

from dataclasses import replace

import pytest

from svmbench.papers.predicates import Below, Flat, Ratio
from svmbench.papers.quantities import EACH, Arrival, FirstEpoch, Value, by_panel, cost_words, words_of

SBP = Value("sbp")
ERROR = "The test error of sbp at the end"
RATIO = "The mean ratio (in the logarithm) of the primal objective of sbp to that of sdca over all costs"
FROM = {"metric": "primal_objective", "since": FirstEpoch("sdca")}


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        (
            Ratio("c", SBP, 20, by_panel(adult=(0, 1), mnist=(None, 2))),
            f"{ERROR} divided by 20 is in the range 0 to 1 on adult, any to 2 on mnist.",
        ),
        (
            Below("c", "sbp", "sdca", until=100, within=(0.8, 1.25), **FROM),
            f"{RATIO} that both reach since the end of the first epoch of sdca until cost 1.0e2 "
            "is from 0.8 to 1.25.",
        ),
        (
            Flat("c", SBP, 2, over="problem.C", since=1, until=9),
            f"The greatest of {ERROR.lower()} over problem.C since 1.0e0 until 9.0e0 is at most 2 "
            "times the least.",
        ),
    ],
)
def test_the_sentence_that_defines_a_test(test, sentence):
    assert test.definition == sentence


def test_words_of_quantities_and_costs():
    assert words_of(by_panel(adult=1, mnist=2)) == "1 on adult, 2 on mnist"
    at = Value("sbp", at=by_panel(adult=1, mnist=2))
    assert at.words() == "the test error of sbp at cost 1 on adult, 2 on mnist"
    assert words_of(replace(SBP, envelope=True, at=1000)) == "the least test error of sbp at cost 1.0e3"
    assert cost_words(0.5 * FirstEpoch("sbp")) == "0.5 of the end of the first epoch of sbp"
    assert cost_words(Arrival(EACH, within=0.5)) == "its own arrival within 0.5 of the optimum's test error"
    assert cost_words(Arrival(EACH, level=10)) == "its own arrival at test error 10"
