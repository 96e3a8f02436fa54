"""What a kernel is: a frozen dataclass of its parameters, with its values in double precision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from svmbench.sparse import issparse

Floats = NDArray[np.float64]

#: Numbers of examples that are held as a dense array at a time.
_NUMBERS = 1 << 22

#: Units of rounding in single precision, and a factor for the higher orders of many roundings.
SINGLE, HIGHER = 2.0**-24, 1.01


class Kernel(ABC):
    """A symmetric kernel K(x, z). A subclass is a frozen dataclass whose fields are parameters.

    It implements `row`; everything else has a default. `svmbench.option.option` gives a parameter its
    default, help and limits, and the first line of the docstring is the formula.

    Attributes
    ----------
    name : str
        Class attribute: as in ``kernel=NAME``. Default: the name of the module.
    invariant : bool
        Class attribute: whether K(x + v, z + v) = K(x, z) for all v.
    normalised : bool
        Class attribute: whether K(x, x) = 1, so that the diagonal is not evaluated.
    compiled : int or None
        Class attribute: the number of the kernel in ``layouts/csrc/kernels.h``, or None.
    radial, linear : bool
        Class attributes: whether K depends on |x - z| alone; whether K(x, z) = ⟨x, z⟩.
    matrix : ndarray of float64 or None
        All values, of a kernel that is given by them.
    slope : float
        As an example moves by δ, values change by at most this times δ if the kernel is radial, else this
        times δ/norm(x), relative to `lengths`. 0 if examples are never rounded.
    """

    name: ClassVar[str]
    invariant: ClassVar[bool] = False
    normalised: ClassVar[bool] = False
    compiled: ClassVar[int | None] = None
    radial: ClassVar[bool] = False
    linear: ClassVar[bool] = False
    matrix: Floats | None = None
    slope: float = 0.0

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if "name" not in vars(cls):
            cls.name = cls.__module__.rpartition(".")[2]

    @abstractmethod
    def row(self, X: Floats, x: Floats) -> Floats:
        """Return K(x_j, x), shape (n,), for each row x_j of X, shape (n, d), and x, shape (d,).

        A value must depend on its two examples alone, bit for bit, not on n: sum over features by
        ``sum(axis=1)`` or ``einsum``, not by ``X @ x``.
        """

    def values(self, A: Any, B: Any) -> Floats:
        """Return K(a, b), shape (m, n), for the rows of A, shape (m, d), and B, shape (n, d)."""
        found = np.empty((A.shape[0], B.shape[0]))
        step = max(1, _NUMBERS // max(1, B.shape[1]))
        for begin in range(0, B.shape[0], step):
            part = dense(B[begin : begin + step])
            for i in range(A.shape[0]):
                found[i, begin : begin + step] = self._checked_row(part, dense(A[i : i + 1])[0])
        return found

    def _checked_row(self, X: Floats, x: Floats) -> Floats:
        """Return `row`, which can write to neither; ValueError unless it is n real numbers."""
        found = np.asarray(self.row(_read_only(X), _read_only(x)))
        if found.shape != X.shape[:1] or found.dtype.kind not in "fiub":
            raise ValueError(
                f"row of kernel={self.name} returned {found.dtype} of shape {found.shape}: it must return "
                f"float64 of shape ({len(X)},)"
            )
        return found

    def self_values(self, X: Any) -> Floats:
        """Return K(x, x) for each row of X, shape (n,)."""
        if self.normalised:
            return np.ones(X.shape[0])
        examples = (dense(X[i : i + 1]) for i in range(X.shape[0]))
        return np.array([self._checked_row(x, x[0])[0] for x in examples])

    def lengths(self, X: Any) -> Floats:
        """Return L(x) for each row of X, shape (n,), such that abs(K(x, z)) is at most L(x) L(z).

        By default the square root of K(x, x), which is one if the kernel is positive semidefinite.
        """
        return np.sqrt(np.abs(self.self_values(X)))

    def value_error(self, error: tuple[float, float] | None) -> tuple[float, float] | None:
        """Return (r, s) in the bound k (r ln(1/k) + s) of the error of a value k in single precision.

        `error` bounds those of squared distances; see `svmbench.kernels.layouts._layout.Layout`.
        """
        return None

    def relative_error(self, error: tuple[float, float] | None) -> float:
        """Return a bound of the error of a value in single precision, relative to `lengths`.

        `error` bounds that of inner products, relative to the norms; None: values are rounded once.
        """
        return HIGHER * SINGLE

    def document(self) -> dict[str, Any]:
        """Return the name and the parameters, as in a configuration."""
        return {"name": self.name} | {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]


class ScalarKernel(Kernel):
    """A kernel that is a function of |x - z|² or, if it is not radial, of ⟨x, z⟩.

    Layouts compute that number, and the value in C, from the attributes gamma, coef0 and degree.
    """

    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 1

    @abstractmethod
    def value(self, numbers: Floats) -> Floats:
        """Return the values of squared distances or inner products, float64 of any shape."""

    @abstractmethod
    def lengths_of(self, squares: Floats) -> Floats:
        """Return `lengths` of rows from the squares of their norms."""

    @abstractmethod
    def fits_single(self, d: int) -> bool:
        """Return whether single precision keeps 1e-6 for all examples with d features."""

    def row(self, X: Floats, x: Floats) -> Floats:
        """See `Kernel`."""
        numbers = np.square(X - x).sum(axis=1) if self.radial else np.einsum("ij,j->i", X, x)
        return self.value(numbers)

    def lengths(self, X: Any) -> Floats:
        """See `Kernel`."""
        if issparse(X):
            return self.lengths_of(np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel())
        return self.lengths_of(np.einsum("ij,ij->i", X, X, dtype=np.float64))


def dense(X: Any) -> Floats:
    """Return rows as a dense array of float64, C-contiguous."""
    return np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.float64)


def _read_only(X: Floats) -> Floats:
    """Return the same numbers as an array that cannot be written to."""
    view = X.view()
    view.flags.writeable = False
    return view
