"""Rows made ahead of need are those that are needed, as far as they can be foreseen."""

import numpy as np
import pytest

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry

GAUSSIAN = {"name": "gaussian", "gamma": 0.02}


def examples(n=600, d=200):
    rng = np.random.default_rng(4)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    X = (rng.normal(size=(n, d)) + 0.12 * y[:, None]).astype(np.float32)
    return X, y


def trained(name, given, iterations, *, bias="none", n=600, **options):
    X, y = examples(n)
    solver = registry.get(name)
    problem = Problem.build(y, C=2.0, nu=0.05, bias=bias)
    oracle = Oracle(X, GAUSSIAN, 1 << 30, **options)
    run = solver(solver.Params(**given)).start(problem, oracle, Generator(3))
    run.advance("iterations", iterations)
    return oracle


@pytest.mark.parametrize(
    ("name", "given", "bias"),
    [
        ("pegasos", {}, "none"),
        ("sdca", {}, "none"),
        ("perceptron", {"order": "given"}, "none"),
        ("perceptron", {}, "none"),
        ("sbp", {}, "none"),
        ("sbp", {}, "unregularised"),
        ("smo", {}, "none"),
        ("lasvm", {}, "unregularised"),
        ("lasvm", {}, "none"),
        ("lasvm", {"selection": "margin", "candidates": 5}, "unregularised"),
    ],
)
def test_many_rows_are_made_ahead_and_most_are_used(name, given, bias):
    oracle = trained(name, given, 400, bias=bias)
    ledger = oracle.ledger
    assert oracle.ahead == 64
    used = ledger.kev_computed - ledger.kev_discarded
    assert used == trained(name, given, 400, bias=bias, prefetch=False).ledger.kev_computed
    assert used >= 0.5 * ledger.kev_computed
    assert ledger.kev_discarded > 0  # some were made ahead, and not all are needed


@pytest.mark.parametrize(("n", "blocks"), [(200, 1), (256, 1), (260, 2), (512, 2), (600, 3)])
def test_smo_foresees_the_best_coordinate_of_each_block_the_last_one_too(n, blocks):
    # Each block of 256 coordinates notes one; the last block may be shorter.
    assert trained("smo", {}, 1, n=n).ledger.kev_computed == blocks * n


def test_a_method_that_foresees_nothing_makes_nothing_ahead():
    assert trained("smo_pair", {}, 50, bias="unregularised").ledger.kev_discarded == 0


def test_rows_ahead_stay_within_an_eighth_of_the_cache():
    X, _ = examples()
    row = 4 * 608
    assert Oracle(X, GAUSSIAN, 80 * row).ahead == 10
    assert Oracle(X, GAUSSIAN, 15 * row).ahead == 1
    assert Oracle(X, GAUSSIAN, 1 << 30, prefetch=False).ahead == 1


def test_narrow_examples_gain_nothing_and_bits_need_no_cache():
    X, _ = examples()
    assert Oracle(X[:, :20], GAUSSIAN, 1 << 30).ahead == 1
    bits = Oracle((X[:, :100] > 1.0).astype(np.float32), GAUSSIAN, 1 << 30)
    assert (bits.layout_name, bits.ahead, bits.cache_rows) == ("bits", 1, 2)
    wide = Oracle((np.tile(X, 2) > 1.0).astype(np.float32), GAUSSIAN, 1 << 30)
    assert (wide.layout_name, wide.cache_rows) == ("bits", 600)
