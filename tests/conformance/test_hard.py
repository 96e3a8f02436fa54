"""Nothing hangs, and no number is wrong without a word: every solver on random problems with hard corners.

``SVMBENCH_HARD=1000`` plays so many for each solver instead of a few; ``python -m tests.conformance.hard``
plays those that it is given.
"""

import json
import multiprocessing
import os
from multiprocessing.context import BaseContext

import numpy as np
import pytest

from svmbench.certify.certificate import certify
from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.conformance.cases import start
from tests.conformance.hard import case, letters, main_into, play

COUNT = int(os.environ.get("SVMBENCH_HARD", "12"))
LINEAR = {"name": "linear"}
OURS = [name for name in registry.names() if registry.get(name).access != "data"]


@pytest.fixture(scope="module")
def processes() -> BaseContext:
    """Processes that a call without end or a crash may end; all that they import is imported once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.conformance.hard"])
    return context


@pytest.mark.parametrize("name", OURS)
def test_ends_converged_stalled_or_at_its_budget(name, processes, tmp_path):
    out, err, words = tmp_path / "out", tmp_path / "err", [name, "0", str(COUNT)]
    process = processes.Process(target=main_into, args=(out, err, words))
    process.start()
    process.join()
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    posed, ended = lines[::2], lines[1::2]
    assert process.exitcode == 0, f"no end of {posed[-1] if posed else words}: {err.read_text()}"
    assert len(posed) == len(ended) == COUNT
    ends = {end["end"] for end in ended}
    assert ends <= {"converged", "stalled", "budget", "diverged", "refused"}
    assert ends & {"converged", "stalled", "budget"}  # else nothing was held against anything
    bad = [
        f"{case['name']} {case['number']} ({case['case']}): {end['bad']}"
        for case, end in zip(posed, ended, strict=True)
        if end["bad"]
    ]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize(("name", "number"), [("platt", 12), ("randsvm", 8)])
def test_what_is_far_from_the_optimum_has_not_converged(name, number):
    # Features whose inner products cancel in the rows.
    ended = play(case(name, number))
    assert ended["end"] == "stalled"
    assert ended["bad"] == []


def test_the_bound_of_cutting_planes_is_made_afresh_from_their_coefficients():
    # Coefficients of 1e7 over cuts that hardly differ: the objective kept beside them is too high by 2e-11.
    assert play(case("ocas", 166))["bad"] == []


@pytest.mark.parametrize(("name", "number"), [("gpdt", 20012), ("decomposition", 70600)])
def test_ctrl_c_is_heard_within_many_short_working_sets_that_are_hard_to_solve(name, number):
    assert play(case(name, number))["bad"] == []


def test_dcd_does_not_end_at_once_on_equal_examples_with_opposite_labels():
    # The projected gradients of a pass are then equal and far from 0.
    X, y = np.full((2, 1), 0.25, dtype=np.float32), np.array([1.0, -1.0])
    run, _ = start("dcd", {"shrinking": False}, X, y, LINEAR)
    run.advance("iterations", 10**6)
    assert run.converged
    alpha = run.snapshot().alpha
    np.testing.assert_allclose(alpha, 1.0)  # both at C


@pytest.mark.parametrize("shrinking", [False, True])
@pytest.mark.parametrize(
    ("name", "n", "columns", "one_hot"),
    [("dcd", 300, 30, False), ("dcd", 300, 60, True), ("svm_light_linear", 200, 20, True)],
)
def test_a_linear_method_that_gets_on_does_not_stall(name, n, columns, one_hot, shrinking):
    # Near the optimum of the active examples the objective rises by less than its rounding, for thousands of
    # passes: a shrunk example may then be far from its optimum, or the gap may fall still.
    X, y = letters(np.random.default_rng(0), n, columns, one_hot=one_hot)
    problem, reader = Problem.build(y, C=1.0), LinearData(X)
    solver = registry.get(name)
    run = solver(solver.Params(eps=1e-10, shrinking=shrinking)).start(problem, reader, Generator(0))
    run.advance("iterations", 20_000_000 if name == "dcd" else 200_000)
    assert not run.stalled
    assert run.converged
    alpha = run.snapshot().alpha
    w = reader.combination(np.arange(n), alpha * y)
    assert certify(problem, alpha, y * reader.products(w))["relative_gap"] <= 1e-8


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("dcd", {"eps": 1e-12}),
        ("dcd", {"order": "with_replacement"}),
        ("svm_light_linear", {"eps": 1e-12}),
    ],
)
def test_a_linear_method_that_gains_nothing_any_more_says_so(name, given):
    # Features far from the origin: what a step changes is lost in the rounding of w.
    rng = np.random.default_rng(0)
    y = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    X = (1e6 + 5.0 * rng.normal(size=(40, 3))).astype(np.float32)
    run, _ = start(name, given, X, y, LINEAR)
    run.advance("iterations", 2_000_000)
    assert run.stalled and not run.converged
    before = run.iterations
    run.advance("iterations", 10**9)
    assert run.iterations == before
