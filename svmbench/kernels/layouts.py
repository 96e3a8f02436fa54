"""Choosing the storage layout that makes kernel values of given examples fastest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse

from svmbench.errors import UserError, nearest
from svmbench.kernels._bits import BitsLayout
from svmbench.kernels._bytes import MOST_FEATURES, BytesLayout, common_unit
from svmbench.kernels._dense import DenseLayout
from svmbench.kernels._layout import Layout
from svmbench.kernels._mixed import MOST_NUMERIC, MixedLayout, indicator_groups
from svmbench.kernels._sparse import SparseLayout

Matrix = Any  # ndarray of float32 or scipy.sparse matrix, shape (n, d)

LAYOUTS: dict[str, type[Layout]] = {
    layout.name: layout for layout in (BitsLayout, BytesLayout, MixedLayout, DenseLayout, SparseLayout)
}


def make_layout(
    X: Matrix,
    kernel: Mapping[str, Any],
    threads: int = 1,
    layout: str | None = None,
    like: Matrix | None = None,
) -> Layout:
    """Store examples so that kernel rows over them are fast.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Examples; stored with the precision of float32 or, where nothing is lost, less.
    kernel : mapping
        ``name`` (gaussian, linear, polynomial) and its parameters gamma, degree, coef0.
    threads : int
        OpenMP threads of one call.
    layout : str, optional
        A key of `LAYOUTS`; by default the one that fits the examples best.
    like : ndarray or scipy.sparse matrix, shape (m, d), optional
        Examples to choose the layout by, of which X is a part; X by default.

    Raises
    ------
    UserError
        If the kernel or the layout is unknown, or the layout does not fit the examples.
    """
    if layout is not None and layout not in LAYOUTS:
        raise UserError(
            f"unknown layout '{layout}'{nearest(layout, LAYOUTS)} (layouts: {', '.join(LAYOUTS)})"
        )
    if not scipy.sparse.issparse(X):
        X = np.asarray(X)
    if layout is not None:
        return LAYOUTS[layout](X, kernel, threads)
    chosen, options = choose(X if like is None else like)
    return LAYOUTS[chosen](X, kernel, threads, **options)


def choose(X: Matrix) -> tuple[str, dict[str, Any]]:
    """Return the name of the layout that fits the examples best, and the arguments it found on the way.

    ``bits`` if every value is 0 or 1 (a sparse matrix only if that takes no more memory), ``sparse`` for any
    other sparse matrix, ``bytes`` for whole multiples of one unit, ``mixed`` if groups of indicators make up
    half of the features or more, else ``dense``.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Examples.
    """
    n, d = X.shape
    if scipy.sparse.issparse(X):
        entry = X.dtype.itemsize + 4  # a value and its column
        packed = bool(np.all(X.data == 1.0)) and n * d / 8 <= X.nnz * entry
        return ("bits" if packed else "sparse"), {}
    unit = common_unit(X) if d <= MOST_FEATURES else None
    if unit is not None:
        binary = unit == 1.0 and float(X.max(initial=0.0)) <= 1.0
        return ("bits", {}) if binary else ("bytes", {"unit": unit})
    groups = indicator_groups(X)
    numeric = d - sum(end - begin for begin, end in groups)
    if groups and numeric <= min(d / 2, MOST_NUMERIC):
        return "mixed", {"groups": groups}
    return "dense", {}
