from collections.abc import Iterator

from svmbench.certify.few_gaps import FewGaps
from svmbench.sklearn._one_vs_one import PairSolutions
from svmbench.sklearn._together import PairProblems
from svmbench.solvers.dual.two_groups import TwoGroups

def solve_pairs(
    solver: TwoGroups,
    few: FewGaps | None,
    problems: PairProblems,
    found: PairSolutions,
    numbers: Iterator[int],
    work: float,
) -> None: ...
