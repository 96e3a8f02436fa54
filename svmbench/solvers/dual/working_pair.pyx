r"""Selection of a violating pair for duals with the constraint :math:`\sum_i \alpha_i y_i = 0`.

With f the predictor without bias, the value :math:`v_i = y_i - f(x_i)` is :math:`-y_i` times the gradient of
the dual (to be minimised). A pair (i, j) moves :math:`\alpha_i` by :math:`y_i \delta` and :math:`\alpha_j` by
:math:`-y_j \delta`, δ > 0, and gains where :math:`v_i > v_j`. An example can move up if :math:`y_i = 1,
\alpha_i < C` or :math:`y_i = -1, \alpha_i > 0`, and down in the other two cases; this is stored as vectors of
0 and ∓∞ to be added, so that a pass has no branches. At the optimum no value that can move up exceeds one
that can move down (S. S. Keerthi et al., Neural Computation 13, 2001).

The second-order choice (R.-E. Fan, P.-H. Chen, C.-J. Lin, JMLR 6, 2005) pairs the highest i with the t of
largest :math:`(v_i - v_t)^2 / A_t`, :math:`A_t = K_{ii} + K_{tt} - 2 K_{it}`, twice the gain of the dual
without the box. Of equals the first is chosen.
"""

from svmbench.simd.targets cimport isa_level

cdef extern from "working_pair.h" nogil:
    void svmbench_pair_move(
        int level, double* values, const float* a, const float* b, double step, const double* up,
        const double* down, Py_ssize_t n, double tie, Extrema* extrema
    )
    Py_ssize_t svmbench_pair_partner(
        int level, const double* values, const double* down, const double* diagonal, const float* row,
        Py_ssize_t n, const Extrema* extrema
    )

cdef int level = isa_level()


cdef void move_values(
    double* values, const float* a, const float* b, double step, const double* up, const double* down,
    Py_ssize_t n, double tie, Extrema* extrema
) noexcept nogil:
    svmbench_pair_move(level, values, a, b, step, up, down, n, tie, extrema)


cdef Py_ssize_t best_partner(
    const double* values, const double* down, const double* diagonal, const float* row, Py_ssize_t n,
    const Extrema* extrema
) noexcept nogil:
    return svmbench_pair_partner(level, values, down, diagonal, row, n, extrema)
