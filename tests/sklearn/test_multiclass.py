"""More than two classes: one against one, with the votes, shapes and order of scikit-learn's SVC."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris
from sklearn.svm import SVC

from svmbench import multiclass
from svmbench.sklearn import KernelSVC, _one_vs_one
from svmbench.sklearn._together import PairProblems


def both(X, y, **given):
    """Return KernelSVC and SVC, fitted alike and closely."""
    return KernelSVC(tol=1e-8, **given).fit(X, y), SVC(tol=1e-9, **given).fit(X, y)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(y.size)
    return X[order].astype(np.float32).astype(np.float64), np.array(["x", "a", "m"])[y[order]]


@pytest.mark.parametrize(
    "given", [{}, {"kernel": "poly", "gamma": 0.1}, {"kernel": "linear"}, {"C": 30.0}], ids=str
)
def test_everything_is_as_SVC_has_it(iris, given):
    X, y = iris
    ours, theirs = both(X, y, **given)
    assert ours.gap_ <= 1e-8
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-3)
    for name in ("support_", "n_support_", "dual_coef_", "intercept_", "n_iter_"):
        mine, its = getattr(ours, name), getattr(theirs, name)
        assert (mine.dtype, mine.shape) == (its.dtype, its.shape)
    assert hasattr(ours, "coef_") == hasattr(theirs, "coef_")
    if hasattr(theirs, "coef_"):
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)


@pytest.mark.parametrize("sparse", [False, True])
def test_decision_values_and_votes_are_those_of_SVC(sparse):
    X, y = load_digits(return_X_y=True)
    X, rest, y = X[:900], X[900:], y[:900]
    if sparse:
        X, rest = sp.csr_array(X), sp.csr_array(rest)
    ours, theirs = KernelSVC(C=5.0, tol=1e-7).fit(X, y), SVC(C=5.0, tol=1e-7).fit(X, y)
    for shape, width in (("ovo", 45), ("ovr", 10)):
        for one in (ours, theirs):
            one.set_params(decision_function_shape=shape)
        assert ours.decision_function(rest).shape == (rest.shape[0], width)
        np.testing.assert_allclose(ours.decision_function(rest), theirs.decision_function(rest), atol=1e-3)
    assert (ours.predict(rest) == theirs.predict(rest)).mean() > 0.998
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.decision_function(rest), ours.decision_function(rest))


def test_votes_and_scores_are_counted_by_hand():
    # Pairs (0, 1), (0, 2), (1, 2).
    values = np.array([[1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [-2.0, 1.0, -1.0], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(multiclass.votes(values, 3), [0, 0, 0, 2])
    scores = _one_vs_one.one_vs_rest(values, 3)
    np.testing.assert_allclose(scores[0], [2 + 2 / 9, -2 / 9, 1.0])
    np.testing.assert_array_equal(scores[1], [1.0, 1.0, 1.0])
    np.testing.assert_allclose(scores[2], [1 - 1 / 6, 1 + 1 / 6, 1.0])
    np.testing.assert_array_equal(scores[3], [2.0, 1.0, 0.0])


def problems(fitted, K, y, C):
    """Yield decision values, primal and dual objective of each pair, by numpy from the public attributes."""
    ends = np.cumsum(fitted.n_support_)
    for p, (i, j) in enumerate(multiclass.pairs(fitted.classes_.size)):
        beta = np.zeros(y.size)
        for own, other in ((i, j - 1), (j, i)):
            at = slice(ends[own] - fitted.n_support_[own], ends[own])
            beta[fitted.support_[at]] = fitted.dual_coef_[other, at]
        members = np.isin(y, fitted.classes_[[i, j]])
        labels = np.where(y == fitted.classes_[i], 1.0, -1.0)
        assert abs(beta.sum()) <= 1e-10 * C and (beta * labels >= 0.0).all() and np.abs(beta).max() <= C
        values = K @ beta + fitted.intercept_[p]
        half = 0.5 * beta @ K @ beta
        losses = np.maximum(0.0, 1.0 - labels * values)[members]
        yield values, half + C * losses.sum(), np.abs(beta).sum() - half


def test_every_pair_has_its_gap(iris):
    X, y = iris
    for tol in (1e-1, 1e-3, 1e-6):
        fitted = KernelSVC(C=10.0, gamma=0.5, tol=tol).fit(X, y)
        assert fitted.gaps_.shape == (3,)
        assert fitted.gap_ == fitted.gaps_.max() <= tol
        K = np.exp(-0.5 * np.square(X[:, None] - X[None]).sum(axis=-1))
        decisions = fitted.set_params(decision_function_shape="ovo").decision_function(X)
        for p, (values, primal, dual) in enumerate(problems(fitted, K, y, 10.0)):
            assert -1e-9 * primal <= primal - dual <= (fitted.gaps_[p] + 1e-5) * primal
            np.testing.assert_allclose(decisions[:, p], values, atol=1e-3)


def test_the_order_of_rows_changes_nothing(iris):
    X, y = iris
    order = np.argsort(y, kind="stable")
    one, other = KernelSVC(tol=1e-9).fit(X, y), KernelSVC(tol=1e-9).fit(X[order], y[order])
    np.testing.assert_array_equal(np.sort(order[other.support_]), np.sort(one.support_))
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-5)


def test_what_was_altered_or_does_not_fit_is_refused(iris):
    X, y = iris
    fitted = KernelSVC(kernel="linear").fit(X, y)
    with pytest.raises(ValueError, match="cannot use sparse input in 'KernelSVC' trained on dense data"):
        fitted.predict(sp.csr_array(X))
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        fitted.coef_[0, 0] = 1.0
    fitted._n_support[0] = 1000
    with pytest.raises(ValueError, match="internal representation of KernelSVC was altered"):
        fitted.predict(X)


def test_an_end_before_the_tolerance_is_said(iris):
    from sklearn.exceptions import ConvergenceWarning

    X, y = iris
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=1\)"):
        fitted = KernelSVC(C=100.0, max_iter=1, tol=1e-10).fit(X, y)
    assert fitted.fit_status_ == 1 and fitted.gap_ > 1e-10
    np.testing.assert_array_equal(fitted.n_iter_, 1)


@pytest.fixture(scope="module")
def many():
    """2,400 rows of eight classes that overlap: too many for a matrix that is made at once."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 8, size=2400)
    angles = 0.25 * np.pi * y
    X = np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(scale=0.35, size=(y.size, 2))
    return X.astype(np.float32).astype(np.float64), y


def one_by_one(monkeypatch, X, y, weights=None, **given):
    """Return what is fitted if no pair is solved together with others."""
    with monkeypatch.context() as patched:
        patched.setattr(PairProblems, "possible", staticmethod(lambda *_: False))
        return KernelSVC(**given).fit(X, y, weights)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"fit_intercept": False},
        {"kernel": "poly", "gamma": 0.5, "coef0": 1.0},
        {"C": 100.0, "gamma": 5.0},
        {"class_weight": {0: 3.0, 5: 0.2}},
    ],
    ids=str,
)
@pytest.mark.parametrize("whole", [False, True])
def test_pairs_that_share_rows_have_the_answers_of_pairs_alone(many, monkeypatch, given, whole):
    X, y = many
    monkeypatch.setattr("svmbench.sklearn._kernel_machine._whole", lambda X: whole)
    given = {"tol": 1e-7, **given}
    ours, alone = KernelSVC(**given).fit(X, y), one_by_one(monkeypatch, X, y, **given)
    assert max(ours.gap_, alone.gap_) <= 1e-7
    for one in (ours, alone):
        one.set_params(decision_function_shape="ovo")
    np.testing.assert_allclose(ours.decision_function(X), alone.decision_function(X), atol=2e-2)
    assert (ours.predict(X) == alone.predict(X)).mean() > 0.999


def test_kernel_values_are_shared_between_pairs(many, monkeypatch):
    X, y = many
    ours, alone = KernelSVC(gamma=5.0).fit(X, y), one_by_one(monkeypatch, X, y, gamma=5.0)
    assert ours.kernel_evaluations_ < y.size**2 < alone.kernel_evaluations_


def test_threads_and_the_way_back_change_what_they_should(many, monkeypatch):
    X, y = many
    one, two = KernelSVC(tol=1e-6).fit(X, y), KernelSVC(tol=1e-6, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_array_equal(one.n_iter_, two.n_iter_)
    monkeypatch.setattr("svmbench.sklearn._together._WORK", 1.0)
    back, alone = KernelSVC(tol=1e-6).fit(X, y), one_by_one(monkeypatch, X, y, tol=1e-6)
    np.testing.assert_array_equal(back.dual_coef_, alone.dual_coef_)
    assert back.gap_ <= 1e-6


def test_a_large_C_and_an_offset_are_certified_for_the_rows_as_given(many):
    X, y = many
    fitted = KernelSVC(C=1e3, gamma=2.0, tol=1e-5, decision_function_shape="ovo").fit(X + 1e5, y)
    assert fitted.gap_ <= 1e-5
    decisions, moved = fitted.decision_function(X + 1e5), X + 1e5 - 1e5
    K = np.exp(-2.0 * np.square(moved[:, None] - moved[None]).sum(axis=-1))
    for p, (values, primal, dual) in enumerate(problems(fitted, K, y, 1e3)):
        assert primal - dual <= (fitted.gaps_[p] + 1e-9) * primal
        np.testing.assert_allclose(decisions[:, p], values, atol=1e-2)


def test_a_solver_with_an_intercept_is_not_asked_for_none(iris):
    with pytest.raises(ValueError, match="solver='smo_pair' always has an intercept: use"):
        KernelSVC(solver="smo_pair", fit_intercept=False).fit(*iris)
