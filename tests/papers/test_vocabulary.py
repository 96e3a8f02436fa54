"""The sentence that defines a test, for every predicate and every key that it may be given."""

import pytest

from svmbench.papers.vocabulary import PREDICATES
from svmbench.papers.wording import cost_words, quantity_words

SBP, SDCA = {"solver": "sbp"}, {"solver": "sdca"}
OVER = {"solver": "sbp", "metric": "test_error", "over": "problem.C"}
LATE = {"curve": "smo", "part": 0.25, "arrived": 0.1}
MEAN = {"curve": "sbp", "other": "sdca"}
FROM = {"metric": "primal_objective", "since": {"epoch": "sdca"}}

#: What the sentences have in common.
ERROR = "the test error of sbp at the end"
LOG = "the slope of the logarithm of"
RATIO = "the mean ratio (in the logarithm) of the"
LEAST = "the least value of smo until 0.25 of the cost from which it stays within 0.1 of its last value is at"
RISE = "of sbp over the last doubling of the cost is at least 0.5 above that of its best earlier doubling"
NOISE = "what two test sets of this size can tell (four standard errors of their difference)"
BY_PANEL = {"by_panel": {"adult": [0, 1], "mnist": [None, 2]}}

SENTENCES = [
    ("order", {"less": SBP, "than": 3}, f"{ERROR} is less than 3"),
    (
        "order",
        {"less": SBP, "than": SDCA, "margin": 0.5, "as": "ratio"},
        f"{ERROR} is less than the test error of sdca at the end by at least 0.5",
    ),
    ("ratio", {"of": SBP, "to": 20, "within": [0.5, 2]}, f"{ERROR} divided by 20 is from 0.5 to 2"),
    ("ratio", {"of": SBP, "to": 20, "within": [2, None]}, f"{ERROR} divided by 20 is at least 2"),
    ("ratio", {"of": SBP, "to": 20, "within": [None, 2]}, f"{ERROR} divided by 20 is at most 2"),
    (
        "ratio",
        {"of": SBP, "to": 20, "within": BY_PANEL},
        f"{ERROR} divided by 20 is in the range 0 to 1 on adult, any to 2 on mnist",
    ),
    ("near", {"value": SBP, "printed": 14.9, "within": 0.1}, f"{ERROR} is within 0.1 of the printed 14.9"),
    (
        "near",
        {"value": SBP, "printed": [14, 15], "within": str(b"noise", "ascii")},
        f"{ERROR} is within {NOISE} of the printed 14 to 15",
    ),
    ("slope", {"of": OVER, "within": [-1, 0]}, f"{LOG} {ERROR} over problem.C is from -1 to 0"),
    (
        "slope",
        {"of": {"measure": "m"}, "within": [1, 1.5], "since": 10, "until": 1000},
        f"{LOG} m over its places since 1.0e1 until 1.0e3 is from 1 to 1.5",
    ),
    (
        "slope",
        {"of": {"solver": "sbp", "metric": "norm"}, "within": [0, 1]},
        f"{LOG} the norm of sbp at the end over cost is from 0 to 1",
    ),
    (
        "slope",
        {"of": {**OVER, "over": ["solver.k", "n"]}, "against": SDCA, "within": [0, 1]},
        f"{LOG} the ratio of {ERROR} to the test error of sdca at the end over solver.k or n is from 0 to 1",
    ),
    (
        "flat",
        {"of": OVER, "factor": 2, "since": 1, "until": 9},
        f"the greatest of {ERROR} over problem.C since 1.0e0 until 9.0e0 is at most 2 times the least",
    ),
    (
        "below",
        MEAN,
        f"{RATIO} test error of sbp to that of sdca over all costs that both reach is from 0 to 1",
    ),
    (
        "below",
        {**MEAN, **FROM, "until": 100, "within": [0.8, 1.25]},
        f"{RATIO} primal objective of sbp to that of sdca over all costs that both reach since the end of "
        "the first epoch of sdca until cost 1.0e2 is from 0.8 to 1.25",
    ),
    ("late", {**LATE, "far": 1.0}, f"{LEAST} least 1 above that"),
    ("late", {**LATE, "within": 0.5}, f"{LEAST} most 0.5 above that"),
    ("rises", {"curve": "sbp", "by": 0.5}, f"the mean test error {RISE}"),
    (
        "rises",
        {"curve": "sbp", "by": 0.5, **FROM},
        f"the mean primal objective {RISE} after the end of the first epoch of sdca",
    ),
    (
        "ended",
        {"solver": "sbp", "because": "budget"},
        "the share of runs of sbp that ended because of 'budget' is from 1 to 1",
    ),
    (
        "ended",
        {"solver": "sbp", "because": "budget", "share": [0.5, None]},
        "the share of runs of sbp that ended because of 'budget' is at least 0.5",
    ),
    ("exact", {"value": SBP, "equals": 5}, f"{ERROR} equals 5"),
    ("exact", {"value": SBP, "equals": 5, "within": 1e-9}, f"{ERROR} equals 5 to 1e-09"),
]


@pytest.mark.parametrize(
    ("name", "given", "sentence"), SENTENCES, ids=[f"{name}-{k}" for k, (name, *_) in enumerate(SENTENCES)]
)
def test_the_sentence_that_defines_a_test(name, given, sentence):
    predicate = PREDICATES[name]
    assert set(predicate.needed) <= set(given) <= {*predicate.needed, *predicate.optional}
    assert predicate.words(given) == sentence


def test_every_predicate_and_each_of_its_keys_is_in_a_sentence():
    said = {
        name: {key for other, given, _ in SENTENCES if other == name for key in given} for name in PREDICATES
    }
    unsaid = {
        name: {*PREDICATES[name].needed, *PREDICATES[name].optional} - said[name] for name in PREDICATES
    }
    # Which runs a curve is of, and that it may be unfinished, is in no sentence.
    assert {name: keys for name, keys in unsaid.items() if keys} == {
        "below": {"where"},
        "ended": {"where"},
        "late": {"where", "metric", "unfinished"},
        "rises": {"where"},
    }


STABLE = {"stabilises": "test_error", "within": 0.5, "span": 2}
STAYED = "has first stayed within 0.5 over the last factor of 2"
SETS = {"by_panel": {"adult": 1, "mnist": 2}}
LEVEL = {"arrival": "test_error", "level": 10}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (5, "5"),
        (SETS, "1 on adult, 2 on mnist"),
        ({"number": 3}, "3"),
        ({"number": 3, "factor": 2}, "2 times 3"),
        ({"measure": "m", "factor": SETS}, "1 on adult, 2 on mnist times m"),
        ({"optimum": "test_error"}, "the test error of the certified optimum"),
        ({"known": "support_vectors"}, "the known support vectors"),
        (
            {**SBP, "area": "test_error", "where": {"solver.k": 5, "n": 7}},
            "the mean test error of sbp, solver.k = 5, n = 7 over the costs compared",
        ),
        ({**SBP, "where": {"n": SETS}}, "the test error of sbp, n = 1 on adult, 2 on mnist at the end"),
        ({**SBP, **STABLE}, f"the cost at which the test error of sbp {STAYED}"),
        ({**SBP, **LEVEL}, "the cost at which sbp stays at or below test error 10"),
        ({**SBP, **LEVEL, "first": True}, "the cost at which sbp first reaches test error 10"),
        (
            {**SBP, "arrival": "test_error", "within": 0.5},
            "the cost at which sbp stays within 0.5 of the optimum's test error",
        ),
        (
            {**SBP, "arrival": "test_error", "level": {"measure": "m"}},
            "the cost at which sbp stays at or below m",
        ),
        ({**SBP, "metric": "primal_objective", "plus": 1}, "the primal objective of sbp at the end plus 1"),
        ({**SBP, "envelope": True, "at": 1000}, "the least test error of sbp at cost 1.0e3"),
        ({**SBP, "peak": True}, "the greatest test error of sbp over the whole run"),
        ({**SBP, "at_most": True}, "the test error of sbp at the end (an upper bound)"),
    ],
)
def test_each_quantity_has_words(given, words):
    assert quantity_words(given) == words


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (1000, "cost 1.0e3"),
        (1000.0, "cost 1.0e3"),
        ({"epoch": "sbp"}, "the end of the first epoch of sbp"),
        ({"epoch": "sbp", "part": 0.5}, "0.5 of the end of the first epoch of sbp"),
        ({"shared": ["sbp", "smo"]}, "the last cost that sbp and smo reach"),
        (STABLE, f"the cost at which its test error {STAYED}"),
        (LEVEL, "its own arrival at test error 10"),
        ({"arrival": "test_error", "within": 0.5}, "its own arrival within 0.5 of the optimum's test error"),
        ({"of": {"measure": "m"}, "part": 0.5}, "0.5 of m"),
    ],
)
def test_each_cost_has_words(at, words):
    assert cost_words(at) == words
