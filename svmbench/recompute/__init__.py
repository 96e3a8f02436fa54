"""What a stored model says, recomputed in double precision by numpy alone.

Nothing here is shared with the oracle, the layouts or the observer: kernel values come from the formulas in
docs/notation.md, what examples are taken as from the rule in docs/store.md, objectives are written out
again. Agreement therefore says something.
"""

from svmbench.recompute.consistency import contradictions
from svmbench.recompute.multiples import unit
from svmbench.recompute.numbers import TOLERANCES, compare, numbers
from svmbench.recompute.scores import scores

__all__ = ["TOLERANCES", "compare", "contradictions", "numbers", "scores", "unit"]
