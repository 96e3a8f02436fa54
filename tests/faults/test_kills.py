"""What is left of runs and sweeps that were killed; `tests.faults.kills` does it with larger numbers."""

import pytest

from tests.faults.kills import damage_killed_runs, kill_commands, kill_runs, kill_sweeps


def test_a_run_killed_at_a_random_moment_loses_nothing_that_it_told(tmp_path):
    states = kill_runs(tmp_path, kills=6, seed=1)  # which holds what each has left
    assert states["killed"] > 0  # with checkpoints, not before the first thing or after the end


def test_a_sweep_killed_at_a_random_moment_ends_its_workers_and_is_finished_by_the_same_command(tmp_path):
    kill_sweeps(tmp_path, kills=1, seed=1)  # which holds what it has left


@pytest.mark.slow
def test_what_a_killed_leader_or_worker_leaves_is_finished_by_the_same_command(tmp_path):
    kill_sweeps(tmp_path, kills=1, seed=1, what="paper run")  # which holds what it has left


def test_damage_to_a_killed_run_is_mended_by_the_same_command(tmp_path):
    damage_killed_runs(tmp_path, kills=4, seed=1)  # which holds what it has left


@pytest.mark.slow
def test_other_commands_killed_at_a_random_moment_lose_nothing_and_are_repeated(tmp_path):
    kill_commands(tmp_path, kills=6, seed=1)  # which holds what it has left
