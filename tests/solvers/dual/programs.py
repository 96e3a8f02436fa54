"""Random quadratic programs in few variables, for the tests of what minimises them."""

import numpy as np


def random_program(q, rank, rng, largest):
    """V with V'V = Q, some of the variables there twice; C up to 10^largest; labels; a point of the box."""
    V = rng.normal(size=(rank, q))
    if q > 4:
        V[:, 1] = V[:, 0]
        V[:, 3] = -V[:, 2]
    C = 10.0 ** rng.uniform(-1, largest)
    y = np.where(rng.random(q) < 0.5, 1.0, -1.0)
    start = rng.choice([0.0, C, 0.3 * C, C * rng.random()], size=q)
    return V, C, y, start


def objective(Q, h, z):
    return 0.5 * z @ Q @ z + h @ z
