"""The ledger: the evaluations of one run, and the charges of each convention.

Published counts follow a rule for each method (docs/counting.md); the solver charges them through methods of
the ledger. The evaluations actually made (``kev_computed``) are counted by the oracle, once per row or block.
"""

from svmbench.counters import FIELDS

from libc.stdint cimport int64_t


cdef class Ledger:
    """The counters of one run, 64 bits each; the fields of `svmbench.counters.FIELDS`.

    Parameters
    ----------
    kernels : bool, default True
        Whether kernels are evaluated. If not, `as_dict` returns None for their counters.
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
        """Charge events of a solver in Python; compiled solvers use the C-level methods.

        Parameters
        ----------
        iterations, changes, maintained_changes : int
            Number of these events; each is charged n.
        lookups : int
            Evaluations of the responses computed on demand, one per non-zero coefficient.
        evaluations : int
            Further evaluations, which are charged to every convention.
        n : int
            Number of training examples.
        """
        self.iterations += iterations
        self.kev_iter += <int64_t>iterations * n + evaluations
        self.kev_ondemand += lookups + <int64_t>maintained_changes * n + evaluations
        self.kev_rowupdate += (<int64_t>changes + maintained_changes) * n + evaluations

    def as_dict(self):
        """Return all counters by name; those that do not apply are None."""
        return {
            name: self.counter(which)[0] if self.kernels or not name.startswith("kev_") else None
            for which, name in enumerate(FIELDS)
        }
