"""Every count and iterate equals the slow specification's, whatever the cache and however the run is cut."""

from __future__ import annotations

import numpy as np
import pytest

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.parts.random import Generator
from tests.conformance.cases import (
    ALL_ROWS,
    KERNELS,
    LAYOUTS,
    N,
    data,
    label,
    posed,
    specification,
    start,
    state,
    variants,
    with_counters,
)
from tests.specification.expansion import Maintained, OnDemand
from tests.specification.slow_examples import SlowExamples
from tests.specification.slow_oracle import SlowOracle

ITERATIONS = 160

EACH = pytest.mark.parametrize(("name", "given"), variants(), ids=label)


@pytest.mark.parametrize("cache", [0, ALL_ROWS], ids=["two rows", "all rows"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kernel", KERNELS, ids=label)
@pytest.mark.parametrize(("name", "given"), variants("kernel"), ids=label)
def test_counts_and_iterates_equal_the_slow_oracle(name, given, kernel, layout, cache):
    X, y = data()
    problem, parameters = posed(name, given, y)
    spec = specification(name)
    values = Oracle(LAYOUTS[layout](X), kernel).block(np.arange(N)) if getattr(spec, "TIES", False) else None
    by_rows, on_demand = SlowOracle(X, kernel, values), SlowOracle(X, kernel, values)
    alpha = spec.run(problem, Maintained(by_rows, y), Generator(1), ITERATIONS, **parameters)
    if spec.MAINTAINS:
        on_demand = by_rows
    else:
        again = spec.run(problem, OnDemand(on_demand, y), Generator(1), ITERATIONS, **parameters)
        np.testing.assert_allclose(again, alpha, rtol=1e-9, atol=1e-12)

    run, oracle = start(name, given, LAYOUTS[layout](X), y, kernel, cache=cache)
    run.advance("iterations", ITERATIONS)
    ledger = oracle.ledger.as_dict()
    setup = ledger["kev_setup"]
    assert setup == by_rows.setup
    assert ledger["kev_ondemand"] == len(on_demand.pairs)
    assert ledger["kev_rowupdate"] == len(by_rows.pairs)
    # A method whose iteration is made of whole rows pays for each, another for one.
    whole_rows = getattr(spec, "ROWS_PER_ITERATION", 1) > 1
    assert ledger["kev_iter"] == (len(by_rows.pairs) if whole_rows else N * run.iterations + setup)
    assert ledger["kev_computed"] == N * by_rows.misses(oracle.cache_rows) + setup
    assert ledger["inner_products"] == ledger["kev_computed"]
    assert ledger["iterations"] == run.iterations
    assert ledger["kev_observation"] == ledger["kev_prediction"] == 0

    snapshot = run.snapshot()
    signed = np.zeros(N)
    signed[snapshot.model.indices] = snapshot.model.coefficients
    tolerance = 2e-5 if kernel["name"] == "gaussian" else 1e-9
    np.testing.assert_allclose(signed, alpha * y, rtol=tolerance, atol=tolerance * np.abs(alpha).max())
    assert oracle.ledger.as_dict() == ledger  # a snapshot evaluates nothing


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("iterations", [1, 2, ITERATIONS, 1000])
@pytest.mark.parametrize(("name", "given"), variants("linear"), ids=label)
def test_products_and_iterates_equal_the_slow_examples(name, given, iterations, layout):
    X, y = data()
    slow = SlowExamples(X, y)
    weights = specification(name).run(Problem.build(y, lam=1.0 / N), slow, Generator(1), iterations, **given)
    run, examples = start(name, given, LAYOUTS[layout](X), y, KERNELS[1])
    run.advance("iterations", iterations)
    ledger = examples.ledger.as_dict()
    assert ledger.pop("inner_products") == slow.products
    assert ledger.pop("iterations") == run.iterations <= iterations
    assert set(ledger.values()) == {None}  # kernel evaluations do not apply
    snapshot = run.snapshot()
    np.testing.assert_allclose(snapshot.model.weights, weights, rtol=1e-9, atol=1e-12)
    assert examples.ledger.inner_products == slow.products  # a snapshot makes none
    assert examples.observed == 0


@pytest.mark.parametrize(("name", "given", "counter"), with_counters(), ids=label)
def test_pieces_are_the_whole_bit_for_bit(name, given, counter):
    X, y = data()
    kernel = KERNELS[0]
    whole, oracle = start(name, given, X, y, kernel)
    whole.advance("iterations", 1500)
    mark = oracle.ledger.as_dict()[counter]
    whole, oracle = start(name, given, X, y, kernel)
    whole.advance(counter, mark)
    expected = state(whole, oracle)

    rng = np.random.default_rng(7)
    for observe in (False, True):
        run, oracle = start(name, given, X, y, kernel)
        for cut in np.sort(rng.integers(0, mark, size=60)):
            run.advance(counter, int(cut))
            if observe:
                run.snapshot()
        run.advance(counter, mark)
        assert state(run, oracle) == expected


@pytest.mark.parametrize(("name", "given"), variants("kernel"), ids=label)
def test_the_cache_changes_nothing_but_what_is_computed(name, given):
    X, y = data()
    seen = []
    for cache in (0, 5 * 4 * 48, ALL_ROWS):
        run, oracle = start(name, given, X, y, KERNELS[0], cache=cache)
        run.advance("iterations", 400)
        ledger = oracle.ledger
        seen.append((ledger.kev_computed, state(run, oracle)[:6], ledger.kev_ondemand, ledger.kev_rowupdate))
    assert seen[0][1:] == seen[1][1:] == seen[2][1:]
    assert seen[0][0] >= seen[1][0] >= seen[2][0]


@EACH
def test_advance_makes_at_most_that_many_iterations(name, given):
    X, y = data()
    run, oracle = start(name, given, X, y, KERNELS[0])
    run.advance("inner_products", 10**30, 3)
    run.advance("inner_products", 10**30, 0)
    run.advance("inner_products", 10**30, 20)
    whole, whole_oracle = start(name, given, X, y, KERNELS[0])
    whole.advance("iterations", 23)
    assert run.iterations == 23 or run.converged
    assert state(run, oracle) == state(whole, whole_oracle)


@pytest.mark.parametrize(("name", "given", "counter"), with_counters(), ids=label)
def test_advance_stops_at_the_first_boundary_past_the_mark(name, given, counter):
    X, y = data()
    one, steps = start(name, given, X, y, KERNELS[1])
    mark = 20 * N
    while steps.ledger.as_dict()[counter] < mark and not one.converged:
        one.advance("iterations", one.iterations + 1)
    run, oracle = start(name, given, X, y, KERNELS[1])
    run.advance(counter, mark)
    assert state(run, oracle) == state(one, steps)
    run.advance(counter, mark)  # already there
    assert state(run, oracle) == state(one, steps)
