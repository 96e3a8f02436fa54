"""What every solver promises about seeds, snapshots, duality and interruption."""

import dataclasses
import os
import signal
import threading

import numpy as np
import pytest

from svmbench.errors import Refusal, UserError
from svmbench.problem import (
    Problem,
    dual_objective,
    mean_hinge,
    mean_squared_hinge,
    primal_objective,
    squared_hinge_dual_objective,
)
from svmbench.solvers import registry
from svmbench.solvers.run import CountedRun
from tests.conformance.cases import (
    ALL_ROWS,
    DEFAULTS,
    KERNELS,
    LAYOUTS,
    N,
    arrays,
    content,
    data,
    declared,
    kernel_of,
    label,
    observed,
    posed,
    read,
    refusals,
    start,
    state,
    variants,
)

EACH = pytest.mark.parametrize(("name", "given"), variants(), ids=label)


@pytest.mark.parametrize("name", registry.names())
def test_says_what_it_is(name):
    solver = registry.get(name)
    assert solver.name == name
    assert all((solver.title, solver.citation, solver.counting)), "title, citation and counting are needed"
    assert solver.form in ("regularised", "slack-constrained", "norm-bounded", "none")
    solver.Params()  # every parameter has a default


@pytest.mark.parametrize("name", registry.names())
def test_the_specification_declares_what_the_suite_reads(name):
    for what, usual in DEFAULTS.items():
        said = declared(name, what)
        kind = (int, float) if isinstance(usual, float) else type(usual)
        assert isinstance(said, kind), f"{what} of {name} is {said!r}: give something like {usual!r}"
        if isinstance(said, list):
            assert all(isinstance(item, dict) for item in said), f"{what} of {name}: give a list of dicts"


@pytest.mark.parametrize("name", registry.names())
def test_a_run_that_says_what_it_keeps_can_be_resumed(name):
    X, y = data()
    run, _ = start(name, declared(name, "VARIANTS")[0], X, y, KERNELS[0])
    if registry.get(name).resumable:
        assert isinstance(run, CountedRun) and type(run).keep is not CountedRun.keep
    else:
        assert "keep" not in vars(type(run)), "give the solver resumable = True"


@pytest.mark.parametrize(
    ("name", "given"), [(name, given) for name in registry.names() for given in refusals(name)], ids=label
)
def test_what_is_refused_is_refused_in_words(name, given):
    X, y = data()
    with pytest.raises(Refusal, match=f"{name} .*: give "):
        start(name, given, X, y, KERNELS[1])


@pytest.mark.parametrize("name", registry.names())
def test_every_word_that_a_parameter_can_be_is_tried(name):
    solver = registry.get(name)
    tried = [vars(solver.Params(**given)) for given in declared(name, "VARIANTS")]
    for item in dataclasses.fields(solver.Params):
        words = item.metadata.get("choices", (True, False) if item.type in (bool, "bool") else ())
        # A number may have a word beside it (nu=auto) that becomes a number before the solver starts.
        wanted = set(words) if item.type in (str, bool, "str", "bool") else set()
        assert wanted <= {values[item.name] for values in tried if wanted}, item.name


@EACH
def test_the_seed_decides(name, given):
    X, y = data()
    stochastic = registry.get(name).stochastic and given.get("order") != "given"
    runs = [start(name, given, X, y, KERNELS[0], seed=seed) for seed in (1, 1, 2)]
    for run, _ in runs:
        run.advance("iterations", 300)
    first, same, other = (state(run, oracle) for run, oracle in runs)
    assert first == same, "two runs with one seed differ: draw all random numbers from the given generator"
    assert (first != other) == stochastic, "`stochastic` says the opposite of what another seed does"


@EACH
def test_snapshots_share_no_memory(name, given):
    X, y = data()
    run, oracle = start(name, given, X, y, KERNELS[0])
    twin, twin_oracle = start(name, given, X, y, KERNELS[0])
    for goal in (0, 1, 150):
        run.advance("iterations", goal)
        before = run.snapshot()
        kept = content(before)
        run.advance("iterations", goal + 3)
        assert content(before) == kept, "a snapshot changes as the run goes on: copy its arrays"
        for array in arrays(before):
            if array is not None:
                array[...] = -7
    twin.advance("iterations", 153)
    assert state(run, oracle) == state(twin, twin_oracle), (
        "writing to a snapshot changes the run: copy its arrays"
    )
    assert np.array_equal(y, data()[1]), "the run has changed the labels"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("name", "given", "kernel"),
    [
        (name, given, kernel)
        for kernel in KERNELS
        for name, given in observed("kernel")
        if registry.get(name).access != "kernel" or kernel_of(name, kernel) == kernel
    ],
    ids=label,
)
def test_answers_are_consistent_and_dual_points_feasible(name, given, kernel, layout):
    X, y = data()
    problem, _ = posed(name, given, y)
    run, _ = start(name, given, LAYOUTS[layout](X), y, kernel)
    oracle = read("kernel", X, kernel)
    for goal in (0, 1, 7, 400):
        run.advance("iterations", goal)
        snapshot = run.snapshot()
        model = snapshot.model
        if not declared(name, "POINTS"):
            assert np.all(np.diff(model.indices) > 0)
            if declared(name, "SIGNS") == "labels":
                # w lies in the cone of y_i Φ(x_i)
                assert np.all(model.coefficients * y[model.indices] > 0.0)
        fresh = y * model.training_scores(oracle)
        size = max(1.0, np.abs(fresh).max())
        if snapshot.responses is not None:
            np.testing.assert_allclose(snapshot.responses, fresh, atol=2e-5 * size)
        if snapshot.alpha is not None:
            squared = snapshot.loss == "squared_hinge"
            assert np.all(snapshot.alpha >= 0.0), "a dual point has a negative coefficient"
            assert squared or np.all(snapshot.alpha <= problem.C), "a coefficient of a dual point exceeds C"
            np.testing.assert_array_equal((snapshot.alpha * y)[model.indices], model.coefficients)
            if problem.bias == "unregularised":
                assert abs(snapshot.alpha @ y) <= 1e-12 * problem.C
            norm2 = snapshot.alpha @ fresh
            margins = fresh + y * model.bias
            loss = mean_squared_hinge(margins) if squared else mean_hinge(margins)
            dual = squared_hinge_dual_objective if squared else dual_objective
            primal = primal_objective(problem.lam, norm2, loss)
            assert dual(problem.lam, snapshot.alpha, norm2) <= primal + 1e-12, (
                "dual value above the objective"
            )


@pytest.mark.parametrize(("name", "given"), variants("linear"), ids=label)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_linear_dual_points_are_feasible_and_make_the_weights(name, given, layout):
    X, y = data()
    problem = Problem.build(y, lam=1.0 / N)
    run, examples = start(name, given, LAYOUTS[layout](X), y, KERNELS[1])
    for goal in (0, 1, 7, 400):
        run.advance("iterations", goal)
        snapshot = run.snapshot()
        weights = snapshot.model.weights
        responses = y * examples.products(weights)
        np.testing.assert_allclose(responses, y * (X @ weights), rtol=1e-12, atol=1e-12)
        if snapshot.responses is not None:
            np.testing.assert_allclose(snapshot.responses, responses, rtol=1e-9, atol=1e-12)
        if snapshot.alpha is not None:
            np.testing.assert_allclose(X.T @ (snapshot.alpha * y), weights, rtol=1e-9, atol=1e-12)
            assert np.all(snapshot.alpha >= 0.0)
            assert snapshot.loss == "squared_hinge" or np.all(snapshot.alpha <= problem.C)


@pytest.mark.parametrize("name", registry.names())
def test_an_unknown_counter_is_named(name):
    run, _ = start(name, {}, *data(), KERNELS[0])
    with pytest.raises(UserError, match=r"'kev_row' .*'kev_rowupdate'"):
        run.advance("kev_row", 10)


def test_a_mark_beyond_every_counter_is_no_limit():
    X, y = data()
    run, _ = start("perceptron", {"epochs": 3}, X, y, KERNELS[0])
    run.advance("kev_iter", 10**30)
    assert run.converged


@pytest.mark.parametrize("name", registry.names())
def test_labels_must_fit_the_examples(name):
    X, y = data()
    with pytest.raises(UserError, match="36 labels do not fit 37 examples"):
        start(name, {}, X, y[:-1], KERNELS[0])


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("name", [name for name in registry.names() if registry.get(name).stochastic])
def test_interruption_leaves_a_whole_state(name):
    # Overlapping classes, so that hardly a stochastic method comes to an end by itself; so many that those
    # which do (sdca and dcd, where rounding stops them) need longer.
    X, y = data(n=1_500 if registry.get(name).access == "kernel" else 20_000)
    given = declared(name, "ENDLESS")
    run, oracle = start(name, given, X, y, KERNELS[0], cache=ALL_ROWS)
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))

    def advance():
        timer.start()
        run.advance("iterations", 10**15)
        pytest.fail(f"{name} ended by itself: give parameters without an end in ENDLESS of its specification")

    try:
        with pytest.raises(KeyboardInterrupt):
            advance()
    finally:
        timer.cancel()  # a run that came to its end by itself fails the test, and nothing else
        timer.join()
    twin, twin_oracle = start(name, given, X, y, KERNELS[0], cache=ALL_ROWS)
    twin.advance("iterations", run.iterations)
    assert state(run, oracle) == state(twin, twin_oracle)
    run.advance("iterations", run.iterations + 10)
    twin.advance("iterations", twin.iterations + 10)
    assert state(run, oracle) == state(twin, twin_oracle)
