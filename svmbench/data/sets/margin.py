"""Margin: unit vectors at a given distance from a hyperplane, some with the wrong label.

This set tests the bounds in Table 1 of the SBP paper. They are in terms of a predictor u with norm |u| and
expected hinge loss L(u), and assume that K(x, x) is at most 1. Here the kernel is linear and u = e / margin
for a unit vector e, so that |u| = 1 / margin. Every example has <e, x> = margin or -margin. So the hinge loss
of u is 0 on an example with the right label and 2 on one with the wrong label: L(u) = 2 noise, and the error
of u is ``noise``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Prepared
from svmbench.data.generate import draw
from svmbench.data.parameters import drawn_seed, rows, suggested
from svmbench.data.raw import RawFiles
from svmbench.option import option

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=margin``."""

    n_train: int = rows(10_000, "Number of training examples.", 2)
    n_test: int = rows(10_000, "Number of test examples; 0: no test set.")
    margin: float = option(
        0.1,
        "Distance of every example from the hyperplane. The predictor given by this hyperplane has norm "
        "1/margin.",
        min=0.0001,
        max=0.99,
    )
    noise: float = option(
        0.0,
        "Probability that a label is wrong. The expected hinge loss of that predictor is twice this.",
        min=0,
        max=0.5,
    )
    dimensions: int = option(
        200,
        "Number of features. More features make the hyperplane harder to find: about as many examples are "
        "needed, or 1/margin².",
        min=2,
        max=100_000,
    )
    seed: int = drawn_seed()


SUGGESTED = suggested(0.5, 1.0, "Chosen here; the bounds are those of kernel=linear", "Chosen here")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Draw both parts: x = ±margin e + sqrt(1 - margin²) v, v uniform on the unit sphere orthogonal to e."""
    e = direction(params.dimensions, params.seed)

    def sample(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        side = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        wrong = rng.random(n) < params.noise
        X = at_heights(side * params.margin, e, rng)
        return X.astype(np.float32), np.where(wrong, -side, side)

    return draw(params.n_train, params.n_test, params.seed, sample)


def direction(dimensions: int, seed: int) -> NDArray[np.float64]:
    """Return e, a random unit vector that is the same for both parts and drawn independently of them."""
    child = np.random.SeedSequence(seed).spawn(3)[2]
    e = np.random.default_rng(child).standard_normal(dimensions)
    return e / np.linalg.norm(e)


def at_heights(
    t: NDArray[np.float64], e: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return x = t e + sqrt(1 - t²) v, shape (t.size, e.size), v uniform on the sphere orthogonal to e."""
    v = rng.standard_normal((t.size, e.size))
    v -= np.outer(v @ e, e)
    v *= (np.sqrt(1.0 - t**2) / np.linalg.norm(v, axis=1))[:, np.newaxis]
    return v + np.outer(t, e)
