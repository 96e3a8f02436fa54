"""Separable: unit vectors drawn uniformly outside the margin of a hyperplane.

This set is for RandSVM's Theorem 2, which is about separable data with a given margin. The examples of
``margin`` all lie on the margin; these are in general position, so that dimensions + 1 of them determine the
solution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincc, betainccinv

from svmbench.data.dataset import Prepared
from svmbench.data.generate import draw
from svmbench.data.parameters import drawn_seed, rows, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.sets.margin import at_heights, direction
from svmbench.option import option

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=separable``."""

    n_train: int = rows(10_000, "Number of training examples.", 2)
    n_test: int = rows(10_000, "Number of test examples; 0: no test set.")
    margin: float = option(0.1, "Least distance of an example from the hyperplane.", min=0.0001, max=0.99)
    dimensions: int = option(
        50,
        "Number of features. With more features, the examples are nearer to the margin.",
        min=2,
        max=100_000,
    )
    seed: int = drawn_seed()


SUGGESTED = suggested(0.5, 1.0, "Chosen here; the bounds are those of kernel=linear", "Chosen here")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Draw both parts: x = ±t e + sqrt(1 - t²) v, v uniform on the sphere orthogonal to e, label ±1.

    If x is uniform on the sphere, t² has the beta distribution with parameters 1/2 and (dimensions - 1)/2. It
    is drawn beyond margin² by inverting the tail of the distribution, without rejection.
    """
    e = direction(params.dimensions, params.seed)
    shape = 0.5, 0.5 * (params.dimensions - 1)

    def sample(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        side = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        tail = (1.0 - rng.random(n)) * betaincc(*shape, params.margin**2)
        t = np.clip(np.sqrt(betainccinv(*shape, tail)), params.margin, 1.0)
        return at_heights(side * t, e, rng).astype(np.float32), side

    return draw(params.n_train, params.n_test, params.seed, sample)
