"""One-slack cutting planes of the hinge loss on features, for methods without bias."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.option import option
from svmbench.problem import mean_hinge, primal_objective
from svmbench.solvers.cutting_plane.example_sets import ExampleSets
from svmbench.solvers.cutting_plane.one_slack import OneSlack

Floats = NDArray[np.float64]

#: Consecutive iterations without a gain after which a method has stalled.
STANDSTILL = 20
#: Least gain that counts, relative to the gap.
LEAST_PART = 1e-9

#: Examples whose coordinates are read once for both responses and cut: 8 MB with 1,000 features.
_TOGETHER = 1024


def accuracy_field() -> float:
    """Return the field ``eps`` of a method with these cuts."""
    return option(
        1e-3,
        "Accuracy of the mean hinge loss at which to stop. Unconfirmed: 0.1 percentage points, as in "
        "SVM-Perf.",
        above=0.0,
    )


@dataclass(frozen=True)
class Cut:
    """The cut at a w.

    Attributes
    ----------
    below : ndarray of bool, shape (n,)
        V, the examples with y_i <w, z_i> < 1.
    gradient : ndarray of float64, shape (m,)
        g = Σ_V y_i z_i / n.
    offset, missing : float
        δ = |V|/n, and the amount by which the cuts so far underestimate the loss at w.
    """

    below: NDArray[np.bool_]
    gradient: Floats
    offset: float
    missing: float


class Cuts:
    """Cuts of the mean hinge loss, and the solution of the reduced problem.

    Parameters
    ----------
    y : ndarray of float64, shape (n,)
        Labels.
    bound : float
        Cn, the weight of the slack.
    inexact : float, default 0.5
        Accuracy of a solution, relative to the violation of the best cut so far.

    Attributes
    ----------
    w : ndarray of float64
        Solution of the reduced problem.
    slack, dual : float
        Its ξ and its dual objective, in the C-form.
    """

    def __init__(self, y: Floats, bound: float, inexact: float = 0.5) -> None:
        self._y = y
        self._bound = bound
        self._inexact = inexact
        self._program = OneSlack(bound)
        self._gradients = np.zeros((0, 0))
        self._nearest = np.inf
        self._highest = -np.inf
        self._in_vain = 0
        self.w = np.zeros(0)
        self.slack = self.dual = 0.0

    def padded(self, m: int) -> Floats:
        """Return w in m coordinates; those added since the last solution are 0."""
        return np.pad(self.w, (0, m - self.w.size))

    def native(self, lam: float, w: Floats, responses: Floats) -> dict[str, float]:
        """Return the λ-form objective of w, shape (m,), by its responses, (n,), and the bound of the cuts."""
        return {
            "native_objective": primal_objective(lam, float(w @ w), mean_hinge(responses)),
            "native_bound": lam * self.dual,
        }

    def at(self, features: Floats) -> Cut:
        """Return the cut at w by the coordinates of the examples, shape (m, n); new ones of w become 0."""
        self.w = self.padded(len(features))
        n = self._y.size
        below, gradient = np.empty(n, dtype=np.bool_), np.zeros(len(features))
        for begin in range(0, n, _TOGETHER):
            part = slice(begin, begin + _TOGETHER)
            y, coordinates = self._y[part], features[:, part]
            below[part] = y * (self.w @ coordinates) < 1.0
            gradient += coordinates @ (y * below[part])
        gradient /= n
        offset = float(below.mean())
        return Cut(below, gradient, offset, offset - float(self.w @ gradient) - self.slack)

    def add(self, cut: Cut) -> None:
        """Add a cut without solving again."""
        self._nearest = min(self._nearest, cut.missing)
        before = self._gradients if len(self._gradients) else np.zeros((0, cut.gradient.size))
        self._gradients = np.vstack([before, cut.gradient])
        self._program.add_cut(cut.offset, self._gradients @ cut.gradient)

    def stands(self, gap: float) -> bool:
        """Return whether the dual objective, this gap below the primal one, has not risen in 20 calls.

        A rise of less than 1e-9 of the gap, in units of the mean hinge loss, does not count.
        """
        risen = self.dual > self._highest + LEAST_PART * gap * self._bound
        self._in_vain = 0 if risen else self._in_vain + 1
        self._highest = max(self._highest, self.dual)
        return self._in_vain >= STANDSTILL

    def solve(self, idle: int) -> NDArray[np.int64]:
        """Solve for w; drop cuts idle in that many solutions in a row, return old indices of the others."""
        weights = self._program.solution(absolute=self._inexact * self._nearest * self._bound)
        self.w = weights @ self._gradients
        self.slack, self.dual = self._program.slack, self._program.dual
        kept = np.asarray(self._program.drop_idle(idle))
        self._gradients = self._gradients[kept]
        return kept


class GrowingCuts(Cuts):
    """Cuts that store their sets V, so that each gets a coordinate when the examples do.

    A cut takes n/8 bytes. Parameters as for `Cuts`.

    Attributes
    ----------
    sets : ExampleSets
        V of each cut.
    """

    def __init__(self, y: Floats, bound: float, inexact: float = 0.5) -> None:
        super().__init__(y, bound, inexact)
        self.sets = ExampleSets(y.size)

    def gradient(self, k: int) -> Floats:
        """Return g of cut k, float64 (m,)."""
        return np.asarray(self._gradients[k])

    def extend(self, column: Floats) -> None:
        """Add to each cut its coordinate, from those of the examples, shape (n,)."""
        if len(self.sets):
            fresh = self.sets.sums(self._y * column / column.size)
            self._program.extend(fresh)
            self._gradients = np.column_stack([self._gradients, fresh])

    def add(self, cut: Cut) -> None:
        """Add a cut without solving again."""
        super().add(cut)
        self.sets.add(cut.below)

    def solve(self, idle: int) -> NDArray[np.int64]:
        """Make w the solution over the cuts; drop the idle ones and return the old places of the others."""
        kept = super().solve(idle)
        self.sets.keep(kept)
        return kept
