"""Recomputation of the numbers of a stored model in double precision, with numpy only.

It shares no code with the oracle, the layouts or the observer, so agreement with their numbers is meaningful.
Kernel values follow the formulas in docs/notation.md, the conversion of examples follows the rule in
docs/store.md, and objectives are implemented again::

    numbers              a checkpoint from the model and the data, compared; joint: of several classes
      |-- rounding       errors of scores
      `-- scores         kernel values and scores; multiples: examples in units

`consistency` finds what contradicts itself without a model. `exchange` writes models for other programs
(`exchange_sklearn`: for scikit-learn), from their `expansion`.
"""

from svmbench.recompute.consistency import contradictions
from svmbench.recompute.joint import joint_numbers, joint_scores
from svmbench.recompute.multiples import unit
from svmbench.recompute.numbers import TOLERANCES, compare, numbers, unknown
from svmbench.recompute.scores import scores

__all__ = [
    "TOLERANCES",
    "compare",
    "contradictions",
    "joint_numbers",
    "joint_scores",
    "numbers",
    "scores",
    "unit",
    "unknown",
]
