"""What is particular to ASSET."""

import numpy as np
import pytest

from svmbench.problem import Problem, mean_hinge, primal_objective
from svmbench.rng import Generator
from tests.conformance.cases import data
from tests.conformance.test_optimum import Optimum
from tests.solvers.linear.small import started
from tests.specification import asset as specification
from tests.specification.slow_examples import SlowExamples


def test_the_first_step():
    # D_X = 1/√λ = 2, D_G = |x| = 5: η = 0.4, w = η y x; |w| = 2 is just not outside.
    run, *_ = started("asset", [[3.0, -4.0]], [-1.0], lam=0.25)
    run.advance("iterations", 1)
    np.testing.assert_allclose(run.snapshot().model.weights, [-1.2, 1.6])


def test_the_first_step_with_a_bias():
    # D_X = √(4 + 1), D_G = √(25 + 1); w is brought back to 1/√λ, b to B.
    run, *_ = started("asset", [[3.0, -4.0]], [1.0], lam=0.25, bias="unregularised", B=1.0)
    eta = np.sqrt(5.0 / 26.0)
    run.advance("iterations", 1)
    model = run.snapshot().model
    np.testing.assert_allclose(model.weights, np.array([0.6, -0.8]) * min(2.0, 5.0 * eta))
    assert model.bias == pytest.approx(min(eta, 1.0))


@pytest.mark.parametrize(
    ("step", "bias"), [("robust", "none"), ("robust", "unregularised"), ("strong", "none")]
)
@pytest.mark.parametrize("lam", [1e-4, 50.0])
@pytest.mark.parametrize("average", [1, 3, 100])
def test_extreme_regularisation_is_that_of_the_specification(lam, step, bias, average):
    # λ = 50: negative factors 1 - ηλ; λ = 1e-4: long steps into the bounds.
    X, y = data()
    given = {"step": step, "average": average, "B": 0.7}
    run, examples, _ = started("asset", X, y, lam=lam, bias=bias, **given)
    problem = Problem.build(y, lam=lam, bias=bias)
    for iterations in (1, 2, 3, 4, 5, 6, 7, 99, 100, 101, 199, 200, 201, 350):
        run.advance("iterations", iterations)
        slow = SlowExamples(X, y)
        answer = specification.run(problem, slow, Generator(1), iterations, **given)
        model = run.snapshot().model
        found = [*model.weights, *([model.bias] if bias == "unregularised" else [])]
        np.testing.assert_allclose(found, answer, rtol=1e-8, atol=1e-10)
        assert examples.ledger.inner_products == slow.products


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_the_answer_stays_in_the_set(bias):
    X, y = data()
    lam, touched = 1e-3, 0
    for seed in range(10):
        run, *_ = started("asset", X, y, lam=lam, seed=seed, bias=bias, average=1, B=0.5)
        for iterations in range(1, 30):
            run.advance("iterations", iterations)
            model = run.snapshot().model
            assert lam * np.square(model.weights).sum() <= 1.0 + 1e-9
            assert abs(model.bias) <= 0.5
            touched += lam * np.square(model.weights).sum() > 1.0 - 1e-9
    assert touched > 0


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_the_average_of_half_of_all_iterates_is_within_the_proved_bound(bias):
    # Nemirovski, Juditsky, Lan and Shapiro 2009, (2.21): C(ρ) D_X D_G / √N with C(1/2) below 4.
    reference = Optimum(kernel={"name": "linear"}, bias=bias)
    lam, N, biased = reference.problem.lam, 4000, bias == "unregularised"
    reach = np.sqrt(1.0 / lam + biased * 4.0)
    size = np.sqrt(np.square(reference.X).sum(axis=1).mean() + biased)
    gaps, given = [], {"lam": lam, "bias": bias, "average": N // 2, "B": 2.0}
    for seed in range(9):
        run, examples, _ = started("asset", reference.X, reference.y, seed=seed, **given)
        run.advance("iterations", N)
        model = run.snapshot().model
        loss = mean_hinge(reference.y * (examples.products(model.weights) + model.bias))
        gaps.append(primal_objective(lam, float(model.weights @ model.weights), loss) - reference.dual)
    assert 0.0 < np.mean(gaps) <= 4.0 * reach * size / np.sqrt(N)
    assert np.median(gaps) <= 0.05 * reference.primal


def test_one_pass_goes_through_the_file_and_ends():
    n = 30
    run, examples, _ = started("asset", np.eye(n), np.ones(n), lam=1e-9, order="given", step="strong")
    for t in range(1, n + 1):
        assert not run.converged
        run.advance("iterations", t)
        assert np.flatnonzero(run.snapshot().model.weights).tolist() == list(range(t))
    assert run.converged
    run.advance("iterations", 10**6)
    assert run.iterations == n
    assert examples.ledger.inner_products == 2 * n  # each is a violation


@pytest.mark.parametrize("order", ["uniform", "given"])
@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_examples_that_are_all_zero_have_the_answer_zero(order, bias):
    run, *_ = started("asset", np.zeros((12, 3)), np.ones(12), lam=0.1, order=order, bias=bias)
    run.advance("iterations", 12)
    model = run.snapshot().model
    assert model.weights.tolist() == [0.0, 0.0, 0.0]
    assert np.isfinite(model.bias)


def test_a_few_zero_examples_at_the_head_do_not_decide_the_steps():
    X = np.zeros((150, 1))
    X[120:] = 2.0
    run, examples, _ = started("asset", X, np.ones(150), lam=0.1, order="given")
    assert examples.ledger.inner_products == 100 + 150
    run.advance("iterations", 150)
    assert 0.0 < run.snapshot().model.weights[0] < 10.0


@pytest.mark.parametrize(("step", "power"), [("robust", 0.5), ("strong", 1.0)])
def test_the_answer_is_the_average_of_the_last_100_iterates(step, power):
    # Section 4.3 evaluates ASSET and ASSET* alike by the average; the weights are the steps, η ~ j^-power.
    X, y = data()
    averaged, *_ = started("asset", X, y, lam=1e-3, step=step)
    single, *_ = started("asset", X, y, lam=1e-3, step=step, average=1)
    iterates = []
    for j in range(1, 251):
        single.advance("iterations", j)
        iterates.append(single.snapshot().model.weights)
    averaged.advance("iterations", 250)
    expected = np.average(iterates[-100:], axis=0, weights=np.arange(151, 251) ** -power)
    np.testing.assert_allclose(averaged.snapshot().model.weights, expected, rtol=1e-8, atol=1e-10)
    assert np.linalg.norm(expected - iterates[-1]) > 0.01 * np.linalg.norm(expected)
