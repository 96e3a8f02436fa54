"""A solver in plain Python: charged by the rules, and the same as the compiled one."""

from __future__ import annotations

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.plain import ExpansionRun
from tests.conformance.cases import KERNELS, data, start, state


class Ascent(ExpansionRun):
    """SDCA in plain Python."""

    def __init__(self, problem, oracle, rng):
        super().__init__(problem, oracle)
        self.rng = rng

    def improve(self):
        i = self.rng.integers(self.problem.n)
        missing = 1.0 - self.response(i)
        step = missing / self.diagonal[i] if self.diagonal[i] > 0.0 else np.inf
        value = min(max(self.alpha[i] + step, 0.0), self.problem.C)
        if abs(value - self.alpha[i]) > 1e-14 * max(value, self.alpha[i]):
            self.change(i, value)
        return False


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])
def test_it_is_charged_as_the_compiled_solver(kernel):
    X, y = data()
    oracle = Oracle(X, kernel)
    plain = Ascent(Problem.build(y, lam=1.0 / y.size), oracle, Generator(1))
    plain.advance("iterations", 300)
    compiled, other = start("sdca", {}, X, y, kernel, prefetch=False)
    compiled.advance("iterations", 300)
    assert oracle.ledger.as_dict() == other.ledger.as_dict()
    ours, theirs = plain.snapshot(), compiled.snapshot()
    np.testing.assert_allclose(ours.alpha, theirs.alpha, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.responses, theirs.responses, rtol=1e-9, atol=1e-12)


def test_pieces_are_the_whole():
    X, y = data()
    problem = Problem.build(y, lam=1.0 / y.size)
    runs = [
        (Ascent(problem, oracle, Generator(1)), oracle) for oracle in (Oracle(X, KERNELS[0]) for _ in "ab")
    ]
    for goal in range(0, 101, 7):
        runs[0][0].advance("iterations", min(goal, 100))
    runs[0][0].advance("iterations", 100)
    runs[1][0].advance("iterations", 100)
    assert state(*runs[0]) == state(*runs[1])


def test_a_method_that_looks_at_single_responses_is_not_given_all():
    X, y = data()
    run = Ascent(Problem.build(y, lam=1.0 / y.size), Oracle(X, KERNELS[0]), Generator(1))
    with pytest.raises(TypeError, match="set maintains = True"):
        _ = run.responses


def test_a_run_that_says_it_has_stalled_ends():
    class Idle(ExpansionRun):
        def improve(self):
            self.stall()
            return False

    X, y = data()
    run = Idle(Problem.build(y, lam=1.0 / y.size), Oracle(X, KERNELS[0]))
    run.advance("iterations", 1000)
    assert run.stalled and not run.converged and run.iterations == 1


def test_responses_that_overflow_end_it():
    class Wild(ExpansionRun):
        def improve(self):
            self.change(0, np.inf)
            return False

    X, y = data()
    run = Wild(Problem.build(y, lam=1.0 / y.size), Oracle(X, KERNELS[0]))
    with pytest.raises(FloatingPointError, match="no longer finite"), np.errstate(invalid="ignore"):
        run.advance("iterations", 1)


def test_labels_must_fit_the_examples():
    X, y = data()
    with pytest.raises(UserError, match="36 labels do not fit 37 examples"):
        Ascent(Problem.build(y[:-1], lam=1.0), Oracle(X, KERNELS[0]), Generator(1))
