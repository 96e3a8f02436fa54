"""Methods with dual points reach an optimum found in another way, and SBP that of its own form."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from svmbench.problem import Problem, dual_objective, mean_hinge, nu_from_optimum, primal_objective
from svmbench.solvers.parts.water_level import water_level
from tests.conformance.cases import ALL_ROWS, KERNELS, data, label, specification, start, variants
from tests.kernels.reference import kernel_matrix

GAUSSIAN = KERNELS[0]


class Optimum:
    """The optimum of the regularised problem with λ = 1/n, by an active-set method with a certificate."""

    def __init__(self, n: int = 60, kernel: dict = GAUSSIAN) -> None:
        self.X, self.y = data(seed=3, n=n)
        self.K = kernel_matrix(self.X, self.X, kernel)
        self.problem = Problem.build(self.y, lam=1.0 / n)
        # The dual is half a squared distance: with Q = VᵀV it is |Vα - u|² for any u with Vᵀu = 1. Q is
        # shifted by 1e-9, far below the tolerances here, so that it has a root.
        Q = self.y[:, None] * self.K * self.y[None, :] + 1e-9 * np.eye(n)
        V = np.linalg.cholesky(Q).T
        found = lsq_linear(
            V, np.linalg.solve(V.T, np.ones(n)), (0.0, self.problem.C), method="bvls", tol=1e-14
        )
        self.alpha = found.x
        self.responses = self.y * (self.K @ (self.alpha * self.y))
        norm2 = float(self.alpha @ self.responses)
        self.norm = np.sqrt(norm2)
        self.loss = mean_hinge(self.responses)
        self.primal = primal_objective(self.problem.lam, norm2, self.loss)
        self.dual = dual_objective(self.problem.lam, self.alpha, norm2)
        self.nu = nu_from_optimum(self.loss, self.norm)


@pytest.fixture(scope="module")
def optimum() -> Optimum:
    return Optimum()


def has_dual(name: str) -> bool:
    X, y = data()
    run, _ = start(name, specification(name).VARIANTS[0], X, y, GAUSSIAN)
    return run.snapshot().alpha is not None


EXACT = [(name, given) for name, given in variants("kernel") if has_dual(name)]


def test_the_reference_is_certified(optimum):
    assert 0.0 <= optimum.primal - optimum.dual + 1e-12 < 1e-7


@pytest.mark.parametrize(("name", "given"), EXACT, ids=label)
@pytest.mark.parametrize("kernel", KERNELS, ids=label)
def test_exact_methods_reach_the_optimum(name, given, kernel):
    reference = Optimum(kernel=kernel)
    tight = given | ({"eps": 1e-9} if name == "smo" else {})
    run, _ = start(name, tight, reference.X, reference.y, kernel, cache=ALL_ROWS)
    run.advance("iterations", 3_000_000)
    alpha, problem = run.snapshot().alpha, reference.problem
    responses = reference.y * (reference.K @ (alpha * reference.y))
    norm2 = float(alpha @ responses)
    dual = dual_objective(problem.lam, alpha, norm2)
    primal = primal_objective(problem.lam, norm2, mean_hinge(responses))
    assert dual == pytest.approx(reference.primal, rel=1e-5)
    assert primal == pytest.approx(reference.primal, rel=1e-5)
    assert primal - dual <= 1e-5 * primal


def test_the_slack_constrained_optimum_is_the_regularised_one(optimum):
    # Lemma 2.1 of the paper: with ν = L(w*)/|w*| the optimum is w*/|w*|, of value 1/|w*|.
    n = optimum.problem.n
    value = water_level(optimum.responses / optimum.norm, n * optimum.nu)
    assert value == pytest.approx(1.0 / optimum.norm, rel=1e-6)


def test_sbp_converges_to_the_slack_constrained_optimum(optimum):
    best = 1.0 / optimum.norm
    shrinking, bounds = [], []
    for seed in range(9):
        run, _ = start("sbp", {"nu": optimum.nu}, optimum.X, optimum.y, GAUSSIAN, cache=ALL_ROWS, seed=seed)
        gaps = []
        for iterations in (2_000, 8_000, 32_000, 128_000):
            run.advance("iterations", iterations)
            native = run.snapshot().native
            assert native["native_objective"] <= best * (1.0 + 1e-6) <= native["native_bound"] * (1.0 + 2e-6)
            gaps.append(best - native["native_objective"])
        shrinking.append([after / before for before, after in pairwise(gaps)])
        bounds.append(native["native_bound"] / best)
    # A rate of 1/√T halves the gap.
    assert np.all(np.median(shrinking, axis=0) <= 0.6)
    assert np.median(bounds) <= 1.02


def test_sbp_answers_with_the_regularised_optimum(optimum):
    run, _ = start("sbp", {"nu": optimum.nu}, optimum.X, optimum.y, GAUSSIAN, cache=ALL_ROWS)
    run.advance("iterations", 400_000)
    snapshot = run.snapshot()
    signed = snapshot.model.coefficients
    norm2 = float(signed * optimum.y[snapshot.model.indices] @ snapshot.responses[snapshot.model.indices])
    reached = primal_objective(optimum.problem.lam, norm2, mean_hinge(snapshot.responses))
    assert optimum.primal <= reached <= 1.01 * optimum.primal


def test_pegasos_approaches_the_regularised_optimum(optimum):
    reached = []
    for seed in range(5):
        run, _ = start("pegasos", {}, optimum.X, optimum.y, GAUSSIAN, cache=ALL_ROWS, seed=seed)
        run.advance("iterations", 1_000_000)
        snapshot = run.snapshot()
        at = snapshot.model.indices
        norm2 = float(snapshot.model.coefficients * optimum.y[at] @ snapshot.responses[at])
        reached.append(primal_objective(optimum.problem.lam, norm2, mean_hinge(snapshot.responses)))
    assert optimum.primal <= min(reached)
    assert np.median(reached) <= 1.01 * optimum.primal
