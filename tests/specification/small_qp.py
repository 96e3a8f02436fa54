"""The quadratic program in few variables by steps of second order.

R.-E. Fan, P.-H. Chen, C.-J. Lin, Working Set Selection Using Second Order Information, JMLR 6, 2005; without
a bias: I. Steinwart, D. Hush, C. Scovel, Training SVMs without Offset, JMLR 12, 2011.
"""

import numpy as np


def violation(z, g, C, y):
    if y is None:
        return float(
            np.where(z <= 0.0, np.maximum(-g, 0.0), np.where(z >= C, np.maximum(g, 0.0), abs(g))).max()
        )
    up, down = movable(z, C, y)
    return float((-y * g)[up].max(initial=-np.inf) - (-y * g)[down].min(initial=np.inf))


def movable(z, C, y):
    return np.where(y > 0, z < C, z > 0), np.where(y > 0, z > 0, z < C)


def minimise(Q, z, g, C, y, tol, most):
    """Move z to the least of z'Qz/2 + h'z, from the gradient g = Qz + h."""
    z, g = z.copy(), g.copy()
    for _ in range(most):
        if violation(z, g, C, y) < tol:
            break
        own = Q.diagonal()
        for i, step in two_steps(Q, own, z, g, C) if y is None else pair_step(Q, own, z, g, C, y):
            bound = C if step > 0 else 0.0
            z[i] = bound if abs(step) >= abs(bound - z[i]) else z[i] + step
            g += step * Q[i]
    return z


def one_step(own, z, g, C):
    d = np.array([best_step(*each, C) for each in zip(z, g, own, strict=True)])
    i = int(np.argmax(-d * (g + 0.5 * own * d)))
    return [(i, d[i])]


def two_steps(Q, own, z, g, C):
    [(i, alone)] = one_step(own, z, g, C)
    best = [(-alone * (g[i] + 0.5 * own[i] * alone), [(i, alone)])]
    for t in range(z.size):
        both = Q[i, t]
        determinant = own[i] * own[t] - both * both
        if t != i and own[i] > 0.0 and determinant > 1e-6 * own[i] * own[t]:
            step = best_step(z[t], own[i] * g[t] - g[i] * both, determinant, C)
            mine = best_step(z[i], g[i] + both * step, own[i], C)
            gain = -mine * (g[i] + 0.5 * own[i] * mine)
            gain -= step * (g[t] + 0.5 * own[t] * step + both * mine)
            best.append((gain, [(t, step), (i, mine)]))
    return max(best, key=lambda each: each[0])[1]


def best_step(z, g, own, C):
    if own <= 0.0:
        return (C if g < 0.0 else 0.0 if g > 0.0 else z) - z
    return min(max(z - g / own, 0.0), C) - z


def pair_step(Q, own, z, g, C, y):
    up, down = movable(z, C, y)
    v = -y * g
    i = int(np.argmax(np.where(up, v, -np.inf)))
    chosen_by = curvatures(own[i], own, y[i] * y * Q[i])
    j = int(np.argmax(np.where(down & (v < v[i]), (v[i] - v) ** 2 / chosen_by, -1.0)))
    rooms = C - z[i] if y[i] > 0 else z[i], z[j] if y[j] > 0 else C - z[j]
    curvature = curvatures(Q[i, i], Q.diagonal(), y[i] * y * Q[i])[j]
    length = min((v[i] - v[j]) / curvature, *rooms)
    return [(i, y[i] * length), (j, -y[j] * length)]


def curvatures(own, others, both):
    result = own + others - 2.0 * both
    return np.where(result > 0.0, result, 1e-12)
