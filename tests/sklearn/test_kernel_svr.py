"""`KernelSVR` solves the problem of scikit-learn's SVR and says how far from its optimum it is."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR

from svmbench.sklearn import KernelSVC, KernelSVR, _regression, _together, _training
from svmbench.solvers.dual.two_groups import TwoGroups

TIGHT = {"C": 3.0, "gamma": 0.4, "tol": 1e-8}


def waves(n=150, seed=0, dtype=np.float64, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    return X.astype(dtype), y + offset


def objectives(fitted, K, y, bounds):
    """Return the primal and the dual objective by numpy, from the public coefficients alone."""
    beta = np.zeros(y.size)
    coefficients = fitted.dual_coef_
    beta[fitted.support_] = (coefficients.toarray() if sp.issparse(coefficients) else coefficients)[0]
    assert (np.abs(beta) <= bounds * (1.0 + 1e-12)).all()
    assert not fitted.fit_intercept or abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()
    scores = K @ beta
    losses = np.maximum(0.0, np.abs(y - scores - fitted.intercept_[0]) - fitted.epsilon)
    dual = beta @ (y - y.mean()) if fitted.fit_intercept else beta @ y
    dual -= fitted.epsilon * np.abs(beta).sum() + 0.5 * beta @ scores
    return 0.5 * beta @ scores + bounds @ losses, dual


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("offset", [0.0, -300.0])
def test_the_predictions_are_those_of_SVR(kernel, epsilon, offset):
    X, y = waves(offset=offset)
    given = {"C": 0.5, "kernel": kernel, "gamma": 0.05 if kernel == "sigmoid" else 0.4, "epsilon": epsilon}
    ours, theirs = KernelSVR(**given, tol=1e-8).fit(X, y), SVR(**given, tol=1e-8).fit(X, y)
    assert ours.gap_ <= 1e-8
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-3)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-3)
    assert ours.dual_coef_.shape == (1, ours.support_.size)
    assert ours.n_support_.tolist() == [ours.support_.size]
    assert type(ours.n_iter_) is int


def test_the_coefficients_have_the_order_and_signs_of_SVR():
    X, y = waves()
    ours, theirs = KernelSVR(**TIGHT).fit(X, y), SVR(**TIGHT).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-2)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])


@pytest.mark.parametrize("few", [0, 3000])
@pytest.mark.parametrize("rows", ["dense", "sparse", "single"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_the_gap_is_a_bound(rows, kernel, few, monkeypatch):
    monkeypatch.setattr("svmbench.sklearn._regression._FEW", few)
    monkeypatch.setattr("svmbench.sklearn._kernel_machine._whole", lambda X: few > 0)
    X, y = waves(dtype=np.float32 if rows == "single" else np.float64)
    given = sp.csr_array(X) if rows == "sparse" else X
    Z = X.astype(np.float64)
    K = rbf_kernel(Z, gamma=0.4) if kernel == "rbf" else Z @ Z.T
    bounds = np.full(y.size, 3.0)
    best = objectives(KernelSVR(**{**TIGHT, "tol": 1e-10}, kernel=kernel).fit(Z, y), K, y, bounds)[1]
    for tol in (1e-1, 1e-3, 1e-6):
        fitted = KernelSVR(**{**TIGHT, "tol": tol}, kernel=kernel).fit(given, y)
        primal, dual = objectives(fitted, K, y, bounds)
        assert 0.0 <= fitted.gap_ <= tol
        assert (primal - dual) / primal == pytest.approx(fitted.gap_, abs=1e-9)
        assert -1e-9 * best <= primal - best <= (fitted.gap_ + 1e-9) * primal


@pytest.mark.parametrize("n", [3000, 3001])
def test_problems_on_either_side_of_the_limit_have_the_optimum_of_SVR(n):
    X, y = waves(n)
    ours, theirs = KernelSVR(gamma=0.4, tol=1e-6).fit(X, y), SVR(gamma=0.4, tol=1e-6).fit(X, y)
    theirs.fit_intercept = True
    K, bounds = rbf_kernel(X, gamma=0.4), np.ones(n)
    primal, dual = objectives(ours, K, y, bounds)
    assert -1e-12 <= (primal - dual) / primal <= ours.gap_ * 1.001 + 1e-12
    assert ours.gap_ <= 1e-6
    assert primal == pytest.approx(objectives(theirs, K, y, bounds)[0], rel=2e-6)
    assert (ours.n_iter_ > 500) == (n <= 3000)  # steps of two coefficients, or rounds


def test_a_regression_computes_each_row_once(monkeypatch):
    """Both groups have the same examples, so a row of one is that of the other."""
    solvers = []

    def kept(*given):
        solvers.append(TwoGroups(*given))
        return solvers[-1]

    kept.possible = TwoGroups.possible
    monkeypatch.setattr(_regression, "TwoGroups", kept)
    X, y = waves(300)
    fitted = KernelSVR(**TIGHT).fit(X, y)
    primal, dual = objectives(fitted, rbf_kernel(X, gamma=0.4), y, np.full(y.size, 3.0))
    assert (primal - dual) / primal <= 1e-8 + 1e-9
    assert fitted.support_.size * y.size <= solvers[0].evaluations <= y.size**2


def test_few_rows_are_looked_at_often_when_the_other_method_has_failed(monkeypatch):
    rounds = []

    class Seen(_regression._Search):
        def promises(self, tol):
            rounds.append(self.dual.rounds)
            return super().promises(tol)

    monkeypatch.setattr(_regression, "_of_two_groups", lambda *given: None)
    monkeypatch.setattr(_regression, "rounds_before", lambda n: 1)
    monkeypatch.setattr(_regression, "near_points", lambda *given: iter(()))
    monkeypatch.setattr(_regression, "working_set", lambda oracle: 4)
    monkeypatch.setattr(_regression, "_Search", Seen)
    X, y = waves(80)
    fitted = KernelSVR(C=100.0, gamma=0.4, tol=1e-4).fit(X, y)
    assert fitted.gap_ <= 1e-4
    assert rounds[-1] > 4 * 64
    assert max(np.diff(rounds)) == 64


@pytest.mark.parametrize("most", [0, 16384])
def test_many_rows_with_few_features_are_solved_in_nested_sets_or_one(monkeypatch, most):
    monkeypatch.setattr("svmbench.sklearn._training._MOST_IN_ONE", most)
    X, y = waves(9000)
    fitted = KernelSVR(gamma=0.4, tol=1e-4).fit(X[:, :2], y)
    K = rbf_kernel(X[:, :2], gamma=0.4)
    primal, dual = objectives(fitted, K, y, np.ones(y.size))
    assert (primal - dual) / primal == pytest.approx(fitted.gap_, abs=1e-9)
    assert fitted.gap_ <= 1e-4
    assert fitted.kernel_evaluations_ > 0


@pytest.mark.parametrize("classes", [False, True])
def test_kernel_values_of_the_solver_are_counted_and_not_those_of_the_certificate(monkeypatch, classes):
    made = []

    class Seen(TwoGroups):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(_together if classes else _regression, "TwoGroups", Seen)
    X, y = waves(1500)
    fitted = KernelSVC(gamma=0.4).fit(X, y > 0.0) if classes else KernelSVR(gamma=0.4).fit(X, y)
    (solver,) = made
    assert 0 < fitted.kernel_evaluations_ == solver.evaluations


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_certificates_of_other_solvers_are_not_counted(monkeypatch, kernel):
    def seen(oracle, *given, **options):
        before = oracle.ledger.kev_computed
        found = certified(oracle, *given, **options)
        counted.append(oracle.ledger.kev_computed - before)
        return found

    counted, certified = [], _training._certified
    monkeypatch.setattr(_training, "_certified", seen)
    X, y = waves(300)
    KernelSVC(kernel=kernel, solver="smo_pair").fit(X, y > 0.0)
    assert counted and not any(counted)


@pytest.mark.parametrize("C", [1e-6, 1e6])
def test_any_C(C):
    X, y = waves(80)
    fitted = KernelSVR(C=C, gamma=0.4, tol=1e-6).fit(X, y)
    primal, dual = objectives(fitted, rbf_kernel(X, gamma=0.4), y, np.full(y.size, C))
    assert fitted.gap_ <= 1e-6
    assert (primal - dual) / primal <= fitted.gap_ + 1e-8


@pytest.mark.parametrize(("size", "C"), [(1e20, 1.0), (1e-20, 1e-20)])
def test_single_precision_need_not_hold_the_squares_of_targets(size, C):
    X, y = waves(500)
    fitted = KernelSVR(C=C, epsilon=0.1 * size).fit(X, y * size)
    assert np.isfinite(fitted.dual_coef_).all() and fitted.gap_ <= 1e-4
    assert np.abs(fitted.dual_coef_).max() == C and abs(fitted.dual_coef_.sum()) < 1e-6 * C


def test_a_tube_wider_than_the_targets_has_no_support_vectors():
    X, y = waves()
    for given in (X, sp.csr_array(X)):
        fitted = KernelSVR(epsilon=100.0).fit(given, y)
        assert (fitted.gap_, fitted.support_.size, fitted.n_iter_) == (0.0, 0, 0)
        np.testing.assert_array_equal(fitted.predict(given), np.full(y.size, fitted.intercept_[0]))
    theirs = SVR(epsilon=100.0).fit(X, y)
    assert np.abs(y - fitted.intercept_[0]).max() <= 100.0
    assert fitted.support_.size == theirs.support_.size


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_constant_targets_are_predicted(epsilon):
    X, _ = waves(20)
    fitted = KernelSVR(epsilon=epsilon).fit(X, np.full(20, 0.7))
    assert fitted.gap_ == 0.0
    np.testing.assert_allclose(fitted.predict(X), 0.7, atol=epsilon + 1e-15)
    assert KernelSVR().fit(X[:1], [2.5]).predict(X[:1]) == [2.5]


def test_without_intercept_it_is_0():
    X, y = waves(offset=1.0)
    fitted = KernelSVR(**TIGHT, fit_intercept=False).fit(X, y)
    primal, dual = objectives(fitted, rbf_kernel(X, gamma=0.4), y, np.full(y.size, 3.0))
    assert fitted.intercept_.tolist() == [0.0]
    assert (primal - dual) / primal == pytest.approx(fitted.gap_, abs=1e-9)


def test_weights_are_those_of_SVR():
    X, y = waves()
    weights = np.random.default_rng(1).uniform(-0.3, 3.0, y.size)
    ours = KernelSVR(**TIGHT).fit(X, y, sample_weight=weights)
    theirs = SVR(**TIGHT).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-3)
    assert (weights[ours.support_] > 0.0).all()
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])


def test_a_weight_is_a_number_of_copies():
    X, y = waves(100)
    times = np.random.default_rng(2).integers(0, 4, y.size)
    rows = np.repeat(np.arange(y.size), times)
    one, other = KernelSVR(**TIGHT).fit(X, y, times), KernelSVR(**TIGHT).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=2e-3)
    scaled = KernelSVR(**{**TIGHT, "C": 1.5}).fit(X, y, np.full(y.size, 2.0))
    np.testing.assert_array_equal(scaled.dual_coef_, KernelSVR(**TIGHT).fit(X, y).dual_coef_)


def linear(rows, others):
    return rows @ others.T


def test_a_matrix_or_a_function_may_be_the_kernel():
    X, y = waves()
    new = X[::7] + 0.3
    built_in = KernelSVR(kernel="linear", tol=1e-8).fit(X, y)
    for kernel, given, rows in (("precomputed", X @ X.T, new @ X.T), (linear, X, new)):
        fitted = KernelSVR(kernel=kernel, tol=1e-8).fit(given, y)
        np.testing.assert_allclose(fitted.predict(rows), built_in.predict(new), atol=1e-4)
        assert fitted.support_vectors_.shape == (0, 0)
    assert KernelSVR(kernel="precomputed").fit(X @ X.T, y).kernel_evaluations_ == 0
    with pytest.raises(TypeError, match="Sparse precomputed"):
        KernelSVR(kernel="precomputed").fit(sp.eye_array(3, format="csr"), [0.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="the kernel returned shape"):
        KernelSVR(kernel=lambda X, Z: np.ones((1, 1))).fit(X, y)


def test_the_linear_kernel_has_weights():
    X, y = waves()
    for given in (X, sp.csr_array(X)):
        fitted = KernelSVR(kernel="linear").fit(given, y)
        coef = fitted.coef_.toarray() if sp.issparse(given) else fitted.coef_
        np.testing.assert_allclose(X @ coef[0] + fitted.intercept_[0], fitted.predict(given), atol=1e-12)
    with pytest.raises(AttributeError, match="linear kernel"):
        KernelSVR().fit(X, y).coef_  # noqa: B018


def test_the_iteration_limit_is_held_and_told():
    X, y = waves()
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=1\)"):
        fitted = KernelSVR(C=100.0, gamma=5.0, epsilon=0.0, tol=1e-10, max_iter=1).fit(X, y)
    assert (fitted.n_iter_, fitted.fit_status_) == (1, 1)
    assert fitted.gap_ > 1e-10


@pytest.mark.parametrize(
    ("y", "weights", "words"),
    [
        ([np.nan] * 4, None, "contains NaN"),
        ([1e200] * 4, None, "y holds numbers above 1e\\+100"),
        ([1.0] * 4, [1.0], "incompatible shapes"),
        ([1.0] * 4, [np.nan] * 4, "sample_weight must be finite"),
        ([1.0] * 4, [0.0] * 4, "all samples have zero or negative weights"),
    ],
    ids=str,
)
def test_bad_targets_and_weights_are_refused(y, weights, words):
    with pytest.raises(ValueError, match=words):
        KernelSVR().fit(np.arange(8.0).reshape(4, 2), y, sample_weight=weights)


def test_a_line_tells_of_the_solution(capsys):
    X, y = waves(30)
    fitted = KernelSVR(verbose=True).fit(X, y)
    assert f"{fitted.support_.size} support vectors" in capsys.readouterr().out
