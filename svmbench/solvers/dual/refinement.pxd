"""C-level interface of the refinement in mixed precision."""

from libc.stdint cimport int64_t

from svmbench.kernels._oracle cimport Oracle
from svmbench.solvers.dual.box cimport BoxDual


cdef class Refinement:
    """Scores in double precision for a dual solver; see refinement.pyx."""

    cdef Oracle oracle
    cdef Py_ssize_t n
    cdef bint whole                     # whether the method has all examples at hand
    cdef double C                       # of the problem, for the gap; 0 where not all are at hand
    cdef double[::1] bound              # of each coefficient; likewise
    cdef double[::1] importance         # of each loss: the bound over C
    cdef bint balanced                  # whether it has a bias; likewise
    cdef double[::1] labels
    cdef double[::1] weights            # K(x, x) times the largest of them
    cdef double[::1] alpha              # the solver's own
    cdef double[::1] known              # α when the scores were recomputed last
    cdef double[::1] scores             # f without bias, of that α
    cdef double objective               # exact, of that α
    cdef double[::1] best_alpha         # of the largest objective so far, and its scores
    cdef double[::1] best_scores
    cdef double best_objective
    cdef double best_violation
    cdef int failures                   # recomputations in succession without progress
    cdef int64_t calls                  # of `due`
    cdef int64_t stride                 # calls between two looks at the noise
    cdef int64_t spacing                # calls between two recomputations for noise, at least
    cdef int64_t renewed                # the call of the last recomputation
    cdef int64_t span                   # calls between it and the one before
    cdef int64_t window                 # calls within which the violation should halve
    cdef int64_t improved               # the call at which it last did
    cdef double halved                  # what it was then
    cdef readonly int64_t rounds        # recomputations
    cdef readonly int64_t evaluations   # kernel values made for them

    # Whether the values must be recomputed before the solver goes on, or says that it has converged; to be
    # asked once per step, with the violation that the solver sees and its tolerance.
    cdef bint due(self, double violation, double eps, bint converged) noexcept nogil
    # The same for one that sees some of the examples only, while the others wait: whether the violation is
    # below the error of what it sees.
    cdef bint blurred(self, double violation) noexcept nogil
    # Whether the violation is below the noise, long enough after the last recomputation.
    cdef bint drowned(self, double violation) noexcept nogil
    # Forget the violations so far: another part of the examples is solved from here on.
    cdef void restart(self) noexcept nogil
    # An estimate of the error of the values maintained since they were recomputed last.
    cdef double noise(self) noexcept nogil
    # values[t] = y_t - f(x_t) of the present α, in double precision.
    cdef int renew(self, double* values) except -1 nogil
    cdef int recompute(self) except -1
    cdef tuple changes(self)
    # Recompute those values of the present α that decide whether it is the solution, unless they are many,
    # and find the extrema again. Returns 1 if they were recomputed, else 0.
    cdef int sharpen(self, BoxDual dual) except -1 nogil
    cdef bint recompute_near(self, BoxDual dual) except -1
    # Primal minus dual objective of the α of the last recomputation.
    cdef double gap(self) noexcept nogil
    cdef void write(self, double* values) noexcept nogil
    # Whether the method has stalled, to be asked after `renew` with the violation then. If so, α and the
    # values are set to those of the largest objective.
    cdef bint stalled(self, double violation, double* values) noexcept nogil
