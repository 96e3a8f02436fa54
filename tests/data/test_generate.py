"""Generated sets: their moments, their determinism, and the independence of their parts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from svmbench.data import load

GENERATED = ("twonorm", "ringnorm", "checkerboard")


def get(name: str, **params: object):
    return load({"name": name, **params}, directory="/nonexistent")


@pytest.mark.parametrize("name", GENERATED)
def test_same_seed_same_data(name):
    a, b, c = get(name, n_train=50), get(name, n_train=50), get(name, n_train=50, seed=1)
    assert np.array_equal(a.train.X, b.train.X) and np.array_equal(a.test.y, b.test.y)
    assert a.checksum == b.checksum != c.checksum
    assert not np.array_equal(a.train.X, c.train.X)
    assert a.train.X.dtype == np.float32 and a.train.X.flags.c_contiguous and set(a.train.y) == {-1.0, 1.0}


@pytest.mark.parametrize("name", GENERATED)
def test_the_test_set_does_not_depend_on_the_training_size(name):
    few, many = get(name, n_train=10, n_test=20), get(name, n_train=100, n_test=20)
    assert np.array_equal(few.test.X, many.test.X)
    assert not np.array_equal(few.test.X[:10], few.train.X)
    assert get(name, n_test=0).test is None


# The first numbers of seed 0: a change here changes every stored run on generated data, so raise VERSION.
@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("twonorm", [-1.242606, -0.624022, -1.0]),
        ("ringnorm", [-0.348178, 0.270405, -1.0]),
        ("checkerboard", [3.77175, 1.265349, -1.0]),
    ],
)
def test_the_stream_is_the_recorded_one(name, first):
    data = get(name, n_train=100, n_test=0)
    assert [*data.train.X[0, :2].tolist(), data.train.y[0]] == pytest.approx(first, abs=1e-6)


def moments(name: str, **params: object):
    data = get(name, n_train=40_000, n_test=0, **params)
    for sign in (1.0, -1.0):
        X = data.train.X[data.train.y == sign].astype(np.float64)
        assert abs(len(X) / 40_000 - 0.5) < 0.015
        yield X.mean(), np.cov(X.T)


def test_twonorm_moments():
    (up, up_cov), (down, down_cov) = moments("twonorm")
    a = 2 / math.sqrt(20)
    assert up == pytest.approx(a, abs=0.01) and down == pytest.approx(-a, abs=0.01)
    assert np.allclose(up_cov, np.eye(20), atol=0.06) and np.allclose(down_cov, np.eye(20), atol=0.06)


@pytest.mark.parametrize(("mean", "a"), [(0.0, 2 / math.sqrt(20)), (1.0, 1 / math.sqrt(20))])
def test_ringnorm_moments(mean, a):
    (wide, wide_cov), (narrow, narrow_cov) = moments("ringnorm", mean=mean, a=a)
    assert wide == pytest.approx(mean, abs=0.02) and narrow == pytest.approx(a, abs=0.01)
    assert np.allclose(wide_cov, 4 * np.eye(20), atol=0.24) and np.allclose(narrow_cov, np.eye(20), atol=0.06)


def test_twonorm_has_breimans_bayes_error():
    data = get("twonorm", n_train=2, n_test=100_000)
    wrong = np.mean(np.sign(data.test.X.sum(axis=1)) != data.test.y)
    assert wrong == pytest.approx(0.0228, abs=0.002)


def test_checkerboard_squares():
    data = get("checkerboard", n_train=20_000)
    X, y = data.train.X, data.train.y
    assert X.min() >= 0.0 and X.max() < 4.0
    assert np.allclose(X.mean(axis=0), 2.0, atol=0.05) and np.allclose(X.var(axis=0), 16 / 12, atol=0.05)
    for i in range(4):
        for j in range(4):
            inside = (X[:, 0] // 1 == i) & (X[:, 1] // 1 == j)
            assert inside.sum() > 1000
            assert set(y[inside]) == {-1.0 if i % 2 == j % 2 else 1.0}
