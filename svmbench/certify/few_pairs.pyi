from collections.abc import Iterator
from typing import Any

from svmbench.certify.few_gaps import FewGaps
from svmbench.solvers.dual.two_groups import TwoGroups

def solve_pairs(
    solver: TwoGroups,
    few: FewGaps | None,
    problems: Any,
    found: Any,
    numbers: Iterator[int],
    work: float,
) -> None: ...
