"""Decomposition's rounds over the active examples: which they are, what they are charged, where they end."""

import numpy as np
import pytest

from svmbench.problem import BIASES
from tests.kernels.reference import kernel_matrix
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import GAUSSIAN

EACH_BIAS = pytest.mark.parametrize("bias", BIASES)
EACH_C = pytest.mark.parametrize("C", [0.1, 100.0])
N = 900


def examples() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 3)).astype(np.float32)
    return X, np.where(X[:, 0] + 0.2 * rng.normal(size=N) > 0.4, 1.0, -1.0)


def started(bias, C, **given):
    return working_sets.started("decomposition", *examples(), C=C, bias=bias, working_set=4, **given)


def is_shrunk(run) -> bool:
    return run.shrunk is not None


def until(run, wanted) -> bool:
    """Go on until it is shrunk, or is not; tell whether it came to that before it converged."""
    while not run.converged:
        run.advance("iterations", run.iterations + 1)
        if is_shrunk(run) == wanted:
            return True
    return False


def optimality(alpha, y, C, bias) -> float:
    """By how much the conditions are violated, from the float64 formula."""
    X, _ = examples()
    v = y - kernel_matrix(X, X, GAUSSIAN) @ (alpha * y)
    up, down = np.where(y > 0, alpha < C, alpha > 0), np.where(y > 0, alpha > 0, alpha < C)
    if bias == "none":
        return max(v[up].max(initial=0.0), -v[down].min(initial=0.0))
    return v[up].max() - v[down].min()


@EACH_BIAS
@EACH_C
def test_the_values_of_all_are_right_again_after_it(bias, C):
    X, y = examples()
    K = kernel_matrix(X, X, GAUSSIAN)
    run, *_ = started(bias, C)
    times = 0
    while until(run, True):
        alpha = run.snapshot().alpha
        assert until(run, False)
        snapshot = run.snapshot()
        assert not np.array_equal(snapshot.alpha, alpha)
        np.testing.assert_allclose(snapshot.responses, y * (K @ (snapshot.alpha * y)), atol=2e-6 * C * 50)
        times += 1
    assert times > 0


@EACH_BIAS
@EACH_C
def test_only_active_coefficients_change_and_all_stay_feasible(bias, C):
    _, y = examples()
    run, *_ = started(bias, C)
    while not is_shrunk(run):
        before = run.snapshot()
        run.advance("iterations", run.iterations + 1)
    fixed = before.alpha.copy()
    touched = np.zeros(N, dtype=bool)
    while is_shrunk(run):
        snapshot = run.snapshot()
        assert snapshot.earlier and snapshot.responses is None
        touched |= snapshot.alpha != fixed
        assert snapshot.alpha.min() >= 0.0 and snapshot.alpha.max() <= C
        assert bias == "none" or abs(snapshot.alpha @ y) <= 1e-9 * C * N
        run.advance("iterations", run.iterations + 1)
    assert 0 < touched.sum() <= N / 2


@EACH_BIAS
@EACH_C
def test_it_ends_at_the_optimum_of_all(bias, C):
    _, y = examples()
    run, *_ = started(bias, C, eps=1e-6)
    assert until(run, True)
    run.advance("iterations", 10**6)
    snapshot = run.snapshot()
    assert run.converged and snapshot.responses is not None
    assert optimality(snapshot.alpha, y, C, bias) <= 2e-6


@EACH_BIAS
def test_a_round_over_the_active_is_charged_for_these_alone(bias):
    run, oracle, _ = started(bias, 0.1)
    assert until(run, True)
    ledger, n_active = oracle.ledger, int(run.state()["active"])
    assert 32 < n_active <= N / 2
    while is_shrunk(run) and run.state() is not None:
        before, alpha = ledger.kev_ondemand, run.snapshot().alpha
        run.advance("iterations", run.iterations + 1)
        changed = np.count_nonzero(run.snapshot().alpha != alpha)
        charged = ledger.kev_ondemand - before
        assert ledger.kev_ondemand == ledger.kev_rowupdate == ledger.kev_iter
        # Beside them, rounds within the set of 32: at most 64 of 4 coefficients, and as many that enter.
        assert changed * n_active <= charged <= changed * n_active + 64 * (4 * 32 + 4 * 4)
    assert ledger.kev_computed <= ledger.kev_ondemand


@EACH_BIAS
@EACH_C
def test_a_stored_run_goes_on_to_the_same_bits(bias, C):
    run, *_ = started(bias, C)
    assert until(run, True)
    run.advance("iterations", run.iterations + 1)
    state = run.state()
    assert is_shrunk(run) and state is not None
    other, *_ = started(bias, C)
    other.restore(state, run.iterations)
    for each in (run, other):
        each.advance("iterations", 10**6)
    assert run.iterations == other.iterations
    np.testing.assert_array_equal(run.snapshot().alpha, other.snapshot().alpha)


def test_there_is_no_state_while_values_are_made():
    run, *_ = started("unregularised", 0.1)
    assert until(run, True)
    while run.state() is not None:
        run.advance("iterations", run.iterations + 1)
    assert is_shrunk(run)


@pytest.mark.slow
def test_threads_do_not_change_it():
    runs = [started("unregularised", 0.1, threads=threads)[0] for threads in (1, 2)]
    for run in runs:
        assert until(run, True)
        run.advance("iterations", run.iterations + 5)
    one, two = (run.snapshot() for run in runs)
    np.testing.assert_array_equal(one.alpha, two.alpha)
