"""How a run notices that it gains nothing any more: rounding undoes what its iterations do, or almost."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

# A gain below this part of the duality gap is none: at its pace the gap would last for a billion looks.
cdef enum:
    LEAST_PARTS = 1_000_000_000


cdef struct Record:
    double highest          # value so far of a dual objective; -INFINITY at first
    int64_t idle            # looks in a row that have not raised it


# Note the dual objective, known to be about so far below the optimum; return whether it has not risen in so
# many looks in a row.
cdef inline bint stuck(Record* record, double objective, double gap, int64_t patience) noexcept nogil:
    if objective > record.highest + gap / LEAST_PARTS:
        record.idle = 0
    else:
        record.idle += 1
    if objective > record.highest:
        record.highest = objective
    return record.idle >= patience


# Times in a row that the gap has not fallen, by a thousandth of it, after which a method has stalled.
cdef enum:
    MISSES = 3
    FALL_PARTS = 1000


# What a method that leaves out examples now and then has to show for its work, beside its objective.
cdef struct Standstill:
    Record dual
    bint complete           # all examples have been looked at since the objective last rose
    double gap              # sum over the looks since the gap was last compared
    double least            # the least such sum


cdef enum Progress:
    SOME                    # or not yet known
    LOOK_AT_ALL             # an example that is left out may have something to give
    NONE                    # the method has stalled


# Note the dual objective and the gap, and return what is to be done.
#
# Where the objective has not risen in `patience` looks in a row, all examples are looked at. Where it does
# not rise then either, the gap decides: near the optimum it falls with the gradients, while the objective
# rises with their squares, which its rounding hides first.
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


# Name all of it to a `Kept`.
cdef inline int keep_standstill(kept, Standstill* state) except -1:
    state.dual = Record(kept.number("highest", state.dual.highest), kept.number("idle", state.dual.idle))
    state.complete = kept.number("complete", state.complete)
    state.gap = kept.number("gap", state.gap)
    state.least = kept.number("least_gap", state.least)
    return 0
