"""Ends of training where the relative gap says little, or steps of few coefficients gain little."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

from svmbench.problem import Problem, best_bias, share_of_most
from svmbench.sklearn import KernelSVC, KernelSVR
from svmbench.sklearn._interior_point import near_points
from svmbench.sklearn._training import Looks
from tests.sklearn.test_replacing_svc import gap_of


def test_an_outlier_does_not_end_a_regression_early():
    X = np.linspace(0.0, 1.0, 21)[:, None]
    y = X[:, 0].copy()
    y[0] += 1e5
    given = {"kernel": "linear", "C": 1.0, "epsilon": 0.01}
    expected = SVR(**given).fit(X, y).predict([[0.25], [1.0]])
    np.testing.assert_allclose(KernelSVR(**given).fit(X, y).predict([[0.25], [1.0]]), expected, atol=1e-3)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("heavy", [1, 4])
def test_contradictory_rows_of_large_weight_do_not_end_a_classification_early(classes, heavy):
    draw = np.random.default_rng(1)
    X = draw.standard_normal((100 * classes, 2))
    y = np.digitize(X[:, 0] + 0.5 * draw.standard_normal(len(X)), [0.0, 0.6][: classes - 1])
    weights = np.ones(len(X))
    X[heavy : 2 * heavy], y[:heavy], y[heavy : 2 * heavy], weights[: 2 * heavy] = X[:heavy], 0, 1, 1e4
    given = {"gamma": 1.0, "C": 1.0, "decision_function_shape": "ovo"}
    exact = SVC(**given, tol=1e-6).fit(X, y, weights)
    ours = KernelSVC(**given).fit(X, y, weights)
    assert np.abs(ours.decision_function(X) - exact.decision_function(X)).max() < 0.02
    assert np.mean(ours.predict(X) != exact.predict(X)) <= 0.005


def test_large_losses_of_a_few_count_little_in_what_a_gap_is_compared_with():
    usual = np.linspace(0.0, 3.0, 100)
    assert share_of_most(usual, 10.0) == 1.0
    assert share_of_most(np.zeros(5), 1.0) == share_of_most(np.zeros(5), 0.0) == 1.0
    whole = 10.0 + usual.sum() + 1e6
    kept = 10.0 + usual.sum() + 20.0 * np.median(np.append(usual[1:], 1e6))
    assert share_of_most(np.append(usual, 1e6), 10.0) == pytest.approx(3.0 * kept / whole)


@pytest.mark.parametrize("gamma", [1.0, 10.0])
def test_the_gap_of_a_huge_C_is_that_of_a_multiple_with_all_margins(gamma):
    draw = np.random.default_rng(1)
    X = draw.standard_normal((200, 5))
    y = X[:, 0] + 0.5 * draw.standard_normal(200) > 0.0
    given = {"C": 1e12, "gamma": gamma}
    exact = SVC(**given, tol=1e-6).fit(X, y)
    ours = KernelSVC(**given).fit(X, y)
    assert ours.gap_ <= 1e-4
    np.testing.assert_allclose(ours.decision_function(X), exact.decision_function(X), atol=1e-5)


def test_the_gap_is_that_of_the_coefficients_and_the_intercept_kept():
    draw = np.random.default_rng(151)
    X = draw.normal(size=(3, 65))[draw.integers(0, 3, 40)] + 1e-6 * draw.normal(size=(40, 65))
    draw.integers(0, 2, 40)
    y = np.where(X[:, 0] > np.median(X[:, 0]), 1.0, -1.0)
    bounds = 10.0 * 10.0 ** draw.uniform(-3, 3, 40)
    ours = KernelSVC(C=1.0, gamma=1e-3, tol=1e-6).fit(X, y, sample_weight=bounds)
    K = np.exp(-1e-3 * ((X[:, None] - X) ** 2).sum(axis=-1))
    assert gap_of(ours, K, y, bounds) <= ours.gap_ + 1e-8


def test_no_row_is_within_the_hard_margin():
    draw = np.random.default_rng(1)
    X = draw.standard_normal((200, 5))
    y = np.where(X[:, 0] + 0.5 * draw.standard_normal(200) > 0.0, 1.0, -1.0)
    ours = KernelSVC(C=np.inf, gamma=1.0).fit(X, y)
    assert ours.gap_ <= 1e-4
    assert (y * ours.decision_function(X)).min() >= 1.0 - 1e-12


def badly_scaled():
    draw = np.random.default_rng(0)
    X = draw.standard_normal((60, 4)) * [1e4, 1.0, 1e-3, 10.0]
    return X, X @ [1e-4, 1.0, 1e3, 0.1] + 0.3 * draw.standard_normal(60) > 0.0


@pytest.mark.parametrize("solver", ["decomposition", "smo_pair", "gpdt"])
@pytest.mark.parametrize("C", [1.0, 1e3])
def test_few_rows_of_badly_scaled_features_are_solved(solver, C):
    X, y = badly_scaled()
    ours = KernelSVC(kernel="linear", C=C, solver=solver).fit(X, y)
    assert ours.gap_ <= 1e-4
    assert gap_of(ours, X @ X.T, y, np.full(60, C)) <= 1.1e-4


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_regression_of_few_rows_with_a_large_c_ends_after_few_rounds(fit_intercept):
    draw = np.random.default_rng(0)
    X, t = draw.normal(size=(100, 3)), 0.3 * np.sin(np.arange(100.0)) - 1.0
    t[3] += 2.0
    ours = KernelSVR(C=1e6, gamma=0.15, fit_intercept=fit_intercept).fit(X, t)
    assert ours.gap_ <= 1e-4
    assert ours.n_iter_ < 500


@pytest.mark.parametrize("estimator", [KernelSVC, KernelSVR])
def test_an_offset_of_all_rows_only_changes_the_intercept_of_a_linear_kernel(estimator):
    draw = np.random.default_rng(0)
    X = np.round(1e-2 * draw.normal(size=(100, 3)), 6)
    y = np.where(X[:, 0] - X[:, 1] + 0.005 * draw.normal(size=100) > 0.0, 1.0, -1.0)
    near, far = (estimator(kernel="linear", C=1e3).fit(Z, y) for Z in (X, X + 1e5))
    assert far.gap_ <= 1e-4
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-2 * np.abs(near.coef_).max())
    values = (X + 1e5) @ far.coef_[0] + far.intercept_[0]
    decide = far.decision_function if estimator is KernelSVC else far.predict
    np.testing.assert_allclose(decide(X + 1e5), values, atol=1e-6)
    np.testing.assert_allclose(values, X @ near.coef_[0] + near.intercept_[0], atol=1e-2)


def test_what_cannot_be_solved_ends_with_a_warning():
    with pytest.warns(ConvergenceWarning, match=r"ended at a relative duality gap"):
        KernelSVC(kernel="linear", C=1e9).fit(*badly_scaled())


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_an_interior_point_ends_at_a_feasible_optimum(bias, C):
    draw = np.random.default_rng(2)
    X = draw.standard_normal((80, 3))
    y = np.where(X[:, 0] + draw.standard_normal(80) > 0.0, 1.0, -1.0)
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=-1))
    problem = Problem.build(y, C=C, bias=bias, weights=draw.uniform(0.5, 2.0, 80))
    alpha = next(near_points(K, problem, 1.0))
    assert problem.within_box(alpha)
    assert bias == "none" or alpha @ y == pytest.approx(0.0, abs=1e-12 * C)
    responses = y * (K @ (alpha * y))
    b = best_bias(y, responses, problem.weights) if bias != "none" else 0.0
    primal = 0.5 * alpha @ responses + problem.bounds @ np.maximum(0.0, 1.0 - responses - y * b)
    assert primal - (alpha.sum() - 0.5 * alpha @ responses) <= 1e-6 * primal


def test_an_interior_point_of_an_indefinite_matrix_is_none_or_feasible():
    y = np.array([1.0, -1.0, 1.0, -1.0])
    problem = Problem.build(y, C=1.0, bias="unregularised")
    assert all(problem.within_box(alpha) for alpha in near_points(-np.eye(4), problem, 1.0))


def test_a_gap_that_does_not_halve_while_the_rounds_double_is_hopeless():
    looks = Looks(100, 1e-4, patience=1000)
    seen = []
    for rounds in (100, 400, 900, 1001, 1500, 2001):
        looks.after(rounds, 0.5 if rounds < 900 else 0.2)
        seen.append(looks.hopeless)
    assert seen == [False, False, False, False, False, True]
    looks = Looks(100, 1e-4, patience=1000)
    looks.after(10, 1e-3)
    looks.after(5000, 1e-3)
    assert not looks.hopeless


@pytest.mark.parametrize("seed", [4, 10])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_stricter_tolerance_gives_no_worse_answer(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(36, 4)) * 10.0 ** np.arange(-1, 3)
    y = rng.random(36) < 0.5
    gaps = [KernelSVC(kernel="linear", C=1e4, tol=tol).fit(X, y).gap_ for tol in (1e-4, 1e-6, 1e-9)]
    assert gaps[2] <= 1.01 * gaps[1] <= 1.03 * gaps[0] <= 1e-4


def test_a_regression_ends_where_only_rounding_is_left():
    draw = np.random.default_rng(0)
    X = 1.0 * (draw.random((60, 20)) < 0.3)
    t = np.sin(2.0 * X[:, 0]) + 0.1 * draw.normal(size=60)
    with pytest.warns(ConvergenceWarning, match="no further progress"):
        ours = KernelSVR(kernel="linear", C=1e4, epsilon=1e-3, tol=1e-8).fit(X, t)
    assert ours.gap_ <= 1e-5
    assert ours.n_iter_ < 400
