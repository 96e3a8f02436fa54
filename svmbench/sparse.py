"""Whether a matrix is sparse, asked without `scipy.sparse`, whose import takes a tenth of a second."""

from __future__ import annotations

import sys
from typing import Any


def issparse(X: Any) -> bool:
    """Return whether X is a sparse array or matrix of scipy.

    Where `scipy.sparse` has not been imported, no such object exists. Modules that make sparse arrays write
    ``import scipy`` and ``scipy.sparse.csr_array``, which imports the submodule at its first use.
    """
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(X))
