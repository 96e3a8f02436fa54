"""Generated sets: their moments, their determinism, and the independence of their parts."""

import dataclasses
import hashlib
import math
import struct

import numpy as np
import pytest
from scipy import stats

from svmbench.data import catalogue, load
from svmbench.data.sets import _elastic, mnist_e
from svmbench.data.sets.margin import direction
from svmbench.data.sets.waveform import WAVES
from svmbench.errors import UserError
from svmbench.files import sha256

#: The first numbers of each generated set, x1, x2 and y of the first example of seed 0: a change here changes
#: every stored run on generated data, so raise VERSION.
FIRST = {
    "twonorm": [-1.242606, -0.624022, -1.0],
    "ringnorm": [-0.348178, 0.270405, -1.0],
    "checkerboard": [3.77175, 1.265349, -1.0],
    "margin": [0.035484, 0.157053, -1.0],
    "separable": [0.072373, 0.305882, -1.0],
    "banana": [-1.523226, 0.091596, -1.0],
    "waveform": [-0.4816, 0.758802, -1.0],
}


def get(name: str, **params: object):
    return load({"name": name, **params}, directory="/nonexistent")


@pytest.mark.parametrize("name", FIRST)
def test_same_seed_same_data(name):
    a, b, c = get(name, n_train=50), get(name, n_train=50), get(name, n_train=50, seed=1)
    assert np.array_equal(a.train.X, b.train.X) and np.array_equal(a.test.y, b.test.y)
    assert a.checksum == b.checksum != c.checksum
    assert not np.array_equal(a.train.X, c.train.X)
    assert a.train.X.dtype == np.float32 and a.train.X.flags.c_contiguous and set(a.train.y) == {-1.0, 1.0}


@pytest.mark.parametrize("name", FIRST)
def test_the_test_set_does_not_depend_on_the_training_size(name):
    few, many = get(name, n_train=10, n_test=20), get(name, n_train=100, n_test=20)
    assert np.array_equal(few.test.X, many.test.X)
    assert not np.array_equal(few.test.X[:10], few.train.X)
    assert get(name, n_test=0).test is None


@pytest.mark.parametrize(("name", "first"), FIRST.items())
def test_the_stream_is_the_recorded_one(name, first):
    data = get(name, n_train=100, n_test=0)  # the number of examples changes what is drawn
    assert [*data.train.X[0, :2].tolist(), data.train.y[0]] == pytest.approx(first, abs=1e-6)


def moments(name: str, **params: object):
    data = get(name, n_train=40_000, n_test=0, **params)
    for sign in (1.0, -1.0):
        X = data.train.X[data.train.y == sign].astype(np.float64)
        assert abs(len(X) / 40_000 - 0.5) < 0.015
        yield X.mean(), np.cov(X.T)


@pytest.mark.slow
def test_twonorm_moments():
    (up, up_cov), (down, down_cov) = moments("twonorm")
    a = 2 / math.sqrt(20)
    assert up == pytest.approx(a, abs=0.01) and down == pytest.approx(-a, abs=0.01)
    assert np.allclose(up_cov, np.eye(20), atol=0.06) and np.allclose(down_cov, np.eye(20), atol=0.06)


@pytest.mark.slow
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


def test_the_size_of_wide_data_counts_their_dimensions():
    with pytest.raises(UserError, match=r"more than half of this machine's memory"):
        get("margin", n_train=10**5, n_test=10, dimensions=100_000)


@pytest.mark.parametrize(("margin", "noise"), [(0.1, 0.0), (0.3, 0.2)])
def test_margin_and_noise_are_as_given(margin, noise):
    data = get("margin", n_train=20_000, n_test=10, margin=margin, noise=noise, dimensions=50)
    X, y, e = data.train.X.astype(np.float64), data.train.y, direction(50, 0)
    assert np.allclose(np.linalg.norm(X, axis=1), 1.0, atol=1e-6)  # K(x, x) = 1 with a linear kernel
    assert np.allclose(np.abs(X @ e), margin, atol=1e-6)
    hinge = np.maximum(0.0, 1.0 - y * (X @ e) / margin)  # of the predictor e / margin
    assert np.mean(y * (X @ e) < 0.0) == pytest.approx(noise, abs=0.01)
    assert hinge.mean() == pytest.approx(2.0 * noise, abs=0.02)
    across = X - np.outer(X @ e, e)
    assert np.allclose(across.mean(axis=0), 0.0, atol=0.01)
    assert np.allclose(np.cov(across.T) * 49 / (1 - margin**2), np.eye(50) - np.outer(e, e), atol=0.05)


@pytest.mark.parametrize(("margin", "dimensions"), [(0.1, 50), (0.9, 200)])
def test_separable_is_uniform_outside_the_margin(margin, dimensions):
    data = get("separable", n_train=20_000, n_test=10, margin=margin, dimensions=dimensions)
    X, y, e = data.train.X.astype(np.float64), data.train.y, direction(dimensions, 0)
    assert np.allclose(np.linalg.norm(X, axis=1), 1.0, atol=1e-6)
    t = y * (X @ e)
    assert t.min() >= margin - 1e-6
    tail = stats.beta(0.5, 0.5 * (dimensions - 1)).sf
    assert stats.kstest(tail(t**2) / tail(margin**2), "uniform").pvalue > 1e-3
    assert abs(np.mean(y)) < 0.03
    across = X - np.outer(X @ e, e)
    assert np.allclose(across.mean(axis=0), 0.0, atol=0.01)


def test_banana_arcs():
    data = get("banana", n_train=4000, noise=0.0)
    X, y = data.train.X.astype(np.float64), data.train.y
    for sign, centre, (low, high) in ((1, 0.0, (1 / 8, 11 / 8)), (-1, -0.75, (-7 / 8, 3 / 8))):
        arc = X[y == sign] - centre
        assert np.allclose(np.linalg.norm(arc, axis=1), 1.0, atol=1e-6)
        angle = np.arctan2(arc[:, 0], arc[:, 1]) / math.pi
        angle[angle < low - 1e-6] += 2.0
        assert angle.min() == pytest.approx(low, abs=0.01) and angle.max() == pytest.approx(high, abs=0.01)
        assert abs(np.mean(y == sign) - 0.5) < 0.03
    blurred = get("banana", n_train=4000, noise=0.5).train.X.astype(np.float64)
    assert blurred.var(axis=0) == pytest.approx(X.var(axis=0) + 0.25, rel=0.08)


@pytest.mark.parametrize(
    ("task", "share", "means"), [("1-2", 1 / 2, ((0, 1), (0, 2))), ("3-rest", 1 / 3, ((1, 2), None))]
)
def test_waveform_classes(task, share, means):
    assert WAVES[:, [6, 14, 10]].tolist() == [[6, 0, 2], [0, 6, 2], [2, 2, 6]]
    data = get("waveform", n_train=20_000, task=task)
    assert data.train.X.shape == (20_000, 21) and np.mean(data.train.y > 0) == pytest.approx(share, abs=0.015)
    for sign, mixed in zip((1, -1), means):
        if mixed is not None:
            mean = data.train.X[data.train.y == sign].mean(axis=0)
            assert np.allclose(mean, WAVES[list(mixed)].mean(axis=0), atol=0.08)
    # Attribute 1 is 0 in all waves, so it is noise alone.
    assert data.train.X[:, 0].astype(np.float64).var() == pytest.approx(1.0, rel=0.05)


def test_elastic_fields_are_smooth_and_of_unit_variance():
    fields = _elastic.smooth_fields(np.random.default_rng(1), 300, (28, 20), 4.0)
    assert fields.shape == (300, 28, 20)
    assert fields.std() == pytest.approx(1.0, rel=0.05) and abs(fields.mean()) < 0.1
    # The same at the border as in the middle.
    assert fields[:, 0, :].std() == pytest.approx(fields[:, 14, :].std(), rel=0.15)
    # Smoothing noise by a Gaussian of width σ leaves a correlation of exp(-r²/4σ²) at distance r.
    for r in (1, 4, 8):
        correlation = np.mean(fields[:, :-r] * fields[:, r:]) / fields.var()
        assert correlation == pytest.approx(np.exp(-(r**2) / 64.0), abs=0.1)


def test_tangents_are_derivatives_in_grey_levels_per_pixel():
    rows, columns = np.indices((28, 28))
    ramp = (3 * rows + 5 * columns).astype(np.uint8)[np.newaxis]
    down, right = _elastic.tangents(ramp, 0.55)
    inner = (0, slice(4, -4), slice(4, -4))
    assert np.allclose(down[inner], 3.0) and np.allclose(right[inner], 5.0)
    # Exactly 0 where the image is constant, so that truncation leaves such pixels as they are.
    flat = np.full((1, 28, 28), 255, np.uint8)
    assert not _elastic.tangents(flat, 0.55)[(slice(None), *inner)].any()


def test_deformation_moves_along_the_field_and_shifts():
    rows, columns = np.indices((12, 10))
    ramp = (40 + 3 * rows + 5 * columns).astype(np.uint8)[np.newaxis].repeat(9, axis=0)
    derivatives = np.stack([np.full(ramp.shape, 3.0), np.full(ramp.shape, 5.0)])
    fields = np.stack([np.full((12, 10), 2.0), np.full((12, 10), 1.0)])
    zero, one = np.zeros(9, np.int64), np.ones(9, np.int64)
    for sign in (1.0, -1.0):
        draws = _elastic.Draws(zero, one, np.full(9, sign), np.arange(9))
        got = _elastic.deformed(ramp, derivatives, fields, draws, 0.75)
        # ± 0.75 (2 · 3 - 1 · 5) = ± 0.75, truncated towards 0 as the values are positive.
        moved = np.floor(ramp[0] + 0.75 * sign)
        for image, (down, right) in zip(got, _elastic.SHIFTS):
            framed = np.zeros((14, 12))
            framed[1 + down : 13 + down, 1 + right : 11 + right] = moved
            assert np.array_equal(image, framed[1:-1, 1:-1])
    bright = _elastic.deformed(ramp, derivatives, fields, draws, 1000.0)
    assert bright.max() == 0  # cut to [0, 255]
    draws = _elastic.Draws(zero, one, np.ones(9), np.full(9, 4))
    assert _elastic.deformed(ramp, derivatives, fields, draws, 1000.0).min() == 255


def test_draws_are_uniform():
    draws = _elastic.Draws.of(np.random.default_rng(0), 90_000, 10)
    for values, kinds in ((draws.vertical, 10), (draws.horizontal, 10), (draws.shifts, 9)):
        assert np.bincount(values, minlength=kinds) == pytest.approx(90_000 / kinds, rel=0.05)
    assert set(draws.signs) == {-1.0, 1.0} and abs(draws.signs.mean()) < 0.02
    assert abs(np.corrcoef(draws.vertical, draws.horizontal)[0, 1]) < 0.02


@pytest.fixture
def digits_of(tmp_path, monkeypatch):
    """MNIST-E over 30 training images of MNIST's form; gives a loader."""
    rng = np.random.default_rng(3)
    raw = tmp_path / "raw" / "mnist"
    raw.mkdir(parents=True)
    files = {}
    pixels = np.zeros((30, 28, 28), np.uint8)
    pixels[:, 6:22, 6:22] = rng.integers(0, 256, (30, 16, 16))
    labels = np.arange(30, dtype=np.uint8) % 10
    for kind, values in (("images", pixels), ("labels", labels)):
        content = bytes((0, 0, 8, values.ndim)) + struct.pack(f">{values.ndim}I", *values.shape)
        (raw / f"train-{kind}").write_bytes(content + values.tobytes())
        form = catalogue.Form(f"train-{kind}", {f"train-{kind}": sha256(content + values.tobytes())})
        files[f"train_{kind}"] = catalogue.RawFile("mnist", (form,))
    entry = dataclasses.replace(catalogue.entry("mnist_e"), files=files)
    monkeypatch.setattr(catalogue, "entry", lambda name: entry)
    monkeypatch.setattr(mnist_e, "PIECE", 20)
    monkeypatch.setattr(mnist_e, "BLOCK", 8)
    lines: list[str] = []

    def loaded(**params):
        given = {"name": "mnist_e", "n_train": 50, "n_validation": 10, "n_test": 30, **params}
        lines.clear()
        return load(given, directory=str(tmp_path), say=lines.append), lines

    loaded.folder = tmp_path / "prepared" / "mnist_e"
    return loaded


def test_mnist_e_is_the_recorded_one_and_made_once(digits_of):
    data, lines = digits_of()
    assert [part.X.shape for part in (data.train, data.validation, data.test)] == [
        (50, 784),
        (10, 784),
        (30, 784),
    ]
    assert data.train.y.tolist() == [1.0 if k % 30 % 10 < 5 else -1.0 for k in range(50)]
    assert lines[-1] == "mnist_e: deforming test images 21 to 30 of 30" and len(lines) == 6
    bytes_of = np.rint(data.train.X * 255).astype(np.uint8)
    assert np.array_equal(data.train.X, (bytes_of / 255.0).astype(np.float32))
    # Of all 50 images: a change here changes every stored run on the set, so raise VERSION.
    assert hashlib.sha256(bytes_of.tobytes()).hexdigest()[:16] == "b127ab214d3ed555"
    again, lines = digits_of()
    assert lines == [] and np.array_equal(again.train.X, data.train.X) and again.checksum == data.checksum
    assert not np.array_equal(data.validation.X[:10], data.test.X[:10])
    # Fewer are the first of more, more go on where fewer ended, and another seed gives other images.
    fewer, lines = digits_of(n_train=25, task="0")
    assert lines == [] and np.array_equal(fewer.train.X, data.train.X[:25]) and fewer.train.y.sum() == 3 - 22
    more, lines = digits_of(n_train=70)
    assert [line[:36] for line in lines] == [
        "mnist_e: deforming train images 41 t",
        "mnist_e: deforming train images 61 t",
    ]
    assert np.array_equal(more.train.X[:50], data.train.X)
    assert not np.array_equal(digits_of(seed=1)[0].train.X, data.train.X)


def test_all_digits_of_mnist_e_may_be_classes(digits_of):
    data, _ = digits_of(task="all")
    assert data.classes == tuple("0123456789")
    assert data.train.y.tolist() == [k % 30 % 10 for k in range(50)]
    assert np.array_equal(data.train.X, digits_of()[0].train.X)


def test_all_examples_of_mnist_e_descend_from_the_training_digits(digits_of):
    data, _ = digits_of(alpha=0.0, n_train=300, n_validation=300, n_test=300)
    (raw,) = (digits_of.folder.parents[1] / "raw" / "mnist").glob("train-images")
    digits = np.frombuffer(raw.read_bytes(), np.uint8, offset=16).reshape(30, 28, 28)
    shifted = np.stack(
        [
            np.roll(digits, (down, right), (1, 2)).reshape(30, -1)  # a frame of 6 zeros goes round
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
        ]
    )
    # Validation and testing go on where a million ends: at digits 40,000 and 0 of 60,000.
    for part, first in ((data.train, 0), (data.validation, 40_000), (data.test, 0)):
        sources = (first + np.arange(300)) % 30
        assert np.array_equal(part.y, np.where(sources % 10 < 5, 1.0, -1.0))
        pixels = np.rint(part.X * 255).astype(np.uint8)
        same = (shifted[:, sources] == pixels).all(axis=2)
        assert (same.sum(axis=0) == 1).all()
        assert (same.sum(axis=1) > 10).all()  # each of the nine shifts, 33 times on the average


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "removed"])
def test_a_damaged_piece_is_made_anew(digits_of, damage):
    data, _ = digits_of()
    (piece,) = digits_of.folder.glob("*/train-00001.npz")
    content = piece.read_bytes()
    if damage == "removed":
        piece.unlink()
    elif damage == "changed":
        piece.write_bytes(content[:2000] + bytes([content[2000] ^ 1]) + content[2001:])
    else:
        piece.write_bytes(content[:3000] if damage == "cut" else b"")
    again, lines = digits_of()
    assert lines == ["mnist_e: deforming train images 21 to 40 of 50"]
    assert np.array_equal(again.train.X, data.train.X) and piece.read_bytes() == content


def test_a_full_disk_while_deforming_is_one_sentence(digits_of, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(mnist_e, "write_whole", full)
    with pytest.raises(UserError, match=r"cannot write data to .*mnist_e.*: No space left on device; name"):
        digits_of()


def test_more_than_the_machine_holds_is_refused_before_its_memory_is_taken():
    with pytest.raises(UserError, match=r"takes \d+ MiB to draw, more than half of "):
        load({"name": "twonorm", "n_train": 2_000_000_000, "n_test": 10})
