"""Checkerboard: a 4 by 4 board in the plane, as in RandSVM (Krishnan et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Prepared
from svmbench.data.generate import draw
from svmbench.data.parameters import drawn_seed, rows, suggested
from svmbench.data.raw import RawFiles

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=checkerboard``."""

    n_train: int = rows(
        2_000,
        "Number of training examples. Runs take seconds on any machine; RandSVM has 100,000 and 1,000,000.",
        2,
    )
    n_test: int = rows(10_000, "Number of test examples; 0: no test set. As in RandSVM.")
    seed: int = drawn_seed()


SUGGESTED = suggested(
    10.0,
    10.0,
    "sigma a fifth of a square. Chosen here: 3 % error with 2,000 examples",
    "Chosen here, with gamma",
)


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Draw both parts uniformly from [0, 4)²; -1 where floor(x1) and floor(x2) are both odd or both even."""

    def sample(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        X = rng.uniform(0.0, 4.0, (n, 2)).astype(np.float32)
        # A value just below 4 may round up to 4; keep it on its square.
        X = np.minimum(X, np.nextafter(np.float32(4.0), np.float32(0.0)))
        same = np.floor(X[:, 0]) % 2 == np.floor(X[:, 1]) % 2
        return X, np.where(same, -1.0, 1.0)

    return draw(params.n_train, params.n_test, params.seed, sample)
