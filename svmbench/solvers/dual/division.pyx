r"""The division of DC-SVM: the dual over clusters of the examples, from many clusters to none.

C.-J. Hsieh, S. Si and I. S. Dhillon, A Divide-and-Conquer Solver for Kernel Support Vector Machines, ICML
2014, Algorithm 1 and section 4. From α = 0, for each number of clusters, the largest first::

    S = m random examples, or after the first time m random support vectors
    cluster S by kernel k-means (`svmbench.solvers.kernel_kmeans`); each example goes to the nearest centre
    for each cluster: solve the dual over its examples alone, from their coefficients so far
    solve the dual over the support vectors alone
    v_t = y_t - Σ α_i y_i K(x_i, x_t) for all t

In the dual over a cluster, kernel values with other clusters count as 0. Where these are small, its support
vectors are nearly those of the whole problem.

An iteration is a round of a dual (`nested_sets`), the m² kernel values of a sample, or up to TOGETHER values
of distances to a centre or of initial v (`partial_level`). Charges of the rounds are defined in
`nested_sets`; the other values are charged one by one.
"""

import numpy as np

from svmbench.solvers.dual.nested_sets import level_over
from svmbench.solvers.kernel_kmeans import EQUAL, cluster
from svmbench.solvers.run import Uninterrupted

from libc.stdint cimport int64_t

from svmbench.solvers.dual.nested_sets cimport Level
from svmbench.solvers.dual.partial_level cimport PartialLevel

cdef enum:
    LEAST_ROUNDS = 64       # most rounds over a part, and with more examples than its set holds:
    TIMES = 100             # most changes of each coefficient

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
        if self.solving or self.doing != SAMPLING:
            return PartialLevel.step(self)
        with gil:
            with Uninterrupted():
                evaluations = self.draw_sample()
        return evaluations

    cdef int64_t draw_sample(self) except -1:
        """Cluster a sample; return the number of its kernel values."""
        pool = np.flatnonzero(self.alpha)
        if len(pool) < self.clusters[0]:
            pool = np.arange(self.problem.n)
        sample = np.sort(pool[self.rng.permutation(len(pool))[: self.sample_size]])
        K = self.oracle.block(sample, sample).astype(np.float64)
        labels, norms = cluster(K, self.clusters.pop(0), self.rng)
        self.centres = sample, labels, norms
        self.regions = np.zeros(self.problem.n, dtype=np.int64)
        self.distances = np.full(self.problem.n, np.inf)
        self.next = 0
        self.doing = MEASURING
        self.measure()
        return len(sample) * len(sample)

    cdef int measure(self) except -1:
        """Request the distances of all examples to the next centre; after the last, begin with the parts."""
        sample, labels, norms = self.centres
        if self.next == len(norms) or len(norms) == 1:
            self.next = 0
            return self.next_part()
        at = sample[labels == self.next]
        return self.reconstruct(at, np.full(len(at), 1.0 / len(at)), np.arange(self.problem.n))

    cdef int take(self, part, values) except -1:
        if self.doing != MEASURING:
            self.values[part] = self.problem.y[part] - values
            return 0
        distances = self.centres[2][self.next] - 2.0 * values
        nearer = part[distances < self.distances[part] - EQUAL * self.centres[2].max()]
        self.regions[nearer] = self.next
        self.distances[part] = np.minimum(self.distances[part], distances)
        return 0

    cdef int end_values(self) except -1:
        if self.doing == MEASURING:
            self.next += 1
            return self.measure()
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
