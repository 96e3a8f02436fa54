"""Waveform (Breiman, Friedman, Olshen, Stone 1984, section 2.6.2): noisy mixtures of triangular waves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Prepared
from svmbench.data.generate import draw
from svmbench.data.parameters import EVERY, drawn_seed, rows, suggested
from svmbench.data.raw import RawFiles
from svmbench.option import option

VERSION = 1
MULTICLASS = True
LABELS = ("1", "2", "3")

#: Waves h1, h2, h3 at the attributes 1 to 21: max(6 - |i - c|, 0), c = 7, 15, 11.
WAVES = np.maximum(6.0 - np.abs(np.arange(1, 22) - np.array([[7], [15], [11]])), 0.0)

#: The two waves mixed in each of the classes 1, 2 and 3.
MIXED = np.array([[0, 1], [0, 2], [1, 2]])


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=waveform``."""

    n_train: int = rows(4_000, "Number of training examples. As in LASVM.", 2)
    n_test: int = rows(1_000, "Number of test examples; 0: no test set. As in LASVM.")
    task: str = option(
        "1-2",
        "Positive and negative class: two of the three, or one against both others. LASVM has two of the "
        "three. all: each of the three is a class, for problem.multiclass, which sets it.",
        choices=("1-2", "1-3", "2-3", "1-rest", "2-rest", "3-rest", EVERY),
    )
    seed: int = drawn_seed()


SUGGESTED = suggested(0.05, 1.0, "LASVM")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Draw both parts: x = u h_a + (1 - u) h_b + N(0, I), u uniform in [0, 1], h_a and h_b of the class."""
    every = params.task == EVERY
    positive, negative = ("1", "rest") if every else params.task.split("-")
    others = [k for k in (1, 2, 3) if str(k) != positive] if negative == "rest" else [int(negative)]
    classes = np.array([int(positive), *others])

    def sample(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        drawn = classes[rng.integers(classes.size, size=n)]
        u = rng.random(n)[:, np.newaxis]
        first, second = MIXED[drawn - 1].T
        X = u * WAVES[first] + (1.0 - u) * WAVES[second] + rng.standard_normal((n, WAVES.shape[1]))
        return X.astype(np.float32), drawn - 1.0 if every else np.where(drawn == int(positive), 1.0, -1.0)

    return replace(draw(params.n_train, params.n_test, params.seed, sample), labels=LABELS if every else None)
