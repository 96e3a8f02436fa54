"""C-level interface of the refinement in mixed precision."""

from libc.stdint cimport int64_t

from svmbench.kernels._oracle cimport Oracle
from svmbench.solvers.dual.box cimport BoxDual


cdef class Refinement:
    """Scores in double precision for a dual solver; see refinement.pyx."""

    cdef Oracle oracle
    cdef Py_ssize_t n
    cdef bint whole                     # whether the method works on all examples
    cdef double C                       # of the problem, for the gap; 0 if not on all examples
    cdef double[::1] bound              # of each coefficient; likewise
    cdef double[::1] importance         # of each loss: the bound over C
    cdef bint balanced                  # whether it has a bias; likewise
    cdef double[::1] labels
    cdef double[::1] weights            # K(x, x) times the largest of them
    cdef double[::1] alpha              # the solver's own
    cdef double[::1] known              # α at the last recomputation of scores
    cdef double[::1] scores             # f without bias, of that α
    cdef double objective               # exact, of that α
    cdef double[::1] best_alpha         # α with the largest objective so far, and its scores
    cdef double[::1] best_scores
    cdef double best_objective
    cdef double best_violation
    cdef int failures                   # consecutive recomputations without progress
    cdef int64_t calls                  # of `due`
    cdef int64_t stride                 # calls between two evaluations of the noise
    cdef int64_t spacing                # least calls between two recomputations due to noise
    cdef int64_t renewed                # call of the last recomputation
    cdef int64_t span                   # calls between it and the previous one
    cdef int64_t window                 # calls within which the violation should halve
    cdef int64_t improved               # call at which it last did
    cdef double halved                  # the violation then
    cdef readonly int64_t rounds        # recomputations
    cdef readonly int64_t evaluations   # kernel values computed for them

    # Whether the values must be recomputed before the solver continues or declares convergence; to be called
    # once per step, with the current violation and its tolerance.
    cdef bint due(self, double violation, double eps, bint converged) noexcept nogil
    # The same for a method that sees only some examples, with values of others outdated: whether the
    # violation is below the error of the values.
    cdef bint blurred(self, double violation) noexcept nogil
    # Whether the violation is below the noise, long enough after the last recomputation.
    cdef bint drowned(self, double violation) noexcept nogil
    # Forget the violations so far, since another part of the examples is solved from now on.
    cdef void restart(self) noexcept nogil
    # An estimate of the error of the maintained values since the last recomputation.
    cdef double noise(self) noexcept nogil
    # values[t] = y_t - f(x_t) of the current α, in double precision.
    cdef int renew(self, double* values) except -1 nogil
    # The values were made again by rows in single precision: they are not exact at any point but 0.
    cdef void forget(self) noexcept nogil
    cdef int recompute(self) except -1
    cdef tuple changes(self)
    # Recompute the values that decide whether the current α is the solution, unless there are too many, and
    # find the extrema again. Return 1 if they were recomputed, else 0.
    cdef int sharpen(self, BoxDual dual) except -1 nogil
    cdef bint recompute_near(self, BoxDual dual) except -1
    # Primal minus dual objective at the last recomputation.
    cdef double gap(self) noexcept nogil
    cdef void write(self, double* values) noexcept nogil
    # Whether the method has stalled, to be called after `renew` with the violation then. If so, α and the
    # values are set to those of the largest objective.
    cdef bint stalled(self, double violation, double* values) noexcept nogil
