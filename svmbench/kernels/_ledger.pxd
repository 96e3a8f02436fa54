"""C-level interface of the ledger for compiled solvers."""

cimport cython
from libc.stdint cimport int64_t


cdef class Ledger:
    """All counters of one run, those of published conventions and of real evaluations, 64 bits each."""

    cdef readonly bint kernels
    # In the order of svmbench.counters.ALL, which gives their positions.
    cdef public int64_t iterations
    cdef public int64_t kev_ondemand
    cdef public int64_t kev_rowupdate
    cdef public int64_t kev_iter
    cdef public int64_t kev_computed
    cdef public int64_t inner_products
    cdef public int64_t kev_setup
    cdef public int64_t kev_observation
    cdef public int64_t kev_prediction
    cdef public int64_t kev_discarded

    # Address of a counter by its position in svmbench.counters.FIELDS.
    cdef const int64_t* counter(self, Py_ssize_t which) noexcept nogil

    # One iteration over n examples: kev_iter += n, iterations += 1.
    @cython.final
    cdef inline void iteration(self, int64_t n) noexcept nogil:
        self.iterations += 1
        self.kev_iter += n

    # Count kernel values computed for training; each takes an inner product.
    @cython.final
    cdef inline void computed(self, int64_t evaluations) noexcept nogil:
        self.kev_computed += evaluations
        self.inner_products += evaluations

    # Charge a response computed on demand from `nonzeros` coefficients: kev_ondemand += nonzeros.
    cdef void charge_on_demand(self, int64_t nonzeros) noexcept nogil
    # Charge a change of a coefficient in a method that could compute responses on demand: kev_rowupdate += n.
    cdef void charge_row_update(self, int64_t n) noexcept nogil
    # Charge a change of a coefficient in a method that must maintain all responses: n to both counters.
    cdef void charge_both(self, int64_t n) noexcept nogil
