"""The memory that a run may take beside its data: ``budget.memory``, held to from inside and from outside.

The row cache is sized by it. All else is asked for in many places: vectors of a solver, its cuts, what
another program makes of the examples. So what the process holds is looked at, by the loop between slices, and
of programs of others by the process that watches the run (`svmbench.runner.guard`).

Pages that the process has written to are counted: not its code, and not files that it has mapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from svmbench.runner.prepare import features_bytes

if TYPE_CHECKING:
    from svmbench.data import Dataset, Part
    from svmbench.run_config import RunConfig

#: Copies of the examples that are allowed beside ``budget.memory``. LIBSVM under scikit-learn has the most:
#: of dense float32, 4 bytes a value, a CSR matrix of float64, 12 bytes, and nodes of 16.
_COPIES = 8

#: MiB that are allowed beside: libraries that are loaded at first use, vectors, blocks of rows.
_MARGIN = 256.0

_MIB = 2.0**20


def held(process: int | None = None) -> float | None:
    """Return the MiB that a process, by default this one, holds; None where the system does not say."""
    try:
        status = Path(f"/proc/{process or 'self'}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    sizes = {name: rest for name, _, rest in (line.partition(":") for line in status.splitlines())}
    if "RssAnon" not in sizes:
        return None
    return sum(int(sizes[name].split()[0]) for name in ("RssAnon", "VmSwap") if name in sizes) / 1024.0


class OutOfAllowance(MemoryError):
    """More is held than an `Allowance` says; its text is the sentence."""


@dataclass(frozen=True)
class Allowance:
    """What the process of a run may hold.

    Attributes
    ----------
    memory : float
        ``budget.memory``.
    before : float
        MiB that it held once its data were loaded.
    beside : float
        MiB that it may take from then on.
    """

    memory: float
    before: float
    beside: float

    @classmethod
    def of(cls, config: RunConfig, data: Dataset) -> Allowance | None:
        """Return that of this process, whose run begins now; None without a limit that can be kept."""
        memory, before = config.budget.memory, held()
        if memory is None or before is None:
            return None
        parts = (part for part in (data.train, data.validation, data.test) if part is not None)
        needed = _COPIES * sum(map(_bytes, parts)) + features_bytes(config.features, *data.train.X.shape)
        return cls(float(memory), before, memory + needed / _MIB + _MARGIN)

    @property
    def about(self) -> dict[str, float]:
        """What is stored of it."""
        return {"before": round(self.before, 1), "beside": round(self.beside, 1)}

    def passed(self, process: int | None = None, times: float = 1.0) -> str | None:
        """Return why a run is to end, or None: its process, by default this one, has taken too much.

        Too much is more than so many ``times`` what it may take.
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
