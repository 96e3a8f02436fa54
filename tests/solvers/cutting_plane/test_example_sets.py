"""Sums over sets of examples against a plain product, and which sets stay."""

import numpy as np
import pytest

from svmbench.solvers.cutting_plane.example_sets import ExampleSets


def filled(members):
    sets = ExampleSets(members.shape[1])
    for one in members:
        sets.add(one)
    return sets


@pytest.mark.parametrize("n", [1, 3, 4, 7, 8, 9, 511, 512, 513, 1100])
def test_sums_over_sets(n):
    rng = np.random.default_rng(n)
    members, values = rng.random((40, n)) < 0.4, rng.normal(size=n)
    np.testing.assert_allclose(filled(members).sums(values), members @ values, rtol=0, atol=1e-12)


def test_members_of_a_set():
    members = np.random.default_rng(0).random((3, 21)) < 0.5
    sets = filled(members)
    for k in range(3):
        np.testing.assert_array_equal(sets.members(k), np.flatnonzero(members[k]))
    with pytest.raises(IndexError, match="from 0 to 2"):
        sets.members(3)


def test_the_sets_that_stay_move_up_and_others_follow():
    rng = np.random.default_rng(1)
    members, values = rng.random((20, 30)) < 0.5, rng.normal(size=30)
    sets = filled(members[:19])
    sets.keep(np.array([0, 3, 18]))
    sets.add(members[19])
    assert len(sets) == 4
    np.testing.assert_allclose(sets.sums(values), members[[0, 3, 18, 19]] @ values, atol=1e-12)


def test_marks_of_another_length_are_refused():
    with pytest.raises(ValueError, match="do not fit 4 examples"):
        ExampleSets(4).add(np.ones(3, dtype=np.bool_))
