"""Adult, λ = 1e-4: the objective that two programs agree on, LinearSVC after 20,000 passes and this one."""

import numpy as np
import pytest

from svmbench import config, data
from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem, dual_objective, mean_hinge, primal_objective
from svmbench.rng import Generator
from svmbench.runner.observe import mistakes
from svmbench.solvers import registry

OPTIMUM = 0.351762
TEST_ERROR = 0.1503

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def adult() -> data.Dataset:
    resolved = config.resolve(["dataset=adult"])
    return data.load(resolved.dataset.document(), mirror=None, directory=None, say=lambda _: None)


def trained(adult: data.Dataset, name: str, passes: int, **given):
    problem, examples = Problem.build(adult.train.y, lam=1e-4), LinearData(adult.train.X)
    solver = registry.get(name)
    run = solver(solver.Params(**given)).start(problem, examples, Generator(0))
    run.advance("inner_products", passes * problem.n)
    snapshot = run.snapshot()
    w = snapshot.model.weights
    primal = primal_objective(problem.lam, float(w @ w), mean_hinge(problem.y * examples.products(w)))
    error = mistakes(snapshot.model.scores(examples, adult.test.X), adult.test.y) / adult.test.n
    return run, snapshot, primal, error


def test_dcd_reaches_the_certified_optimum_of_adult(adult):
    run, snapshot, primal, error = trained(adult, "dcd", 1000)
    assert run.converged
    norm2 = float(np.square(snapshot.model.weights).sum())
    dual = dual_objective(1e-4, snapshot.alpha, norm2)
    assert primal == pytest.approx(OPTIMUM, rel=3e-6)
    assert 0.0 <= primal - dual <= 3e-6 * primal
    assert error == pytest.approx(TEST_ERROR, abs=5e-4)


def test_pegasos_is_within_two_per_cent_after_a_hundred_passes(adult):
    found = [
        trained(adult, "pegasos_linear", 100, sampling=sampling)[2:]
        for sampling in ("iid", "permutation", "fixed_permutation")
    ]
    for primal, error in found:
        assert OPTIMUM < primal < 1.02 * OPTIMUM
        assert error == pytest.approx(TEST_ERROR, abs=4e-3)
