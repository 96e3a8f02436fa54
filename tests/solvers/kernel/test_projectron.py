"""What is particular to the Projectron: projections, a bounded set, and what its author's program prints."""

from functools import partial

import numpy as np
import pytest

from svmbench.solvers.kernel.projectron import Span
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import scores

GAUSSIAN = {"name": "gaussian", "gamma": 1.0}

started = partial(working_sets.started, kernel=GAUSSIAN, bias="none", cache=0)


def noisy_half_planes(n, seed):
    """Points of a normal distribution in the plane, of which a tenth have the wrong label."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sign(X @ rng.normal(size=2))
    y[rng.permutation(n)[: n // 10]] *= -1.0
    return X, y


def count_mistakes(run):
    """Return a list that gets an entry for each mistake of a run."""
    mistakes, learn = [], run._mistaken

    def counted(i, values):
        mistakes.append(1)
        learn(i, values)

    run._mistaken = counted
    return mistakes


def test_a_threshold_of_zero_is_the_perceptron():
    X, y = noisy_half_planes(80, 1)
    X *= 4.0  # far apart, so that no example is projected but on itself
    narrow = {"name": "gaussian", "gamma": 4.0}
    run, oracle, _ = started("projectron", X, y, kernel=narrow, eta=0.0)
    other, plain, _ = started("perceptron", X, y, kernel=narrow)
    for goal in (1, 40, 200):
        run.advance("iterations", goal)
        other.advance("iterations", goal)
        np.testing.assert_allclose(scores(run, oracle), scores(other, plain), rtol=1e-5, atol=1e-5)
    assert oracle.ledger.kev_ondemand == plain.ledger.kev_ondemand


def test_the_factor_is_that_of_the_inverse():
    X, _ = noisy_half_planes(200, 2)
    K, span = kernel_matrix(X, X, GAUSSIAN), Span()
    for i in range(200):
        d, projected = span.project(K[span.examples, i])
        if 1.0 - projected > 1e-3:
            span.extend(i, d, 1.0 - projected)
    S = span.examples
    assert 20 < span.size < 200
    for i in range(200):
        d, projected = span.project(K[S, i])
        exact = np.linalg.solve(K[np.ix_(S, S)], K[S, i])
        np.testing.assert_allclose(d, exact, atol=1e-8)
        assert projected == pytest.approx(K[S, i] @ exact, abs=1e-9)


def test_a_step_within_the_margin_is_the_shortest_of_three():
    """The projection of (b, c) on (2, 0) is (b, 0), and its loss is 1 - 2b."""
    for b, c, length in ((0.1, 0.1, 1.0), (0.45, 0.01, 0.1 / 0.2025), (0.4, 0.15, 2.0 * (0.2 - 0.15) / 0.16)):
        linear = {"kernel": working_sets.LINEAR, "eta": 1.0, "margin": True, "order": "given"}
        run, _, _ = started("projectron", [[2.0, 0.0], [b, c]], [1.0, 1.0], **linear)
        run.advance("iterations", 2)
        assert run.snapshot().model.coefficients == pytest.approx([1.0 + length * b / 2.0], rel=1e-5)


def test_more_passes_add_few_points_and_a_larger_threshold_takes_fewer():
    X, y = noisy_half_planes(600, 3)
    sizes = []
    for eta in (0.05, 0.2, 0.5):
        run, _, _ = started("projectron", X, y, eta=eta, margin=True)
        run.advance("iterations", 10 * 600)
        before = run.snapshot().model.support_vectors
        run.advance("iterations", 40 * 600)
        sizes.append(run.snapshot().model.support_vectors)
        assert sizes[-1] <= before + 3
    assert 100 > sizes[0] > sizes[1] > sizes[2]


def test_numbers_are_those_that_the_program_of_an_author_prints():
    """F. Orabona's DOGMA, demo.out: 10,000 points in the plane, γ = 1, a squared threshold of 0.01.

    The online errors are compared by their distance from the Perceptron's, which it prints for the same
    points: its points are unknown, and those here are somewhat easier for all three methods.
    """
    printed = {
        "perceptron": (0.2156, 2156, 0.1011),
        "projectron": (0.2138, 106, 0.0996),
        "projectron++": (0.1590, 108, 0.1003),
    }
    sets = [noisy_half_planes(20_000, seed) for seed in range(5)]
    found = {name: np.median([one_pass(name, X, y) for X, y in sets], axis=0) for name in printed}
    for name in ("projectron", "projectron++"):
        gain = found["perceptron"][0] - found[name][0]
        assert gain == pytest.approx(printed["perceptron"][0] - printed[name][0], abs=0.01)
        assert found[name][1] == pytest.approx(printed[name][1], abs=8)
        assert found[name][2] == pytest.approx(printed[name][2], abs=0.008)


def one_pass(name, X, y):
    """Return the online error, the support vectors and the test error of the averaged hypothesis."""
    given = {} if name == "perceptron" else {"eta": 0.1, "margin": name == "projectron++"}
    run, oracle, _ = started(
        name.strip("+"), X[:10_000], y[:10_000], order="given", epochs=1, average=True, **given
    )
    mistakes = count_mistakes(run) if given else None
    run.advance("iterations", 10_000)
    assert run.converged
    wrong = len(mistakes) if given else oracle.ledger.kev_rowupdate / 10_000
    model = run.snapshot().model
    scores = model.scores(oracle, X[10_000:].astype(np.float32))
    return wrong / 10_000, model.support_vectors, np.mean(scores * y[10_000:] <= 0.0)
