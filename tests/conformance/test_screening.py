"""Gap-safe screening removes nothing whose optimal value is another one, and changes no answer."""

from fractions import Fraction

import numpy as np
import pytest

from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.dual.gap_safe import Screening
from svmbench.solvers.linear.dcd import DCD, Params
from tests.conformance.cases import data
from tests.instruction_sets import outputs, several
from tests.truth.exact_optimum import fractions, optimum
from tests.truth.random_runs import ODD, odd

PROBLEMS = 450


def ran(X, y, C, visits=20_000, seed=0, **given):
    examples = LinearData(np.asarray(X, dtype=np.float32))
    solver = DCD(Params(**{"shrinking": "gap_safe", "eps": 1e-12, **given}))
    run = solver.start(Problem.build(np.asarray(y, dtype=np.float64), C=C), examples, Generator(seed))
    run.advance("iterations", visits)
    return run


def removed(run):
    state = run.state()
    return state["items"][int(state["visited"]) :]


def problem(number):
    """Few examples of a random kind and C, up to 1e12; at some C, a coefficient alone would just reach it."""
    rng = np.random.default_rng([number, 32])
    X, y = odd(rng, int(rng.integers(1, 41)), str(rng.choice(ODD)))
    C = 10.0 ** rng.uniform(-6.0, 12.0)
    squares = np.square(X.astype(np.float64)).sum(axis=1)
    if number % 3 == 0 and squares.max() > 0.0:
        C = 1.0 / squares.max()
    return X, y, C


def complaints(X, y, C, run, best):
    """Return what is removed with a value that the optimum, within its gap, does not have."""
    alpha, reach = run.snapshot().alpha, float(best.gap) ** 0.5
    wrong = []
    for i in removed(run):
        above = float(best.margins[i] - 1)
        norm = reach * float(np.linalg.norm(X[i].astype(np.float64)))
        if alpha[i] == 0.0:
            right = above > 0.0 if best.gap == 0 else above >= -norm
        else:
            right = alpha[i] == C and (above < 0.0 if best.gap == 0 else above <= norm)
        wrong += [] if right else [f"{i}: {alpha[i]!r}, margin {above} from 1"]
    return wrong


def test_no_coefficient_is_removed_with_a_value_that_the_optimum_does_not_have():
    certified = exact = at_zero = at_C = 0
    for number in range(PROBLEMS):
        X, y, C = problem(number)
        best = optimum(X, y, C)
        primal = best.objective + best.gap
        if best.gap > Fraction(1, 10**12) * primal:
            continue
        run = ran(X, y, C, seed=number)
        assert complaints(X, y, C, run, best) == [], number
        values = run.snapshot().alpha[removed(run)]
        certified, exact = certified + 1, exact + (best.gap == 0)
        at_zero, at_C = at_zero + np.count_nonzero(values == 0.0), at_C + np.count_nonzero(values)
    assert certified > 300 and exact > 0.9 * certified
    assert at_zero > 300 and at_C > 300


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_rounding_is_within_the_bounds(loss):
    # Points near the optimum, where the gap is little but rounding, and far from it.
    off = 0
    for number in range(200):
        X, y, C = problem(number)
        rng = np.random.default_rng(number)
        alpha = ran(X, y, C, 3000, shrinking=False, loss=loss).snapshot().alpha
        if number % 2:
            alpha = np.where(rng.random(y.size) < 0.5, C, rng.uniform(0.0, C, y.size))
        squared = loss == "squared_hinge"
        examples = LinearData(X)
        U, D = (np.inf, 0.5 / C) if squared else (C, 0.0)
        screening = Screening(examples, y, examples.squared_norms(), alpha.copy(), U, D)
        gap, margins, slips = screening.bounds(np.arange(y.size))
        signed, a = fractions(y)[:, None] * fractions(X), fractions(alpha)
        exact = 1 - signed @ (signed.T @ a)
        assert all(abs(Fraction(m) - e) <= Fraction(s) for m, e, s in zip(margins, exact, slips, strict=True))
        loss = Fraction(C) * sum(max(Fraction(0), e) ** (2 if squared else 1) for e in exact)
        least = loss - a @ exact + (Fraction(0.5 * D) * (a @ a) if squared else 0)
        assert least <= Fraction(gap)
        off += any(Fraction(m) != e for m, e in zip(margins, exact, strict=True))
    assert off > 100


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_the_answer_is_the_one_without_screening_for_fewer_visits(loss, C):
    X, y = data(seed=4, n=300)
    screened = ran(X, y, C, 10**7, eps=1e-7, loss=loss)
    plain = ran(X, y, C, 10**7, eps=1e-7, loss=loss, shrinking=False)
    assert screened.converged and plain.converged
    assert removed(screened).size > 50
    one, other = screened.snapshot(), plain.snapshot()
    np.testing.assert_allclose(one.model.weights, other.model.weights, rtol=0.0, atol=1e-6)
    gaps = [gap(X, y, C, each, loss) for each in (one, other)]
    assert max(map(abs, gaps)) < 1e-5 * C * y.size
    assert C > 1.0 or screened.iterations < plain.iterations


def gap(X, y, C, snapshot, loss):
    margins = 1.0 - y * (X.astype(np.float64) @ snapshot.model.weights)
    slack, alpha = np.maximum(margins, 0.0), snapshot.alpha
    if loss == "hinge":
        return float((C * slack - alpha * margins).sum())
    return float((C * slack**2 - alpha * margins + alpha**2 / (4.0 * C)).sum())


def test_every_check_is_charged():
    # Ten passes of 37 examples less the one that is 0, and then as many inner products as are still active.
    X, y = data()
    examples = LinearData(X)
    run = DCD(Params(shrinking="gap_safe", eps=1e-12)).start(Problem.build(y, C=1.0), examples, Generator(1))
    active = int(np.count_nonzero(X.any(axis=1)))
    run.advance("iterations", 10 * active - 1)
    assert examples.ledger.inner_products == y.size + 10 * active - 1
    run.advance("iterations", 10 * active)
    assert examples.ledger.inner_products == y.size + 11 * active
    assert removed(run).size > 0


def test_a_run_of_which_everything_is_proved_has_converged():
    # Both coefficients go to C, each against the other, by small steps.
    run = ran([[1.0, 0.1], [-1.0, 0.1]], [1.0, 1.0], C=21.5, seed=1)
    assert run.converged and run.iterations == 2 * 20
    assert sorted(removed(run)) == [0, 1]
    np.testing.assert_array_equal(run.snapshot().alpha, 21.5)


PROGRAM = """
from tests.conformance.test_screening import problem, ran, removed
for number in range(60):
    X, y, C = problem(number)
    run = ran(X, y, C, 4000, seed=number)
    print(number, sorted(removed(run).tolist()), run.snapshot().alpha[removed(run)].tolist())
"""


@several
def test_every_instruction_set_removes_the_same():
    assert len(outputs(PROGRAM)) == 1
