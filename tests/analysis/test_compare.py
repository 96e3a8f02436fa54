"""Two groups of runs with known costs: ratios, pairs, tests and what is refused."""

import csv
import io
import json

import numpy as np
import pytest
from scipy import stats

from svmbench.analysis.arrivals import stays_below
from svmbench.analysis.compare import bootstrap, compare
from svmbench.analysis.costs import observe, problem_names
from svmbench.errors import UserError
from tests.figures.stored import stored_run
from tests.told import output, refusal

COSTS = np.array([100.0, 200.0, 400.0, 800.0, 1600.0])


def group(root, solver, factor, seeds=range(6), dataset="adult", **options):
    return [
        stored_run(root, solver, dataset, seed, costs=COSTS * factor, errors=[40, 30, 20, 15, 10], **options)
        for seed in seeds
    ]


def compared(a, b, target=0.15, *more):
    """The only row of a comparison of kernel evaluations until a test error."""
    (row,), _ = compare(a, b, "kev_ondemand", "test_error", target, *more)
    return row


def test_a_constant_factor_is_found_with_a_narrow_interval(tmp_path):
    a, b = group(tmp_path, "sbp", 2), group(tmp_path, "pegasos", 6)
    (row,), left_out = compare(a, b, "kev_ondemand", "test_error", 0.15)
    assert (row.cost_a, row.cost_b) == (1600, 4800)
    assert (row.ratio, row.low, row.high) == pytest.approx((1 / 3,) * 3)
    assert (row.pairs, row.reached_a, row.reached_b) == (6, 6, 6)
    assert row.p == pytest.approx(2 / 64) and row.verdict == "A"
    assert (row.problem, row.a, row.b) == ("adult", "SBP", "Pegasos") and not left_out
    row = compared(b, a)
    assert row.ratio == pytest.approx(3.0) and row.verdict == "B"


def test_by_default_half_of_the_worse_group_reaches_the_target(tmp_path):
    a = group(tmp_path, "sbp", 1)
    b = [
        stored_run(tmp_path, "smo", seed=s, costs=[100, 300], errors=[50, end])
        for s, end in enumerate((18.0, 20.0, 21.0))
    ]
    (row,), _ = compare(a, b, "kev_ondemand", "test_error")
    assert row.target == pytest.approx(0.20)
    assert (row.reached_a, row.reached_b) == (6, 2) and row.cost_a == 400


def test_few_seeds_cannot_tell_however_clear_the_ratio(tmp_path):
    row = compared(group(tmp_path, "sbp", 1, range(5)), group(tmp_path, "pegasos", 100, range(5)))
    assert row.verdict == "cannot tell with 5 shared seeds" and row.ratio == pytest.approx(0.01)


def test_a_solver_without_random_choices_is_paired_with_every_seed(tmp_path):
    a, b = group(tmp_path, "sbp", 1), group(tmp_path, "smo", 3, [0])
    mapped = group(tmp_path, "smo", 3, [0], config={"features": {"name": "nystrom", "s": 64}})
    for row in (compared(a, b), compared(a, mapped, 0.15, {"smo"})):  # random features are such choices
        assert (row.verdict, row.constant) == ("cannot tell with 6 and 1 seeds", "")
    row = compared(a, b, 0.15, {"smo"})
    assert (row.pairs, row.constant, row.seeds_b) == (6, "B", 1)
    assert (row.ratio, row.low, row.high) == pytest.approx((1 / 3,) * 3)
    assert row.p == pytest.approx(2 / 64) and row.verdict == "A"
    row = compared(b, a, 0.15, {"smo"})
    assert (row.pairs, row.constant, row.verdict) == (6, "A", "B") and row.ratio == pytest.approx(3.0)


def test_counts_of_two_solvers_without_random_choices_are_exact_and_times_are_not(tmp_path):
    a = group(tmp_path, "smo", 1, [0], wall_seconds=COSTS)
    b = group(tmp_path, "gpdt", 3, [0], wall_seconds=COSTS)
    (row,), _ = compare(a, b, "kev_ondemand", "test_error", 0.15, {"smo", "gpdt"})
    assert row.verdict == "A" and np.isnan(row.p) and row.plain()["holm"] is None
    (row,), _ = compare(a, b, "wall_seconds", "test_error", 0.15, {"smo", "gpdt"})
    assert row.verdict == "cannot tell with 1 shared seed"


def test_exact_rows_have_no_part_in_the_correction(tmp_path):
    a = group(tmp_path, "sbp", 1) + group(tmp_path, "smo", 1, [0], dataset="mnist")
    b = group(tmp_path, "gpdt", 2, [0]) + group(tmp_path, "gpdt", 2, [0], dataset="mnist")
    rows, _ = compare(a, b, "kev_ondemand", "test_error", 0.15, {"smo", "gpdt"})
    assert [row.verdict for row in rows] == ["A", "A"] and rows[0].holm == rows[0].p


def test_the_table_says_how_a_single_run_was_paired(tmp_path, capsys):
    group(tmp_path, "sbp", 1), group(tmp_path, "smo", 3, [0])
    out = output(capsys, ["compare", "sbp-*", "smo-*", "--results", str(tmp_path), "--to", "test_error=0.15"])
    assert "A is cheaper on 1" in out and "paired with every seed" in out


def test_a_target_that_one_side_never_reaches(tmp_path):
    a = group(tmp_path, "sbp", 1)
    b = [stored_run(tmp_path, "smo", seed=s, costs=[100, 900], errors=[50, 30]) for s in range(6)]
    row = compared(a, b)
    assert row.ratio == 0.0 and row.cost_b == np.inf and row.reached_b == 0 and row.verdict == "A"
    assert row.plain()["cost_b"] is None
    row = compared(a, b, 0.01)
    assert row.verdict == "neither reaches it" and np.isnan(row.ratio)


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        (range(4), range(10, 14), 0),
        (range(4), range(3, 7), 0),  # a single shared seed of several
        (range(3), range(1, 4), 2),
        (range(1), range(1), 1),
        (range(2), range(1), 0),
    ],
)
def test_seeds_are_compared_in_pairs_if_several_or_all_are_shared(tmp_path, first, second, pairs):
    row = compared(group(tmp_path, "sbp", 1, first), group(tmp_path, "pegasos", 2, second))
    assert row.pairs == pairs and row.ratio == pytest.approx(0.5)
    if len(second) == 4 and pairs == 0 and second[0] == 10:  # as groups
        assert row.p == pytest.approx(2 / 70) and row.verdict == "A"


def test_p_values_are_corrected_for_the_number_of_problems(tmp_path):
    a = group(tmp_path, "sbp", 1) + group(tmp_path, "sbp", 1, dataset="mnist")
    b = group(tmp_path, "smo", 2) + group(tmp_path, "smo", 2, dataset="mnist")
    rows, _ = compare(a, b, "kev_ondemand", "test_error", 0.15)
    assert [row.problem for row in rows] == ["adult", "mnist"]
    assert [row.holm for row in rows] == pytest.approx([2 * row.p for row in rows])
    assert {row.verdict for row in rows} == {"no difference shown"}


def test_two_stores_are_compared_method_by_method(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    a = group(old, "sbp", 2) + group(old, "smo", 2)
    b = group(new, "sbp", 1) + group(new, "smo", 2)
    rows, _ = compare(a, b, "kev_ondemand", "test_error", 0.15)
    assert [(row.a, row.b) for row in rows] == [("SBP", "SBP"), ("SMO", "SMO")]
    assert [row.ratio for row in rows] == pytest.approx([2.0, 1.0])


def test_several_methods_against_one_are_refused_with_the_way_out(tmp_path):
    two, one = group(tmp_path, "sbp", 2) + group(tmp_path, "smo", 2), group(tmp_path, "pegasos", 1)
    for side, pair in (("A", (two, one)), ("B", (one, two))):
        with pytest.raises(UserError, match=rf"{side} has 2 methods on adult .* name the runs of one"):
            compared(*pair)


def test_other_problems_are_named_and_not_compared(tmp_path):
    a = group(tmp_path, "sbp", 2) + group(tmp_path, "sbp", 2, dataset="mnist")
    _, left_out = compare(a, group(tmp_path, "smo", 1), "kev_ondemand", "test_error")
    assert left_out == [("mnist", "only A has runs of it")]
    with pytest.raises(UserError, match="no problem in common"):
        compare(a, group(tmp_path, "smo", 1, dataset="reuters"), "kev_ondemand", "test_error")


def test_lambda_and_c_that_mean_the_same_are_one_problem(tmp_path):
    runs = group(tmp_path, "sbp", 1)
    runs += group(tmp_path, "smo", 1, config={"problem": {"lam": 0.001, "C": None, "bias": "none"}})
    assert len(observe(runs, "kev_ondemand", "test_error").problems) == 1
    runs += group(tmp_path, "smo", 1, config={"problem": {"lam": 0.01, "C": None, "bias": "none"}})
    assert len(observe(runs, "kev_ondemand", "test_error").problems) == 2


def test_problems_are_named_by_what_they_differ_in(tmp_path):
    configs = [{"dataset": {"name": "mnist_e", "alpha": alpha}} for alpha in (1.0, 2.5)]
    runs = [stored_run(tmp_path, costs=[100], errors=[50], config=config) for config in configs]
    names = observe(runs, "kev_ondemand", "test_error").problems.values()
    assert sorted(names) == ["mnist_e (alpha = 1)", "mnist_e (alpha = 2.5)"]


def test_an_arrival_is_from_when_a_run_stays_at_the_target(tmp_path):
    runs = [*group(tmp_path, "sbp", 1, [0]), *dipping(tmp_path, [0])]
    one, dips = (seeds[0] for seeds in observe(runs, "kev_ondemand", "test_error").steps.values())
    assert [stays_below(one, level) for level in (20.0, 19.9)] == [(200.0, 400.0), (400.0, 800.0)]
    assert stays_below(one, 9.0) == (1600.0, np.inf) and stays_below(one, 50.0) == (0.0, 100.0)
    assert stays_below(dips, 15.0) == (400.0, 800.0)


def dipping(root, seeds=range(6)):
    """Store runs like those of `group`, whose error is small once by chance."""
    return [
        stored_run(root, "pegasos", seed=seed, costs=COSTS, errors=[40, 12, 20, 15, 10]) for seed in seeds
    ]


def test_a_chance_dip_of_a_noisy_curve_makes_no_method_cheaper(tmp_path, capsys):
    row = compared(group(tmp_path, "sbp", 1), dipping(tmp_path))
    assert (row.cost_a, row.cost_b, row.ratio) == (800, 800, 1.0) and row.verdict == "no difference shown"
    words = ["compare", "sbp-*", "pegasos-*", "--results", str(tmp_path), "--to", "test_error=0.15"]
    assert "from which a run stays at or below the target until its end" in output(capsys, words)


def test_the_table_says_of_what_a_ratio_is_the_median(tmp_path, capsys):
    group(tmp_path, "sbp", 1), group(tmp_path, "pegasos", 2, range(2, 8)), group(tmp_path, "sdca", 2, [9])
    results = ["--results", str(tmp_path), "--to"]
    out = output(capsys, ["compare", "sbp-*", "pegasos-*", *results, "test_error=0.15"])
    assert "\nA / B: the median of the ratios seed by seed, with a bootstrap" in out
    out = output(capsys, ["compare", "sbp-*", "sdca-*", *results, "test_error=0.15"])
    assert "\nA / B: the ratio of the medians, with a bootstrap interval.\n" in out
    out = output(capsys, ["compare", "sbp-*", "sdca-*", *results, "test_error=0.01"])
    assert "A / B:" not in out and "neither reaches it on 1" in out


def test_the_interval_holds_the_true_ratio_about_as_often_as_it_says():
    generator = np.random.default_rng(0)
    inside = 0
    for _ in range(60):
        low, high = bootstrap(generator.normal(np.log(2.0), 0.5, size=15))[1:]
        inside += low <= 2.0 <= high
    assert 50 <= inside <= 60
    assert np.isnan(bootstrap(np.array([0.5]))[1:]).all()
    assert np.isfinite(bootstrap(np.array([0.5, 0.6]))).all()  # two seeds have an interval


def test_each_end_of_an_interval_has_a_fortieth_of_the_resamples_beyond_it():
    # The k-th smallest of n resampled indices is at most m with the probability that a binomial gives.
    values, n, k = np.linspace(-1.0, 1.0, 101), 101, 51
    at_most = stats.binom.sf(k - 1, n, np.arange(1, n + 1) / n)
    expected = [values[np.searchsorted(at_most, share)] for share in (0.025, 0.975)]
    np.testing.assert_allclose(np.log(bootstrap(values)[1:]), expected, atol=0.011)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--to", "test_eror"], "did you mean 'test_error'"),
        (["--to", "test_error=x"], "not of the form METRIC=NUMBER"),
        (["--to", "relative_gap=-1"], "NUMBER with a number of at least 0"),
        (["--to", "test_error=0.1,0.2"], "compare takes one"),
        (["--cost", "kev"], "cost 'kev' is unknown"),
    ],
)
def test_bad_options_get_one_sentence(tmp_path, capsys, options, words):
    group(tmp_path, "sbp", 1), group(tmp_path, "smo", 1)
    assert words in refusal(capsys, ["compare", "sbp-*", "smo-*", "--results", str(tmp_path), *options])


def test_table_csv_and_json_say_the_same(tmp_path, capsys):
    group(tmp_path / "x", "sbp", 2), group(tmp_path / "y", "smo", 6)
    command = ["compare", str(tmp_path / "x"), str(tmp_path / "y"), "--to", "test_error=0.15"]
    text = output(capsys, command)
    assert "0.333" in text and "A is cheaper on 1" in text and "signed-rank" in text
    (row,) = csv.DictReader(io.StringIO(output(capsys, [*command, "--csv"])))
    document = json.loads(output(capsys, [*command, "--json"]))
    assert float(row["ratio"]) == document["rows"][0]["ratio"] == pytest.approx(1 / 3)
    assert document["cost"] == "kev_ondemand" and row["verdict"] == "A"


def test_the_medians_of_the_bootstrap_are_distributed_as_those_of_draws():
    values = np.log(np.random.default_rng(8).exponential(size=9))
    for n in (3, 4, 8, 9):
        drawn = np.median(np.random.default_rng(9).choice(values[:n], size=(20000, n)), axis=1)
        low, high = bootstrap(values[:n])[1:]
        share = [np.mean(drawn < np.log(end) - 1e-9) for end in (low, high)]
        upto = [np.mean(drawn <= np.log(end) + 1e-9) for end in (low, high)]
        assert share[0] < 0.033 and upto[0] > 0.018 and share[1] < 0.982 and upto[1] > 0.967


def test_the_bootstrap_of_many_seeds_takes_little_memory():
    values = np.random.default_rng(2).normal(0.0, 1.0, 100_000)
    ratio, low, high = bootstrap(values)
    assert low < ratio < high < 1.05 * low


def test_a_problem_that_only_one_side_has_hides_none_after_it(tmp_path):
    a = group(tmp_path, "sbp", 1, dataset="adult") + group(tmp_path, "sbp", 1, dataset="mnist")
    b = group(tmp_path, "smo", 2, dataset="mnist")
    rows, left_out = compare(a, b, "kev_ondemand", "test_error")
    assert [row.problem for row in rows] == ["mnist"] and left_out == [("adult", "only A has runs of it")]
    rows, left_out = compare(b, a, "kev_ondemand", "test_error")
    assert [row.problem for row in rows] == ["mnist"] and left_out == [("adult", "only B has runs of it")]


def test_problems_are_in_the_order_of_their_names_whatever_their_checksums(tmp_path):
    checksums = {"adult": "c", "mnist": "b", "w8a": "a"}

    def runs(solver):
        found = (group(tmp_path, solver, 1, [0], name, checksum=one) for name, one in checksums.items())
        return [run for runs in found for run in runs]

    rows, _ = compare(runs("sbp"), runs("smo"), "kev_ondemand", "test_error")
    assert [row.problem for row in rows] == list(checksums)


@pytest.mark.parametrize(("factor", "verdict"), [(0.5, "B"), (1, "equal"), (3, "A")])
def test_solvers_without_random_choices_are_compared_exactly(tmp_path, factor, verdict):
    a, b = group(tmp_path, "smo", 1, [0]), group(tmp_path, "gpdt", factor, [0])
    row = compared(a, b, 0.15, {"smo", "gpdt"})
    assert (row.verdict, row.pairs, row.constant) == (verdict, 1, "both")


def test_problems_on_data_sets_of_one_name_are_told_apart_by_kernel_or_checksum():
    def key(checksum="0123456789ab", kernel="gaussian"):
        return (
            ("dataset.checksum", checksum), ("dataset.name", "adult"), ("kernel.name", kernel),
        )  # fmt: skip

    one, linear, other = key(), key(kernel="linear"), key(checksum="abcdef123456")
    assert problem_names([one, linear]) == {one: "adult (gaussian kernel)", linear: "adult (linear kernel)"}
    assert problem_names([one, other]) == {
        one: "adult (checksum 01234567)",
        other: "adult (checksum abcdef12)",
    }


def test_a_refusal_names_three_reasons_at_most(tmp_path):
    a = [run for name in ("adult", "mnist", "usps", "w8a") for run in group(tmp_path, "sbp", 1, [0], name)]
    said = r"compared \(adult: .*; mnist: .*; reuters: only B has runs of it\)$"
    with pytest.raises(UserError, match=said):
        compare(a, group(tmp_path, "smo", 1, [0], "reuters"), "kev_ondemand", "test_error")
