"""Twonorm (Breiman 1998): two Gaussian classes with unit covariance in 20 dimensions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from svmbench.data.dataset import Prepared
from svmbench.data.generate import gaussian_classes
from svmbench.data.parameters import drawn_seed, rows, suggested
from svmbench.data.raw import RawFiles

VERSION = 1
DIMENSIONS = 20


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=twonorm``."""

    n_train: int = rows(
        10_000,
        "Number of training examples. RandSVM has 100,000 and 1,000,000; fewer are enough to see the curves.",
        2,
    )
    n_test: int = rows(10_000, "Number of test examples; 0: no test set. As in RandSVM.")
    seed: int = drawn_seed()


SUGGESTED = suggested(
    0.02,
    1.0,
    "about 1 divided by twice the squared distance of two examples. Chosen here",
    "Chosen here; RandSVM does not give it",
)


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Draw both parts: +1 from N(a 1, I), -1 from N(-a 1, I), a = 2/sqrt(20), each with probability 1/2."""
    a = np.full(DIMENSIONS, 2.0 / math.sqrt(DIMENSIONS))
    return gaussian_classes(params.n_train, params.n_test, params.seed, (a, 1.0), (-a, 1.0))
