"""MNIST-E: elastic deformations of MNIST, as many as wanted (ASSET, Table 1; Loosli, Canu, Bottou 2007).

ASSET's million of examples is not public. Here, training example k is training image k mod 60,000, deformed
by a field that depends on the seed and k alone, so that n examples are the first n of any larger set; the
validation and test examples are deformed test images. Images are kept as bytes, 784 MB for a million, in
files of 10,000: an interrupted preparation goes on with the next file.

All is drawn and computed in double precision, so that the bytes are the same on every machine but for pixels
whose value lies within rounding, 1e-13, of halfway between two grey levels: fewer than one in a million
images.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Part, Prepared
from svmbench.data.folders import unwritable
from svmbench.data.parameters import check, digit_set, digits, whole
from svmbench.data.raw import RawFiles
from svmbench.data.sets._elastic import deformed, displacements
from svmbench.data.sets.mnist import GREY, read_idx, read_labels
from svmbench.files import read_npz, write_whole

VERSION = 1
PIECE = 10_000  # images in one file
BLOCK = 500  # images deformed at once
STREAMS = {"train": 0, "validation": 1, "test": 2}


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=mnist_e``."""

    task: int | str | list[int] = "0-4"
    n_train: int = whole(1_000_000, 2)
    n_validation: int = whole(20_000, 0)
    n_test: int = whole(20_000, 0)
    alpha: float = field(default=34.0, metadata={"min": 0})
    sigma: float = field(default=4.0, metadata={"min": 0.1, "max": 100})
    seed: int = whole(0, 0)

    def __post_init__(self) -> None:
        check(self)
        object.__setattr__(self, "task", digits(self.task))


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Deform as many images as are missing, and read all of them."""
    positive = list(digit_set(str(params.task)))
    sizes = {"train": params.n_train, "validation": params.n_validation, "test": params.n_test}
    parts = {}
    for key, n in sizes.items():
        if n == 0:
            continue
        source = "train" if key == "train" else "test"
        originals = read_idx(*raw.text(f"{source}_images"), axes=3)
        labels = read_labels(raw, f"{source}_labels")
        X = np.empty((n, originals[0].size), np.float32)
        for start in range(0, n, PIECE):
            stop = min(start + PIECE, n)
            pixels = _piece(params, raw, key, start, originals, n)
            X[start:stop] = GREY[pixels[: stop - start].reshape(stop - start, -1)]
        y = labels[np.arange(n) % labels.size]
        parts[key] = Part(X, np.where(np.isin(y, positive), 1.0, -1.0))
    return Prepared(parts, "pixels divided by 255, in [0, 1]")


def _piece(
    params: Params, raw: RawFiles, key: str, start: int, originals: NDArray[np.uint8], n: int
) -> NDArray[np.uint8]:
    """Return a file's images, from the file if it is there and whole, else made and kept."""
    path = (
        raw.pieces
        / f"a{params.alpha:g}-s{params.sigma:g}-seed{params.seed}"
        / f"{key}-{start // PIECE:05d}.npz"
    )
    wanted = min(PIECE, n - start)
    found = _read(path, originals.shape[1:])
    if found is not None and len(found) >= wanted:
        return found
    raw.say(f"mnist_e: deforming {key} images {start + 1} to {start + wanted} of {n}")
    blocks = []
    for begin in range(start, start + wanted, BLOCK):
        examples = range(begin, min(begin + BLOCK, start + wanted))
        shape = (originals.shape[1], originals.shape[2])
        fields = displacements(params.seed, STREAMS[key], examples, shape, params.alpha, params.sigma)
        blocks.append(deformed(originals[np.array(examples) % len(originals)], fields))
    images = np.concatenate(blocks)
    stream = io.BytesIO()
    np.savez(stream, images=images)  # not compressed, but with a checksum
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, stream.getvalue())
    except OSError as error:
        raise unwritable(path.parent, error) from error
    return images


def _read(path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8] | None:
    """Return the images of a file, or None if it is not there, or damaged."""
    try:
        images: NDArray[np.uint8] = read_npz(path.read_bytes())["images"]
    except (OSError, ValueError, KeyError):
        return None
    return images if images.dtype == np.uint8 and images.ndim == 3 and images.shape[1:] == shape else None
