"""Ringnorm (Breiman 1998): a wide and a narrow Gaussian class in 20 dimensions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from svmbench.data.dataset import Prepared
from svmbench.data.generate import gaussian_classes
from svmbench.data.parameters import drawn_seed, rows, suggested
from svmbench.data.raw import RawFiles
from svmbench.option import option

VERSION = 1
DIMENSIONS = 20


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=ringnorm``."""

    n_train: int = rows(
        10_000,
        "Number of training examples. RandSVM has 100,000 and 1,000,000; fewer are enough to see the curves.",
        2,
    )
    n_test: int = rows(10_000, "Number of test examples; 0: no test set. As in RandSVM.")
    mean: float = option(
        0.0, "Mean of every feature of the wide class. 0, as in Breiman; the text of RandSVM says 1."
    )
    a: float = option(
        2.0 / math.sqrt(DIMENSIONS),
        "Mean of every feature of the narrow class. 2/sqrt(20) as in RandSVM; 1/sqrt(20) in R's mlbench.",
        min=0,
    )
    seed: int = drawn_seed()


SUGGESTED = suggested(
    0.02,
    1.0,
    "Chosen here, within 0.4 points of the Bayes error with 2,000 examples",
    "Chosen here; RandSVM does not give it",
)


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Draw both parts: +1 from N(mean 1, 4 I), -1 from N(a 1, I), each with probability 1/2."""
    wide, narrow = np.full(DIMENSIONS, params.mean), np.full(DIMENSIONS, params.a)
    return gaussian_classes(params.n_train, params.n_test, params.seed, (wide, 2.0), (narrow, 1.0))
