"""Linear methods reach, at their rate, optima that were found in other ways."""

import numpy as np
import pytest
from scipy.optimize import minimize

from svmbench.kernels._linear_data import LinearData
from svmbench.problem import (
    Problem,
    dual_objective,
    mean_hinge,
    mean_squared_hinge,
    primal_objective,
    squared_hinge_dual_objective,
)
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.conformance.cases import KERNELS, LAYOUTS, data, declared, label, start, variants
from tests.conformance.test_optimum import Optimum

LINEAR = KERNELS[1]


def exact(name: str) -> bool:
    """Whether the method ends at the optimum: one that draws and has no dual comes near it at a rate."""
    X, y = data()
    snapshot = start(name, declared(name, "VARIANTS")[0], X, y, LINEAR)[0].snapshot()
    return not registry.get(name).stochastic or snapshot.alpha is not None


EXACT = [(name, given) for name, given in variants("linear") if exact(name) and "buffer" not in given]


def ends(name: str, given: dict) -> bool:
    """Whether the method ends by itself after a pass, so that it has no rate."""
    X, y = data()
    run = start(name, given, X, y, LINEAR)[0]
    run.advance("iterations", 2 * y.size)
    return run.converged


STOCHASTIC = [
    (name, given)
    for name, given in variants("linear")
    if not exact(name) and registry.get(name).form == "regularised" and not ends(name, given)
]
#: Step sizes that do not shrink stop short of the optimum.
VANISHING = [(name, given) for name, given in STOCHASTIC if given.get("steps") != "zhang"]


def test_every_exact_method_is_held_to_the_optimum():
    names = {name for name in registry.names() if registry.get(name).exact}
    assert {name for name in names if registry.get(name).access == "linear"} <= {name for name, _ in EXACT}


@pytest.fixture(scope="module")
def hinge() -> Optimum:
    return Optimum(kernel=LINEAR)


@pytest.fixture(scope="module")
def hinge_with_bias() -> Optimum:
    return Optimum(kernel=LINEAR, bias="unregularised")


@pytest.fixture(scope="module")
def squared_hinge() -> float:
    """The optimal objective with the squared hinge loss, which is smooth, by a quasi-Newton method."""
    X, y = data(seed=3, n=60)

    def objective(w):
        slack = np.maximum(0.0, 1.0 - y * (X @ w))
        lam = 1.0 / y.size
        return 0.5 * lam * (w @ w) + (slack**2).mean(), lam * w - 2.0 * X.T @ (y * slack) / y.size

    found = minimize(objective, np.zeros(X.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-10})
    return float(found.fun)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("name", "given"), EXACT, ids=label)
def test_exact_methods_reach_the_optimum(name, given, layout, precision, hinge, squared_hinge):
    lam = hinge.problem.lam
    X = LAYOUTS[layout](hinge.X.astype(precision))
    run, examples = start(name, {**given, "eps": 1e-10}, X, hinge.y, LINEAR)
    run.advance("iterations", 1_000_000)
    snapshot = run.snapshot()
    responses = hinge.y * examples.products(snapshot.model.weights)
    norm2 = float(snapshot.model.weights @ snapshot.model.weights)
    if snapshot.loss == "squared_hinge":
        optimum = squared_hinge
        primal, dual_of = (
            primal_objective(lam, norm2, mean_squared_hinge(responses)),
            squared_hinge_dual_objective,
        )
    else:
        optimum = hinge.primal
        primal, dual_of = primal_objective(lam, norm2, mean_hinge(responses)), dual_objective
    assert primal == pytest.approx(optimum, rel=1e-6), "the objective is not that of the optimum"
    # A dual of its own, a point or a value, certifies; without one there is only the optimum above.
    dual = snapshot.dual if snapshot.alpha is None else dual_of(lam, snapshot.alpha, norm2)
    if dual is not None:
        assert 0.0 <= primal - dual + 1e-12 <= 1e-6 * primal, "the duality gap is not closed"


def suboptimality(hinge: Optimum, name: str, given: dict, seed: int, goals: list[int]) -> list[float]:
    run, examples = start(name, given, hinge.X, hinge.y, LINEAR, seed=seed)
    gaps = []
    for goal in goals:
        run.advance("iterations", goal)
        model = run.snapshot().model
        w = model.weights
        loss = mean_hinge(hinge.y * (examples.products(w) + model.bias))
        gaps.append(primal_objective(hinge.problem.lam, float(w @ w), loss) - hinge.dual)
    return gaps


@pytest.mark.parametrize(("name", "given"), VANISHING, ids=label)
def test_stochastic_methods_have_their_rate(name, given, hinge, hinge_with_bias):
    # 1/T would divide the gap by 4, 1/sqrt T by 2; the last iterate is noisy, hence medians over seeds.
    goals = [4_000, 16_000, 64_000]
    best = hinge_with_bias if given.get("bias") == "unregularised" else hinge
    gaps = np.array([suboptimality(best, name, given, seed, goals) for seed in range(15)])
    assert np.all(gaps > -1e-9)
    median = np.median(gaps, axis=0)
    assert median[2] <= declared(name, "RATE") ** 2 * median[0]
    within = declared(name, "WITHIN")
    assert given.get("steps") == "norma" or median[2] <= within * best.primal


def test_constant_steps_come_as_near_as_they_are_small(hinge):
    far, near = (
        np.median(
            [
                suboptimality(hinge, "pegasos_linear", {"steps": "zhang", "eta": eta}, s, [20_000])
                for s in range(9)
            ]
        )
        for eta in (0.3, 0.03)
    )
    assert near < 0.5 * far
    assert near < 0.05 * hinge.primal


def test_the_batch_of_all_examples_descends_without_noise(hinge):
    n = hinge.problem.n
    one, other = (suboptimality(hinge, "pegasos_linear", {"k": n}, seed, [10, 100, 1000]) for seed in (1, 2))
    assert one == pytest.approx(other)
    assert one[2] < one[1] < one[0]


def test_the_optimum_agrees_with_liblinear():
    svm = pytest.importorskip("sklearn.svm")
    X, y = data(seed=5, n=200)
    C = 0.05
    problem = Problem.build(y, C=C)
    for loss in ("hinge", "squared_hinge"):
        theirs = svm.LinearSVC(
            loss=loss, C=C, fit_intercept=False, tol=1e-10, max_iter=1_000_000, random_state=0
        ).fit(X, y)
        solver = registry.get("dcd")
        run = solver(solver.Params(loss=loss, eps=1e-10)).start(problem, LinearData(X), Generator(0))
        run.advance("iterations", 2_000_000)
        np.testing.assert_allclose(run.snapshot().model.weights, theirs.coef_[0], rtol=1e-5, atol=1e-7)
