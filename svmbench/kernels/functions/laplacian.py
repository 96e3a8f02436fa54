"""The Laplacian kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svmbench.kernels.functions.base import Floats, Kernel
from svmbench.option import option


@dataclass(frozen=True)
class Laplacian(Kernel):
    """K(x, z) = exp(-gamma sum_k |x_k - z_k|)."""

    gamma: float = option(
        1.0, "Inverse width. One suits features whose distances are of the order 1.", above=0
    )

    invariant, normalised = True, True

    def row(self, X: Floats, x: Floats) -> Floats:
        """See `Kernel`."""
        return np.exp(-self.gamma * np.abs(X - x).sum(axis=1))
