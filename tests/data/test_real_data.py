"""The real files: counts, values and the published statistics of each set."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import yaml

from svmbench import config
from svmbench.cli.main import main
from svmbench.config.folder import conf_dir
from svmbench.data import Dataset, catalogue, load
from svmbench.data.folders import mirror_folders
from svmbench.data.raw import RawFiles
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry

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


def test_covtype(folder, monkeypatch):
    data = load({"name": "covtype"}, directory=folder)
    assert shapes(data) == [(522_911, 54), None, (58_101, 54)]
    assert sum(data.info["positives"].values()) == 211_840
    assert data.info["density"] == pytest.approx(0.2212, abs=5e-4)
    # Prepared once: the second time the text is not read.
    monkeypatch.setattr("svmbench.data.sets.covtype.prepare", None)
    assert load({"name": "covtype"}, directory=folder).checksum == data.checksum


def test_forest(folder):
    data = load({"name": "forest"}, directory=folder)
    assert shapes(data) == [(521_012, 54), (10_000, 54), (50_000, 54)]
    assert sum(data.info["positives"].values()) == 283_301
    # At random, the classes are alike in all parts; by position in the file they are not.
    assert np.allclose([np.mean(part.y > 0) for part in (data.train, data.test)], 0.4876, atol=0.005)
    ordered = load({"name": "forest", "split": "position"}, directory=folder)
    assert shapes(ordered) == shapes(data)
    assert abs(np.mean(ordered.test.y > 0) - np.mean(ordered.train.y > 0)) > 0.05


def test_ijcnn1(folder):
    data = load({"name": "ijcnn1"}, directory=folder)
    assert shapes(data) == [(49_990, 22), None, (91_701, 22)]
    assert data.info["positives"] == {"train": 4853, "test": 8712}
    split = load({"name": "ijcnn1", "split": "asset"}, directory=folder)
    assert shapes(split) == [(113_352, 22), (14_170, 22), (14_169, 22)]


def test_usps(folder):
    data = load({"name": "usps"}, directory=folder)
    assert shapes(data) == [(7291, 256), None, (2007, 256)]
    assert data.info["positives"] == {"train": 1194, "test": 359}
    lengths = np.linalg.norm(data.train.X.astype(np.float64), axis=1)
    assert np.allclose(lengths, 1.0, atol=1e-6)
    grey = load({"name": "usps", "task": "8", "scaling": "none"}, directory=folder)
    assert grey.info["positives"] == {"train": 542, "test": 166}
    assert grey.train.X.min() == -1.0 and grey.train.X.max() == 1.0


def test_rcv1_subset(folder):
    data = load({"name": "rcv1_subset"}, directory=folder)
    assert shapes(data) == [(22_613, 47_236), None, (5_000, 47_236)]
    assert sum(data.info["positives"].values()) == 12_473
    c11 = load({"name": "rcv1_subset", "topic": "C11"}, directory=folder)
    assert sum(c11.info["positives"].values()) == 737


def test_w8a(folder):
    data = load({"name": "w8a"}, directory=folder)
    assert shapes(data) == [(29_851, 300), (9_949, 300), (9_949, 300)]
    assert data.info["positives"] == {"train": 891, "validation": 297, "test": 291}
    assert set(np.unique(data.train.X.data)) == {1.0}
    whole = load({"name": "w8a", "split": "all"}, directory=folder)
    assert shapes(whole) == [(49_749, 300), None, None] and whole.train.X.nnz == 579_586


def test_letter(folder):
    data = load({"name": "letter"}, directory=folder)
    assert shapes(data) == [(15_000, 16), None, (5_000, 16)]
    assert data.info["positives"] == {"train": 7409, "test": 2531}
    assert data.train.X.min() == -1.0 and data.train.X.max() == 1.0


def test_magic(folder):
    data = load({"name": "magic"}, directory=folder)
    assert shapes(data) == [(11_412, 10), (3_804, 10), (3_804, 10)]
    assert sum(data.info["positives"].values()) == 12_332
    assert np.allclose(data.train.X.astype(np.float64).std(axis=0), 1.0, atol=1e-6)


def test_skin(folder):
    data = load({"name": "skin"}, directory=folder)
    assert shapes(data) == [(196_045, 3), (24_506, 3), (24_506, 3)]
    assert sum(data.info["positives"].values()) == 50_859
    assert data.train.X.min() == 0.0 and data.train.X.max() == 1.0
    train = np.unique(np.round(data.train.X * 255.0) @ np.array([65536, 256, 1]))
    test = np.round(data.test.X * 255.0) @ np.array([65536, 256, 1])
    # A random split of repeated colours: most test colours were seen in training.
    assert train.size == 44_871 and np.isin(test, train).sum() == 21_114


def test_stored_files_verify(folder):
    load({"name": "adult"}, directory=folder)
    assert [(right, sentence) for _, right, sentence in catalogue.verify("adult", folder)] == [
        (True, "its checksum is right"),
        (True, "its checksum is right"),
        (True, "its arrays and their description are as they were prepared"),
    ]


# Rows used of each part, the error of the optimum on them, and the published error on all rows (percent;
# None: the set is nobody's). Large sets are cut to a random sample that is solved within seconds, on which
# the error is higher.
DEFAULTS = {
    "adult": (32_561, 16_281, 14.93, 14.9),
    "mnist": (6_000, 10_000, 1.53, 0.57),
    "reuters": (7_770, 3_299, 2.88, 2.88),
    "reuters_text": (7_770, 3_299, 2.64, None),
    "covtype": (10_000, 10_000, 18.6, 13.82),
    "forest": (10_000, 10_000, 17.3, None),
    "ijcnn1": (10_000, 20_000, 1.85, 0.73),
    "usps": (7_291, 2_007, 0.40, 0.457),
    "rcv1_subset": (4_000, 5_000, 7.3, None),
    "w8a": (29_851, 9_949, 0.985, None),
    "letter": (15_000, 5_000, 1.46, None),
    "magic": (11_412, 3_804, 12.93, None),
    "skin": (10_000, 24_506, 0.114, None),
    "twonorm": (2_000, 10_000, 2.3, None),
    "ringnorm": (2_000, 10_000, 1.8, None),
    "checkerboard": (2_000, 10_000, 3.1, None),
    "margin": (2_000, 10_000, 0.0, None),
    "separable": (2_000, 10_000, 0.0, None),
    "banana": (4_000, 1_300, 10.1, None),
    "waveform": (4_000, 1_000, 7.9, None),
    "mnist_e": (4_000, 2_000, 4.4, None),
}
NOT_HERE = {"rcv1"}  # its files are on no disk that the tests see; rcv1_subset has the same suggestions


def test_every_set_with_suggested_values_is_tried():
    files = {path.stem: yaml.safe_load(path.read_text()) for path in (conf_dir() / "dataset").glob("*.yaml")}
    suggested = {name for name, content in files.items() if content["suggested"]["gamma"] is not None}
    assert set(DEFAULTS) == suggested - NOT_HERE


@pytest.mark.parametrize("name", DEFAULTS)
def test_the_suggested_gamma_and_C_are_good_ones(folder, name):
    fewer = [f"dataset.n_{part}={n}" for part, n in (("train", 4000), ("validation", 0), ("test", 2000))]
    made = fewer if name == "mnist_e" else []  # a million takes minutes
    resolved = config.resolve([f"dataset={name}", "solver=decomposition", *made])
    data = load(resolved.dataset.document(), directory=folder)
    n_train, n_test, here, published = DEFAULTS[name]
    (X, y), (X_test, y_test) = sample(data.train, n_train), sample(data.test, n_test)
    oracle, solver = Oracle(X, resolved.kernel.document(), 1 << 28), registry.get("decomposition")
    run = solver(solver.Params()).start(Problem.build(y, C=resolved.problem.C), oracle, Generator(0))
    run.advance("iterations", 1_000_000)
    assert run.converged
    wrong = 100.0 * np.mean(run.snapshot().model.scores(oracle, X_test) * y_test <= 0.0)
    majority = 100.0 * min(np.mean(y_test > 0.0), np.mean(y_test < 0.0))
    assert wrong < 0.65 * majority
    deviation = 100.0 * np.sqrt(0.01 * here * (1.0 - 0.01 * here) / y_test.size)
    assert wrong == pytest.approx(here, abs=4.0 * deviation)
    if published is not None and y.size == data.train.n:
        assert wrong == pytest.approx(published, abs=0.1)


def sample(part, size: int):
    """Return at most so many examples, drawn at random."""
    rows = np.random.default_rng(0).permutation(part.n)[:size]
    return part.X[rows], part.y[rows]


#: Sets whose rows are counted within seconds.
QUICK = ("adult", "w8a", "letter", "magic", "reuters", "ijcnn1")


@pytest.mark.parametrize("name", QUICK)
def test_the_page_of_data_sets_has_the_counts_of_the_program(folder, name, capsys):
    assert main(["datasets", "describe", name, "--dir", folder]) == 0
    page = cells((Path(__file__).parents[2] / "docs" / "datasets.md").read_text())
    counted = [row for row in cells(capsys.readouterr().out) if row[0] == name]
    assert len(counted) > 2
    for row in counted:
        assert row in page


def cells(text: str) -> list[list[str]]:
    """Return the rows of all tables of a text."""
    return [line.strip("| ").replace(" ", "").split("|") for line in text.splitlines() if line[:1] == "|"]


def test_the_beginning_of_covtype_has_equally_many_rows_of_each_class(folder):
    raw = RawFiles(catalogue.entry("covtype"), mirror_folders(), Path(folder), print)
    content, _ = raw.text("data")
    labels = [line.rsplit(b",", 1)[1] for line in content.split(b"\n", 15_120)[:-1]]
    assert len(labels) == 15_120 and set(Counter(labels).values()) == {2160}
