"""Detection of stalled runs: rounding undoes the progress of their iterations, or almost."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

# A gain is ignored below this fraction of the duality gap: closing it would take a billion checks.
cdef enum:
    LEAST_PARTS = 1_000_000_000


cdef struct Record:
    double highest          # largest dual objective so far; initially -INFINITY
    int64_t idle            # consecutive checks that have not raised it


# Record the dual objective and its approximate gap; return whether it has not risen in this many consecutive
# checks.
cdef inline bint stuck(Record* record, double objective, double gap, int64_t patience) noexcept nogil:
    if objective > record.highest + gap / LEAST_PARTS:
        record.idle = 0
    else:
        record.idle += 1
    if objective > record.highest:
        record.highest = objective
    return record.idle >= patience


# Consecutive times that the gap has not decreased, by a thousandth, after which a method has stalled.
cdef enum:
    MISSES = 3
    FALL_PARTS = 1000


# Progress of a method that shrinks, besides its objective.
cdef struct Standstill:
    Record dual
    bint complete           # all examples have been checked since the objective last rose
    double gap              # sum over the checks since the gap was last compared
    double least            # the smallest such sum


cdef enum Progress:
    SOME                    # or unknown
    LOOK_AT_ALL             # a shrunk example may allow progress
    NONE                    # the method has stalled


# Record the dual objective and the gap, and return what to do.
#
# If the objective has not risen in `patience` consecutive checks, all examples are checked. If it does not
# rise then either, the gap decides: near the optimum it decreases with the gradients, while the objective
# rises with their squares, which disappear in its rounding first.
cdef inline Progress progress(
    Standstill* state, double objective, double gap, bint leaves_out, int64_t patience
) noexcept nogil:
    cdef bint idle = stuck(&state.dual, objective, gap, patience)
    cdef double total = state.gap + gap
    state.gap = total
    if state.dual.idle == 0:
        state.complete = False
        state.gap = 0.0
        state.least = INFINITY
    if not idle or state.dual.idle % patience != 0:
        return SOME
    state.gap = 0.0
    if leaves_out and not state.complete:
        state.complete = True
        state.dual.idle = 0
        return LOOK_AT_ALL
    if total < (1.0 - 1.0 / FALL_PARTS) * state.least:
        state.least = total
        state.dual.idle = 0
    return NONE if state.dual.idle == MISSES * patience else SOME


cdef inline Standstill at_first() noexcept nogil:
    return Standstill(Record(-INFINITY, 0), False, 0.0, INFINITY)


# Declare all of it to a `Kept`.
cdef inline int keep_standstill(kept, Standstill* state) except -1:
    state.dual = Record(kept.number("highest", state.dual.highest), kept.number("idle", state.dual.idle))
    state.complete = kept.number("complete", state.complete)
    state.gap = kept.number("gap", state.gap)
    state.least = kept.number("least_gap", state.least)
    return 0
