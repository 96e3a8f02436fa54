"""Methods with dual points reach an optimum found in another way, and SBP that of its own form, each bias."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from sklearn.svm import SVC

from svmbench.problem import BIASES, Problem, dual_objective, mean_hinge, nu_from_optimum, primal_objective
from svmbench.solvers import registry
from svmbench.solvers.base import KernelExpansion
from svmbench.solvers.slack.water_level import water_level
from svmbench.solvers.slack.water_level_bias import water_level_bias
from tests.conformance import cases
from tests.conformance.cases import (
    ALL_ROWS,
    KERNELS,
    LAYOUTS,
    advance,
    data,
    declared,
    label,
    start,
    variants,
)
from tests.kernels.reference import kernel_matrix

GAUSSIAN = KERNELS[0]


class Optimum:
    """The optimum of the regularised problem with λ = 1/n, found in another way, with a certificate."""

    def __init__(self, n: int = 60, kernel: dict = GAUSSIAN, bias: str = "none") -> None:
        self.X, self.y = data(seed=3, n=n)
        self.K = kernel_matrix(self.X, self.X, kernel)
        self.problem = Problem.build(self.y, lam=1.0 / n, bias=bias)
        self.alpha, self.bias = self.without_bias() if bias == "none" else self.with_bias()
        self.responses = self.y * (self.K @ (self.alpha * self.y))
        norm2 = float(self.alpha @ self.responses)
        self.norm = np.sqrt(norm2)
        self.loss = mean_hinge(self.responses, self.y * self.bias)
        self.primal = primal_objective(self.problem.lam, norm2, self.loss)
        self.dual = dual_objective(self.problem.lam, self.alpha, norm2)
        self.nu = nu_from_optimum(self.loss, self.norm)

    def above(self, model: KernelExpansion) -> float:
        """How far the objective of a model lies above the optimum."""
        beta = np.zeros(self.y.size)
        beta[model.indices] = model.coefficients
        scores = self.K @ beta
        loss = mean_hinge(self.y * scores, self.y * model.bias)
        return primal_objective(self.problem.lam, float(beta @ scores), loss) - self.dual

    def without_bias(self) -> tuple[np.ndarray, float]:
        """An active-set method: the dual is half a squared distance.

        With Q = VᵀV it is |Vα - u|² for any u with Vᵀu = 1. Q is shifted by 1e-9, far below the tolerances
        here, so that it has a root.
        """
        Q = self.y[:, None] * self.K * self.y[None, :] + 1e-9 * np.eye(self.y.size)
        V = np.linalg.cholesky(Q).T
        found = lsq_linear(
            V, np.linalg.solve(V.T, np.ones(self.y.size)), (0.0, self.problem.C), method="bvls", tol=1e-14
        )
        return found.x, 0.0

    def with_bias(self) -> tuple[np.ndarray, float]:
        """LIBSVM to a tolerance far below those here."""
        peer = SVC(C=self.problem.C, kernel="precomputed", tol=1e-11).fit(self.K, self.y)
        alpha = np.zeros(self.y.size)
        alpha[peer.support_] = np.abs(peer.dual_coef_[0])
        return alpha, float(peer.intercept_[0])


@pytest.fixture(scope="module")
def optimum() -> Optimum:
    return Optimum()


@pytest.fixture(scope="module", params=BIASES)
def either(request: pytest.FixtureRequest, optimum: Optimum) -> Optimum:
    return optimum if request.param == "none" else Optimum(bias=request.param)


@pytest.fixture(scope="module")
def references() -> Callable[[dict, str], Optimum]:
    """The optimum for a kernel and a bias, each found once."""
    known: dict[tuple[str, str], Optimum] = {}

    def find(kernel: dict, bias: str) -> Optimum:
        key = kernel["name"], bias
        if key not in known:
            known[key] = Optimum(kernel=kernel, bias=bias)
        return known[key]

    return find


def has_dual(name: str) -> bool:
    X, y = data()
    run, _ = start(name, declared(name, "VARIANTS")[0], X, y, GAUSSIAN)
    return run.snapshot().alpha is not None


def approximate(name: str, given: dict) -> bool:
    """Whether the specification says that this variant ends before the optimum."""
    parameters = {key: value for key, value in given.items() if key != "bias"}
    return parameters in declared(name, "APPROXIMATE")


EXACT = [
    (name, given) for name, given in variants("kernel") if has_dual(name) and not approximate(name, given)
]


def test_the_reference_is_certified(either):
    assert abs(either.alpha @ either.y) <= 1e-12 or either.problem.bias == "none"
    assert 0.0 <= either.primal - either.dual + 1e-12 < 1e-7


def test_every_method_with_dual_points_is_held_to_the_optimum():
    # Those are found by their snapshots: one that lost its dual point would else be held to nothing.
    exact = {
        name
        for name in registry.names()
        if registry.get(name).exact and registry.get(name).access == "kernel"
    }
    assert exact | {"sdca"} <= {name for name, _ in EXACT}


def test_a_solver_that_takes_too_long_is_told_what_to_declare(monkeypatch):
    monkeypatch.setattr(cases, "_spent", {"pegasos": cases.LIMIT})
    run, _ = start("pegasos", {}, *data(), GAUSSIAN)
    with pytest.raises(pytest.fail.Exception, match=r"on 1000 iterations: .* in APPROXIMATE of its spec"):
        advance("pegasos", run, 10**9)


def test_a_solver_that_has_reached_the_optimum_takes_no_longer():
    run, _ = start("pegasos", {}, *data(), GAUSSIAN)
    advance("pegasos", run, 10**9, lambda: run.iterations >= 3000)
    assert run.iterations == 4000


def posed_bias(name: str, given: dict) -> str:
    return given.get("bias", registry.get(name).biases[0])


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("name", "given"), EXACT, ids=label)
@pytest.mark.parametrize("kernel", KERNELS, ids=label)
def test_exact_methods_reach_the_optimum(name, given, kernel, layout, precision, references):
    solver = registry.get(name)
    reference = references(kernel, posed_bias(name, given))
    tight = given | ({"eps": 1e-9} if hasattr(solver.Params(), "eps") else {})
    X = LAYOUTS[layout](reference.X.astype(precision))
    run, _ = start(name, tight, X, reference.y, kernel, cache=ALL_ROWS)

    def answer() -> tuple[float, float, float]:
        """Objective, dual value and bias, in double precision."""
        snapshot, problem = run.snapshot(), reference.problem
        responses = reference.y * (reference.K @ (snapshot.alpha * reference.y))
        norm2 = float(snapshot.alpha @ responses)
        loss = mean_hinge(responses, reference.y * snapshot.model.bias)
        primal = primal_objective(problem.lam, norm2, loss)
        return primal, dual_objective(problem.lam, snapshot.alpha, norm2), snapshot.model.bias

    # Judged by float64 kernel values, while solvers read rows in single precision: that alone leaves up to
    # 3e-7 with the polynomial kernel, whose values are largest.
    best = pytest.approx((reference.primal, reference.primal), rel=1e-6)
    close = pytest.approx(reference.bias, abs=1e-6)

    def reached() -> bool:
        primal, dual, bias = answer()
        return (primal, dual) == best and primal - dual <= 1e-6 * primal and bias == close

    # A method that claims to end at the optimum must end there.
    advance(name, run, 3_000_000, (lambda: False) if solver.exact else reached)
    primal, dual, bias = answer()
    assert (primal, dual) == best, "objective and dual value are not both those of the optimum"
    assert primal - dual <= 1e-6 * primal, "the duality gap is not closed"
    assert bias == close, "the bias is not that of the optimum"


#: Methods without a dual point that minimise the regularised objective step by random step.
STEPPING = [
    (name, given)
    for name, given in variants("kernel")
    if registry.get(name).stochastic
    and registry.get(name).form == "regularised"
    and not has_dual(name)
    and not approximate(name, given)
]


@pytest.mark.parametrize(("name", "given"), STEPPING, ids=label)
def test_stochastic_methods_have_their_rate(name, given, references):
    # 1/T would divide the gap by 4, 1/sqrt T by 2; the last iterate is noisy, hence medians over seeds.
    reference = references(GAUSSIAN, posed_bias(name, given))
    gaps = []
    for seed in range(11):
        run, _ = start(name, given, reference.X, reference.y, GAUSSIAN, cache=ALL_ROWS, seed=seed)
        gaps.append([])
        for goal in (10_000, 40_000, 160_000):
            advance(name, run, goal)
            gaps[-1].append(reference.above(run.snapshot().model))
    assert np.min(gaps) > -1e-7
    median = np.median(gaps, axis=0)
    assert median[2] <= 0.6**2 * median[0]
    assert median[2] <= 0.02 * reference.primal


def test_the_slack_constrained_optimum_is_the_regularised_one(either):
    # Lemma 2.1 of the paper: with ν = L(w*)/|w*| the optimum is w*/|w*|, of value 1/|w*|.
    volume, responses = either.problem.n * either.nu, either.responses / either.norm
    if either.problem.bias == "none":
        assert water_level(responses, volume) == pytest.approx(1.0 / either.norm, rel=1e-6)
    else:
        level, bias, _ = water_level_bias(responses, either.y, volume)
        assert level == pytest.approx(1.0 / either.norm, rel=1e-6)
        assert bias * either.norm == pytest.approx(either.bias, rel=1e-3)


def test_sbp_converges_to_the_slack_constrained_optimum(either):
    best, bias = 1.0 / either.norm, either.problem.bias
    given = {"nu": either.nu, "bias": bias}
    shrinking, bounds = [], []
    for seed in range(9):
        run, _ = start("sbp", given, either.X, either.y, GAUSSIAN, cache=ALL_ROWS, seed=seed)
        gaps = []
        for iterations in (2_000, 8_000, 32_000, 128_000):
            run.advance("iterations", iterations)
            native = run.snapshot().native
            bound = native.get("native_bound", np.inf)
            assert native["native_objective"] <= best * (1.0 + 1e-6) <= bound * (1.0 + 2e-6)
            gaps.append(best - native["native_objective"])
        shrinking.append([after / before for before, after in pairwise(gaps)])
        bounds.append(native.get("native_bound", best) / best)
    # A rate of 1/√T halves the gap.
    assert np.all(np.median(shrinking, axis=0) <= 0.6)
    assert np.median(bounds) <= 1.02


def test_sbp_answers_with_the_regularised_optimum(either):
    given = {"nu": either.nu, "bias": either.problem.bias}
    run, _ = start("sbp", given, either.X, either.y, GAUSSIAN, cache=ALL_ROWS)
    run.advance("iterations", 400_000)
    snapshot = run.snapshot()
    at, bias = snapshot.model.indices, snapshot.model.bias
    norm2 = float(snapshot.model.coefficients * either.y[at] @ snapshot.responses[at])
    loss = mean_hinge(snapshot.responses, either.y * bias)
    assert either.primal <= primal_objective(either.problem.lam, norm2, loss) <= 1.01 * either.primal
    assert bias == pytest.approx(either.bias, abs=0.05)
