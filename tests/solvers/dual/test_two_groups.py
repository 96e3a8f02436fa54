"""The solver of pairs of groups solves their duals, whatever it has solved before."""

import numpy as np
import pytest

from svmbench.certify.certificate import certify
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.dual.two_groups import TwoGroups
from svmbench.solvers.kernel.decomposition import Decomposition, Params
from tests import instruction_sets
from tests.kernels.reference import oracle_of_matrix

GAUSSIAN = {"name": "gaussian", "gamma": 0.1}
SIZES = (37, 64, 90)


def examples(layout):
    """Return rows of three groups, one after the other, that the layout takes."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(sum(SIZES), 7)) + np.repeat([0.0, 0.8, 1.6], SIZES)[:, None]
    if layout == "bits":
        X = X > 0.8
    if layout == "bytes":
        X = np.clip(np.round(8.0 * X), 0, 255)
    if layout == "mixed":
        codes = np.clip(np.round(X[:, :3] + 1.0), 0, 4).astype(int)
        X = np.hstack([X[:, 3:], *np.eye(5)[codes].transpose(1, 0, 2)])
    return X.astype(np.float32)


def oracle_of(layout):
    X = examples(layout)
    if layout == "gram":
        return oracle_of_matrix(np.exp(-0.1 * np.square(X[:, None] - X[None]).sum(axis=-1, dtype=np.float64)))
    kernel = {**GAUSSIAN, "gamma": 1e-3} if layout == "bytes" else GAUSSIAN
    return Oracle(X, kernel, layout=layout)


def rows_of(number):
    begin = sum(SIZES[:number])
    return np.arange(begin, begin + SIZES[number])


def solver_over(oracle):
    return TwoGroups([oracle.stored(rows_of(g)) for g in range(len(SIZES))], oracle.diagonal())


def solved(solver, i, j, problem, goal=1e-9):
    solver.start(i, j, problem.bounds, problem.bias != "none", 1e-12)
    assert solver.advance(goal, 10**6)
    return solver.point()


def problem_of(i, j, bias, weighted):
    y = np.repeat([-1.0, 1.0], [SIZES[i], SIZES[j]])
    weights = np.random.default_rng(1).uniform(0.2, 2.0, size=y.size) if weighted else None
    return Problem.build(y, C=3.0, bias=bias, weights=weights)


@pytest.mark.parametrize("layout", ["dense", "bits", "bytes", "mixed", "gram", "double"])
@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_solves_what_decomposition_solves(layout, bias, weighted):
    oracle = oracle_of(layout)
    assert TwoGroups.possible(oracle)
    solver = solver_over(oracle)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        problem, rows = problem_of(i, j, bias, weighted), np.concatenate([rows_of(i), rows_of(j)])
        alpha, responses = solved(solver, i, j, problem)
        part = oracle.subset(rows)
        run = Decomposition(Params(eps=1e-9)).start(problem, part, None)
        run.advance("iterations", 10**6)
        expected = problem.y * part.exact_responses(np.arange(rows.size), run.snapshot().alpha * problem.y)
        np.testing.assert_allclose(responses, expected, atol=2e-4)
        assert (alpha >= 0.0).all() and (alpha <= problem.bounds).all()
        exact = problem.y * part.exact_responses(np.arange(rows.size), alpha * problem.y)
        np.testing.assert_allclose(responses, exact, atol=1e-4)
        if bias != "none":
            assert abs(alpha @ problem.y) <= 1e-12 * alpha.sum()


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("goal", [1e-2, 1e-9])
def test_responses_are_sums_of_the_rows_in_double_precision(bias, goal):
    oracle, problem = oracle_of("dense"), problem_of(0, 1, bias, False)
    alpha, responses = solved(solver_over(oracle), 0, 1, problem, goal)
    rows = oracle.block(np.arange(alpha.size), np.arange(alpha.size)).astype(np.float64)
    np.testing.assert_allclose(responses, problem.y * (rows @ (alpha * problem.y)), atol=1e-13)


PROGRAM = """
from tests.solvers.dual.test_two_groups import oracle_of, problem_of, solved, solver_over

alpha, responses = solved(solver_over(oracle_of("dense")), 0, 1, problem_of(0, 1, "unregularised", True))
print(f"{alpha.sum() - 0.5 * alpha @ responses:.6g}")
"""


@instruction_sets.several
def test_every_instruction_set_finds_the_optimum():
    assert len(instruction_sets.outputs(PROGRAM)) == 1


def test_what_was_solved_before_changes_no_bit():
    solver = solver_over(oracle_of("dense"))
    for i, j in ((0, 1), (1, 2), (0, 2), (0, 1)):
        problem = problem_of(i, j, "unregularised", False)
        alone = solved(solver_over(oracle_of("dense")), i, j, problem)
        for mine, other in zip(solved(solver, i, j, problem), alone, strict=True):
            np.testing.assert_array_equal(mine, other)


def test_values_within_a_group_are_made_once():
    solver = solver_over(oracle_of("dense"))
    counts = []
    for _ in range(2):
        solved(solver, 0, 1, problem_of(0, 1, "unregularised", False))
        counts.append(solver.evaluations)
    # The second time only values between the groups are made: those that the first time had as well.
    rows = np.count_nonzero(solver.point()[0])
    assert counts[1] < counts[0]
    assert counts[0] - counts[1] >= rows * min(SIZES[:2])
    assert counts[0] <= sum(SIZES[:2]) ** 2


@pytest.mark.parametrize("regression", [False, True])
def test_rows_that_are_made_together_change_no_bit(regression):
    # Rows of long examples are made together. A 64th feature, always 0, changes no value but makes them long.
    short = np.random.default_rng(3).normal(size=(sum(SIZES), 63)).astype(np.float32)
    found, counts = [], []
    for X in (short, np.pad(short, ((0, 0), (0, 1)))):
        oracle = Oracle(X, {**GAUSSIAN, "gamma": 0.01}, layout="dense")
        groups = [oracle.stored()] * 2 if regression else [oracle.stored(rows_of(g)) for g in range(3)]
        solver = TwoGroups(groups, np.ones(sum(group.n for group in groups)))
        for i, j in [(0, 1)] if regression else [(0, 1), (0, 2), (1, 2)]:
            n = groups[i].n + groups[j].n
            gains = np.tile(X[:, 0], 2) * np.repeat([-1.0, 1.0], groups[i].n) - 0.1 if regression else None
            solver.start(i, j, np.full(n, 1.0), True, 1e-12, None, gains)
            assert solver.advance(1e-9, 10**6)
            found.append(solver.point())
            counts.append(solver.evaluations)
            assert counts[-1] <= (groups[i].n ** 2 if regression else n**2)
    half = len(counts) // 2
    assert sum(counts[:half]) < sum(counts[half:])  # some were not needed
    for one, other in zip(found[:half], found[half:], strict=True):
        np.testing.assert_array_equal(one, other)


def test_rows_that_were_made_ahead_of_need_are_not_made_again():
    X = np.random.default_rng(3).normal(size=(sum(SIZES), 64)).astype(np.float32)
    oracle = Oracle(X, {**GAUSSIAN, "gamma": 0.01}, layout="dense")
    solver, n = TwoGroups([oracle.stored(rows_of(0)), oracle.stored(rows_of(1))], np.ones(X.shape[0])), 101
    solver.start(0, 1, np.ones(n), True, 1e-12)
    solver.advance(1e-1, 10)
    first = solver.evaluations
    solver.start(0, 1, np.ones(n), True, 1e-12, np.repeat([1.0 / 37, 1.0 / 64], [37, 64]))  # all have rows
    assert 0 < first < first + solver.evaluations == n**2


def test_steps_are_limited():
    solver = solver_over(oracle_of("dense"))
    problem = problem_of(0, 1, "unregularised", False)
    solver.start(0, 1, problem.bounds, True, 1e-12)
    assert not solver.advance(1e-9, 3) and solver.steps == 3
    assert not solver.advance(1e-9, 0) and solver.steps == 3
    assert solver.advance(1e-9, 10**6) and solver.steps > 3


def test_sparse_examples_are_not_taken():
    import scipy.sparse as sp

    assert not TwoGroups.possible(Oracle(sp.csr_array(examples("dense")), GAUSSIAN, layout="sparse"))


@pytest.mark.parametrize("distance", [0.3, 3.0])
@pytest.mark.parametrize("C", [0.5, 300.0])
def test_variables_that_are_left_out_for_a_while_are_at_their_optimum_in_the_end(distance, C):
    # Few coefficients are left where the groups are far apart, and for a large C those left out come back.
    rng = np.random.default_rng(2)
    X = (rng.normal(size=(700, 3)) + np.repeat([0.0, distance], [300, 400])[:, None]).astype(np.float32)
    oracle = Oracle(X, {**GAUSSIAN, "gamma": 0.5})
    parts = np.arange(300), np.arange(300, 700)
    problem = Problem.build(np.repeat([-1.0, 1.0], [300, 400]), C=C, bias="unregularised")
    solver = TwoGroups([oracle.stored(rows) for rows in parts], oracle.diagonal())
    solver.start(0, 1, problem.bounds, True, 1e-10)
    assert solver.advance(1e-7, 10**6)
    alpha, responses = solver.point()
    assert certify(problem, alpha, responses)["relative_gap"] <= 1.01e-7
    exact = problem.y * oracle.exact_responses(np.arange(700), alpha * problem.y)
    np.testing.assert_allclose(responses, exact, atol=3e-6 * C)
