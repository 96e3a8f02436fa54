"""A short trial tells what no stored run does."""

from types import SimpleNamespace

import pytest

from svmbench.run_config import BudgetConfig
from svmbench.store import Store
from svmbench.sweep import calibrate, planning
from svmbench.sweep.forecast import forecast
from svmbench.sweep.pace import seconds

SMALL = ("dataset=twonorm", "dataset.n_train=200", "dataset.n_test=0")


def test_a_trial_gives_time_in_proportion_and_is_stored_nowhere(tmp_path, monkeypatch):
    monkeypatch.setattr(calibrate, "SECONDS", 0.02)
    results = f"results={tmp_path / 'results'}"
    made = planning.make(["solver=pegasos", "budget.kev=1e17,2e17,1", *SMALL, results])
    expected = forecast(made, Store(tmp_path / "results"))
    assert not expected.seconds
    said = []
    calibrate.calibrate(made, expected, said.append)
    assert [line.split()[0] for line in said] == ["trying"]  # one trial for all three
    assert not (tmp_path / "results" / "runs").exists()
    slow, twice, quick = (expected.seconds[number] for number in range(3))
    assert twice == pytest.approx(2.0 * slow)
    assert quick < slow
    assert expected.memory[0] > 0.0


def test_a_run_that_ends_by_itself_takes_the_time_that_it_took():
    ended = {"started": "2026-11-29T12:00:00+00:00", "ended": "2026-11-29T12:00:07+00:00"}
    run = SimpleNamespace(status="converged", summary=lambda: {"wall_seconds": 1.0}, **ended)
    assert seconds(run, BudgetConfig(name="quick", kev=1e9)) == 7.0


@pytest.mark.parametrize(
    ("limits", "expected"),
    [({"kev": 3e10}, 6.0), ({"kev": 6e10}, 11.0), ({"kev": 3e6}, 6e-4), ({"kev": 3e10, "seconds": 1.0}, 1.0)],
)
def test_a_run_that_its_budget_ended_tells_the_time_in_proportion_to_another(limits, expected):
    ended = {"started": "2026-11-29T12:00:00+00:00", "ended": "2026-11-29T12:00:06+00:00"}
    last = {"wall_seconds": 5.0, "kev_ondemand": 3e10}
    run = SimpleNamespace(status="budget", summary=lambda: last, **ended)
    assert seconds(run, BudgetConfig(name="quick", **limits)) == pytest.approx(expected)


def test_what_ends_nowhere_in_sight_stays_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(calibrate, "SECONDS", 0.001)
    made = planning.make(["solver=pegasos", "budget.kev=null", *SMALL, f"results={tmp_path / 'results'}"])
    expected = forecast(made, Store(tmp_path / "results"))
    calibrate.calibrate(made, expected, lambda line: None)
    assert not expected.seconds
    assert "unknown for 1" in expected.sentence(1)
