"""How a run notices that it gains nothing any more: rounding undoes what its iterations do, or almost."""

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
