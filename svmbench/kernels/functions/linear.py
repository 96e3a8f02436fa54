"""The linear kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svmbench.kernels.functions.base import HIGHER, SINGLE, Floats, ScalarKernel


@dataclass(frozen=True)
class Linear(ScalarKernel):
    """K(x, z) = <x, z>."""

    compiled, linear, slope = 1, True, 1.0

    def value(self, numbers: Floats) -> Floats:
        """See `ScalarKernel`."""
        return numbers

    def lengths_of(self, squares: Floats) -> Floats:
        """See `ScalarKernel`."""
        return np.sqrt(squares)

    def fits_single(self, d: int) -> bool:
        """See `ScalarKernel`: the tolerance is relative to the norms."""
        return True

    def relative_error(self, error: tuple[float, float] | None) -> float:
        """See `Kernel`."""
        return HIGHER * (SINGLE if error is None else error[0] + 4.0 * SINGLE)
