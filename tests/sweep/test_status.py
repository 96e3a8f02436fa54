"""What a sweep says of itself while it runs."""

import io

import pytest

from svmbench.runner.end_states import End, explained
from svmbench.runner.progress import duration
from svmbench.solvers.base import Solver
from svmbench.sweep.planning import Job
from svmbench.sweep.record import Record
from svmbench.sweep.status import Status, failures, left
from svmbench.sweep.stored import without_run


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_times_in_words(seconds, text):
    assert duration(seconds) == text


def test_the_time_left_is_that_of_the_runs_that_are_made_at_a_time(tmp_path):
    """A cluster may make fewer than `jobs`."""
    status = Status(Record(tmp_path), 9, {}, io.StringIO())
    jobs = [Job(number, "", [], {}) for number in range(3)]
    for job in jobs:
        status.began(job)
    status.ended(jobs[0], without_run("done", "", 60.0))
    assert "2 running" in status.line() and "about 2 min " in status.line()


def test_methods_that_ended_far_from_the_optimum_are_named_beside_failures():
    near, far = ({"relative_gap": gap, "dual_source": "solver"} for gap in (1e-3, 0.18))
    ends = {}
    for number, row in enumerate((near, far)):
        end = explained(End("converged", "the support vectors have reached k"), row, Solver)
        ends[number] = {"state": "done", "reason": end.reason}
    ends[2] = {"state": "failed", "reason": "failed, no memory"}
    ends[3] = {"state": "done", "reason": None}
    jobs = [Job(number, f"k={number}", [], {}) for number in range(5)]
    assert failures(jobs, ends) == [
        "  2  k=1: done, the support vectors have reached k, by its own rule alone, at a relative gap of "
        "1.8e-01",
        "  3  k=2: failed, no memory",
    ]


def test_the_time_left_goes_on_between_ends(monkeypatch):
    ends = {number: {"state": "done", "seconds": 60.0} for number in range(2)}
    shown = []
    for now in (1000.0, 1030.0, 1060.0, 1120.0):
        monkeypatch.setattr("svmbench.sweep.status.time.time", lambda now=now: now)
        shown.append(left(ends, 5, 2, [1000.0, 1000.0]))
    # One job waits; two have begun, and take longer than the others from the third minute on.
    assert shown == [90.0, 60.0, 30.0, 45.0]
    monkeypatch.setattr("svmbench.sweep.status.time.time", lambda: 1120.0)
    assert left(ends, 4, 2, [1000.0, 1000.0]) is None  # what is left takes longer than what was seen
    assert left({}, 4, 2, [1000.0]) is None
