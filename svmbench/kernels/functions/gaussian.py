"""The Gaussian kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from svmbench.kernels.functions.base import HIGHER, SINGLE, Floats, ScalarKernel

#: Values below 2 to this power are 0 in single precision. The limit of the distance is increased by a
#: fraction, since bounds and distances are rounded.
_LEAST_EXPONENT, _MARGIN = -125, 1e-4

_HELP = (
    "Inverse squared width, 1/(2 sigma²). null: dataset.suggested.gamma, the papers' value for the data set."
)


@dataclass(frozen=True)
class Gaussian(ScalarKernel):
    """K(x, z) = exp(-gamma |x - z|²)."""

    gamma: float = field(metadata={"help": _HELP, "given": float | None, "above": 0})

    compiled, radial, invariant, normalised = 0, True, True, True

    @property
    def slope(self) -> float:  # type: ignore[override]
        """See `Kernel`: the largest slope of exp(-gamma r²)."""
        return math.sqrt(2.0 * self.gamma / math.e)

    @property
    def farthest(self) -> float:
        """Squared distance beyond which every value is 0 in single precision."""
        return -_LEAST_EXPONENT * math.log(2.0) / self.gamma * (1.0 + _MARGIN)

    def value(self, numbers: Floats) -> Floats:
        """See `ScalarKernel`."""
        values = -self.gamma * numbers
        return np.asarray(np.exp(values, out=values))

    def lengths_of(self, squares: Floats) -> Floats:
        """See `ScalarKernel`."""
        return np.ones(len(squares))

    def fits_single(self, d: int) -> bool:
        """See `ScalarKernel`."""
        return 1e-30 < self.gamma < 1e30

    def value_error(self, error: tuple[float, float] | None) -> tuple[float, float] | None:
        """See `Kernel`. Values below 2^-125 may be 0 besides.

        Notes
        -----
        To first order in u = 2^-24, relative errors add up (N. J. Higham, Accuracy and Stability of Numerical
        Algorithms, 2nd ed., 2002, section 3.1); a hundredth more covers the higher orders. Scaling the
        distance takes three roundings. In the exponential, the roundings of the polynomial are multiplied by
        powers of at most 1/2, so that their effects add up to 4 u.
        """
        return error and (HIGHER * (error[0] + 3.0 * SINGLE), HIGHER * (error[1] + 4.0 * SINGLE))
