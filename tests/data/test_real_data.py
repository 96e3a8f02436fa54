"""The real files: counts, values and the published statistics of each set."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.data import Dataset, catalogue, load

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(tmp_path_factory.mktemp("data"))


def shapes(data: Dataset) -> list[tuple[int, int] | None]:
    return [None if part is None else part.X.shape for part in (data.train, data.validation, data.test)]


def norms(part) -> np.ndarray:
    return np.sqrt(np.asarray(part.X.astype(np.float64).power(2).sum(axis=1)).ravel())


def test_adult(folder):
    data = load({"name": "adult"}, directory=folder)
    assert shapes(data) == [(32561, 123), None, (16281, 123)]
    assert data.info["positives"] == {"train": 7841, "test": 3846}
    assert np.count_nonzero(data.train.X) == 451_592 and np.count_nonzero(data.test.X) == 225_731
    assert set(np.unique(data.train.X)) == {0.0, 1.0}
    assert np.flatnonzero(data.train.X[0])[:3].tolist() == [2, 10, 13]


def test_mnist(folder):
    data = load({"name": "mnist"}, directory=folder)
    assert shapes(data) == [(60000, 784), None, (10000, 784)]
    assert data.info["positives"] == {"train": 5851, "test": 974}
    assert data.info["density"] == pytest.approx(0.191, abs=5e-4)
    assert data.train.X.max() == 1.0 and data.train.X.min() == 0.0
    split = load({"name": "mnist", "task": "0-4", "split": "asset"}, directory=folder)
    assert shapes(split) == [(58100, 784), (5950, 784), (5950, 784)]
    assert sum(split.info["positives"].values()) == 30_596 + 5_139


def test_reuters(folder):
    data = load({"name": "reuters"}, directory=folder)
    assert shapes(data) == [(7770, 8315), None, (3299, 8315)]
    assert data.info["positives"] == {"train": 538, "test": 179}
    assert isinstance(data.train.X, sp.csr_array)
    assert np.allclose(norms(data.train), 1.0, atol=1e-6)


def test_reuters_text(folder):
    data = load({"name": "reuters_text"}, directory=folder)
    assert shapes(data) == [(7770, 9912), None, (3299, 9912)]
    assert data.info["positives"] == {"train": 538, "test": 179}
    lengths = norms(data.train)
    assert np.count_nonzero(lengths == 0.0) == 47  # stories with neither title nor body
    assert np.allclose(lengths[lengths > 0.0], 1.0, atol=1e-6)
    corn = load({"name": "reuters_text", "topic": "corn"}, directory=folder)
    assert corn.info["positives"] == {"train": 181, "test": 56}


def test_covtype(folder):
    start = time.perf_counter()
    data = load({"name": "covtype"}, directory=folder)
    first = time.perf_counter() - start
    assert shapes(data) == [(522_911, 54), None, (58_101, 54)]
    assert sum(data.info["positives"].values()) == 211_840
    assert data.info["density"] == pytest.approx(0.2212, abs=5e-4)
    start = time.perf_counter()
    load({"name": "covtype"}, directory=folder)
    assert time.perf_counter() - start < min(1.0, first)


def test_forest(folder):
    data = load({"name": "forest"}, directory=folder)
    assert shapes(data) == [(521_012, 54), (10_000, 54), (50_000, 54)]
    assert sum(data.info["positives"].values()) == 283_301


def test_ijcnn1(folder):
    data = load({"name": "ijcnn1"}, directory=folder)
    assert shapes(data) == [(49_990, 22), None, (91_701, 22)]
    assert data.info["positives"] == {"train": 4853, "test": 8712}
    split = load({"name": "ijcnn1", "split": "asset"}, directory=folder)
    assert shapes(split) == [(113_352, 22), (14_170, 22), (14_169, 22)]


def test_usps(folder):
    data = load({"name": "usps"}, directory=folder)
    assert shapes(data) == [(7291, 256), None, (2007, 256)]
    assert data.info["positives"] == {"train": 542, "test": 166}
    assert data.train.X.min() == -1.0 and data.train.X.max() == 1.0


def test_rcv1_subset(folder):
    data = load({"name": "rcv1_subset"}, directory=folder)
    assert shapes(data) == [(22_613, 47_236), None, (5_000, 47_236)]
    assert sum(data.info["positives"].values()) == 12_473
    c11 = load({"name": "rcv1_subset", "topic": "C11"}, directory=folder)
    assert sum(c11.info["positives"].values()) == 737


def test_stored_files_verify(folder):
    load({"name": "adult"}, directory=folder)
    assert [(right, sentence) for _, right, sentence in catalogue.verify("adult", folder)] == [
        (True, "its checksum is right")
    ] * 2
