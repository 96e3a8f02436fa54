"""The load of the machine while a run trains."""

import time

import pytest

from svmbench.runner import load
from svmbench.runner.load import LoadMonitor, Sample, sample, wait_until_quiet


def samples(*entries):
    """Return what hands out samples: seconds, own CPU seconds, those of all processes, stolen ones."""
    made = iter([Sample(at, own, busy, stolen, 2, 3000.0) for at, own, busy, stolen in entries])
    return lambda: next(made)


def recorded(*entries):
    monitor = LoadMonitor(samples(*entries), every=1.0)
    monitor._samples = [monitor._take() for _ in entries]
    return monitor.record()


def test_the_record_tells_own_time_from_that_of_others():
    found = recorded((0, 5, 100, 7), (1, 6, 101.5, 7), (2, 7, 102.5, 8), (2.1, 7.1, 102.6, 8))
    assert (found["seconds"], found["own"]) == (2.1, 1.0)
    assert (found["others"], found["others_most"]) == (pytest.approx(0.5 / 2.1, abs=1e-3), 0.5)
    assert found["stolen"] == pytest.approx(1 / 2.1, abs=1e-3)
    assert (found["queue"], found["mhz"]) == ([2, 2], [3000, 3000, 3000])


def test_what_the_system_does_not_tell_is_unknown():
    found = recorded((0, 0, None, None), (1, 1, None, None))
    assert [found[key] for key in ("others", "others_most", "stolen")] == [None, None, None]


def test_less_than_nothing_by_rounding_is_nothing():
    assert recorded((0, 0, 0, 0), (1, 1, 0.99, 0))["others"] == 0.0


def test_the_monitor_samples_while_its_block_lasts():
    taken = []

    def take():
        taken.append(time.perf_counter())
        return sample()

    with LoadMonitor(take, every=0.01) as monitor:
        while len(taken) < 4:
            time.sleep(0.001)
    after = len(taken)
    time.sleep(0.03)
    assert len(taken) == after
    assert monitor.record()["seconds"] > 0.02


def test_a_quiet_machine_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(load, "QUIET_FOR", 0.0)
    told = []
    assert wait_until_quiet(60.0, told.append, samples((0, 0, 0, 0), (3, 0.1, 0.15, 0)))
    assert told == []


def test_a_busy_machine_is_waited_for_and_that_is_said_once(monkeypatch):
    monkeypatch.setattr(load, "QUIET_FOR", 0.0)
    told = []
    busy, quiet = [(0, 0, 0, 0), (3, 0, 6, 0)], [(6, 0, 12, 0), (9, 0, 12, 0)]
    assert wait_until_quiet(60.0, told.append, samples(*busy, *busy, *quiet))
    assert told == ["waiting up to 60 s for a quiet machine: other processes use 2.0 cores"]


def test_waiting_ends(monkeypatch):
    monkeypatch.setattr(load, "QUIET_FOR", 0.0)
    told = []
    assert not wait_until_quiet(0.0, told.append, samples((0, 0, 0, 0), (3, 0, 6, 0)))
    assert told == ["other processes still use 2.0 cores after 0 s: starting anyway"]
