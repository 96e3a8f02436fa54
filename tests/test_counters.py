"""Every list of counters follows from one."""

import dataclasses

import numpy as np
import pytest

from svmbench import counters
from svmbench.figures import series
from svmbench.kernels._ledger import Ledger
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.run_config import BudgetConfig
from svmbench.solvers import registry
from svmbench.solvers.baselines._data import Tally
from svmbench.store.trace import TRACE_COLUMNS


def distinct():
    """Return a ledger of which each field holds another count."""
    ledger = Ledger()
    for place, name in enumerate(counters.FIELDS):
        setattr(ledger, name, 1000 + place)
    return ledger


def test_the_ledger_has_the_counters_and_no_other_count():
    numbers = {name for name in dir(Ledger()) if type(getattr(Ledger(), name)) is int}
    assert numbers == set(counters.FIELDS)


def test_each_field_of_the_ledger_is_found_at_its_place():
    ledger = distinct()
    assert ledger.as_dict() == {name: getattr(ledger, name) for name in counters.FIELDS}


@pytest.mark.parametrize("name", counters.COUNTERS)
def test_a_run_stops_at_the_counter_of_that_name(name):
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([1.0, -1.0, 1.0])
    oracle = Oracle(X, {"name": "gaussian", "gamma": 1.0})
    solver = registry.get("pegasos")
    run = solver(solver.Params()).start(Problem.build(y, C=1.0), oracle, Generator(0))
    setattr(oracle.ledger, name, 10**6)
    run.advance(name, 10**6)  # is there already
    assert run.iterations == 0
    run.advance(name, 10**6 + 1)
    assert run.iterations > 0


def test_traces_budgets_axes_and_programs_of_others_have_the_same_counters():
    assert TRACE_COLUMNS[: len(counters.FIELDS)] == counters.FIELDS
    (given,) = (f for f in dataclasses.fields(BudgetConfig) if f.name == "counter")
    assert given.metadata["choices"] == counters.COUNTERS
    assert set(series.COUNTERS) == {*counters.COUNTERS, "wall_seconds", "cpu_seconds", *series._COLUMN}
    assert tuple(Tally().as_dict()) == counters.FIELDS
    assert set(counters.COUNTERS) <= set(counters.FIELDS)
