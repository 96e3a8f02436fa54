"""What `svmbench datasets describe` counts, by hand on small files."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.data.describe import _codes, _counts, _order, describe

from .conftest import Small

TRAIN = b"+1 1:1 2:1\n-1 1:1 2:1\n-1 1:1 2:1\n+1\n-1\n-1 3:1\n+1 4:1 5:1\n-1 4:1 5:1\n-1 5:1 6:1\n"
TEST = b"+1 1:1 2:1\n-1 7:1 8:1\n-1 7:1 8:1\n-1\n"


def test_repeats_conflicts_zeros_and_ones_of_each_part_and_of_all(small: Small):
    small.put("adult", {"train": TRAIN, "test": TEST})
    train, test, every = describe("adult", str(small.mirror), str(small.data), print)["parts"]
    assert train == {
        "part": "train", "rows": 9, "positive": 3, "repeats": 4, "conflicts": 3, "zero": 2,
        "zero_positive": 1, "ones": 2, "fewer": 3, "in_train": None,
    }  # fmt: skip
    assert test == {
        "part": "test", "rows": 4, "positive": 1, "repeats": 1, "conflicts": 0, "zero": 1, "zero_positive": 0,
        "ones": 2, "fewer": 1, "in_train": 2,
    }  # fmt: skip
    assert (every["rows"], every["repeats"], every["conflicts"], every["in_train"]) == (13, 7, 3, None)


def test_the_order_of_a_file_is_compared_with_a_random_one(small: Small):
    rows = [b"%d 1:1 2:%d\n" % (label, k + 1) for label in (1, -1) for k in range(50)]
    small.put("adult", {"train": b"".join(rows), "test": TEST})
    ordered, _ = describe("adult", str(small.mirror), str(small.data), print)["files"]
    assert (ordered["rows"], ordered["classes"], ordered["first_tenth"]) == (100, 2, 0.5)
    shares = [
        _order(np.random.default_rng(seed).integers(4, size=2000))["first_tenth"] for seed in range(200)
    ]
    assert np.mean(shares) == pytest.approx(_order(np.arange(2000) % 4)["random_tenth"], rel=0.1)


def test_dense_and_sparse_rows_are_counted_alike():
    X = np.random.default_rng(0).integers(2, size=(200, 5)).astype(np.float32)
    X[3] = -0.0 * X[3]
    y = np.arange(200) % 3 == 0
    sparse = sp.csr_array(X)
    sparse.eliminate_zeros()
    told = [_counts(_codes(rows, {}), y, np.count_nonzero(X, axis=1), binary=False) for rows in (X, sparse)]
    assert told[0] == told[1] and told[0]["repeats"] == 200 - len(np.unique(X, axis=0))
