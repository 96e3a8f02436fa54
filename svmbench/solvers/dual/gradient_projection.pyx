r"""Gradient projection for quadratic programs over a box, with one equality constraint or none.

Problem as in `svmbench.solvers.dual.small_qp`, with some hundred variables. Method, from a feasible z, with g
= Qz + h and P the projection onto the feasible set::

    d = P(z - ρ g) - z;  z += κ d

`GVPM`, the generalised variable projection method (T. Serafini, G. Zanghirati and L. Zanni, Gradient
Projection Methods for Quadratic Programs and Applications in Training Support Vector Machines, Optim. Methods
Softw. 20, 2005, section 2): κ is the best in [0, 1], and ρ one of the two steps of Barzilai and Borwein, ρ1 =
d'd / d'Qd and ρ2 = d'Qd / |Qd|². After at least 3 steps with the same rule, the other one is used if there
were 10, or ρ2 < ρ < ρ1, or the best unconstrained κ was below 0.1 for ρ1 or above 5 for ρ2.

`DAI_FLETCHER` (Y.-H. Dai and R. Fletcher, Math. Programming 106, 2006, section 4): ρ is the step of Barzilai
and Borwein over the last two steps together; κ = 1 unless the objective would exceed a reference value, the
largest since the last but one improvement of the minimum in 2 steps; then κ is the best in [0, 1].

Both end when the violation is below the tolerance. If there is a constraint, a multiple of y, which P does
not affect, is subtracted from g: near the solution ρ is large and g is not small, and z would be lost in z -
ρ g.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, fmax, fmin
from libc.stdint cimport int64_t

from svmbench.solvers.dual.projection cimport project
from svmbench.solvers.dual.small_qp cimport SmallQP, violation_of

cdef enum:
    LEAST_SAME = 3          # consecutive steps with one of the two rules of GVPM
    MOST_SAME = 10
    PATIENCE = 2            # steps without improvement after which Dai and Fletcher lower their reference

cdef double RHO_LEAST = 1e-10
cdef double RHO_MOST = 1e10


cdef struct Step:
    double rho
    double mu               # multiplier of the last projection
    double centre           # multiple of y subtracted from g
    double dd               # of the last step: d'd, d'Qd, |Qd|², best unconstrained κ
    double dQd
    double QdQd
    double best
    # GVPM
    bint second             # ρ is ρ2
    int same                # consecutive steps with this rule
    # Dai and Fletcher; the objective is relative to the start
    double ss               # of the previous step
    double sy
    double objective
    double least
    double candidate
    double reference
    int waited


cdef double solve_projected(
    SmallQP* qp, double e, Rule rule, double tol, int64_t* left, double* scratch
) noexcept nogil:
    cdef double* d = scratch
    cdef double* Qd = scratch + qp.q
    cdef double* target = scratch + 2 * qp.q
    cdef double* point = scratch + 3 * qp.q
    cdef double violation = violation_of(qp)
    cdef Step step = Step(
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, False, 0, 0.0, 0.0, 0.0, 0.0, 0.0, INFINITY, 0
    )
    step.rho = first_rho(qp, e, &step, target, point)
    while violation >= tol and left[0] > 0:
        aim(qp, e, &step, target, point)
        if not walk(qp, rule, &step, d, Qd, target):
            return violation
        if rule == GVPM:
            alternate(&step)
        violation = violation_of(qp)
        left[0] -= 1
    return violation


cdef void aim(SmallQP* qp, double e, Step* step, double* target, double* point) noexcept nogil:
    """Compute P(z - ρ g)."""
    cdef Py_ssize_t i = 0
    if qp.y != NULL:
        step.centre = centre_of(qp)
        for i in range(qp.q):
            point[i] = qp.z[i] - step.rho * (qp.gradient[i] - step.centre * qp.y[i])
        step.mu = project(point, qp.y, e, qp.bound, qp.q, step.mu, target)
    else:
        for i in range(qp.q):
            target[i] = fmin(fmax(qp.z[i] - step.rho * qp.gradient[i], 0.0), qp.bound[i])


cdef double centre_of(const SmallQP* qp) noexcept nogil:
    """Return the mean y_i g_i of the variables between the bounds, which are all equal at the solution."""
    cdef double sum = 0.0
    cdef Py_ssize_t free = 0, i = 0
    for i in range(qp.q):
        if 0.0 < qp.z[i] < qp.bound[i]:
            sum += qp.y[i] * qp.gradient[i]
            free += 1
    return sum / free if free > 0 else 0.0


cdef double first_rho(SmallQP* qp, double e, Step* step, double* target, double* point) noexcept nogil:
    """Return 1 / max |P(z - g) - z|."""
    cdef double most = 0.0
    cdef Py_ssize_t i = 0
    step.rho = 1.0
    aim(qp, e, step, target, point)
    for i in range(qp.q):
        most = fmax(most, fabs(target[i] - qp.z[i]))
    return bounded(1.0 / most) if most > 0.0 else 1.0


cdef inline double bounded(double rho) noexcept nogil:
    return fmin(fmax(rho, RHO_LEAST), RHO_MOST)


cdef bint walk(
    SmallQP* qp, Rule rule, Step* step, double* d, double* Qd, const double* target
) noexcept nogil:
    """Move towards the target, and update the gradient; return False if z is already there."""
    cdef double gd = 0.0, kappa = 1.0, change = 0.0
    cdef double multiplier = step.centre + step.mu / step.rho
    cdef const double* row = NULL
    cdef Py_ssize_t i = 0, k = 0
    step.dd = step.dQd = step.QdQd = 0.0
    for i in range(qp.q):
        d[i] = target[i] - qp.z[i]
        Qd[i] = 0.0
        step.dd += d[i] * d[i]
        # y'd is 0 up to rounding; subtracting the multiplier makes the gradient of free variables small.
        gd += d[i] * (qp.gradient[i] - (qp.y[i] * multiplier if qp.y != NULL else 0.0))
    if step.dd == 0.0 or gd >= 0.0:
        return False
    for k in range(qp.q):
        if d[k] != 0.0:
            row = qp.Q + k * qp.q
            for i in range(qp.q):
                Qd[i] += d[k] * row[i]
    for i in range(qp.q):
        step.dQd += d[i] * Qd[i]
        step.QdQd += Qd[i] * Qd[i]
    step.best = -gd / step.dQd if step.dQd > 0.0 else INFINITY
    if rule == GVPM or step.objective + gd + 0.5 * step.dQd > step.reference:
        kappa = fmin(1.0, step.best)
    for i in range(qp.q):
        qp.z[i] = target[i] if kappa == 1.0 else qp.z[i] + kappa * d[i]
        qp.gradient[i] += kappa * Qd[i]
    change = kappa * (gd + 0.5 * kappa * step.dQd)
    if rule == DAI_FLETCHER:
        remember(step, kappa, change)
    return True


cdef void alternate(Step* step) noexcept nogil:
    """Choose the next ρ of GVPM."""
    cdef double first = 0.0, second = 0.0
    cdef bint poor = False
    if step.dQd <= 0.0:
        step.rho = RHO_MOST
        return
    first = bounded(step.dd / step.dQd)
    second = bounded(step.dQd / step.QdQd)
    step.same += 1
    poor = step.best > 5.0 if step.second else step.best < 0.1
    if step.same >= LEAST_SAME and (step.same >= MOST_SAME or second < step.rho < first or poor):
        step.second = not step.second
        step.same = 0
    step.rho = second if step.second else first


cdef void remember(Step* step, double kappa, double change) noexcept nogil:
    """Choose the next ρ of Dai and Fletcher and their reference value."""
    cdef double ss = kappa * kappa * step.dd, sy = kappa * kappa * step.dQd
    step.rho = bounded((ss + step.ss) / (sy + step.sy)) if sy + step.sy > 0.0 else RHO_MOST
    step.ss = ss
    step.sy = sy
    step.objective += change
    if step.objective < step.least:
        step.least = step.candidate = step.objective
        step.waited = 0
        return
    step.candidate = fmax(step.candidate, step.objective)
    step.waited += 1
    if step.waited == PATIENCE:
        step.reference = step.candidate
        step.candidate = step.objective
        step.waited = 0


def minimise_projected(
    Q, gradient, start, C, y=None, e=None, rule="gvpm", double tol=1e-8, int64_t most=100_000
):
    """Return the solution z, float64 (q,), and the remaining violation.

    For tests: solvers call `solve_projected`. Parameters as for `svmbench.solvers.dual.small_qp.minimise`,
    with the gradient Qz + h at the start in place of h, the value e of y'z, by default that at the start, and
    the rule, ``gvpm`` or ``dai_fletcher``.
    """
    cdef double[:, ::1] matrix = np.array(Q, dtype=np.float64)
    cdef double[::1] labels = np.array([] if y is None else y, dtype=np.float64)
    cdef double[::1] z = np.array(start, dtype=np.float64)
    cdef double[::1] slope = np.array(gradient, dtype=np.float64)
    cdef double[::1] scratch = np.empty(4 * z.shape[0])
    cdef double[::1] bounds = np.array(np.broadcast_to(C, z.shape[0]), dtype=np.float64)
    cdef SmallQP qp
    cdef Rule which = GVPM if rule == "gvpm" else DAI_FLETCHER
    qp.q = z.shape[0]
    qp.Q = &matrix[0, 0]
    qp.diagonal = NULL
    qp.y = NULL if y is None else &labels[0]
    qp.bound = &bounds[0]
    qp.z = &z[0]
    qp.gradient = &slope[0]
    if e is None:
        e = 0.0 if y is None else float(np.dot(labels, z))
    violation = solve_projected(&qp, e, which, tol, &most, &scratch[0])
    return np.asarray(z), violation
