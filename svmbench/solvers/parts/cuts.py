"""One-slack cutting planes of the hinge loss on features, for methods without bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmbench.solvers.parts.one_slack import OneSlack

Floats = NDArray[np.float64]


class Cuts:
    """Cuts of the mean hinge loss and the solution over them.

    Parameters
    ----------
    y : ndarray of float64, shape (n,)
        Labels.
    bound : float
        Cn, the weight of the slack.

    Attributes
    ----------
    w : ndarray of float64
        The solution over the cuts.
    slack, dual : float
        ξ and the dual objective of that solution, in the C-form.
    """

    def __init__(self, y: Floats, bound: float) -> None:
        self._y = y
        self._bound = bound
        self._program = OneSlack(bound)
        self._gradients = np.zeros((0, 0))
        self._nearest = np.inf
        self.w = np.zeros(0)
        self.slack = self.dual = 0.0

    def padded(self, m: int) -> Floats:
        """Return w in m coordinates; those that are new since the last solution are 0."""
        return np.pad(self.w, (0, m - self.w.size))

    def iterate(self, features: Floats, eps: float, idle: int) -> bool:
        """Add the cut at w and solve again; return True instead if the cuts are within eps of the loss at w.

        Parameters
        ----------
        features : ndarray of float64, shape (m, n)
            Coordinates of the examples.
        eps : float
            Accuracy, in units of the mean hinge loss.
        idle : int
            Solutions in a row without a part in them after which a cut is dropped.
        """
        self.w = self.padded(len(features))
        below = self._y * (self.w @ features) < 1.0
        gradient = features @ (self._y * below) / below.size
        offset = float(below.mean())
        missing = offset - float(self.w @ gradient) - self.slack
        if missing <= eps:
            return True
        # A solution is made half as exact as the best cut so far was off.
        self._nearest = min(self._nearest, missing)
        before = self._gradients if len(self._gradients) else np.zeros((0, gradient.size))
        self._gradients = np.vstack([before, gradient])
        self._program.add_cut(offset, self._gradients @ gradient)
        weights = self._program.solution(absolute=0.5 * self._nearest * self._bound)
        self.w = weights @ self._gradients
        self.slack, self.dual = self._program.slack, self._program.dual
        self._gradients = self._gradients[self._program.drop_idle(idle)]
        return False
