"""What is particular to dual coordinate descent."""

import numpy as np
import pytest

from svmbench.solvers.linear.dcd import Params
from tests.conformance.cases import data
from tests.solvers.linear.small import started


def test_with_the_squared_loss_its_coefficient_is_twice_C():
    # The dual is Σα - Σα²/(4C) then: nothing else bounds it.
    run, *_ = started("dcd", [[0.0], [1.0], [-1.0]], [1.0, 1.0, -1.0], C=0.3, loss="squared_hinge")
    run.advance("iterations", 1000)
    assert run.snapshot().alpha[0] == pytest.approx(0.6)


def test_only_examples_of_norm_zero_are_solved_at_once():
    run, examples, _ = started("dcd", np.zeros((4, 2)), [1.0, -1.0, 1.0, 1.0], C=2.0)
    run.advance("inner_products", 10**9)
    assert run.converged
    assert run.iterations == 0
    assert examples.ledger.inner_products == 4
    assert run.snapshot().alpha.tolist() == [2.0] * 4


@pytest.mark.parametrize("shrinking", [True, False])
def test_it_stops_where_the_projected_gradients_spread_less_than_eps(shrinking):
    X, y = data(n=80)
    y[::7] *= -1.0
    spreads = []
    for eps in (1.0, 1e-2, 1e-6):
        run, examples, _ = started("dcd", X, y, C=0.5, eps=eps, shrinking=shrinking)
        run.advance("iterations", 10**6)
        assert run.converged
        snapshot = run.snapshot()
        G = y * examples.products(snapshot.model.weights) - 1.0
        G = np.where(snapshot.alpha == 0.0, np.minimum(G, 0.0), G)
        G = np.where(snapshot.alpha == 0.5, np.maximum(G, 0.0), G)[np.any(X != 0.0, axis=1)]
        spreads.append(G.max() - G.min())
    # The rule reads the gradients as they were in the pass; those at its end may spread a little more.
    assert all(spread < 3.0 * eps for spread, eps in zip(spreads, (1.0, 1e-2, 1e-6)))
    done = run.iterations
    run.advance("iterations", done + 10)
    assert run.iterations == done


def test_shrinking_saves_visits():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.5, 1.0, -1.0)
    X = rng.normal(size=(300, 4)) + 0.7 * y[:, None]
    visits = {}
    for shrinking in (True, False):
        run, *_ = started("dcd", X, y, C=1.0, eps=1e-6, shrinking=shrinking)
        run.advance("iterations", 10**7)
        assert run.converged
        visits[shrinking] = run.iterations
    assert visits[True] < 0.7 * visits[False]


def test_uniform_draws_shrink_nothing_and_never_stop():
    assert Params(order="with_replacement", shrinking=True) == Params(
        order="with_replacement", shrinking=False
    )
    X, y = data()
    run, examples, _ = started("dcd", X, y, order="with_replacement", eps=100.0)
    run.advance("inner_products", 20_000)
    assert not run.converged
    assert examples.ledger.inner_products == 20_000


def test_a_separable_problem_ends_with_the_hard_margin():
    # x = 1 and -2 with a large C: w = 1, of which only the first example is a support vector.
    run, *_ = started("dcd", [[1.0], [-2.0]], [1.0, -1.0], C=100.0)
    run.advance("iterations", 100)
    assert run.converged
    snapshot = run.snapshot()
    assert snapshot.model.weights == pytest.approx([1.0])
    assert snapshot.alpha == pytest.approx([1.0, 0.0])
