"""Small problems of pairs of classes, each solved and certified without the interpreter.

The estimators of many classes say how (`svmbench.sklearn._together`), and certify what `few_gaps` does not.
"""

import numpy as np

from svmbench.problem import moved

from libc.stdint cimport int64_t

from svmbench.certify.few_gaps cimport FewGaps
from svmbench.solvers.dual.two_groups cimport TwoGroups

#: Violation of the optimality conditions below which no step is made.
cdef double EPS = 1e-10

#: A certificate is computed when the solver's own estimate of the gap is this fraction of the tolerance. If
#: its gap is too large, the responses are computed again in double precision, and the solver continues to the
#: next fraction. The first is tried twice, because rounding of the rows alone may have made it fail.
cdef double[4] GOALS = [0.7, 0.7, 0.2, 0.05]

#: Most steps for each row. A step of very few rows takes as long as one of fifty.
cdef int64_t STEPS = 10_000


def solve_pairs(TwoGroups solver not None, FewGaps few, problems, found, numbers, double work):
    """Solve the problems of some pairs, and mark those whose gap was reached.

    Parameters
    ----------
    solver : TwoGroups
        Over the rows of each class.
    few : FewGaps or None
        Over all rows; None: `problems` certifies.
    problems : PairProblems
        What is solved.
    found : PairSolutions
        Receives the solutions.
    numbers : iterator of int
        Numbers of the pairs; other threads may draw from it, too.
    work : float
        Most steps of a problem, times its rows.
    """
    cdef const int64_t[::1] rows = found.rows, ends = found.ends, first = found.first, second = found.second
    cdef const double[::1] y = found.y
    cdef const double[:, ::1] bounds = problems.bounds
    cdef double[:, ::1] alpha = found.alpha, bias = found.bias, gaps = found.gap
    cdef int64_t[:, ::1] iterations = found.iterations, evaluations = found.evaluations
    cdef unsigned char[:, ::1] solved = found.solved.view(np.uint8)
    cdef double[::1] responses, known, start
    cdef double tol = problems.tol, b = 0.0, share = 1.0, gap = 0.0, goal = 0.0
    cdef bint balanced = problems.bias != "none", reached = False, refined = False
    cdef int64_t most = 0
    cdef Py_ssize_t p = 0, c = 0, n = 0, at = 0, near = 0, k = 0
    responses, known = np.empty((2, found.widest))
    for p in numbers:
        at, n, near = ends[p], ends[p + 1] - ends[p], -1
        most = min(<int64_t>(work / n), STEPS * n)
        for c in range(alpha.shape[0]):
            if near < 0:
                solver.begin_pair(first[p], second[p], &bounds[c, at], balanced, EPS, NULL, NULL)
            else:
                here = slice(at, at + n)
                start = moved(found.alpha[near, here], problems.bounds[near, here], problems.problem(c, here))
                solver.begin_pair(first[p], second[p], &bounds[c, at], balanced, EPS, &start[0], NULL)
            refined = False
            for goal in GOALS:
                with nogil:
                    reached = solver.step_to(goal * tol, most - solver.steps)
                if not reached and (refined or solver.steps >= most):
                    break
                solver.write(&alpha[c, at], &responses[0])
                if few is None:
                    b, gap, share = problems.certified(c, slice(at, at + n), np.asarray(responses[:n]))
                else:
                    with nogil:
                        gap = few.gap(&rows[at], &y[at], &alpha[c, at], &responses[0], &bounds[c, at], n,
                                      balanced, &known[0] if refined else NULL, &b, &share)
                if gap <= tol * share:
                    bias[c, p], gaps[c, p], near = b, gap, c
                    iterations[c, p], evaluations[c, p] = solver.steps, solver.evaluations
                    solved[c, p] = True
                    break
                # The rounding of the rows is too large for the goal, or the goal for the tolerance.
                solver.refine(problems.responses(c, slice(at, at + n)))
                for k in range(n):
                    known[k] = alpha[c, at + k]
                refined = True
