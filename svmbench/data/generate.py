"""Generated sets: independent training and test sets from one stored seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Part, Prepared

Sample = Callable[[int, np.random.Generator], tuple[NDArray[np.float32], NDArray[np.float64]]]


def draw(n_train: int, n_test: int, seed: int, sample: Sample) -> Prepared:
    """Draw both parts, each from its own child seed, so that the test set does not depend on ``n_train``."""
    children = np.random.SeedSequence(seed).spawn(2)
    sizes = {"train": n_train, "test": n_test}
    parts = {
        key: Part(*sample(n, np.random.default_rng(child)))
        for (key, n), child in zip(sizes.items(), children)
        if n
    }
    return Prepared(parts, "none")


def gaussian_classes(
    n_train: int,
    n_test: int,
    seed: int,
    positive: tuple[NDArray[np.float64], float],
    negative: tuple[NDArray[np.float64], float],
) -> Prepared:
    """Draw +1 or -1 with probability 1/2, then a normal vector with the mean and deviation of that class."""

    def sample(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        up = rng.random(n) < 0.5
        X = rng.standard_normal((n, positive[0].size))
        X *= np.where(up, positive[1], negative[1])[:, np.newaxis]
        X += np.where(up[:, np.newaxis], positive[0], negative[0])
        return X.astype(np.float32), np.where(up, 1.0, -1.0)

    return draw(n_train, n_test, seed, sample)
