r"""The division of DC-SVM: the dual over clusters of the examples, from many clusters to none.

C.-J. Hsieh, S. Si and I. S. Dhillon, A Divide-and-Conquer Solver for Kernel Support Vector Machines, ICML
2014, Algorithm 1 and section 4. From α = 0, for each number of clusters, the largest first::

    S = m random examples, or after the first time m random support vectors
    cluster S by k-means (`svmbench.solvers.kmeans`); each example goes to the nearest centre
    for each cluster: solve the dual over its examples alone, from their coefficients so far
    solve the dual over the support vectors alone
    v_t = y_t - Σ α_i y_i K(x_i, x_t) for all t

In the dual over a cluster, kernel values with other clusters count as 0. Where these are small, its support
vectors are nearly those of the whole problem.

The clusters are those of the input space: nearer examples have larger kernel values, so that values between
clusters are small, whatever the width of the kernel.

An iteration is a round of a dual (`nested_sets`), the m² inner products of a sample, the nearest centres of
some examples, or up to TOGETHER values of initial v (`partial_level`). Charges of the rounds are defined in
`nested_sets`; the other values and the inner products are charged one by one.
"""

import numpy as np

from svmbench.solvers.dual.nested_sets import level_over
from svmbench.solvers.kmeans import Centres, cluster
from svmbench.solvers.run import Uninterrupted

from libc.stdint cimport int64_t

from svmbench.solvers.dual.nested_sets cimport Level
from svmbench.solvers.dual.partial_level cimport PartialLevel

cdef enum:
    LEAST_ROUNDS = 64       # most rounds over a part, and with more examples than its set holds:
    TIMES = 100             # most changes of each coefficient
    BLOCK = 1 << 24         # most terms of the inner products with centres in an iteration

# What follows the current rounds or values.
cdef enum:
    SAMPLING, MEASURING, STARTING, JOINING


cdef class Division(PartialLevel):
    """The division, before the first sample.

    Parameters
    ----------
    oracle, problem, least
        As in `PartialLevel`.
    diagonal : ndarray of float64, shape (n,)
        K(x, x).
    whole : Level
        The level over all examples, at α = 0, to which the coefficients are passed.
    eps : float
        Violation to reach in each part.
    clusters : list of int
        Numbers of clusters, descending.
    sample : int
        m.
    stop : bool
        Whether to stop after the last clusters, before the duals over all support vectors and all examples.
    rng : Generator
        Source of the samples and of the first centres.
    """

    cdef object diagonal
    cdef object rng
    cdef double eps
    cdef object clusters            # the remaining numbers of clusters
    cdef Py_ssize_t sample_size
    cdef bint stop
    cdef int doing                  # what the values being computed are for
    # Of all examples: coefficients, initial values of a part, cluster.
    cdef readonly object alpha
    cdef object values
    cdef readonly object regions
    cdef readonly object centres    # sample, cluster of each point, squared norms; None after the last
    cdef object found               # the same as `Centres`
    cdef Py_ssize_t next            # the next cluster
    cdef object members             # of the current part, ascending
    cdef int64_t most_rounds

    def __init__(
        self, oracle, problem, diagonal, Level whole not None, least, eps, clusters, sample, stop, rng
    ):
        super().__init__(oracle, problem, whole, least)
        self.diagonal, self.rng, self.eps = diagonal, rng, eps
        self.clusters, self.sample_size, self.stop = list(clusters), sample, stop
        self.alpha, self.values = np.zeros((2, problem.n))
        self.doing = SAMPLING

    cdef int64_t step(self) except -1 nogil:
        cdef int64_t evaluations = 0
        if self.solving or self.doing > MEASURING:
            return PartialLevel.step(self)
        with gil:
            with Uninterrupted():
                evaluations = self.draw_sample() if self.doing == SAMPLING else self.measure()
        return evaluations

    cdef int64_t draw_sample(self) except -1:
        """Cluster a sample; return the number of its inner products."""
        pool = np.flatnonzero(self.alpha)
        if len(pool) < self.clusters[0]:
            pool = np.arange(self.problem.n)
        sample = np.sort(pool[self.rng.permutation(len(pool))[: self.sample_size]])
        rows = self.oracle.exact_rows(sample)
        labels = cluster(self.oracle.products(sample, rows), self.clusters.pop(0), self.rng)
        self.found = Centres.of(rows, labels)
        self.centres = sample, labels, self.found.norms
        self.regions = np.zeros(self.problem.n, dtype=np.int64)
        self.doing = MEASURING
        self.done = self.next = 0
        if len(self.found.points) == 1:
            self.next_part()
        return len(sample) * len(sample)

    cdef int64_t measure(self) except -1:
        """Find the nearest centres of some examples, and begin with the parts after the last of them."""
        points = self.found.points
        cdef Py_ssize_t count = max(1, BLOCK // max(points.size, 1))
        part = np.arange(self.done, min(self.done + count, self.problem.n))
        self.regions[part] = self.found.choose(self.oracle.products(part, points))
        self.done += len(part)
        if self.done == self.problem.n:
            self.next_part()
        return len(part) * len(points)

    cdef int take(self, part, values) except -1:
        self.values[part] = self.problem.y[part] - values
        return 0

    cdef int end_values(self) except -1:
        if self.doing == STARTING:
            return self.solve_part()
        whole = self.whole
        np.asarray(whole.alpha)[:] = self.alpha
        np.asarray(whole.v)[:] = self.values
        self.whole.untouched = False
        self.whole.mark_all()
        self.finished = True
        return 0

    cdef int next_part(self) except -1:
        """Begin with the next cluster that has examples; after the last one, with the next stage."""
        while self.next < len(self.centres[2]):
            members = np.flatnonzero(self.regions == self.next)
            self.next += 1
            if len(members):
                return self.begin_part(members)
        if self.clusters:
            self.doing = SAMPLING
            self.solving = False
            return 0
        if self.stop:
            self.finished = True
            return 0
        self.centres = None
        support = np.flatnonzero(self.alpha)
        return self.begin_part(support) if len(support) else self.join()

    cdef int begin_part(self, members) except -1:
        """Begin with the dual over some examples at their coefficients."""
        support = members[self.alpha[members] > 0.0]
        self.members = members
        self.doing = STARTING
        if not len(support):
            self.values[members] = self.problem.y[members]
            return self.solve_part()
        return self.reconstruct(support, (self.alpha * self.problem.y)[support], members)

    cdef int solve_part(self) except -1:
        cdef Level level = None
        members = self.members
        given = self.problem, self.problem.y[members], self.diagonal[members], self.least
        level = level_over(self.oracle.subset(members), *given, self.problem.bounds[members])
        np.asarray(level.alpha)[:] = self.alpha[members]
        np.asarray(level.v)[:] = self.values[members]
        level.untouched = not self.alpha[members].any()
        level.mark_all()
        self.level, self.terms, self.solving = level, None, True
        self.most_rounds = LEAST_ROUNDS + TIMES * level.n // level.most
        return self.end_rounds() if self.solved() else 0

    cdef bint solved(self) noexcept nogil:
        return self.level.violation() < self.eps or self.level.rounds >= self.most_rounds

    cdef int end_rounds(self) except -1:
        """Store the solution over a part, and go on to the next."""
        self.alpha[self.members] = self.level.alpha
        self.level, self.solving = None, False
        return self.join() if self.centres is None else self.next_part()

    cdef int join(self) except -1:
        """Request the values of all examples."""
        support = np.flatnonzero(self.alpha)
        if not len(support):
            self.finished = True        # `whole` is still at 0
            return 0
        self.doing = JOINING
        return self.reconstruct(
            support, (self.alpha * self.problem.y)[support], np.arange(self.problem.n)
        )

    def point(self):
        """Return the coefficients so far, float64, shape (n,), and the bias, which is 0."""
        alpha = self.alpha.copy()
        if self.solving:
            alpha[self.members] = self.level.alpha
        return alpha, 0.0
