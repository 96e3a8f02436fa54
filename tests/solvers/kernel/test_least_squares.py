"""The least-squares SVM and Falkon: their systems solved in another way, and a rate that a paper prints."""

from functools import partial

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from svmbench.cli.main import main
from svmbench.data.loading import load
from svmbench.rng import Generator
from svmbench.store import Store
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import coefficients, two_classes
from tests.told import output

GAUSSIAN = {"name": "gaussian", "gamma": 0.7}


started = partial(working_sets.started, kernel=GAUSSIAN, bias="none", seed=3, cache=0)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_least_squares_svm_is_kernel_ridge_regression_of_the_labels(C):
    X, y = two_classes(300)
    run, _, _ = started("lssvm", X, y, C=C, eps=1e-7)
    run.advance("iterations", 10**4)
    assert run.converged
    peer = KernelRidge(alpha=1.0 / C, kernel="rbf", gamma=0.7).fit(X.astype(float), y)
    np.testing.assert_allclose(coefficients(run, y.size), peer.dual_coef_, atol=2e-5 * C)
    best = least(X, y, C)
    assert run.snapshot().native["native_bound"] == pytest.approx(best, rel=1e-6)


def least(X, y, C):
    """The least value of the objective with squared loss, λ-form."""
    K = kernel_matrix(X.astype(float), X.astype(float), GAUSSIAN)
    return 0.5 / (C * y.size) * float(y @ np.linalg.solve(K + np.eye(y.size) / C, y))


def test_the_bound_of_the_least_squares_svm_is_below_the_optimum_at_every_step():
    X, y = two_classes(300)
    best = least(X, y, 10.0)
    run, _, _ = started("lssvm", X, y, C=10.0)
    for step in range(1, 12):
        run.advance("iterations", step)
        assert run.snapshot().native["native_bound"] <= best * (1 + 1e-6)


def test_a_kernel_that_is_not_positive_definite_stalls_the_least_squares_svm():
    X, y = two_classes(60)
    kernel = {"name": "sigmoid", "gamma": 1.0, "coef0": -1.0}
    run, *_ = started("lssvm", X, y, kernel=kernel, C=1e3, eps=1e-12)
    run.advance("iterations", 10**4)
    assert run.stalled and not run.converged


def best_over(K, centres, y, lam):
    """The system of Falkon (equation 8 of its paper), solved directly."""
    K_nM, K_MM = K[:, centres], K[np.ix_(centres, centres)]
    return np.linalg.lstsq(K_nM.T @ K_nM + lam * y.size * K_MM, K_nM.T @ y, rcond=1e-13)[0]


def test_falkon_solves_its_system():
    X, y = two_classes(300)
    run, oracle, _ = started("falkon", X, y, centres=40, eps=1e-6)
    run.advance("iterations", 200)
    assert run.converged
    model = run.snapshot().model
    K = kernel_matrix(X.astype(float), X.astype(float), GAUSSIAN)
    best = K[:, model.indices] @ best_over(K, model.indices, y, 1.0 / y.size)
    np.testing.assert_allclose(model.training_scores(oracle), best, atol=2e-3)


@pytest.mark.parametrize("seed", range(3))
def test_falkon_converges_at_the_rate_that_its_paper_prints(seed):
    # Theorem 2: the error of the iteration falls as exp(-ν t) with ν of at least 1/2, if there are enough
    # centres; conjugate gradients have a factor of 2 before it.
    X, y = two_classes(600, seed=seed)
    C = 1.0
    lam = 1.0 / (C * y.size)
    K = kernel_matrix(X.astype(float), X.astype(float), GAUSSIAN)
    run, _, _ = started("falkon", X, y, C=C, centres=400, eps=1e-7)
    run.advance("iterations", 1)
    chosen = np.sort(Generator(3).permutation(y.size)[:400])
    A = K[:, chosen].T @ K[:, chosen] / y.size + lam * K[np.ix_(chosen, chosen)]
    best = best_over(K, chosen, y, lam)

    def energy(alpha):
        off = alpha - best
        return np.sqrt(max(off @ A @ off, 0.0))

    first = energy(np.zeros(400))
    for step in range(1, 9):
        run.advance("iterations", 1 + step)
        assert energy(coefficients(run, y.size)[chosen]) <= 2.0 * np.exp(-0.5 * step) * first
    # Without the preconditioner, the same number of steps does not get as far.
    alpha, r = np.zeros(400), K[:, chosen].T @ y / y.size
    p = r.copy()
    for _ in range(8):
        step, before = (r @ r) / (p @ A @ p), r @ r
        alpha, r = alpha + step * p, r - step * A @ p
        p = r + (r @ r) / before * p
    assert energy(alpha) > 2.0 * np.exp(-0.5 * 8) * first


def test_falkon_counts_what_its_paper_does():
    X, y = two_classes(300)
    run, oracle, _ = started("falkon", X, y, centres=40)
    run.advance("iterations", 5)
    ledger, columns = oracle.ledger.as_dict(), ("kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed")
    made = 40 * 40 + 300 * 40 + 4 * 300 * 40
    assert [ledger[key] for key in columns] == [made] * 4


@pytest.mark.parametrize("name", ["lssvm", "falkon"])
def test_the_squared_loss_is_observed_and_recomputed(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = [f"solver={name}", "dataset=checkerboard", "dataset.n_train=100", "dataset.n_test=50"]
    assert main(["run", *words, "problem.C=1", "kernel.gamma=10", "budget.kev=1e6"]) == 0
    (run,) = Store(tmp_path / "results").runs()
    row, model = run.trace().iloc[-1], run.model()
    data = load(run.config.dataset.document(), mirror=None, directory=None, say=print).train
    kernel = {"name": "gaussian", "gamma": 10.0}
    f = kernel_matrix(data.X, data.X[model.indices], kernel) @ model.coefficients
    squared = float(model.coefficients @ f[model.indices])
    expected = 0.5 * (squared / 100 + float(np.square(1.0 - data.y * f).mean()))
    assert row["native_objective"] == pytest.approx(expected, rel=1e-6)
    assert np.isnan(row["native_bound"]) == (name == "falkon")
    assert "native_objective" not in output(capsys, ["verify", "--recompute"])
