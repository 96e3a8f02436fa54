"""SMO with bias: pairs of coordinates, with and without shrinking.

S. S. Keerthi, S. K. Shevade, C. Bhattacharyya, K. R. K. Murthy, Improvements to Platt's SMO Algorithm, Neural
Computation 13, 2001; R.-E. Fan, P.-H. Chen, C.-J. Lin, Working Set Selection Using Second Order Information,
JMLR 6, 2005; shrinking: C.-C. Chang, C.-J. Lin, LIBSVM, ACM TIST 2, 2011, section 5.
"""

import numpy as np

VARIANTS = [
    {"selection": "second_order", "shrinking": False},
    {"selection": "worst_pair", "shrinking": False},
    {"selection": "second_order", "shrinking": True},
    {"selection": "worst_pair", "shrinking": True, "eps": 1e-6},
    {"selection": "second_order", "shrinking": False, "conjugate": True},
    {"selection": "worst_pair", "shrinking": False, "conjugate": True, "eps": 1e-6},
]
MAINTAINS = True
ROWS_PER_ITERATION = 2
TIES = True


def run(problem, w, rng, iterations, *, selection, shrinking, eps=1e-3, conjugate=False, first=None):
    y, C, n = problem.y, problem.C, problem.n
    last = Last(n)
    diagonal = w.oracle.diagonal()
    v = y.copy()
    for t in [] if first is None else np.flatnonzero(first):
        w.a[t] = first[t]
        v -= first[t] * y[t] * w.oracle.exact_row(t)
    active = np.arange(n)
    was_near = False

    def ends():
        up = [t for t in active if (w.a[t] < C if y[t] > 0 else w.a[t] > 0)]
        down = [t for t in active if (w.a[t] > 0 if y[t] > 0 else w.a[t] < C)]
        i, j = max(up, key=lambda t: v[t]), min(down, key=lambda t: v[t])
        return i, j, v[i], v[j]

    i, j, high, low = ends()
    for t in range(1, iterations + 1):
        if high - low < eps:
            break
        row_i = w.oracle.row(i)
        if selection == "second_order":
            below = [s for s in active if v[s] < high and (w.a[s] > 0 if y[s] > 0 else w.a[s] < C)]
            j = max(below, key=lambda s: (high - v[s]) ** 2 / curvature(diagonal[i], diagonal[s], row_i[s]))
        row_j = w.oracle.row(j)
        if conjugate:
            step_conjugate(w, y, C, v, (i, j), (row_i, row_j), last)
            i, j, high, low = ends()
            continue
        delta = (high - v[j]) / curvature(row_i[i], row_j[j], row_i[j])
        rooms = C - w.a[i] if y[i] > 0 else w.a[i], w.a[j] if y[j] > 0 else C - w.a[j]
        delta = min(delta, *rooms)
        for s, step, room in ((i, y[i] * delta, rooms[0]), (j, -y[j] * delta, rooms[1])):
            w.a[s] = (C if step > 0 else 0.0) if delta == room else w.a[s] + step
        v[active] -= delta * (row_i - row_j)[active]
        i, j, high, low = ends()
        if not shrinking:
            continue
        if high - low < eps or (high - low < 10 * eps and not was_near):
            was_near = True
            shrunk = np.setdiff1d(np.arange(n), active)
            if shrunk.size:
                v[shrunk] = recomputed(w, y, C, shrunk)
                active = np.arange(n)
        elif t % min(n, 1000) == 0:
            up = np.where(y > 0, w.a < C, w.a > 0)
            down = np.where(y > 0, w.a > 0, w.a < C)
            held = (~up & (v > high)) | (~down & (v < low))
            active = active[~held[active]]
        i, j, high, low = ends()
    return w.a


class Last:
    """The direction of the last step, by example in order of arrival, its combination K p and curvature."""

    def __init__(self, n):
        self.p = {}
        self.combined, self.bend = np.zeros(n), 0.0


def step_conjugate(w, y, C, v, pair, rows, last):
    """Step along the pair or the direction conjugate to the last one, whichever gains more in the box.

    An uncut step leaves equal values behind, so that rounding chooses the next pair: sums are in the order of
    the method.
    """
    i, j = pair
    own = curvature(rows[0][i], rows[1][j], rows[0][j])

    def reach(direction, slope, bend):
        """Gain and length of the step, and the example whose bound cuts it."""
        rooms = {
            k: (C - w.a[k] if y[k] * step > 0 else w.a[k]) / abs(step)
            for k, step in direction.items()
            if step != 0.0
        }
        nearest = min(rooms, key=rooms.__getitem__)
        delta = max(slope / bend, 0.0)
        cut = None if slope / bend < rooms[nearest] else nearest
        delta = delta if cut is None else rooms[nearest]
        return delta * (slope - 0.5 * bend * delta), delta, cut

    slope, share, bend = v[i] - v[j], 0.0, own
    direction = {i: 1.0, j: -1.0}
    gain, delta, cut = reach(direction, slope, own)
    if last.p:
        along = last.combined[i] - last.combined[j]
        trial = -along / last.bend
        bent = own + trial * along
        bent_slope = slope
        for k, step in last.p.items():
            bent_slope += trial * step * v[k]
        conjugate = {i: 1.0, j: -1.0}  # its own two first: of equal rooms theirs cuts
        for k, step in last.p.items():
            conjugate[k] = conjugate.get(k, 0.0) + trial * step
        if bent > 1e-10 * own:
            found = reach(conjugate, bent_slope, bent)
            if found[0] > gain:
                share, bend, direction = trial, bent, conjugate
                gain, delta, cut = found
    if share == 0.0:
        last.p = {}
    order = [*last.p, *(k for k in pair if k not in last.p)]
    last.p = {k: direction[k] for k in order}
    for k, step in last.p.items():
        growth = y[k] * step * delta
        room = C - w.a[k] if growth > 0 else w.a[k]
        if k == cut or abs(growth) >= room:
            w.a[k] = C if growth > 0 else 0.0
        else:
            w.a[k] += growth
    last.combined = (rows[0] - rows[1]) + share * last.combined
    last.bend = bend
    v -= delta * last.combined
    if cut is not None:
        last.p = {}


def curvature(own, other, both):
    result = own + other - 2.0 * both
    return result if result > 0.0 else 1e-12


def recomputed(w, y, C, shrunk):
    """Values of the shrunk examples, by the rows of the free coefficients or their own, the fewer.

    The share of the coefficients at C is maintained from rows that were there; here it is looked up.
    """
    K = np.float32(w.oracle._values).astype(float)
    free = np.flatnonzero((w.a > 0) & (w.a < C))
    bound = np.flatnonzero(w.a == C)
    f = K[np.ix_(shrunk, bound)] @ (w.a * y)[bound]
    if free.size <= shrunk.size:
        for j in free:
            f += w.a[j] * y[j] * w.oracle.row(j)[shrunk]
    else:
        f += [float(w.oracle.row(t)[free] @ (w.a * y)[free]) for t in shrunk]
    return y[shrunk] - f
