"""The polynomial kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svmbench.kernels.functions.base import HIGHER, SINGLE, Floats, ScalarKernel
from svmbench.option import option

#: Sums of float32 products over more features, times the degree, exceed the tolerance.
_MOST_SINGLE = 2048


@dataclass(frozen=True)
class Polynomial(ScalarKernel):
    """K(x, z) = (gamma <x, z> + coef0)^degree."""

    degree: int = option(3, "Degree. Three is the common first choice.", min=1, max=1000)
    gamma: float = option(1.0, "Factor of the inner product. One leaves it unchanged.", above=0)
    coef0: float = option(1.0, "Constant added to the inner product. One adds all lower degrees.", min=0)

    compiled = 2

    @property
    def slope(self) -> float:  # type: ignore[override]
        """See `Kernel`."""
        return self.degree

    def value(self, numbers: Floats) -> Floats:
        """See `ScalarKernel`."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray((self.gamma * numbers + self.coef0) ** self.degree)

    def lengths_of(self, squares: Floats) -> Floats:
        """See `ScalarKernel`: by the inequality of Cauchy and Schwarz."""
        return np.asarray((self.gamma * squares + abs(self.coef0)) ** (0.5 * self.degree))

    def fits_single(self, d: int) -> bool:
        """See `ScalarKernel`."""
        return 1e-30 < self.gamma < 1e30 and d * self.degree <= _MOST_SINGLE

    def relative_error(self, error: tuple[float, float] | None) -> float:
        """See `Kernel`: scaling, adding and the powers take three roundings, and one more per factor."""
        if error is None:
            return HIGHER * SINGLE
        return HIGHER * (self.degree * (error[0] + 4.0 * SINGLE) + (self.degree - 1.0) * SINGLE)
