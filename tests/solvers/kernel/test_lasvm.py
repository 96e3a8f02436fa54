"""What is particular to LASVM: its finishing, its selections, one class, examples without distance."""

from functools import partial

import numpy as np
import pytest

from svmbench.certify.certificate import certify
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import GAUSSIAN, LINEAR, finished, noisy

started = partial(working_sets.started, "lasvm")


def responses(oracle, problem, model):
    return problem.y * oracle.exact_responses(model.indices, model.coefficients)


def dual(snapshot, oracle, problem):
    return snapshot.alpha.sum() - 0.5 * snapshot.alpha @ responses(oracle, problem, snapshot.model)


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_each_finishing_goes_further(bias):
    X, y = noisy(400, seed=3)
    gaps = []
    for finishing in ("none", "expansion", "all"):
        run, oracle, problem = started(X, y, C=5.0, bias=bias, finishing=finishing, eps=1e-5)
        snapshot = finished(run)
        certified = certify(problem, snapshot.alpha, responses(oracle, problem, snapshot.model))
        gaps.append(certified["relative_gap"])
    assert gaps[0] > gaps[1] > 10.0 * gaps[2]
    assert 0.0 <= gaps[2] <= 1e-5


def test_more_passes_come_nearer():
    X, y = noisy(400, seed=3)
    duals = []
    for epochs in (1, 2, 4):
        run, oracle, problem = started(X, y, C=5.0, finishing="none", epochs=epochs)
        snapshot = finished(run)
        assert run.iterations == 10 + 400 * epochs
        duals.append(dual(snapshot, oracle, problem))
    assert duals[0] < duals[1] < duals[2]


def test_active_selection_needs_fewer_examples():
    # The most misclassified candidate teaches more than a random one.
    X, y = noisy(600, seed=5)
    reached = {}
    for selection in ("random", "gradient"):
        run, oracle, problem = started(X, y, C=1.0, selection=selection)
        run.advance("iterations", 160)
        reached[selection] = dual(run.snapshot(), oracle, problem)
    assert reached["gradient"] > reached["random"]


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("kernel", [GAUSSIAN, LINEAR], ids=["gaussian", "linear"])
def test_examples_that_are_there_many_times_are_no_endless_loop(kernel, bias):
    # Equal gradients within rounding and pairs without distance, down to a tolerance near rounding.
    X, y = noisy(60, seed=4)
    X, y = np.repeat(np.round(X), 4, axis=0), np.repeat(y, 4)
    y[::4] *= -1.0
    run, oracle, problem = started(X, y, kernel, C=30.0, bias=bias, eps=1e-9)
    snapshot = finished(run)
    exact = responses(oracle, problem, snapshot.model)
    assert abs(certify(problem, snapshot.alpha, exact)["relative_gap"]) <= 1e-7


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("finishing", ["none", "expansion", "all"])
def test_gradients_of_the_members_alone_give_the_same_iterates(finishing, bias):
    # Columns of zeros make examples wide, whose rows are kept: then the gradients of all examples are.
    X, y = noisy(300, seed=6)
    X[200:], y[200:] = X[100:200], np.where(np.arange(100) < 50, y[100:200], -y[100:200])
    wide = np.pad(X, ((0, 0), (0, 95)))
    found = {}
    for width, examples in (("narrow", X), ("wide", wide)):
        run, oracle, _ = started(examples, y, C=10.0, bias=bias, finishing=finishing)
        assert oracle.keeps_rows == (width == "wide")
        snapshot = finished(run)
        found[width] = (snapshot.alpha, snapshot.model.bias, run.iterations, oracle.ledger.kev_ondemand)
        assert (snapshot.responses is None) == (width == "narrow")
    narrow, wide = found["narrow"], found["wide"]
    np.testing.assert_allclose(narrow[0], wide[0], atol=1e-10)
    assert narrow[1] == pytest.approx(wide[1], abs=1e-10)
    assert narrow[2:] == wide[2:]


@pytest.mark.parametrize("seed", range(4))
def test_the_bias_is_that_of_all_examples_where_the_members_leave_it_free(seed):
    # Of 17 equal examples the 4 positive ones are at C, and 4 others, so that S has no member in between.
    y = np.where(np.arange(17) < 4, 1.0, -1.0)
    run, oracle, problem = started(np.ones((17, 2)), y, LINEAR, C=2.4, seed=seed)
    run.advance("iterations", 10_000)
    snapshot = run.snapshot()
    margins = responses(oracle, problem, snapshot.model) + y * snapshot.model.bias
    hinge = np.maximum(0.0, 1.0 - margins).sum()
    assert run.converged
    assert 2.4 * hinge == pytest.approx(dual(snapshot, oracle, problem))
