"""A solver in plain Python: charged by the rules, and the same as the compiled one."""

from __future__ import annotations

from typing import get_type_hints

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.option import option
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.plain import ExpansionRun, solver_of
from tests.conformance.cases import KERNELS, data, start, state


class Ascent(ExpansionRun):
    """SDCA in plain Python.

    Not part of the citation.
    """

    steps = option(1.0, "length of a step", above=0)
    words: list[str] | None = option(None, "words")

    def improve(self):
        i = self.rng.integers(self.problem.n)
        missing = 1.0 - self.response(i)
        step = self.steps * missing / self.diagonal[i] if self.diagonal[i] > 0.0 else np.inf
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


class Reading(ExpansionRun):
    """A method that changes the first coefficients, and reads what a test asks for in an iteration."""

    reads = option(["responses"], "what each iteration reads")

    def improve(self):
        at = self.iterations
        {"responses": lambda: self.responses[0], "response": lambda: self.response(0), "": lambda: 0}[
            self.reads[min(at, len(self.reads) - 1)]
        ]()
        self.change(at, 0.5)
        return False

    def snapshot(self):
        """Return what looks at the responses, as a method that averages may."""
        assert self.response(0) == self.responses[0]
        return super().snapshot()


@pytest.mark.parametrize(
    ("reads", "on_demand"),
    [
        (["responses"], [5 * 37] * 2),
        (["responses", "response"], [5 * 37] * 2),
        (["", "", "responses"], [5 * 37] * 2),
        (["response"], [0 + 1 + 2 + 3 + 4] * 2),
        ([""], [0] * 2),
    ],
)
def test_it_is_charged_by_what_it_reads(reads, on_demand):
    X, y = data()
    solver = solver_of(Reading, "reading")
    for looking in (False, True):
        oracle = Oracle(X, KERNELS[0])
        run = solver(solver.Params(reads=reads)).start(Problem.build(y, lam=1.0), oracle, Generator(1))
        for goal in range(1, 6):
            if looking:
                run.snapshot()
            run.advance("iterations", goal)
        assert oracle.ledger.kev_ondemand == on_demand[looking]
        assert oracle.ledger.kev_rowupdate == oracle.ledger.kev_iter == 5 * 37


def test_a_mixture_that_cannot_be_counted_is_refused():
    X, y = data()
    run = Reading(
        Problem.build(y, lam=1.0),
        Oracle(X, KERNELS[0]),
        None,
        Reading.Params(["response"] * 3 + ["responses"]),
    )
    with pytest.raises(UserError, match="Reading reads all responses after single ones, which were charged"):
        run.advance("iterations", 9)


def test_a_solver_is_made_of_it():
    solver = solver_of(Ascent, "block_ascent")
    assert solver is solver_of(Ascent, "block_ascent") and issubclass(solver, Solver)
    assert (solver.name, solver.title, solver.citation) == (
        "block_ascent", "Block ascent", "SDCA in plain Python.",
    )  # fmt: skip
    assert (solver.stochastic, solver.resumable, solver.startable, solver.version) == (True, False, False, 1)
    assert solver.counting.startswith("the non-zero coefficients per response under A")
    assert get_type_hints(solver.Params) == {"steps": float, "words": list[str] | None}
    assert solver.Params() == Ascent.Params(steps=1.0, words=None)
    X, y = data()
    runs = []
    for steps in (1.0, 0.5):
        params = solver.Params(steps=steps)
        runs.append(solver(params).start(Problem.build(y, lam=0.03), Oracle(X, KERNELS[0]), Generator(1)))
        runs[-1].advance("iterations", 50)
    assert runs[0].steps == 1.0 and not np.array_equal(runs[0].alpha, runs[1].alpha)


def test_a_tolerance_is_that_of_the_base_class():
    class Tolerant(ExpansionRun):
        eps = option(0.5, "tolerance", above=0)

        def improve(self):
            return self.eps > 0.1

    X, y = data()
    run = Tolerant(Problem.build(y, lam=1.0), Oracle(X, KERNELS[0]))
    run.advance("iterations", 100)
    assert run.converged and run.iterations == 1
    assert run.tighten(0.1) and run.eps == pytest.approx(0.05) and not run.converged
    run.advance("iterations", 100)
    assert run.iterations == 100


def test_its_class_may_set_what_a_solver_is():
    class Second(Ascent):
        title, citation, version, exact = "2nd", "Somebody", 2, True
        responses_of_all = option(True, "whether")

    solver = solver_of(Second, "second")
    assert (solver.title, solver.citation, solver.version, solver.exact) == ("2nd", "Somebody", 2, True)
    assert list(get_type_hints(solver.Params)) == ["steps", "words", "responses_of_all"]


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("rng", "Hidden is random: set stochastic = True in its class"),
        ("diagonal", r"Hidden needs the diagonal: read self\.diagonal in its class"),
    ],
)
def test_a_method_that_hides_what_it_needs_says_so(what, sentence):
    class Hidden(ExpansionRun):
        """Nobody."""

        def improve(self):
            return getattr(self, what) is None

    X, y = data()
    solver = solver_of(Hidden, "hidden")
    assert not solver.stochastic
    run = solver(solver.Params()).start(Problem.build(y, lam=1.0), Oracle(X, KERNELS[0]), Generator(1))
    with pytest.raises(UserError, match=sentence):
        run.advance("iterations", 1)


def test_an_init_without_that_of_its_bases_is_told():
    class Bare(ExpansionRun):
        """Nobody."""

        def __init__(self, *given):
            self.own = 1

        def improve(self):
            return True

    X, y = data()
    solver = solver_of(Bare, "bare")
    with pytest.raises(UserError, match=r"Bare must begin with super\(\).__init__"):
        solver(solver.Params()).start(Problem.build(y, lam=1.0), Oracle(X, KERNELS[0]), Generator(1))


class Subgradients(ExpansionRun):
    """Pegasos in plain Python: it needs no diagonal, and observes all responses."""

    def improve(self):
        i, t = self.rng.integers(self.problem.n), self.iterations
        if t == 0 or self.response(i) / (self.problem.lam * t) < 1.0:
            self.change(i, self.alpha[i] + 1.0)
        return False

    def snapshot(self):
        scale = 1.0 / (self.problem.lam * max(self.iterations, 1))
        model = KernelExpansion.from_alpha(self.alpha * scale, self.problem.y)
        return Snapshot(model, self.responses * scale)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])
def test_what_is_not_needed_is_not_charged(kernel):
    X, y = data()
    solver, oracle = solver_of(Subgradients, "subgradients"), Oracle(X, kernel)
    plain = solver(solver.Params()).start(Problem.build(y, lam=1.0 / y.size), oracle, Generator(1))
    compiled, other = start("pegasos", {}, X, y, kernel, prefetch=False)
    for goal in (0, 1, 300):
        plain.advance("iterations", goal)
        compiled.advance("iterations", goal)
        ours, theirs = plain.snapshot(), compiled.snapshot()
        assert oracle.ledger.as_dict() == other.ledger.as_dict()
        np.testing.assert_allclose(ours.responses, theirs.responses, rtol=1e-9, atol=1e-12)
    assert solver.counting.startswith("the non-zero coefficients per response under A")


def test_a_parameter_may_not_have_the_name_of_an_attribute():
    for name in ("alpha", "responses", "iterations"):
        with pytest.raises(UserError, match=f"'{name}' of Bad is no name for a parameter: every run has it"):
            type("Bad", (ExpansionRun,), {name: option(1.0, "something")})


def test_a_run_that_says_it_has_stalled_ends():
    class Idle(ExpansionRun):
        def improve(self):
            self.stall()
            return False

    X, y = data()
    run = Idle(Problem.build(y, lam=1.0 / y.size), Oracle(X, KERNELS[0]))
    run.advance("iterations", 1000)
    assert run.stalled and not run.converged and run.iterations == 1


@pytest.mark.parametrize(
    ("value", "cause"), [(np.inf, "sets coefficient 0 to inf"), (1e308, "scale the data")]
)
def test_responses_that_overflow_end_it(value, cause):
    class Wild(ExpansionRun):
        def improve(self):
            self.change(0, value)
            return False

    X, y = data()
    run = Wild(
        Problem.build(y, lam=1.0 / y.size),
        Oracle(X, {"name": "polynomial", "gamma": 1.0, "coef0": 9.0, "degree": 3}),
    )
    with pytest.raises(FloatingPointError, match=cause), np.errstate(invalid="ignore", over="ignore"):
        run.advance("iterations", 1)


def test_labels_must_fit_the_examples():
    X, y = data()
    with pytest.raises(UserError, match="36 labels do not fit 37 examples"):
        Ascent(Problem.build(y[:-1], lam=1.0), Oracle(X, KERNELS[0]), Generator(1))
