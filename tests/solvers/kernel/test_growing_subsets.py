"""Decomposition's start on growing subsets: what it begins with, what it is charged, where it ends."""

import itertools

import numpy as np
import pytest
from sklearn.svm import SVC

from svmbench.kernels._oracle import Oracle
from svmbench.problem import BIASES, Problem
from svmbench.solvers.kernel.decomposition import Decomposition, Params
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import GAUSSIAN

EACH_BIAS = pytest.mark.parametrize("bias", BIASES)
C = 0.1
N = 700  # of sixteen sets of 32 and more it begins on subsets: 87, 175 and 350 of them


def started(bias, n=N, C=C, **given):
    X, y = working_sets.noisy(n, 3)
    run, oracle, _ = working_sets.started("decomposition", X, y, C=C, bias=bias, working_set=4, **given)
    return run, oracle, X, y


def advance_one(run):
    run.advance("iterations", run.iterations + 1)
    return run.snapshot()


@EACH_BIAS
def test_it_goes_on_from_the_values_of_what_it_guessed(bias):
    run, _, X, y = started(bias)
    sizes = []
    while (snapshot := advance_one(run)).responses is None:
        used = np.count_nonzero(snapshot.alpha)
        if not sizes or used != sizes[-1]:
            sizes.append(used)
        # Feasible for the whole problem, all along.
        assert snapshot.alpha.min() >= 0.0 and snapshot.alpha.max() <= C
        assert bias == "none" or abs(snapshot.alpha @ y) <= 1e-11
    first = [used for used in sizes if used <= 87]  # on the way to the solution over the smallest subset
    solved = [first[-1], *sizes[len(first) :]]
    assert len(first) > 1 and len(solved) == 3
    assert all(b > 1.5 * a for a, b in itertools.pairwise(solved))
    K = kernel_matrix(X, X, GAUSSIAN)
    np.testing.assert_allclose(snapshot.responses, y * (K @ (snapshot.alpha * y)), atol=2e-4)
    assert bias == "none" or abs(snapshot.alpha @ y) <= 1e-11
    # The new half has its share of the coefficients at C: about as many as the optimum.
    at_bound = np.count_nonzero(snapshot.alpha == C)
    run.advance("iterations", 10**6)
    assert run.converged
    assert at_bound == pytest.approx(np.count_nonzero(run.snapshot().alpha == C), rel=0.25)


@EACH_BIAS
def test_the_smallest_subset_predicts_while_it_is_solved(bias):
    run, oracle, X, y = started(bias)
    assert not run.snapshot().alpha.any()
    snapshot = advance_one(run)
    assert 0 < np.count_nonzero(snapshot.alpha) <= 32  # of the first set alone
    right = [np.mean(snapshot.model.scores(oracle, X) * y > 0.0)]
    while np.count_nonzero(snapshot.alpha) <= 87:
        snapshot = advance_one(run)
        right.append(np.mean(snapshot.model.scores(oracle, X) * y > 0.0))
    assert right[0] > 0.6 and min(right[5:]) > 0.7  # three in four could be


@EACH_BIAS
def test_nothing_is_made_in_the_start_that_is_not_charged(bias):
    run, oracle, _, _ = started(bias)
    ledger, before = oracle.ledger, 0
    while (snapshot := advance_one(run)).responses is None:
        assert ledger.kev_ondemand == ledger.kev_rowupdate == ledger.kev_iter > before
        assert 0 < ledger.kev_computed <= ledger.kev_ondemand
        before = ledger.kev_iter
        assert snapshot.earlier
    assert not snapshot.earlier


@EACH_BIAS
def test_it_ends_at_the_optimum(bias):
    run, _, X, y = started(bias, eps=1e-7)
    run.advance("iterations", 10**6)
    assert run.converged
    snapshot = run.snapshot()
    K = kernel_matrix(X, X, GAUSSIAN)
    own = snapshot.alpha * y
    if bias == "none":  # the conditions themselves
        v = 1.0 - y * (K @ own)
        assert np.all(v[snapshot.alpha < C] < 1e-5) and np.all(v[snapshot.alpha > 0.0] > -1e-5)
        return
    peer = SVC(C=C, kernel="precomputed", tol=1e-8).fit(K, y)
    beta = np.zeros(y.size)
    beta[peer.support_] = peer.dual_coef_[0]
    best = np.abs(beta).sum() - 0.5 * beta @ K @ beta
    assert snapshot.alpha.sum() - 0.5 * own @ K @ own == pytest.approx(best, rel=1e-7)


@pytest.mark.slow
def test_threads_do_not_change_it():
    runs = [started("unregularised", threads=threads)[0] for threads in (1, 2)]
    for run in runs:
        run.advance("iterations", 40)
    one, two = (run.snapshot() for run in runs)
    np.testing.assert_array_equal(one.alpha, two.alpha)


def test_fewer_examples_begin_at_once():
    run, _, _, _ = started("unregularised", n=500)
    assert run.snapshot().responses is not None


@EACH_BIAS
def test_where_most_support_vectors_are_free_it_begins_at_once(bias):
    # Hardly any noise beside C: the solution over the first subset has free coefficients almost alone.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0.4, 1.0, -1.0)
    oracle = Oracle(X, GAUSSIAN, 1 << 20)
    run = Decomposition(Params(working_set=4)).start(Problem.build(y, C=1e4, bias=bias), oracle, None)
    while (snapshot := advance_one(run)).responses is None:
        pass
    assert not snapshot.alpha.any() and run.iterations <= 65
    run.advance("iterations", 10**6)
    assert run.converged and run.snapshot().alpha.any()


def end_of(run, oracle):
    """Return what a run that goes on to its end comes to."""
    run.advance("iterations", 10**6)
    assert run.converged
    return run.iterations, oracle.ledger.kev_iter, run.snapshot().alpha.tobytes()


def restored(bias, state, iterations, charged):
    run, oracle, _, _ = started(bias)
    run.restore(state, iterations)
    oracle.ledger.kev_iter = charged
    return run, oracle


@EACH_BIAS
def test_a_stored_start_goes_on_to_the_same_bits(bias):
    run, oracle, _, _ = started(bias)
    states = []
    while (snapshot := advance_one(run)).responses is None:
        states.append((run.state(), run.iterations, oracle.ledger.kev_iter, snapshot))
    expected = end_of(run, oracle)
    assert {bool(state["growth.solving"]) for state, *_ in states} == {False, True}
    assert {bool(state["growth.warm_started"]) for state, *_ in states} == {False, True}
    chosen = [one for k, one in enumerate(states) if k % 7 == 0 or not one[0]["growth.solving"]]
    for state, iterations, charged, snapshot in chosen:
        again, other = restored(bias, state, iterations, charged)
        np.testing.assert_array_equal(again.snapshot().alpha, snapshot.alpha)
        assert again.snapshot().model.bias == snapshot.model.bias
        assert end_of(again, other) == expected


class Impatient(Oracle):
    """Is interrupted when it makes the values of examples, at one of the times."""

    left = 0

    def expanded(self, *arguments):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().expanded(*arguments)


@pytest.mark.parametrize("time", [1, 2, 3])
def test_values_that_are_interrupted_lose_nothing(time):
    plain, oracle, X, y = started("unregularised")
    expected = end_of(plain, oracle)
    cut = Impatient(X, GAUSSIAN, 1 << 20)
    cut.left = time
    run = Decomposition(Params(working_set=4)).start(Problem.build(y, C=C, bias="unregularised"), cut, None)
    with pytest.raises(KeyboardInterrupt):
        run.advance("iterations", 10**6)
    assert run.whole
    assert run.snapshot().alpha.any()
    again, other = restored("unregularised", run.state(), run.iterations, cut.ledger.kev_iter)
    assert end_of(again, other) == expected
    assert end_of(run, cut) == expected
