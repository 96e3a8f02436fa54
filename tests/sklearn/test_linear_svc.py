"""Tests of the linear classifier: both of its methods, and what it tells of them."""

import contextlib
import math
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC as Reference
from threadpoolctl import threadpool_info, threadpool_limits

from svmbench.problem import Problem
from svmbench.sklearn import LinearSVC, _linear_interior_point, linear_svc
from svmbench.sklearn._interior_point import near_points
from svmbench.sklearn._linear_interior_point import from_near


def noisy(n, d, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.standard_normal((n, d))
    scores = X @ draw.standard_normal(d)
    return X, (scores + 0.5 * scores.std() * draw.standard_normal(n) > 0.0).astype(int)


def primal(fitted, X, y, C):
    w = np.append(fitted.coef_[0], fitted.intercept_[0])
    margins = np.where(y > 0, 1.0, -1.0) * fitted.decision_function(X)
    return 0.5 * w @ w + C * np.maximum(0.0, 1.0 - margins).sum()


def dual(X, y, C):
    """A lower bound of the optimum, found with the kernel matrix."""
    signs = np.where(y > 0, 1.0, -1.0)
    K = X @ X.T + 1.0
    best = 0.0
    for alpha in near_points(K, Problem.build(signs, C=C), 1.0):
        best = max(best, alpha.sum() - 0.5 * (alpha * signs) @ K @ (alpha * signs))
    return best


@pytest.mark.parametrize(("n", "d", "C"), [(300, 20, 100.0), (60, 90, 100.0), (300, 2, 1e4)])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_problems_of_many_passes_are_solved_with_the_defaults(n, d, C, store):
    X, y = noisy(n, d)
    fitted = LinearSVC(C=C, random_state=0).fit(store(X), y)
    reached, bound = primal(fitted, X, y, C), dual(X, y, C)
    assert fitted.gap_ <= 1e-4
    assert fitted.n_iter_ < 100
    assert bound * (1.0 - 1e-9) <= reached
    assert reached * (1.0 - fitted.gap_) <= bound * (1.0 + 1e-9)


@pytest.mark.parametrize("worth", [-1.0, math.inf])
@pytest.mark.parametrize("scale", [1.0, 1.0 / 3.0])
@pytest.mark.parametrize("n", [40, 400])
def test_both_methods_reach_the_optimum_of_the_reference(monkeypatch, worth, scale, n):
    monkeypatch.setattr(linear_svc, "passes_worth", lambda n, m, stored: worth)
    X, y = noisy(n, 60 if n == 40 else 3)
    X = scale * (np.round(8.0 * X) / 8.0)  # a third is no float32
    fitted = LinearSVC(C=0.1, tol=1e-6, max_iter=100_000, random_state=0).fit(X, y)
    other = Reference(C=0.1, loss="hinge", tol=1e-9, max_iter=1_000_000, random_state=0).fit(X, y)
    optimum = primal(other, X, y, 0.1)
    assert fitted.gap_ <= 1e-6
    assert primal(fitted, X, y, 0.1) == pytest.approx(optimum, rel=1e-6)


def test_the_gap_is_that_of_the_features_as_given():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(500, 10)) * np.geomspace(1e-2, 1e2, 10)
    y = (X[:, 0] * 100 + X[:, -1] * 0.01 + draw.normal(size=500) > 0).astype(int)
    fitted = LinearSVC(C=1e-3, tol=1e-9, random_state=0).fit(X, y)
    assert fitted.gap_ <= 1e-9
    assert primal(fitted, X, y, 1e-3) <= dual(X, y, 1e-3) * (1.0 + 2e-9)


def test_rows_on_the_wrong_side_of_the_margin_become_free():
    X, y = noisy(400, 2)
    Z = np.hstack([X, np.ones((400, 1))]) * np.where(y > 0, 1.0, -1.0)[:, np.newaxis]
    problem = Problem.build(np.where(y > 0, 1.0, -1.0), C=1.0)
    start, weights, _ = from_near(Z, problem, np.zeros(400), np.zeros(3), 1e-2, 400_000)
    turned = weights + np.array([0.0, 0.0, 0.3])  # other rows are near the margin
    alpha, w, read = from_near(Z, problem, start, turned, 1e-8, 400_000)
    objective = 0.5 * w @ w + np.maximum(0.0, 1.0 - Z @ w).sum()
    sums = alpha @ Z
    assert problem.within_box(alpha)
    assert read > 0
    assert objective - (alpha.sum() - 0.5 * sums @ sums) <= 1e-8 * objective


def test_steps_use_one_thread_of_each_library(monkeypatch):
    def threads():
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    def solved(*given):
        seen.append(threads())
        return steps(*given)

    seen, steps = [], _linear_interior_point._solved
    monkeypatch.setattr(_linear_interior_point, "_solved", solved)
    with threadpool_limits(2):
        LinearSVC(C=100.0, random_state=0).fit(*noisy(300, 20))
        seen.append(threads())
    assert seen[0] == {1} and seen[-1] == {2}


def test_fits_at_the_same_time_leave_the_threads_as_they_were(monkeypatch):
    class Libraries:
        threads = 2

        @contextlib.contextmanager
        def limit(self, *, limits, user_api):
            before, self.threads = self.threads, limits
            yield
            self.threads = before

    def solved(*given):
        number = int(threading.current_thread().name)
        inside[number].set()
        assert leave[number].wait(60)
        return steps(*given)

    inside, leave = ([threading.Event(), threading.Event()] for _ in range(2))
    libraries, steps = Libraries(), _linear_interior_point._solved
    monkeypatch.setattr(_linear_interior_point, "_libraries", lambda: libraries)
    monkeypatch.setattr(_linear_interior_point, "_solved", solved)
    models = [LinearSVC(C=100.0, random_state=0) for _ in range(2)]
    fits = [
        threading.Thread(target=one.fit, args=noisy(300, 20), name=str(n)) for n, one in enumerate(models)
    ]
    for fit, begun in zip(fits, inside, strict=True):
        fit.start()
        assert begun.wait(60)
    during = libraries.threads
    for fit, end in zip(fits, leave, strict=True):  # the first one ends first
        end.set()
        fit.join()
    assert (during, libraries.threads) == (1, 2)
    assert np.array_equal(*(one.coef_ for one in models))


def test_steps_are_passes():
    X, y = noisy(300, 20)
    with pytest.warns(ConvergenceWarning, match="larger max_iter"):
        fitted = LinearSVC(C=100.0, max_iter=8, random_state=0).fit(X, y)
    assert fitted.n_iter_ <= 9
    bound = dual(X, y, 100.0)
    assert primal(fitted, X, y, 100.0) * (1.0 - fitted.gap_) <= bound * (1.0 + 1e-9)


@pytest.mark.parametrize("most", [5, 8])
def test_too_few_passes_for_the_interior_point_method_do_not_spoil_the_answer_of_the_first_ones(most):
    X, y = noisy(1000, 20)
    gaps = []
    for passes in (4, most):
        with pytest.warns(ConvergenceWarning):
            gaps.append(LinearSVC(C=1.0, tol=1e-8, max_iter=passes, random_state=0).fit(X, y).gap_)
    assert gaps[1] <= gaps[0] < 0.95


def test_passes_and_the_told_gap_have_their_bounds_where_no_method_succeeds():
    """Rounded rows of a large scale: the interior point fails, and the sum of the rows is far from 0."""
    rng = np.random.default_rng(0)
    for scale in (1e4, 1e8, 1e12):
        X, y = scale * (1.0 + 1e-9 * rng.normal(size=(30, 4))), np.arange(30) % 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = LinearSVC(C=1e3, tol=1e-9, max_iter=50, random_state=0).fit(X, y)
        assert fitted.n_iter_ <= 51 and fitted.gap_ <= 1.0


@pytest.mark.parametrize(("n", "d", "C"), [(13, 3, 1e4), (2, 1, 1e3)])
def test_few_rows_without_a_margin_are_solved_with_the_defaults(n, d, C):
    X, y = np.ones((n, d)), np.arange(n) % 2
    X[2:] = np.random.default_rng(0).normal(size=(n, d))[2:]
    fitted = LinearSVC(C=C, random_state=0).fit(X, y)
    bound = dual(X, y, C)
    assert fitted.gap_ <= 1e-4
    assert fitted.n_iter_ <= 1000
    assert primal(fitted, X, y, C) * (1.0 - fitted.gap_) <= bound * (1.0 + 1e-9)


def test_the_gap_in_float32_is_that_of_the_intercept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] > 0.0
    X[:, 0] += np.where(y, 5.5, 4.5)
    X = X.astype(np.float32)
    settings = {"C": 1e6, "intercept_scaling": 1.1, "max_iter": 100_000, "tol": 1e-6, "random_state": 0}

    def objective(model):
        w, b = model.coef_[0], model.intercept_[0]
        hinge = np.maximum(0.0, 1.0 - np.where(y, 1.0, -1.0) * (X.astype(float) @ w + b))
        return 0.5 * (w @ w + (b / 1.1) ** 2) + 1e6 * hinge.sum()

    single = LinearSVC(**settings).fit(X, y)
    double = LinearSVC(**settings).fit(X.astype(float), y)
    assert objective(single) * (1.0 - single.gap_) <= objective(double) * (1.0 + 1e-9)
    assert objective(double) * (1.0 - double.gap_) <= objective(single) * (1.0 + 1e-9)
    assert max(single.gap_, double.gap_) <= 1e-4
