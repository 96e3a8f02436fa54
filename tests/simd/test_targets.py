"""Memory for registers begins at a cache line."""

import numpy as np
import pytest

from svmbench.simd.targets import aligned_zeros


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [1, 12345, (7, 33)])
def test_zeros_begin_at_a_cache_line(shape, dtype):
    found = aligned_zeros(shape, dtype)
    assert found.ctypes.data % 64 == 0 and found.dtype == dtype
    assert found.shape == np.zeros(shape).shape and not found.any()
    found[...] = 1.0
