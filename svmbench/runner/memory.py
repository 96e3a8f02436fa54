"""The memory that a run may take besides its data: ``budget.memory``, enforced from inside and outside.

It sets the size of the row cache. Other memory is allocated in many places: vectors of a solver, cuts, copies
of the examples in a baseline. So the memory of the process is checked, by the loop between slices and, for
baselines, by the process that watches the run (`svmbench.runner.guard`).

Only pages that the process has written to count, not code or mapped files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from svmbench.runner.environment import fields
from svmbench.runner.prepare import features_bytes

if TYPE_CHECKING:
    from svmbench.data import Dataset, Part
    from svmbench.run_config import RunConfig

#: Copies of the examples allowed besides ``budget.memory``. LIBSVM in scikit-learn makes the most, of dense
#: float32 (4 bytes a value): a CSR matrix of float64, 12 bytes, and nodes of 16.
_COPIES = 8

#: MiB allowed in addition, for libraries loaded at first use, vectors and blocks of rows.
_MARGIN = 256.0

_MIB = 2.0**20


def held(process: int | None = None) -> float | None:
    """Return the MiB held by a process, by default this one; None if the system does not say."""
    sizes = fields(f"/proc/{process or 'self'}/status")
    if "RssAnon" not in sizes:
        return None
    return sum(int(sizes[name].split()[0]) for name in ("RssAnon", "VmSwap") if name in sizes) / 1024.0


class OutOfAllowance(MemoryError):
    """More memory is held than an `Allowance` permits; its text is the sentence shown."""


@dataclass(frozen=True)
class Allowance:
    """Limit of the memory of a run's process.

    Attributes
    ----------
    memory : float
        ``budget.memory``.
    before : float
        MiB held once the data were loaded.
    beside : float
        MiB that the process may take from then on.
    """

    memory: float
    before: float
    beside: float

    @classmethod
    def of(cls, config: RunConfig, data: Dataset) -> Allowance | None:
        """Return the allowance of this process, whose run begins now; None without an enforceable limit."""
        memory, before = config.budget.memory, held()
        if memory is None or before is None:
            return None
        copies = _COPIES * sum(map(_bytes, data.parts.values()))
        needed = copies + features_bytes(config.features, *data.train.X.shape)
        return cls(float(memory), before, memory + needed / _MIB + _MARGIN)

    @property
    def about(self) -> dict[str, float]:
        """What run.json holds of it."""
        return {"before": round(self.before, 1), "beside": round(self.beside, 1)}

    def passed(self, process: int | None = None, times: float = 1.0) -> str | None:
        """Return the reason to end the run if its process has exceeded the limit ``times`` over, or None.

        The default process is this one.
        """
        now = held(process)
        if now is None or now - self.before <= times * self.beside:
            return None
        return (
            f"budget.memory={self.memory:g} reached ({now - self.before:.0f} MiB taken beside the data, "
            f"{self.beside:.0f} allowed)"
        )


def _bytes(part: Part) -> int:
    X = part.X
    arrays = (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr)
    return part.y.nbytes + sum(array.nbytes for array in arrays)
