"""SMO without bias, one coordinate.

I. Steinwart, D. Hush, C. Scovel, Training SVMs without Offset, JMLR 12, 2011; selection: R.-E. Fan, P.-H.
Chen, C.-J. Lin, Working Set Selection Using Second Order Information, JMLR 6, 2005.
"""

import numpy as np

VARIANTS = [{"selection": "gain"}, {"selection": "unclipped"}]


def run(problem, w, rng, iterations, *, selection, eps=1e-3):
    diagonal = w.oracle.diagonal()
    C = problem.C
    w.a[diagonal == 0.0] = C
    G = w.c
    G -= 1.0  # what is maintained is the gradient: ties are broken by its last bits
    inverse = np.divide(1.0, diagonal, out=np.zeros(problem.n), where=diagonal > 0.0)
    for _ in range(iterations):
        projected = np.where(w.a <= 0.0, np.minimum(G, 0.0), np.where(w.a >= C, np.maximum(G, 0.0), G))
        if np.abs(projected).max() < eps:
            break
        target = np.clip(w.a - G * inverse, 0.0, C)
        d = target - w.a
        # Written so that equal gains are equal to the last bit: the first of them is chosen.
        score = -d * (G + 0.5 * diagonal * d) if selection == "gain" else projected**2 * inverse
        i = int(np.argmax(score))
        w.put(i, target[i])
    return w.a
