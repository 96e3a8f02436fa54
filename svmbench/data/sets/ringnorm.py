"""Ringnorm (Breiman 1998): a wide and a narrow Gaussian class in 20 dimensions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from svmbench.data.dataset import Prepared
from svmbench.data.generate import gaussian_classes
from svmbench.data.parameters import Checked, real, whole
from svmbench.data.raw import RawFiles

VERSION = 1
DIMENSIONS = 20


@dataclass(frozen=True)
class Params(Checked):
    """Parameters of ``dataset=ringnorm``."""

    n_train: int = whole(10_000, 2)
    n_test: int = whole(10_000, 0)
    mean: float = 0.0
    a: float = real(2.0 / math.sqrt(DIMENSIONS), 0)
    seed: int = whole(0, 0)


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Draw both parts: +1 from N(mean 1, 4 I), -1 from N(a 1, I), each with probability 1/2."""
    wide, narrow = np.full(DIMENSIONS, params.mean), np.full(DIMENSIONS, params.a)
    return gaussian_classes(params.n_train, params.n_test, params.seed, (wide, 2.0), (narrow, 1.0))
