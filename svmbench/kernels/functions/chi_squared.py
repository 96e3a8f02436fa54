"""The exponential chi-squared kernel, of histograms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svmbench.errors import UserError
from svmbench.kernels.functions.base import Floats, Kernel
from svmbench.option import option


@dataclass(frozen=True)
class ChiSquared(Kernel):
    """K(x, z) = exp(-gamma sum_k (x_k - z_k)² / (x_k + z_k)), of features of at least 0; 0/0 is 0."""

    gamma: float = option(1.0, "Inverse width. One suits histograms whose bins add up to 1.", above=0)

    normalised = True

    def row(self, X: Floats, x: Floats) -> Floats:
        """See `Kernel`."""
        if X.min(initial=0.0) < 0.0 or x.min(initial=0.0) < 0.0:
            raise UserError("kernel=chi_squared needs features of at least 0: give others, or another kernel")
        total = X + x
        terms = np.divide(np.square(X - x), total, out=np.zeros_like(total), where=total > 0.0)
        return np.exp(-self.gamma * terms.sum(axis=1))
