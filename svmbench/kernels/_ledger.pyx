"""The ledger: what one run has evaluated, and what each convention charges it.

Published counts follow a method's rule (docs/counting.md) and are charged by the solver through the ledger's
verbs; what was really evaluated (``kev_computed``) is counted by the oracle, once per row or block.
"""

from svmbench.counters import FIELDS

from libc.stdint cimport int64_t


cdef class Ledger:
    """The counts of one run, 64 bit each; the fields of `svmbench.counters.FIELDS`.

    Parameters
    ----------
    kernels : bool, default True
        Whether kernels are evaluated at all; if not, `as_dict` has None for their counts.
    """

    def __init__(self, *, kernels=True):
        self.kernels = kernels

    cdef const int64_t* counter(self, Py_ssize_t which) noexcept nogil:
        return &self.iterations + which

    cdef void charge_on_demand(self, int64_t nonzeros) noexcept nogil:
        self.kev_ondemand += nonzeros

    cdef void charge_row_update(self, int64_t n) noexcept nogil:
        self.kev_rowupdate += n

    cdef void charge_both(self, int64_t n) noexcept nogil:
        self.kev_ondemand += n
        self.kev_rowupdate += n

    def setup(self, int64_t evaluations):
        """Charge evaluations made before the first iteration, to every convention."""
        self.charge_both(evaluations)
        self.kev_iter += evaluations
        self.kev_setup += evaluations

    def charge(self, *, iterations=0, lookups=0, changes=0, maintained_changes=0, evaluations=0, n=0):
        """Charge events from a solver written in Python; the compiled ones use the C-level verbs.

        Parameters
        ----------
        iterations, changes, maintained_changes : int
            How many happened; each is charged n.
        lookups : int
            Non-zero coefficients behind the responses that were computed on demand, summed.
        evaluations : int
            Of a kind that no convention saves, charged to each as they are.
        n : int
            Number of training examples.
        """
        self.iterations += iterations
        self.kev_iter += <int64_t>iterations * n + evaluations
        self.kev_ondemand += lookups + <int64_t>maintained_changes * n + evaluations
        self.kev_rowupdate += (<int64_t>changes + maintained_changes) * n + evaluations

    def as_dict(self):
        """Return every counter by name; None where it does not apply."""
        return {
            name: self.counter(which)[0] if self.kernels or not name.startswith("kev_") else None
            for which, name in enumerate(FIELDS)
        }
