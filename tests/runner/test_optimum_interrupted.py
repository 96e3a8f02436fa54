"""Searches for an optimum that are interrupted, and what is kept of them for the next one."""

import gc
import random
import signal
import time
from dataclasses import asdict
from functools import partial

import numpy as np
import pytest

from svmbench.runner import certifier
from svmbench.runner import optimum as module
from svmbench.solvers.kernel.decomposition import Decomposition
from svmbench.store import Store

from .fakes import rounded_rows, two_clouds
from .test_optimum import solve


def kept(store):
    return list((store.root / "optima").glob(".*.unfinished.npz"))


TIMES = ("wall_seconds", "cpu_seconds", "kev_computed", "inner_products")


def but_for_times(best):
    """Return an optimum without what an interruption may change: times, and what a cold cache made again."""
    record = asdict(best)
    record["cost"] = {name: value for name, value in record["cost"].items() if name not in TIMES}
    return record


class Ringing:
    """Interrupts the process, by a signal, some time from now."""

    def __init__(self, seconds):
        signal.signal(signal.SIGALRM, self.ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def ring(self, number, frame):
        raise KeyboardInterrupt

    def stop(self):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.fixture
def unobserved():
    """No callback of the garbage collector, as that of hypothesis: Python ignores what is raised in one."""
    kept = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.collect()  # what is left open, while the test's own filter of warnings holds
    gc.callbacks[:] = kept


PROBLEMS = {
    "kernel": {"C": 10.0},
    "bias": {"C": 10.0, "bias": "unregularised"},
    "linear": {"C": 10.0, "kernel": {"name": "linear"}},
    "two methods": {"C": 3000.0, "kernel": {"name": "linear"}},
}


@pytest.mark.usefixtures("unobserved")
# An interrupt between `open` and its `with` leaves a file to the collector, whatever the program does. One
# within the constructor of a ZipFile leaves an object whose `__del__` fails.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("posed", PROBLEMS)
def test_one_interrupted_at_random_moments_has_the_very_numbers_of_one_that_was_not(
    store, posed, monkeypatch
):
    monkeypatch.setattr(Decomposition, "Params", partial(Decomposition.Params, working_set=4))
    data, given = rounded_rows() if posed == "two methods" else two_clouds(200), PROBLEMS[posed]
    solve(Store(store.root / "warm"), data, **given)
    began = time.perf_counter()
    fresh = solve(Store(store.root / "fresh"), data, **given)
    seconds = time.perf_counter() - began
    chance, interrupted, went_on, real, bells = random.Random(1), 0, 0, module._compute, []

    def interruptible(*arguments):
        """Ring only while it computes: a lock that is being taken would be lost, and then waited for."""
        bell = Ringing(bells.pop()) if bells else None
        try:
            return real(*arguments)
        finally:
            if bell is not None:
                bell.stop()

    monkeypatch.setattr(module, "_compute", interruptible)
    for number in range(200):  # of each problem until it was interrupted 4 times, 16 times altogether
        other = Store(store.root / str(number))
        for attempt in range(4):
            said = []
            if attempt < 3:  # the fourth one may end
                bells[:] = [max(1e-4, chance.uniform(0.05, 0.8) * seconds)]
            try:
                best = solve(other, data, said.append, **given)
                break
            except KeyboardInterrupt:
                interrupted += 1
            finally:
                went_on += "continuing an interrupted search for the optimum" in said
        assert kept(other) == []
        assert but_for_times(best) == but_for_times(fresh)
        if interrupted >= 4 and went_on >= 2:
            break
    assert interrupted >= 4 and went_on >= 2


def test_what_is_kept_of_an_interrupted_one_is_not_believed_unread(store, monkeypatch):
    data = two_clouds(400)
    monkeypatch.setattr(Decomposition, "Params", partial(Decomposition.Params, working_set=4))
    real, looks = certifier.certify, []

    def watched(*arguments, **named):
        looks.append(1)
        if len(looks) == 6:
            raise KeyboardInterrupt
        return real(*arguments, **named)

    monkeypatch.setattr(certifier, "certify", watched)
    with pytest.raises(KeyboardInterrupt):
        solve(store, data, C=100.0)
    (path,) = kept(store)
    with np.load(path) as held:
        arrays = {name: held[name] for name in held.files}
    assert arrays["search_iterations"] > 0
    arrays["search_until"] = arrays["search_until"] + 5
    np.savez(path, **arrays)
    said = []
    best = solve(store, data, said.append, C=100.0)
    assert "continuing an interrupted search for the optimum" not in said
    assert but_for_times(best) == but_for_times(solve(Store(store.root / "other"), data, C=100.0))


def test_what_a_process_left_that_was_killed_when_it_had_the_optimum_is_removed(store):
    best = solve(store, two_clouds(60))
    (path,) = (store.root / "optima").iterdir()
    for left in (".{}.lock", ".{}.unfinished.npz", "..{}.unfinished.npz.svmbench-1"):
        path.with_name(left.format(path.stem)).touch()
    assert asdict(solve(store, two_clouds(60))) == asdict(best)
    assert list((store.root / "optima").iterdir()) == [path]
