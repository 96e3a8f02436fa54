"""Common code of all compiled runs: the loop between two observations.

A subclass implements ``step``, one iteration of its method. The loop runs without the interpreter lock, ends
at the first end of an iteration at which the counter has reached its mark, and regularly handles pending
signals, so that Ctrl-C ends a run between two iterations in a consistent state.
"""

import signal
import threading

import numpy as np

from svmbench.counters import index_of
from svmbench.errors import UserError
from svmbench.solvers.saved_state import Kept

from cpython.exc cimport PyErr_CheckSignals, PyErr_SetInterrupt
from libc.float cimport DBL_EPSILON, FLT_MAX
from libc.stdint cimport INT64_MAX, int64_t

from svmbench.kernels._linear_data cimport LinearData
from svmbench.kernels._ledger cimport Ledger
from svmbench.kernels._oracle cimport Oracle
from svmbench.simd.passes cimport add_signed

# Least work of an iteration: that of its calls, if the data are few.
cdef enum:
    LEAST_WORK = 500


cdef class CountedRun:
    """A started solver.

    Parameters
    ----------
    problem : Problem
        The training problem, with at least one example.
    n : int
        Number of examples that the solver reads.
    ledger : Ledger
        Its counters.
    work : int
        Approximate number of multiplications of one iteration; determines how often signals are checked.

    Raises
    ------
    UserError
        If the problem has another number of examples, or a label is neither -1 nor +1.
    """

    def __init__(self, problem, Py_ssize_t n, Ledger ledger not None, int64_t work):
        if problem.n != n or n == 0:
            raise UserError(
                f"{problem.n} labels do not fit {n} examples: give as many of both, at least one"
            )
        self.ledger = ledger
        self.n = n
        self.work = max(work, <int64_t> LEAST_WORK)
        self.labels = np.array(problem.y, dtype=np.float64)
        if np.any(np.abs(self.labels) != 1.0):
            raise UserError("the labels must be -1 and +1: map the two classes to them")
        self.y = &self.labels[0]
        self.signs = np.asarray(self.labels).astype(np.float32)

    def keep(self, kept) -> None:
        """Declare to a `Kept` everything that an iteration passes on and the problem does not determine.

        Methods with ``resumable`` True implement it; the same declarations save and restore.
        """
        raise NotImplementedError(f"{type(self).__name__} is resumable and has no `keep`: write one")

    def state(self):
        """Return the arrays from which the run can continue, by name; None if there is no such state now."""
        kept = Kept()
        self.keep(kept)
        kept.number("eps", self.eps)
        return kept.arrays

    def restore(self, state, iterations: int) -> None:
        """Continue from the state of a run of the same problem after this many iterations, before its end.

        The continuation is bit for bit the same as in that run.
        """
        self.keep(Kept(state))
        self.eps = state.get("eps", self.eps)   # states of older versions have none
        self.iterations = iterations

    def tighten(self, double factor) -> bool:
        """Continue a converged run with its tolerance multiplied by a factor below 1.

        The run has stalled instead if rounding in float64 exceeds such a tolerance. Return False, without an
        effect, if its stopping rule is not a tolerance of the optimum.
        """
        if self.eps == 0.0:
            return False
        self.eps *= factor
        self.converged = False
        self.stalled = self.eps < DBL_EPSILON
        return True

    cdef int step(self) except -1 nogil:
        with gil:
            raise NotImplementedError(f"{type(self).__name__} has no `step`: write one")

    cdef int overflowed(self) except -1 nogil:
        with gil:
            raise FloatingPointError(
                f"the responses are no longer finite after {self.iterations} iterations: scale the data, or "
                "choose a kernel with smaller values or smaller steps"
            )

    def advance(self, counter: str, until: int, most: int = INT64_MAX) -> None:
        """Continue until ``counter`` has reached ``until``, or the method has converged or stalled.

        Parameters
        ----------
        counter : str
            One of `svmbench.counters.COUNTERS`.
        until : int
            The value at which to stop, at the first end of an iteration at or after it.
        most : int, optional
            Most iterations, whatever the counter. Default: unlimited.

        Raises
        ------
        FloatingPointError
            If the responses overflow.
        KeyboardInterrupt
            On Ctrl-C, between two iterations; the run may be observed and advanced further.
        """
        cdef const int64_t* value = self.ledger.counter(index_of(counter))
        cdef int64_t mark = min(until, INT64_MAX)
        cdef int64_t last = min(self.iterations + most, INT64_MAX)
        cdef int64_t work = 0
        self.whole = True
        self.caught_up = False
        with nogil:
            while (
                not self.converged and not self.stalled and value[0] < mark and self.iterations < last
                and not (self.caught_up and self.pauses)
            ):
                self.whole = False
                self.step()
                self.iterations += 1
                self.whole = True
                work += self.work
                if work >= WORK_BETWEEN_SIGNALS:
                    work = 0
                    with gil:
                        PyErr_CheckSignals()


cdef class SteppedRun(CountedRun):
    """A started kernel method.

    Parameters
    ----------
    problem : Problem
        The training problem, with at least one example.
    oracle : Oracle
        Over the same examples.
    """

    def __init__(self, problem, Oracle oracle not None):
        super().__init__(problem, oracle.n, oracle.ledger, oracle.n)
        self.oracle = oracle

    cdef int overflowed(self) except -1 nogil:
        with gil:
            if self.oracle.layout.failure is not None:
                raise self.oracle.layout.failure
        return CountedRun.overflowed(self)

    cdef const float* row(self, Py_ssize_t i) noexcept nogil:
        if self.oracle.prefetch.begin(i):
            self.prefetch_hints()
            self.oracle.prefetch.make()
        return self.oracle.get_row(i)

    cdef const float* fetch(self, Py_ssize_t i) noexcept nogil:
        self.ledger.charge_both(self.n)
        self.ledger.kev_iter += self.n
        return self.oracle.get_row(i)

    cdef void prefetch_hints(self) noexcept nogil:
        pass


cdef class Uninterrupted:
    """Defers Ctrl-C, which Python would handle at any instruction, to the next check for signals.

    For the parts of an iteration written in Python, where an interruption would leave the run inconsistent. A
    handler that ``defers`` raises nothing unless the run must be cut, which is not deferred. Handlers of
    other signals, and handlers that raise anything but KeyboardInterrupt, are not deferred.
    """

    cdef object handler     # the outer handler of Ctrl-C; None: it cannot occur here
    cdef bint asked         # Ctrl-C was pressed in the meantime

    def __enter__(self):
        # These lines themselves run in Python, which may handle a Ctrl-C that came before them.
        while True:
            try:
                self.hold()
                return
            except KeyboardInterrupt:
                if getattr(signal.getsignal(signal.SIGINT), "defers", False):
                    raise
                self.asked = True

    cdef int hold(self) except -1:
        handler = signal.getsignal(signal.SIGINT)
        if getattr(handler, "defers", False):
            return 0
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self.handler = handler
            signal.signal(signal.SIGINT, self._hold_back)
        return 0

    def __exit__(self, kind, error, trace):
        if self.handler is not None:
            try:
                signal.signal(signal.SIGINT, self.handler)
            except KeyboardInterrupt:  # the handler is restored, and has already handled one
                self.asked = True
        if self.asked:
            PyErr_SetInterrupt()

    def _hold_back(self, number, frame):
        self.asked = True


cdef int look_for_signals() except -1 nogil:
    with gil:
        with Uninterrupted():
            PyErr_CheckSignals()
    return 0


cdef class PlainRun(SteppedRun):
    """A started kernel method with iterations on whole vectors, written in Python.

    A subclass implements ``iterate``, one iteration, which returns whether the method has converged.

    Parameters
    ----------
    problem : Problem
        The training problem, with at least one example.
    oracle : Oracle
        Over the same examples.

    Notes
    -----
    Python would handle Ctrl-C within an iteration: it is deferred to its end.
    """

    def __init__(self, problem, Oracle oracle not None):
        super().__init__(problem, oracle)
        self.work = WORK_BETWEEN_SIGNALS

    cdef int step(self) except -1 nogil:
        with gil:
            with Uninterrupted():
                self.converged = self.iterate()
        return 0

    def stall(self) -> None:
        """End the run: no further progress is possible, although its stopping rule does not hold."""
        self.stalled = True

    def iterate(self) -> bool:
        """Make one iteration and return whether the method has converged."""
        raise NotImplementedError(f"{type(self).__name__} has no `iterate`: write one")


cdef class LinearRun(CountedRun):
    """A started linear method.

    Parameters
    ----------
    problem : Problem
        The training problem, with at least one example.
    examples : LinearData
        The same examples.
    products : int
        Inner products of one iteration.
    """

    def __init__(self, problem, LinearData examples not None, products):
        mean = examples.stored // max(examples.n, 1)
        super().__init__(problem, examples.n, examples.ledger, products * (mean + 1))
        self.examples = examples


cdef void add_row(SteppedRun run, Py_ssize_t i, double factor, double* responses) noexcept nogil:
    add_signed(responses, &run.signs[0], run.row(i), run.n, factor)


def checked_diagonal(oracle):
    """Return the diagonal of the kernel matrix, float64 (n,), as the oracle charges it.

    Raises
    ------
    UserError
        If a value is negative, or overflows the single precision of the rows.
    """
    diagonal = oracle.diagonal()
    bad = np.flatnonzero(~((diagonal >= 0.0) & (diagonal <= FLT_MAX)))
    if bad.size:
        raise UserError(
            f"K(x, x) = {diagonal[bad[0]]} for training example {bad[0] + 1}: the kernel must be positive "
            f"semidefinite and at most {FLT_MAX:.1e} on the data; change its parameters or scale the data"
        )
    return np.ascontiguousarray(diagonal, dtype=np.float64)
