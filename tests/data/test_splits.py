"""Random splits, their published sizes, and scalings."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from svmbench.data.splits import eight_to_one_to_one, nine_to_one, random_split, scale, unit_rows


def test_sizes_are_the_papers():
    assert nine_to_one(581_012) == {"train": 522_911, "test": 58_101}
    assert eight_to_one_to_one(581_012) == {"train": 464_809, "validation": 58_102, "test": 58_101}
    assert eight_to_one_to_one(141_691) == {"train": 113_352, "validation": 14_170, "test": 14_169}


@given(st.integers(0, 500), st.integers(0, 2**32))
def test_a_split_is_a_partition(n, seed):
    parts = random_split(n, eight_to_one_to_one(n), seed)
    assert {key: len(rows) for key, rows in parts.items()} == eight_to_one_to_one(n)
    assert sorted(np.concatenate(list(parts.values())).tolist()) == list(range(n))
    again = random_split(n, eight_to_one_to_one(n), seed)
    assert all(np.array_equal(parts[key], again[key]) for key in parts)


def test_the_permutation_is_the_recorded_one():
    """A change here changes every stored run on a random split, so raise the sets' VERSION."""
    assert random_split(10, {"train": 6, "test": 4}, 0)["train"].tolist() == [4, 6, 2, 7, 3, 5]


@pytest.mark.parametrize("scaling", ["minmax", "standard", "none"])
def test_scaling_knows_the_training_rows_only(scaling):
    X = np.array([[1.0, 5.0, 7.0], [3.0, 5.0, 8.0], [9.0, 6.0, 9.0]])
    original = X.copy()
    scale(X, slice(2), scaling, 2)
    expected = {
        "minmax": [[0.0, 0.0], [1.0, 0.0], [4.0, 1.0]],
        "standard": [[-1.0, 0.0], [1.0, 0.0], [7.0, 1.0]],
        "none": original[:, :2].tolist(),
    }
    assert X[:, :2].tolist() == expected[scaling]
    assert X[:, 2].tolist() == original[:, 2].tolist()


@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_unit_rows(form):
    X = np.array([[3.0, -4.0, 0.0], [0.0, 0.0, 0.0], [1e300, 0.0, 1e300], [0.0, 5e-324, 0.0]])
    scaled = unit_rows(form(X))
    dense = scaled.toarray() if sp.issparse(scaled) else scaled
    assert dense[:2].tolist() == [[0.6, -0.8, 0.0], [0.0, 0.0, 0.0]]
    assert np.allclose(np.linalg.norm(dense, axis=1), [1.0, 0.0, 1.0, 1.0], atol=1e-15)
    assert X[0].tolist() == [3.0, -4.0, 0.0]
