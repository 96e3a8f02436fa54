"""Every count and iterate equals the slow specification's, whatever the cache and however the run is cut."""

import numpy as np
import pytest

from svmbench.kernels._oracle import Oracle
from svmbench.rng import Generator
from tests.conformance.cases import (
    ALL_ROWS,
    IN_BLOCKS,
    KERNELS,
    LAYOUTS,
    ROW_BYTES,
    N,
    content,
    data,
    declared,
    kernel_of,
    label,
    posed,
    specification,
    start,
    state,
    variants,
    with_counters,
    with_kernels,
)
from tests.specification.expansion import Maintained, OnDemand
from tests.specification.slow_examples import SlowExamples
from tests.specification.slow_oracle import SlowOracle

ITERATIONS = 160

EACH = pytest.mark.parametrize(("name", "given"), variants(), ids=label)


def specified(
    name: str, given: dict, kernel: dict, block: np.ndarray | None
) -> tuple[SlowOracle, SlowOracle, np.ndarray]:
    """What the specification reads by rows and on demand, and its α."""
    X, y = data()
    problem, parameters = posed(name, given, y)
    spec = specification(name)
    by_rows, on_demand = SlowOracle(X, kernel, block), SlowOracle(X, kernel, block)
    w = Maintained(by_rows, y)
    alpha = spec.run(problem, w, Generator(1), ITERATIONS, **parameters)
    if getattr(spec, "MAINTAINS", w.needs_all):
        return by_rows, by_rows, alpha
    again = spec.run(problem, OnDemand(on_demand, y), Generator(1), ITERATIONS, **parameters)
    np.testing.assert_allclose(again, alpha, rtol=1e-9, atol=1e-12)
    return by_rows, on_demand, alpha


@pytest.mark.parametrize("kernel", KERNELS, ids=label)
def test_both_forms_of_a_specification_make_the_same_choices_by_rounding(kernel):
    # Near the optimum the largest of the changes is one of rounding; equal examples have equal ones.
    X, y = data()
    found = []
    for form in (Maintained, OnDemand):
        w, chosen = form(SlowOracle(X, kernel), y), []
        K = w.oracle.diagonal()
        for _ in range(ITERATIONS):
            best = [min(max(w.a[i] + (1.0 - w.response(i)) / max(K[i], 1e-300), 0.0), 1.0) for i in range(N)]
            chosen.append(int(np.argmax(np.abs(best - w.a))))
            w.put(chosen[-1], best[chosen[-1]])
        found.append((chosen, w.a.tobytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize(("name", "given", "kernel"), with_kernels(), ids=label)
def test_counts_and_iterates_equal_the_slow_oracle(name, given, kernel):
    values, spec = None, None
    for layout in LAYOUTS:
        if declared(name, "TIES"):
            values = Oracle(LAYOUTS[layout](data()[0]), kernel).block(np.arange(N))
        if spec is None or values is not None:
            spec = specified(name, given, kernel, values)
        for cache in (0, ALL_ROWS):
            compare(name, given, kernel, layout, cache, *spec)


def compare(name, given, kernel, layout, cache, by_rows, on_demand, alpha):
    X, y = data()
    run, oracle = start(name, given, LAYOUTS[layout](X), y, kernel, cache=cache)
    run.advance("iterations", ITERATIONS)
    ledger = oracle.ledger.as_dict()
    model = run.snapshot().model
    assert oracle.ledger.as_dict() == ledger, "a snapshot must evaluate nothing"
    # First: other iterates have other counts.
    if declared(name, "POINTS"):
        signed = model.training_scores(oracle)
    else:
        signed = np.zeros(N)
        signed[model.indices] = model.coefficients
    tolerance = 2e-5 if kernel["name"] == "gaussian" else declared(name, "ROUNDING")
    np.testing.assert_allclose(
        signed, alpha * y, rtol=tolerance, atol=tolerance * np.abs(alpha).max(),
        err_msg=f"the coefficients after {run.iterations} iterations are not the specification's",
    )  # fmt: skip

    setup = ledger["kev_setup"]
    assert setup == by_rows.setup, "kev_setup is not what the specification evaluates before it iterates"
    said = "{} is not what the specification evaluates (docs/counting.md)"
    assert ledger["kev_ondemand"] == len(on_demand.pairs), said.format("kev_ondemand")
    assert ledger["kev_rowupdate"] == len(by_rows.pairs), said.format("kev_rowupdate")
    # A method whose iteration is made of whole rows pays for each, another for one, or as it says itself.
    whole_rows = declared(name, "ROWS_PER_ITERATION") > 1
    usual = len(by_rows.pairs) - setup if whole_rows else N * run.iterations
    assert ledger["kev_iter"] == (usual if by_rows.iterated is None else by_rows.iterated) + setup, (
        "kev_iter is not n for each iteration; see ROWS_PER_ITERATION in docs/add-a-solver.md"
    )
    # A method that only adds rows up keeps none that it can make as quickly.
    kept = oracle.keeps_rows or not declared(name, "ADDS_ROWS")
    slots = oracle.cache_rows if kept else 0
    needed = N * by_rows.misses(slots) + by_rows.beside + setup
    if declared(name, "ON_DEMAND"):
        needed = len(on_demand.pairs)
    for indices, part in by_rows.subsets:
        slots_of_part = oracle.subset(indices).cache_rows if kept else 0
        needed += part.n * part.misses(slots_of_part, slots) + part.beside
    if by_rows.on_request is not None and not oracle.keeps_rows:
        needed = by_rows.on_request(oracle.subset(np.arange(N)).cache_rows) + setup
    refinement = getattr(run, "refinement", None)
    if refinement is not None:  # recomputes what it likes in double precision, n for each coefficient
        assert refinement.evaluations % N == 0 or name == "decomposition"  # at the end for some examples only
        needed += refinement.evaluations
    assert ledger["kev_computed"] - ledger["kev_discarded"] == needed, said.format("kev_computed")
    assert ledger["inner_products"] == ledger["kev_computed"]
    assert ledger["iterations"] == run.iterations
    assert ledger["kev_observation"] == ledger["kev_prediction"] == 0, "training evaluates as if it observed"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("iterations", [1, 2, ITERATIONS, 1000])
@pytest.mark.parametrize(("name", "given"), variants("linear"), ids=label)
def test_products_and_iterates_equal_the_slow_examples(name, given, iterations, layout):
    X, y = data()
    slow = SlowExamples(X, y)
    problem, parameters = posed(name, given, y)
    answer = specification(name).run(problem, slow, Generator(1), iterations, **parameters)
    run, examples = start(name, given, LAYOUTS[layout](X), y, KERNELS[1])
    run.advance("iterations", iterations)
    ledger = examples.ledger.as_dict()
    assert ledger.pop("inner_products") == slow.products, "inner products are not those of the specification"
    assert ledger.pop("iterations") == run.iterations <= iterations
    assert set(ledger.values()) == {None}  # kernel evaluations do not apply
    snapshot = run.snapshot()
    bias = [snapshot.model.bias] if problem.bias != "none" else []
    np.testing.assert_allclose([*snapshot.model.weights, *bias], answer, rtol=1e-9, atol=1e-12)
    assert examples.ledger.inner_products == slow.products  # a snapshot makes none
    assert examples.observed == N * declared(name, "LOOKS")


@pytest.mark.parametrize(("name", "given", "counter"), with_counters(), ids=label)
def test_pieces_are_the_whole_bit_for_bit(name, given, counter):
    X, y = data()
    kernel = KERNELS[0]
    whole, oracle = start(name, given, X, y, kernel)
    whole.advance("iterations", 600)
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
    for cache in (0, 5 * ROW_BYTES, ALL_ROWS):
        run, oracle = start(name, given, X, y, KERNELS[0], cache=cache)
        run.advance("iterations", 400)
        ledger = oracle.ledger
        needed = ledger.kev_computed - ledger.kev_discarded
        seen.append((needed, state(run, oracle)[:6], ledger.kev_ondemand, ledger.kev_rowupdate))
    assert seen[0][1:] == seen[1][1:] == seen[2][1:]
    assert seen[0][0] >= seen[1][0] >= seen[2][0]


@pytest.mark.parametrize("layout", IN_BLOCKS)
@pytest.mark.parametrize(("name", "given"), variants("kernel"), ids=label)
def test_rows_made_ahead_change_nothing_but_what_is_computed(name, given, layout):
    X, y = data()
    X = IN_BLOCKS[layout](X)
    for cache in (16 * ROW_BYTES, ALL_ROWS):
        one_by_one, plain = start(name, given, X, y, KERNELS[0], cache=cache, prefetch=False)
        whole, oracle = start(name, given, X, y, KERNELS[0], cache=cache)
        pieces, other = start(name, given, X, y, KERNELS[0], cache=cache)
        assert plain.ahead == 1 < oracle.ahead
        for goal in (1, 2, 30, 31, 400):
            one_by_one.advance("iterations", goal)
            whole.advance("iterations", goal)
            while pieces.iterations < whole.iterations:
                pieces.advance("kev_ondemand", 10**15, 7 if pieces.iterations + 7 <= goal else 1)
                pieces.snapshot()
            assert state(pieces, other) == state(whole, oracle)
            assert content(whole.snapshot()) == content(one_by_one.snapshot())
            made, expected = oracle.ledger.as_dict(), plain.ledger.as_dict()
            discarded, none = made.pop("kev_discarded"), expected.pop("kev_discarded")
            computed, needed = made.pop("kev_computed"), expected.pop("kev_computed")
            assert made.pop("inner_products") == computed
            assert expected.pop("inner_products") == needed
            assert made == expected
            assert none == 0 <= discarded < computed or discarded == computed == 0  # nothing made yet
            if cache == ALL_ROWS:  # nothing is lost before it is used
                assert computed - discarded == needed


@EACH
def test_advance_makes_at_most_that_many_iterations(name, given):
    X, y = data()
    run, oracle = start(name, given, X, y, KERNELS[0])
    run.advance("inner_products", 10**30, 3)
    run.advance("inner_products", 10**30, 0)
    run.advance("inner_products", 10**30, 20)
    whole, whole_oracle = start(name, given, X, y, KERNELS[0])
    whole.advance("iterations", 23)
    assert run.iterations == 23 or run.converged or run.stalled
    assert state(run, oracle) == state(whole, whole_oracle)


@pytest.mark.parametrize(("name", "given", "counter"), with_counters(), ids=label)
def test_advance_stops_at_the_first_boundary_past_the_mark(name, given, counter):
    X, y = data()
    kernel = kernel_of(name, KERNELS[1])
    one, steps = start(name, given, X, y, kernel)
    mark = 20 * N
    while steps.ledger.as_dict()[counter] < mark and not (one.converged or one.stalled):
        one.advance("iterations", one.iterations + 1)
        assert one.iterations <= 100 * mark, f"it goes on without an end, and hardly adds to {counter}"
    run, oracle = start(name, given, X, y, kernel)
    run.advance(counter, mark)
    assert state(run, oracle) == state(one, steps)
    run.advance(counter, mark)  # already there
    assert state(run, oracle) == state(one, steps)
