"""The kernel that is given by the matrix of its values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from svmbench.errors import UserError
from svmbench.kernels.functions.base import Floats, Kernel
from svmbench.option import option

_PATH = (
    "NumPy file (.npy) of the symmetric matrix of the values between all examples, those of the test set too."
)


@dataclass(frozen=True)
class Precomputed(Kernel):
    """K(i, j) = an element of a matrix; the only feature of an example is its row there, from 0."""

    path: str = field(metadata={"help": _PATH, "given": str | None})
    sha256: str | None = option(None, "Checksum of the file. null: that of the file as it is.")

    def __post_init__(self) -> None:
        if self.path is None:
            raise UserError("kernel=precomputed needs its matrix: give kernel.path=FILE.npy")
        try:
            found = hashlib.sha256(Path(self.path).expanduser().read_bytes()).hexdigest()
            matrix = np.asarray(np.load(Path(self.path).expanduser()), dtype=np.float64)
        except (OSError, ValueError) as error:
            raise UserError(f"kernel.path={self.path} cannot be read: {error}; give a .npy file") from error
        if self.sha256 not in (None, found):
            raise UserError(f"{self.path} is another file than before: its checksum is not {self.sha256}")
        if matrix.ndim != 2 or not np.array_equal(matrix, matrix.T):
            raise UserError(f"{self.path} has no symmetric matrix of numbers: give K + K.T over 2")
        object.__setattr__(self, "sha256", found)
        object.__setattr__(self, "matrix", np.ascontiguousarray(matrix))

    @classmethod
    def of(cls, matrix: Floats, normalised: bool = False) -> Precomputed:
        """Return the kernel of a symmetric matrix, C-contiguous, which is not copied.

        Its shape is (n, n); columns behind these are not used. `normalised`: values are at most 1, and 1 on
        the diagonal.
        """
        made = cls.__new__(cls)
        values = {"path": "", "sha256": None, "matrix": matrix, "normalised": normalised}
        for name, value in values.items():
            object.__setattr__(made, name, value)
        return made

    def row(self, X: Floats, x: Floats) -> Floats:
        """See `Kernel`."""
        return self.values(x[None], X)[0]

    def values(self, A: Any, B: Any) -> Floats:
        """See `Kernel`."""
        assert self.matrix is not None
        return self.matrix[np.ix_(self.numbers(A), self.numbers(B))]

    def self_values(self, X: Any) -> Floats:
        """See `Kernel`."""
        assert self.matrix is not None
        return np.diagonal(self.matrix)[self.numbers(X)]

    def numbers(self, X: Any) -> Any:
        """Return the rows of the matrix that belong to examples, int64, shape (n,)."""
        given = X.toarray() if hasattr(X, "toarray") else X
        found = given.astype(np.int64)
        assert self.matrix is not None
        size = len(self.matrix)
        if X.shape[1] != 1 or not ((found == given) & (found >= 0) & (found < size)).all():
            raise UserError(
                f"kernel=precomputed needs one feature, a row of its matrix from 0 to {size - 1}: "
                "give a data set of these"
            )
        return found[:, 0]
