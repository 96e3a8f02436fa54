r"""Components of decomposition with a large working set: choosing the set, and solving the dual in it.

`solve`: the dual in the signed coefficients :math:`\beta_i = \alpha_i y_i` of the working set, with all
others fixed, in a box, with a constant sum if there is a bias. The values :math:`v_i = y_i - f(x_i)` are its
gradient. With a constant sum the steps are those of `smo_pair` with second-order selection. Otherwise they
move two variables as well (I. Steinwart, D. Hush and C. Scovel, Training SVMs without Offset, JMLR 12, 2011):
the one that gains most alone, and the partner with which it gains most, if that is more than alone. Steps in
one variable would make no progress if the kernel is nearly constant, since each would undo the gains of the
others. The steps read and write vectors of the working set only, and its kernel matrix is in memory: a step
takes about a microsecond. The passes are compiled for each instruction set. Of equals the first is chosen.

`offer`: the k largest of a stream, by a heap with the smallest of them, the last offered of equals, at its
root: most of the others are rejected by one comparison.
"""

from libc.stdint cimport int64_t

cdef extern from "working_set.h" nogil:
    int64_t svmbench_working_set_solve(int level, working_set*, int balanced, double eps, int64_t steps)
    void svmbench_working_set_put(float* matrix, ptrdiff_t stride, ptrdiff_t size, const float* rows,
                                  const int64_t* places, ptrdiff_t count, int threads)


cdef int64_t solve(int level, working_set* set, bint balanced, double eps, int64_t steps) noexcept nogil:
    return svmbench_working_set_solve(level, set, balanced, eps, steps)


cdef void put(
    float* matrix, ptrdiff_t stride, ptrdiff_t size, const float* rows, const int64_t* places,
    ptrdiff_t count, int threads
) noexcept nogil:
    svmbench_working_set_put(matrix, stride, size, rows, places, count, threads)


cdef inline bint less(const Top* top, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Return whether the first of two entries leaves before the second."""
    return top.keys[a] < top.keys[b] or (top.keys[a] == top.keys[b] and top.owners[a] > top.owners[b])


cdef inline void swap(Top* top, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    top.keys[a], top.keys[b] = top.keys[b], top.keys[a]
    top.owners[a], top.owners[b] = top.owners[b], top.owners[a]


cdef void offer(Top* top, double key, int64_t owner) noexcept nogil:
    cdef Py_ssize_t at = 0, child = 0
    if top.size < top.capacity:
        at = top.size
        top.size += 1
        top.keys[at] = key
        top.owners[at] = owner
        while at > 0 and less(top, at, (at - 1) // 2):
            swap(top, at, (at - 1) // 2)
            at = (at - 1) // 2
    elif top.capacity > 0 and key > top.keys[0]:
        top.keys[0] = key
        top.owners[0] = owner
        while 2 * at + 1 < top.size:
            child = 2 * at + 1
            if child + 1 < top.size and less(top, child + 1, child):
                child += 1
            if not less(top, child, at):
                return
            swap(top, at, child)
            at = child


cdef Py_ssize_t leading(
    const double* keys, Py_ssize_t n, double floor, Py_ssize_t k, int64_t* places
) noexcept nogil:
    cdef Py_ssize_t found = 0, at = 0, p = 0
    for p in range(n):
        if keys[p] > floor:
            if found < k:
                found += 1
            at = found - 1
            while at > 0 and keys[places[at - 1]] < keys[p]:
                places[at] = places[at - 1]
                at -= 1
            places[at] = p
            if found == k:
                floor = keys[places[k - 1]]
    return found
