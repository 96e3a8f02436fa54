"""Baselines solve our problem: found by ``access``, held to the optimum that our solvers are held to."""

import importlib.metadata

import numpy as np
import pytest

from svmbench.errors import Refusal, UserError
from svmbench.problem import Problem, mean_hinge, primal_objective
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.conformance.cases import (
    KERNELS,
    LAYOUTS,
    data,
    kernel_of,
    label,
    observer_of,
    read,
    specification,
    start,
    variants,
)
from tests.conformance.test_optimum import Optimum

PEERS = [name for name in registry.names() if registry.get(name).access == "data"]
PROBLEMS = [(name, bias) for name in PEERS for bias in registry.get(name).biases]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("name", "bias"), PROBLEMS)
def test_the_answer_is_that_of_our_problem(name, bias, layout):
    parameters, tolerance = specification(name).REACHES
    kernel = kernel_of(name, KERNELS[0])
    reference = Optimum(kernel=kernel, bias=bias)
    X, y = LAYOUTS[layout](reference.X), reference.y
    run, _ = start(name, parameters | {"bias": bias}, X, y, kernel)
    run.advance("iterations", 1_000_000)
    assert run.converged and run.reason == "every setting has been tried"
    snapshot = run.snapshot()
    seen, model = read(observer_of(name), X, kernel), snapshot.model
    responses = snapshot.responses
    if responses is None:
        responses = y * model.training_scores(seen)
    np.testing.assert_allclose(model.scores(seen, X), y * responses + model.bias, rtol=1e-5, atol=1e-5)
    loss = mean_hinge(responses, y * model.bias)
    reached = primal_objective(reference.problem.lam, model.squared_norm(seen, y, responses), loss)
    assert reached == pytest.approx(reference.primal, rel=tolerance)
    assert reached >= reference.primal * (1.0 - 1e-6) or not snapshot.inside


@pytest.mark.parametrize(("name", "given"), variants("data"), ids=label)
def test_nothing_but_iterations_is_counted(name, given):
    X, y = data()
    run, examples = start(name, given, X, y, kernel_of(name, KERNELS[0]))
    run.advance("iterations", 2)
    ledger = examples.ledger.as_dict()
    assert ledger.pop("iterations") == run.iterations == 2
    assert set(ledger.values()) == {None}


@pytest.mark.parametrize("name", PEERS)
def test_the_release_names_the_package(name):
    solver = registry.get(name)
    run, _ = start(name, {}, *data(), kernel_of(name, KERNELS[0]))
    assert run.iterations == 0
    assert importlib.metadata.version(solver.package) in solver.release()


@pytest.mark.parametrize("name", PEERS)
def test_an_absent_package_is_named_with_the_command_that_installs_it(name, monkeypatch):
    def absent(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr("svmbench.solvers.baselines._baseline.version", absent)
    with pytest.raises(UserError, match=r"^\w+ needs [\w-]+, which is not installed: pip install [\w-]+$"):
        registry.get(name).release()


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("n", [1, 9])
def test_one_class_is_refused(name, n):
    X, _ = data()
    with pytest.raises(Refusal, match=f"{name} needs examples of both classes, and all {n} are of one"):
        start(name, {}, X[:n], np.ones(n), kernel_of(name, KERNELS[0]))


@pytest.mark.parametrize(("name", "given"), variants("data"), ids=label)
@pytest.mark.parametrize("rows", [[0, 1], [10, 11], [5, 5, 10, 11]])
def test_few_and_equal_examples_are_learned(name, given, rows):
    X, _ = data()
    labels = np.resize([1.0, -1.0], len(rows))
    run, _ = start(name, given, X[rows], labels, kernel_of(name, KERNELS[0]))
    run.advance("iterations", 100)
    seen, model = read(observer_of(name), X[rows], kernel_of(name, KERNELS[0])), run.snapshot().model
    assert np.isfinite(model.scores(seen, X)).all()


@pytest.mark.parametrize("name", [name for name in PEERS if not registry.get(name).refits])
def test_a_run_that_goes_on_says_where_it_overflows(name):
    X, y = data()
    solver, problem = registry.get(name), Problem.build(y, lam=1e-300)
    examples = read("data", X, kernel_of(name, KERNELS[0]))
    run = solver(solver.Params()).start(problem, examples, Generator(1))
    with pytest.raises(FloatingPointError, match=r"in epoch \d+: .*overflow"):
        run.advance("iterations", 100)
