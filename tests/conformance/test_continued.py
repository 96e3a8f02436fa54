"""A run that goes on from its state is the run in one piece, for every solver that claims it."""

import dataclasses
import io

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry

from . import hard

RESUMABLE = [name for name in registry.names() if registry.get(name).resumable]
PROBLEMS = 30
#: Iterations of the run in one piece, at most.
LONGEST = 1500
#: Counts that follow from the iterates, and not from what a cache happens to hold.
TOLD = ("kev_ondemand", "kev_rowupdate", "kev_iter", "iterations")


def started(given):
    """Return a run of a problem and its ledger, before the first iteration."""
    solver = registry.get(given.name)
    reader = LinearData(given.X) if solver.access == "linear" else Oracle(given.X, given.kernel, 1 << 20)
    problem = Problem.build(given.y, C=given.C, bias=given.bias)
    run = solver(solver.Params(**given.parameters)).start(problem, reader, Generator(given.number))
    return run, reader.ledger


def stored(state):
    """Return a state as it comes back from its file."""
    content = io.BytesIO()
    np.savez_compressed(content, **state)
    content.seek(0)
    with np.load(content, allow_pickle=False) as kept:
        return {name: kept[name] for name in kept.files}


def seen(run, ledger):
    """Return all that tells two runs apart but the time: coefficients, what goes with them, counts."""
    snapshot, counts = run.snapshot(), ledger.as_dict()
    told = [*TOLD, "inner_products"] if counts["kev_iter"] is None else TOLD
    return {
        **{f"model.{key}": value for key, value in vars(snapshot.model).items()},
        **{key: value for key, value in vars(snapshot).items() if key not in ("model", "native")},
        **snapshot.native,
        **{name: counts[name] for name in told},
        "ends": (run.iterations, run.converged, run.stalled),
    }


def assert_same(one, other):
    assert one.keys() == other.keys()
    for key, value in one.items():
        if isinstance(value, np.ndarray):
            # Bit for bit, signs of zero and what is not a number alike.
            assert value.dtype == other[key].dtype and value.tobytes() == other[key].tobytes(), key
        else:
            assert repr(value) == repr(other[key]), key


def advanced(run, until):
    """Advance to an iteration; return whether the run can go on."""
    try:
        run.advance("iterations", until)
    except FloatingPointError:
        return False
    return not (run.converged or run.stalled)


@pytest.mark.parametrize("name", RESUMABLE)
def test_pieces_are_the_run_in_one(name):
    compared = 0
    for number in range(PROBLEMS):
        rng = np.random.default_rng(number)
        given = hard.case(name, number)
        if name == "decomposition" and number % 2:  # sets within sets
            given = dataclasses.replace(given, parameters={"working_set": 4})
        try:
            whole, ledger = started(given)
        except UserError:
            continue
        end = int(10 ** rng.uniform(0.0, np.log10(LONGEST)))
        advanced(whole, end)
        cuts = np.sort(rng.integers(0, whole.iterations + 1, size=rng.integers(1, 4)))
        run, counts = started(given)
        for cut in cuts:
            if not advanced(run, int(cut)):
                break
            state, values = stored(run.state()), counts.as_dict()
            run, counts = started(given)
            run.restore(state, int(cut))
            assert run.iterations == cut
            for counter, value in values.items():
                if value is not None:
                    setattr(counts, counter, value)
            compared += 1
        advanced(run, end)
        assert_same(seen(whole, ledger), seen(run, counts))
    assert compared > PROBLEMS / 2


@pytest.mark.parametrize("name", RESUMABLE)
def test_a_state_shares_no_memory_with_the_run(name):
    run, _ = started(dataclasses.replace(hard.case(name, 3), bias=registry.get(name).biases[0]))
    advanced(run, 2)
    before = run.state()
    copied = {key: value.copy() for key, value in before.items()}
    advanced(run, 40)
    for key, value in before.items():
        assert np.array_equal(value, copied[key], equal_nan=True), key
