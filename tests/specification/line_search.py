"""The exact line search by sorting the places where an example comes or goes.

V. Franc, S. Sonnenburg, Optimized Cutting Plane Algorithm for Support Vector Machines, ICML 2008; squared
hinge: S. S. Keerthi, D. DeCoste, A Modified Finite Newton Method for Fast Solution of Large Scale Linear
SVMs, JMLR 6, 2005.
"""

import numpy as np


def line_minimum(power, A, B, C, start, end):
    """The t >= 0 that minimises A t²/2 + B t + C Σ max(0, r - t s)^power, r = 1 - start, s = end - start."""
    r, s = 1.0 - start, end - start
    places = np.unique(np.append(0.0, (r[s != 0.0] / s[s != 0.0]).clip(0.0)))
    for low, high in zip(places, np.append(places[1:], np.inf)):
        inside = 0.5 * (low + high) if high < np.inf else low + 1.0
        adding = r - inside * s > 0.0
        if power == 1:
            K, L = A, B - C * s[adding].sum()
        else:
            K = A + 2.0 * C * np.square(s[adding]).sum()
            L = B - 2.0 * C * (s * r)[adding].sum()
        if K * high + L >= 0.0 or high == np.inf:
            return max(low, -L / K)
    raise AssertionError("the last place is followed by a ray on which the derivative grows without end")
