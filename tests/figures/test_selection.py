"""Which runs make a curve, and that reading many at once changes none."""

import numpy as np
import pytest

from svmbench.figures.selection import select
from svmbench.figures.series import OVERSHOOT
from svmbench.store import Store
from tests.store.large import make

from .stored import stored_run


def test_seeds_without_a_common_cost_are_left_out(tmp_path):
    early = stored_run(tmp_path, seed=0, costs=[1e3, 2e3], errors=[3, 2])
    late = stored_run(tmp_path, seed=1, costs=[5e3, 6e3], errors=[3, 2])
    other = stored_run(tmp_path, solver="smo", costs=[1e3, 6e3], errors=[3, 2])
    found = select([early, late, other], "kev_ondemand")
    assert [curve.solver for curve in found.panels[0].curves] == ["smo"]
    assert {run for run, _ in found.left_out} == {early.id, late.id}
    assert select([early, late], "kev_ondemand").panels == []


def test_seeds_with_a_single_cost_in_common_are_a_curve(tmp_path):
    early = stored_run(tmp_path, seed=0, costs=[1e3, 2e3], errors=[3, 2])
    late = stored_run(tmp_path, seed=1, costs=[2e3, 6e3], errors=[3, 2])
    ((curve,),) = [panel.curves for panel in select([early, late], "kev_ondemand").panels]
    assert curve.costs().tolist() == [2e3]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Return 300 runs of four solvers, three seeds each."""
    folder = tmp_path_factory.mktemp("large") / "store"
    make(folder, 300)
    return Store(folder).own()


def last_observed(steps, cost):
    """Return the value of a run at a cost, checkpoint by checkpoint."""
    if cost > steps.cost[-1] * OVERSHOOT:
        return np.nan
    values = [value for at, value in zip(steps.cost, steps.value) if at <= cost * OVERSHOOT]
    return values[-1] if values else np.nan


def test_curves_of_many_runs_are_made_of_the_lines_of_their_traces(many):
    found = select(many, "kev_ondemand", panels_by=("dataset", "problem.C"))
    assert len(found.panels) == 25 and not found.left_out and len(found.runs) == 300
    for curve in (curve for panel in found.panels for curve in panel.curves):
        for steps in curve.steps:
            rows = steps.run.rows()
            assert steps.cost.tobytes() == np.array([float(row["kev_ondemand"]) for row in rows]).tobytes()
            assert steps.value.tobytes() == np.array([100.0 * row["test_error"] for row in rows]).tobytes()
        costs = np.geomspace(1e3, 1e9, 50)
        for at in (curve.costs(), costs):
            expected = np.array([[last_observed(steps, cost) for cost in at] for steps in curve.steps])
            assert curve.values(at).tobytes() == expected.tobytes()
