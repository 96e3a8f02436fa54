"""The sigmoid kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svmbench.kernels.functions.base import Floats, Kernel
from svmbench.option import option


@dataclass(frozen=True)
class Sigmoid(Kernel):
    """K(x, z) = tanh(gamma <x, z> + coef0), which is seldom positive semidefinite."""

    gamma: float = option(1.0, "Factor of the inner product. One leaves it unchanged.", above=0)
    coef0: float = option(0.0, "Constant added to the inner product.")

    def row(self, X: Floats, x: Floats) -> Floats:
        """See `Kernel`."""
        return np.tanh(self.gamma * np.einsum("ij,j->i", X, x) + self.coef0)

    def lengths(self, X: Any) -> Floats:
        """See `Kernel`."""
        return np.ones(X.shape[0])
