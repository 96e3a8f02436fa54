"""The exact tests against scipy where it is exact, and against counting by hand where there are ties."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from svmbench.analysis.ranks import holm, least_p, rank_sum, signed_rank


@pytest.mark.parametrize("seed", range(5))
def test_without_ties_they_are_those_of_scipy(seed):
    generator = np.random.default_rng(seed)
    x, y = generator.normal(size=7), generator.normal(0.8, size=5)
    assert signed_rank(x + 0.5) == pytest.approx(stats.wilcoxon(x + 0.5, method="exact").pvalue)
    assert rank_sum(x, y) == pytest.approx(stats.mannwhitneyu(x, y, method="exact").pvalue)


def test_ties_and_infinite_values_are_counted_exactly():
    differences = np.array([1.0, -1.0, 2.0, np.inf, np.inf, 0.0])
    ranks = stats.rankdata(np.abs(differences[:5]))
    sums = [sum(r for r, up in zip(ranks, signs) if up) for signs in product((0, 1), repeat=5)]
    seen = ranks[[0, 2, 3, 4]].sum()
    tail = min(np.mean([s >= seen for s in sums]), np.mean([s <= seen for s in sums]))
    assert signed_rank(differences) == pytest.approx(2 * tail)

    x, y = np.array([1.0, 2.0, 2.0]), np.array([2.0, 5.0, np.inf, np.inf])
    ranks = stats.rankdata(np.concatenate([x, y]))
    sums = [ranks[list(chosen)].sum() for chosen in combinations(range(7), 3)]
    tail = min(np.mean([s >= ranks[:3].sum() for s in sums]), np.mean([s <= ranks[:3].sum() for s in sums]))
    assert rank_sum(x, y) == pytest.approx(2 * tail)


def test_the_least_p_is_that_of_the_clearest_difference():
    for n in (1, 3, 6):
        assert least_p(n, n, n) == pytest.approx(signed_rank(np.arange(1.0, n + 1)))
    assert least_p(0, 4, 3) == pytest.approx(rank_sum(np.arange(4.0), 10 + np.arange(3.0)))
    assert signed_rank(np.zeros(3)) == 1.0


def test_holm_keeps_the_order_and_never_exceeds_one():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.5]) == [1.0, 1.0]
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_many_seeds_take_a_normal_rank_sum_that_is_near_the_exact_one(monkeypatch):
    generator = np.random.default_rng(3)
    for shift in (0.0, 0.2, 0.5):
        x, y = generator.normal(shift, 1.0, 70), generator.normal(0.0, 1.0, 60)
        if shift == 0.2:
            x, y = np.round(4.0 * x) / 4.0, np.round(4.0 * y) / 4.0
        pairs = np.concatenate([x, y])
        near = signed_rank(pairs), rank_sum(x, y)
        with monkeypatch.context() as patch:
            patch.setattr("svmbench.analysis.ranks.EXACT", 1000)
            exact = signed_rank(pairs), rank_sum(x, y)
        assert near == pytest.approx(exact, abs=2e-3) and near != exact


@pytest.mark.parametrize("n", [100, 101])
def test_a_hundred_seeds_are_still_counted_exactly_and_more_are_not(monkeypatch, n):
    values = np.random.default_rng(5).normal(0.1, 1.0, n)
    found = signed_rank(values), rank_sum(values[:40], values[40:])
    monkeypatch.setattr("svmbench.analysis.ranks.EXACT", 1000)
    exact = signed_rank(values), rank_sum(values[:40], values[40:])
    assert [one == other for one, other in zip(found, exact)] == [n == 100] * 2


def test_ranks_of_two_thousand_runs_take_little_memory():
    generator = np.random.default_rng(4)
    x, y = generator.normal(0.0, 1.0, 1000), generator.normal(0.3, 1.0, 1000)
    assert rank_sum(x, y) == pytest.approx(
        stats.mannwhitneyu(x, y, method="asymptotic", use_continuity=True).pvalue, rel=1e-6
    )
    assert signed_rank(x - y) == pytest.approx(
        stats.wilcoxon(x - y, method="asymptotic", correction=True).pvalue, rel=1e-6
    )
    assert rank_sum(np.full(200, np.inf), np.full(200, np.inf)) == 1.0
    assert least_p(2000, 2000, 2000) == 0.0 and least_p(0, 2000, 1) == 2 / 2001


def test_sums_that_are_as_expected_are_no_evidence():
    steps = np.arange(1.0, 52.0)
    assert signed_rank(np.concatenate([steps, -steps])) == 1.0
    assert least_p(0, 0, 3) == least_p(0, 3, 0) == 1.0
