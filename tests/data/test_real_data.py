"""The real files: counts, values and the published statistics of each set."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench import config
from svmbench.cli.main import main
from svmbench.data import Dataset, catalogue, load
from svmbench.data.folders import mirror_folders
from svmbench.data.raw import RawFiles
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder in which each set is prepared once for all processes."""
    root = tmp_path_factory.getbasetemp()
    return str((root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "real")


def get(folder: str, asked: str) -> Dataset:
    """Load a set by its name and its parameters, as KEY=VALUE."""
    name, *given = asked.split()
    return load({"name": name, **dict(pair.split("=") for pair in given)}, directory=folder)


#: A set; the rows of its training, validation and test part; its columns; the positive rows of each part, or
#: of all together.
COUNTS = [
    ("adult", (32_561, None, 16_281), 123, (7841, 3846)),
    ("mnist", (60_000, None, 10_000), 784, (5851, 974)),
    ("mnist task=0-4 split=asset", (58_100, 5950, 5950), 784, 30_596 + 5_139),
    ("reuters", (7770, None, 3299), 8315, (538, 179)),
    ("reuters_text", (7770, None, 3299), 9912, (538, 179)),
    ("reuters_text topic=corn", (7770, None, 3299), 9912, (181, 56)),
    ("covtype", (522_911, None, 58_101), 54, 211_840),
    ("forest", (521_012, 10_000, 50_000), 54, 283_301),
    ("forest split=position", (521_012, 10_000, 50_000), 54, 283_301),
    ("ijcnn1", (49_990, None, 91_701), 22, (4853, 8712)),
    ("ijcnn1 split=asset", (113_352, 14_170, 14_169), 22, 13_565),
    ("usps", (7291, None, 2007), 256, (1194, 359)),
    ("usps task=8 scaling=none", (7291, None, 2007), 256, (542, 166)),
    ("rcv1_subset", (22_613, None, 5000), 47_236, 12_473),
    ("rcv1_subset topic=C11", (22_613, None, 5000), 47_236, 737),
    ("w8a", (29_851, 9949, 9949), 300, (891, 297, 291)),
    ("w8a split=all", (49_749, None, None), 300, 1479),
    ("letter", (15_000, None, 5000), 16, (7409, 2531)),
    ("magic", (11_412, 3804, 3804), 10, 12_332),
    ("skin", (196_045, 24_506, 24_506), 3, 50_859),
]


@pytest.mark.parametrize(("asked", "rows", "columns", "positives"), COUNTS)
def test_a_set_has_the_published_counts(folder, asked, rows, columns, positives):
    data = get(folder, asked)
    parts = data.train, data.validation, data.test
    assert [part and part.X.shape for part in parts] == [n and (n, columns) for n in rows]
    found = tuple(data.info["positives"].values())
    assert (found if isinstance(positives, tuple) else sum(found)) == positives


#: The least and the greatest value of training rows, and the share of values that are not 0.
VALUES = [
    ("adult", 0.0, 1.0, 451_592 / (123 * 32_561)),
    ("mnist", 0.0, 1.0, 0.191),
    ("covtype", None, None, 0.2212),
    ("usps task=8 scaling=none", -1.0, 1.0, None),
    ("w8a split=all", 1.0, 1.0, 579_586 / (300 * 49_749)),
    ("letter", -1.0, 1.0, None),
    ("skin", 0.0, 1.0, None),
]


@pytest.mark.parametrize(("asked", "least", "most", "density"), VALUES)
def test_a_set_has_the_published_values(folder, asked, least, most, density):
    data = get(folder, asked)
    X = data.train.X.data if sp.issparse(data.train.X) else data.train.X
    assert least is None or (X.min(), X.max()) == (least, most)
    assert density is None or data.info["density"] == pytest.approx(density, abs=5e-4)
    assert asked != "adult" or np.flatnonzero(X[0])[:3].tolist() == [2, 10, 13]


@pytest.mark.parametrize(("name", "empty"), [("reuters", 0), ("reuters_text", 47), ("usps", 0)])
def test_rows_have_length_1(folder, name, empty):
    X = sp.csr_array(get(folder, name).train.X).astype(np.float64)
    lengths = np.sqrt(X.power(2).sum(axis=1))
    assert np.count_nonzero(lengths == 0.0) == empty  # stories with neither title nor body
    assert np.allclose(lengths[lengths > 0.0], 1.0, atol=1e-6)


def test_a_set_is_prepared_once(folder, monkeypatch):
    data = get(folder, "covtype")
    monkeypatch.setattr("svmbench.data.sets.covtype.prepare", None)
    assert get(folder, "covtype").checksum == data.checksum


def test_a_random_split_of_forest_has_alike_classes_and_one_by_position_has_not(folder):
    mixed, ordered = (
        [np.mean(part.y > 0) for part in (data.train, data.test)]
        for data in (get(folder, "forest"), get(folder, "forest split=position"))
    )
    assert np.allclose(mixed, 0.4876, atol=0.005)
    assert abs(ordered[1] - ordered[0]) > 0.05


def test_most_test_colours_of_skin_were_seen_in_training(folder):
    data = get(folder, "skin")
    train, test = (np.round(part.X * 255.0) @ np.array([65536, 256, 1]) for part in (data.train, data.test))
    assert np.unique(train).size == 44_871 and np.isin(test, train).sum() == 21_114


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
    suggested = {name for name in catalogue.names() if catalogue.suggested(name).gamma is not None}
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
