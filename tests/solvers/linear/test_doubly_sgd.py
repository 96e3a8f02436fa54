"""What is particular to doubly stochastic gradients: the features that an iteration takes."""

import numpy as np

from svmbench import features
from svmbench.problem import Problem, mean_hinge, primal_objective
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.conformance.cases import data

SOLVER = registry.get("doubly_sgd")


def on_fourier_features(X, frequencies, lazy):
    chosen = features.get("fourier")
    kernel = {"name": "gaussian", "gamma": 0.2}
    return chosen(X, kernel, chosen.Params(frequencies=frequencies, lazy=lazy), Generator(5)).examples()


def test_each_iteration_takes_the_next_block_of_random_features():
    X, y = data(n=200)
    examples = on_fourier_features(X, 100, lazy=False)
    problem = Problem.build(y, lam=1.0 / 200)
    run = SOLVER(SOLVER.Params(block=30, batch=4)).start(problem, examples, Generator(0))
    for t, taken in enumerate((30, 60, 90, 100), start=1):
        run.advance("iterations", t)
        w = run.snapshot().model.weights
        assert np.all(w[taken:] == 0.0)
        assert np.count_nonzero(w[:taken]) == taken
    before = run.snapshot().model.weights
    run.advance("iterations", 5)  # the first block again; the others shrink only
    ratios = run.snapshot().model.weights[30:] / before[30:]
    np.testing.assert_allclose(ratios, ratios[0])
    assert 0.99 < ratios[0] < 1.0


def test_small_blocks_reach_what_all_features_reach():
    X, y = data(n=200)
    problem, objectives = Problem.build(y, lam=1.0 / 200), {}
    examples = on_fourier_features(X, 128, lazy=False)
    for block in (16, 128):
        for seed in range(5):
            run = SOLVER(SOLVER.Params(block=block)).start(problem, examples, Generator(seed))
            run.advance("iterations", examples.ledger.iterations + 6_000)
            w = run.snapshot().model.weights
            loss = mean_hinge(y * examples.products(w))
            objectives.setdefault(block, []).append(primal_objective(problem.lam, float(w @ w), loss))
    assert np.median(objectives[16]) < 1.1 * np.median(objectives[128])
