"""Choice of the storage layout that is fastest for given examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmbench.errors import UserError, nearest
from svmbench.kernels.functions.base import ScalarKernel
from svmbench.kernels.functions.registry import AnyKernel, kernel_of
from svmbench.kernels.layouts._bits import BitsLayout
from svmbench.kernels.layouts._bytes import MOST_FEATURES, BytesLayout, common_unit, holds
from svmbench.kernels.layouts._dense import DenseLayout
from svmbench.kernels.layouts._dense_double import DoubleLayout
from svmbench.kernels.layouts._formula import FormulaLayout, GramLayout
from svmbench.kernels.layouts._layout import Layout
from svmbench.kernels.layouts._mixed import MOST_NUMERIC, MixedLayout, indicator_groups
from svmbench.kernels.layouts._sparse import SparseLayout
from svmbench.sparse import canonical, issparse

Matrix = Any  # ndarray of float32 or scipy.sparse matrix, shape (n, d)

LAYOUTS: dict[str, type[Layout]] = {
    layout.name: layout
    for layout in (BitsLayout, BytesLayout, MixedLayout, DenseLayout, DoubleLayout, SparseLayout)
}


def make_layout(
    X: Matrix,
    kernel: AnyKernel,
    threads: int = 1,
    layout: str | None = None,
    like: Matrix | None = None,
    precision: str = "auto",
) -> Layout:
    """Store examples for fast kernel rows.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Examples; stored in float32 or, without loss, more compactly.
    kernel : Kernel or mapping
        The kernel, or its name and parameters.
    threads : int
        OpenMP threads per call.
    layout : str, optional
        A key of `LAYOUTS`. Default: the one that fits the examples best. A kernel that is not compiled has
        one of its own.
    like : ndarray or scipy.sparse matrix, shape (m, d), optional
        Examples that determine the layout, of which X is a part. Default: X.
    precision : str
        ``auto``: values of dense examples in float64 if float32 cannot keep them within 1e-6; ``single``: in
        the precision of the layout; ``double``: in float64. Rows are always float32.

    Raises
    ------
    UserError
        If the kernel or the layout is unknown, or the layout does not fit the examples.
    """
    if layout is not None and layout not in LAYOUTS:
        raise UserError(
            f"unknown layout '{layout}'{nearest(layout, LAYOUTS)} (layouts: {', '.join(LAYOUTS)})"
        )
    if not issparse(X):
        X = np.asarray(X)
    kernel = kernel_of(kernel)
    if not isinstance(kernel, ScalarKernel):
        return _tried((FormulaLayout if kernel.matrix is None else GramLayout)(X, kernel, threads))
    if layout is not None:
        return LAYOUTS[layout](X, kernel, threads)
    chosen, options = choose(X if like is None else like, kernel, precision)
    return LAYOUTS[chosen](X, kernel, threads, **options)


def choose(X: Matrix, kernel: ScalarKernel, precision: str = "auto") -> tuple[str, dict[str, Any]]:
    """Return the name of the layout that fits the examples best, and the arguments found for it.

    ``bits`` if every value is 0 or 1 (for a sparse matrix only if that takes no more memory), ``sparse`` for
    other sparse matrices, ``bytes`` for integer multiples of one unit whose rounding does not change kernel
    values, ``mixed`` if groups of indicators make up at least half of the features, else ``dense``, or
    ``double`` if float32 cannot keep the tolerance. In double precision: ``bits`` or ``sparse``, which both
    evaluate in float64, or ``double``.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Examples.
    kernel : ScalarKernel
        The kernel.
    precision : str
        As in `make_layout`.
    """
    n, d = X.shape
    if issparse(X):
        X = canonical(X)
        entry = X.dtype.itemsize + 4  # a value and its column
        packed = bool(np.all(X.data == 1.0)) and n * d / 8 <= X.nnz * entry
        return ("bits" if packed else "sparse"), {}
    unit = common_unit(X) if d <= MOST_FEATURES else None
    if unit == 1.0 and float(X.max(initial=0.0)) <= 1.0:
        return "bits", {}
    if precision == "double":
        return "double", {}
    if unit is not None and holds(X, unit, kernel):
        return "bytes", {"unit": unit}
    if precision == "auto" and not kernel.fits_single(d):
        return "double", {}
    groups = indicator_groups(X)
    numeric = d - sum(end - begin for begin, end in groups)
    if groups and numeric <= min(d / 2, MOST_NUMERIC):
        return "mixed", {"groups": groups}
    return "dense", {}


def _tried(layout: FormulaLayout) -> FormulaLayout:
    """Return the layout of a kernel in Python; raise what it raises for the first row, or refuse the row."""
    row = layout.block(np.zeros(min(1, layout.n), dtype=np.int64))
    if layout.failure is not None:
        raise layout.failure
    if not np.isfinite(row).all():
        raise UserError(
            f"kernel={layout.kernel.name} has values that are not finite in single precision: scale the "
            "features, or change the parameters of the kernel"
        )
    return layout
