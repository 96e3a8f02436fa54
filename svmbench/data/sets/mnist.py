"""MNIST: handwritten digits, one set of digits against the others or all ten (LeCun et al. 1998)."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Part, Prepared
from svmbench.data.parameters import DIGITS, EVERY, Digits, digit_set, digits_help, split_seed, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.splits import random_parts
from svmbench.errors import UserError
from svmbench.option import option

VERSION = 1
MULTICLASS = True

#: Values of the grey levels. They are divided in double precision, so that each is correctly rounded.
GREY = (np.arange(256) / 255.0).astype(np.float32)


@dataclass(frozen=True)
class Params(Digits):
    """Parameters of ``dataset=mnist``."""

    task: int | str | list[int] = option("8", digits_help("8, as in Pegasos and SBP; 0-4 in ASSET."))
    split: str = option(
        "official",
        "Training and test examples. official: 60,000 / 10,000, as in Pegasos and SBP. asset: all 70,000 "
        "split at random, 58,100 / 5,950 for validation / 5,950.",
        choices=("official", "asset"),
    )
    split_seed: int = split_seed()


SUGGESTED = suggested(
    0.02,
    1.0,
    "sigma² = 25 (Pegasos Table 2; SBP Table 2). ASSET: 0.01",
    "lam = 1/n (Pegasos Table 2; SBP Table 2). ASSET: 100",
)


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read the four files; ``asset`` splits all at random into 58,100 / 5,950 / 5,950 (ASSET, Table 1)."""
    positive, every = list(digit_set(str(params.task))), params.task == EVERY
    images, labels = {}, {}
    for key in ("train", "test"):
        images[key] = _images(raw, key)
        digit = read_labels(raw, f"{key}_labels")
        labels[key] = digit.astype(np.float64) if every else np.where(np.isin(digit, positive), 1.0, -1.0)
        if len(images[key]) != len(labels[key]):
            raise UserError(
                f"mnist has {len(images[key])} images but {len(labels[key])} labels for its {key} part"
            )
    parts = {key: Part(images[key], labels[key]) for key in images}
    if params.split == "asset":
        X, y = np.concatenate(list(images.values())), np.concatenate(list(labels.values()))
        half = y.size * 5950 // 70000
        sizes = {"train": y.size - 2 * half, "validation": half, "test": half}
        parts = random_parts(X, y, sizes, params.split_seed)
    return Prepared(parts, "pixels divided by 255, in [0, 1]", labels=DIGITS if every else None)


def _images(raw: RawFiles, key: str) -> NDArray[np.float32]:
    pixels = read_idx(*raw.text(f"{key}_images"), axes=3)
    return GREY[pixels.reshape(len(pixels), -1)]


def read_labels(raw: RawFiles, key: str) -> NDArray[np.uint8]:
    """Return the digits of a file of the catalogue, with counts checked."""
    content, name = raw.text(key)
    labels = read_idx(content, name, axes=1)
    counts = {str(digit): int(count) for digit, count in enumerate(np.bincount(labels, minlength=10))}
    raw.check(key, name, labels, counts)
    return labels


def read_idx(content: bytes, name: str, axes: int) -> NDArray[np.uint8]:
    """Read the IDX format: magic number, sizes of the axes as big-endian 32-bit numbers, bytes."""
    head = 4 + 4 * axes
    if len(content) < head or content[:4] != bytes((0, 0, 8, axes)):
        raise UserError(f"{name} is not an IDX file of bytes with {axes} axes")
    shape = struct.unpack(f">{axes}I", content[4:head])
    size = math.prod(shape)  # Python's integers do not overflow
    if size == 0:
        raise UserError(f"{name} is empty: an axis in its header has size 0")
    if len(content) != head + size:
        raise UserError(f"{name} has {len(content)} bytes where its header says {head + size}")
    return np.frombuffer(content, np.uint8, offset=head).reshape(shape)
