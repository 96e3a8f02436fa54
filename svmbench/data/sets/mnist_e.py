r"""MNIST-E: elastic deformations of MNIST, as many as wanted (ASSET, Table 1; Loosli, Canu, Bottou 2007).

ASSET's million examples are not public. They were made by Bottou's generator, which is described in the
chapter and in the program published later. A training digit x with derivatives :math:`t_1, t_2` becomes
:math:`x \pm \alpha (f_1 t_1 - f_2 t_2)`, truncated to bytes, where :math:`f_1, f_2` are two of 1,522 fields
that were drawn once. In 8 of 9 cases, it is then shifted by one pixel. All examples, including those for
testing, are derived from the 60,000 training digits in order: examples k and k + 60,000 have the same source.

This set is made in the same way, with fields and random numbers drawn anew. The program comes with its fields
and derivatives, in an archive of 350 MB (https://leon.bottou.org/projects/infimnist) that is not used here.
The chapter does not describe them, so three constants had to be chosen. This was done without looking at any
error on these digits:

- ``sigma`` = 4 pixels smooths a field, as in the elastic deformations that the chapter refers to (Simard,
  Steinkraus, Platt 2003, section 2.1);
- ``alpha`` = 1 pixel is the standard deviation of a displacement along each axis: a first-order expansion
  is valid up to about that;
- `SMOOTHING` = 0.55 pixels smooths the derivatives. It determines how much a stroke can grow, and so the
  fraction of non-zero pixels, which is known: 25.6 % in ASSET's Table 1, and 25.6 % here (19.1 % before the
  deformation; 25.1 % with 0.5 pixels, 29.6 % with 0.9). It depends little on ``alpha``: from 0.5 to 1.5
  pixels it changes by 0.4 points.

An example depends only on the seed and its number, so that n examples are the first n of any larger set.
Images are stored as bytes, 784 MB for a million, in files of 10,000; an interrupted preparation continues
with the next file. Values are computed in double precision and truncated with a tolerance, so that the bytes
are the same on every machine.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Part, Prepared
from svmbench.data.folders import unwritable
from svmbench.data.parameters import DIGITS, EVERY, Digits, digit_set, digits_help, rows, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.sets._elastic import Draws, deformed, smooth_fields, tangents
from svmbench.data.sets.mnist import GREY, read_idx, read_labels
from svmbench.files import read_npz, write_whole
from svmbench.option import option

VERSION = 2
MULTICLASS = True
PIECE = 10_000  # images per file
BLOCK = 500  # images deformed at a time
FIELDS = 1522  # as in the published generator
SMOOTHING = 0.55  # pixels; see the module

# Number of each part's random streams; the fields have the first one, 0. And the digit with which each part
# begins: validation continues after a million training examples, and testing after 20,000 for validation.
STREAMS = {"train": 1, "validation": 2, "test": 3}
FIRST = {"train": 0, "validation": 40_000, "test": 0}


@dataclass(frozen=True)
class Params(Digits):
    """Parameters of ``dataset=mnist_e``."""

    task: int | str | list[int] = option("0-4", digits_help("0-4, as in ASSET."))
    n_train: int = rows(
        1_000_000,
        "Number of training examples. Each takes 3 KB of memory. A smaller set has the first examples of a"
        " larger one.",
        2,
    )
    n_validation: int = rows(
        20_000, "Number of validation examples, other deformations of training digits; 0: none. As in ASSET."
    )
    n_test: int = rows(
        20_000, "Number of test examples, other deformations of training digits; 0: none. As in ASSET."
    )
    alpha: float = option(
        1.0,
        "Standard deviation of the displacement of a pixel along each axis, in pixels. Up to about 1, a "
        "first-order expansion is accurate; 0: only shifts.",
        min=0,
    )
    sigma: float = option(
        4.0,
        "Width of the Gaussian that smooths the displacements, in pixels. 4, as in Simard et al. 2003.",
        min=0.1,
        max=10,
    )
    seed: int = option(
        0,
        "Seed of the displacements. Training, validation and test examples have streams of their own.",
        min=0,
    )


SUGGESTED = suggested(0.01, 100.0, "ASSET Table 1")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Make the missing examples, and read all of them."""
    positive, every = list(digit_set(str(params.task))), params.task == EVERY
    sizes = {"train": params.n_train, "validation": params.n_validation, "test": params.n_test}
    digits = read_idx(*raw.text("train_images"), axes=3)
    labels = read_labels(raw, "train_labels")
    pool = Pool(params, digits)
    parts = {}
    for key, n in sizes.items():
        if n == 0:
            continue
        X = np.empty((n, digits[0].size), np.float32)
        for start in range(0, n, PIECE):
            stop = min(start + PIECE, n)
            pixels = _piece(pool, raw, key, start, n)
            X[start:stop] = GREY[pixels[: stop - start].reshape(stop - start, -1)]
        y = labels[pool.sources(key, range(n))]
        parts[key] = Part(X, y.astype(np.float64) if every else np.where(np.isin(y, positive), 1.0, -1.0))
    return Prepared(parts, "pixels divided by 255, in [0, 1]", labels=DIGITS if every else None)


class Pool:
    """The digits and fields from which examples are made; fields are drawn when first used.

    Attributes
    ----------
    digits : ndarray of uint8, shape (m, height, width)
        MNIST's training digits.
    """

    def __init__(self, params: Params, digits: NDArray[np.uint8]) -> None:
        self.params = params
        self.digits = digits

    @cached_property
    def _fields(self) -> NDArray[np.float64]:
        rng = np.random.default_rng(np.random.SeedSequence(self.params.seed, spawn_key=(0,)))
        return smooth_fields(rng, FIELDS, self.digits[0].shape, self.params.sigma)

    def sources(self, key: str, examples: range) -> NDArray[np.int64]:
        """Return the digits from which examples of a part are made."""
        return (FIRST[key] + np.arange(examples.start, examples.stop)) % len(self.digits)

    def images(self, key: str, start: int, count: int) -> NDArray[np.uint8]:
        """Return the first ``count`` examples of the piece of a part that starts at example ``start``."""
        spawned = np.random.SeedSequence(self.params.seed, spawn_key=(STREAMS[key], start // PIECE))
        draws = Draws.of(np.random.default_rng(spawned), PIECE, FIELDS)
        blocks = []
        for begin in range(0, count, BLOCK):
            end = min(begin + BLOCK, count)
            originals = self.digits[self.sources(key, range(start + begin, start + end))]
            derivatives = tangents(originals, SMOOTHING)
            blocks.append(deformed(originals, derivatives, self._fields, draws[begin:end], self.params.alpha))
        return np.concatenate(blocks)


def _piece(pool: Pool, raw: RawFiles, key: str, start: int, n: int) -> NDArray[np.uint8]:
    """Return the images of a file; if it is missing or damaged, make and store it."""
    params = pool.params
    path = (
        raw.pieces
        / f"v{VERSION}-a{params.alpha:g}-s{params.sigma:g}-seed{params.seed}"
        / f"{key}-{start // PIECE:05d}.npz"
    )
    wanted = min(PIECE, n - start)
    found = _read(path, pool.digits.shape[1:])
    if found is not None and len(found) >= wanted:
        return found
    raw.say(f"mnist_e: deforming {key} images {start + 1} to {start + wanted} of {n}")
    images = pool.images(key, start, wanted)
    stream = io.BytesIO()
    np.savez(stream, images=images)  # uncompressed, with a checksum
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, stream.getvalue())
    except OSError as error:
        raise unwritable(path.parent, error) from error
    return images


def _read(path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8] | None:
    """Return the images of a file, or None if it is missing or damaged."""
    try:
        images: NDArray[np.uint8] = read_npz(path.read_bytes())["images"]
    except (OSError, ValueError, KeyError):
        return None
    return images if images.dtype == np.uint8 and images.ndim == 3 and images.shape[1:] == shape else None
