"""Banana: two interlocked arcs in the plane, blurred (the generator of PRTools, Duin et al.).

The banana set of Rätsch, Onoda, Müller (2001), which LASVM used, consists of 5,300 published points from an
unpublished generator. This set is not the same but similar; ``noise`` was chosen so that about the same error
can be attained.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Prepared
from svmbench.data.generate import draw
from svmbench.data.parameters import drawn_seed, rows, suggested
from svmbench.data.raw import RawFiles
from svmbench.option import option

VERSION = 1
SHIFT = 0.75  # shift of the second arc along both axes, in radii


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=banana``."""

    n_train: int = rows(4_000, "Number of training examples. As in LASVM.", 2)
    n_test: int = rows(1_300, "Number of test examples; 0: no test set. As in LASVM.")
    noise: float = option(
        0.36,
        "Standard deviation around the arcs, which have radius 1. Chosen here: about 10 % error, as on the"
        " benchmark's points.",
        min=0,
    )
    seed: int = drawn_seed()


SUGGESTED = suggested(0.5, 316.0, "LASVM")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Draw both parts: points on an arc of 225 degrees of the unit circle, plus N(0, noise² I).

    Class +1 has angles in [π/8, 11π/8], class -1 in [-7π/8, 3π/8] around a centre moved by -0.75 along both
    axes; a point at angle t is (sin t, cos t) from its centre. Each class has probability 1/2.
    """

    def sample(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        up = rng.random(n) < 0.5
        turn = 1.25 * math.pi * rng.random(n)
        angle = np.where(up, math.pi / 8 + turn, 3 * math.pi / 8 - turn)
        X = np.column_stack([np.sin(angle), np.cos(angle)])
        X -= np.where(up, 0.0, SHIFT)[:, np.newaxis]
        X += params.noise * rng.standard_normal((n, 2))
        return X.astype(np.float32), np.where(up, 1.0, -1.0)

    return draw(params.n_train, params.n_test, params.seed, sample)
