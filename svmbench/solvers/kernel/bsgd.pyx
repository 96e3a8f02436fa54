r"""BSGD: Pegasos with at most a given number of support vectors.

Z. Wang, K. Crammer and S. Vucetic, Breaking the Curse of Kernelization: Budgeted Stochastic Gradient Descent
for Large-Scale SVM Training, JMLR 13, 2012; Algorithm 1 with steps 1/(λt), for two classes, without bias. The
looked-up merge is that of T. Glasmachers and S. Qaadan, Speeding Up Budgeted Stochastic Gradient Descent SVM
Training with Precomputed Golden Section Search, CIARP 2018; merges of several points are those of S. Qaadan
and T. Glasmachers, Multi-Merge Budget Maintenance for Stochastic Gradient Descent SVM Training, arXiv
1806.10179, 2018.

Problem, the regularised form: :math:`\min_w \frac{\lambda}{2} |w|^2 + \frac{1}{n} \sum_i \max(0, 1 - c_i)`,
responses :math:`c_i = y_i \langle w, \Phi(x_i) \rangle`. Gaussian kernel.

Method, from w = 0, iterations t = 1, 2, ..., with w_t = v_t / (λ (t - 1)) and w_1 = 0::

    i = uniform draw from all examples
    if y_i <w_t, Φ(x_i)> < 1:
        v += y_i Φ(x_i)
        if v has more than `budget` points: maintain it

If the example is already a point of v, its coefficient grows. So with a budget of n, or before the budget is
reached, the iterates are those of `pegasos`.

Maintenance, where of equal candidates the oldest is taken:

``merging``
    p is the point with the smallest \|a_p\|. Its partner q, of the same sign, is the one with the least loss
    when both become a_z Φ(z), z on the line between them (`svmbench.solvers.merging`). With ``together``
    above 2, the together - 1 partners with the least losses are merged into it one after another, in this
    order, so that the next together - 2 violations need no maintenance. Without a partner p is removed. The
    loss of a pair, and h for the chosen ones, are looked up in a table (``search=lookup``) or found by golden
    section search to a width of 0.01 (``golden``).
``removal``
    p is removed.
``projection``
    p is the point that loses least when it is projected on the span of the others, a_p² / (K⁻¹)_pp, and is
    projected. A new point within 1e-6 of the span, in squared distance, is projected at once, because K would
    be singular.

Counting: a response costs one evaluation per point under A. The partners of p cost one evaluation for each
other point of its sign, and one for each further merge, under every convention: merged points are not
examples, so no row has these values. Under B a coefficient that changes, is added or is removed costs n. An
iteration costs n under C.

Answer: the last iterate, over points that need not be training examples. Memory: budget × d float64, and the
examples; ``projection`` keeps two matrices of budget² float64.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import ReducedSetExpansion, Snapshot, Solver
from svmbench.solvers.merging import merge_table
from svmbench.solvers.run import Uninterrupted

from libc.math cimport exp, fabs, isfinite
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.merging cimport golden_section, merge_loss, merged_coefficient
from svmbench.solvers.run cimport SteppedRun

#: Width to which golden section search goes, as published.
cdef double WIDTH = 0.01

#: Squared distance of a new point from the span below which it is projected on it at once.
DEPENDENT = 1e-6

#: γ |x|² times the rounding of a double from which squared distances are made of differences.
FAR = 1e-12


@dataclass(frozen=True)
class Params:
    """Parameters of BSGD."""

    budget: int = option(
        500,
        "Most support vectors. 500 is the larger of the two budgets of Glasmachers and Qaadan (2018).",
        min=1,
        max=1_000_000,
    )
    maintenance: str = option(
        "merging",
        "How the points are reduced to the budget. merging: some are merged into one. removal: the one with "
        "the smallest coefficient is removed. projection: it is projected onto the others, at a cost of "
        "O(budget²).",
        choices=("merging", "removal", "projection"),
    )
    search: str = option(
        "lookup",
        "How the best merge of two points is found: in a table of 400 x 400, or by golden section search. "
        "Only for maintenance=merging.",
        choices=("lookup", "golden"),
    )
    together: int = option(
        2,
        "Points merged into one at a time; with more, merges are needed less often. Only for "
        "maintenance=merging.",
        min=2,
        max=1_000_000,
    )

    def __post_init__(self):
        # One task has one identity.
        if self.maintenance != "merging":
            object.__setattr__(self, "search", "lookup")
            object.__setattr__(self, "together", 2)


cdef class Run(SteppedRun):
    """A started BSGD."""

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        reduced = oracle.reduced_set()
        rows = reduced.sparse()
        self.rng = rng
        self.lam, self.gamma, self.d = problem.lam, reduced.gamma, reduced.d
        self.merges = params.maintenance == "merging"
        self.projects = params.maintenance == "projection"
        # As many points as there are examples never need maintenance.
        self.most = min(params.budget, self.n)
        self.together = min(params.together, self.most + 1)
        self.table = merge_table() if self.merges and params.search == "lookup" else None
        self.starts = rows.indptr.astype(np.int64)
        self.columns = rows.indices.astype(np.int64)
        self.values = rows.data
        self.norms = np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
        self.far = reduced.gamma * np.finfo(np.float64).eps * np.max(self.norms) > FAR
        wide = self.most + 1
        self.points = np.zeros((self.d, wide))
        self.squared, self.a, self.kernel, self.losses = (np.zeros(wide) for _ in range(4))
        self.born, self.source, self.partners = (np.full(wide, -1, np.int64) for _ in range(3))
        self.place = np.full(self.n, -1, np.int64)
        self.point, self.point_values = np.zeros(self.d), np.zeros(self.d)
        self.point_columns = np.zeros(self.d, np.int64)
        if self.projects:
            self.gram, self.inverse = np.zeros((wide, wide)), np.zeros((wide, wide))
        self.work = wide * self.d

    cdef int step(self) except -1 nogil:
        cdef double divisor = self.lam * <double> self.iterations
        cdef Py_ssize_t i = self.rng.below(<unsigned int> self.n)
        cdef double score = self.score(i)
        cdef double response = self.y[i] * score / divisor if divisor > 0.0 else 0.0
        if not isfinite(response):
            self.overflowed()
        if response < 1.0:
            self.learn(i)
        return 0

    cdef double score(self, Py_ssize_t i) noexcept nogil:
        """Return <v, Φ(x_i)>, charged as an iteration; ``kernel`` has the values."""
        cdef double score = 0.0
        cdef Py_ssize_t k = 0
        self.example(i)
        for k in range(self.count):
            score += self.a[k] * self.kernel[k]
        self.ledger.iteration(self.n)
        self.ledger.computed(self.count)
        self.ledger.charge_on_demand(self.count)
        return score

    cdef int learn(self, Py_ssize_t i) except -1 nogil:
        """Add an example, whose kernel values with the points are known, and maintain the budget."""
        self.ledger.charge_row_update(self.n)
        if self.place[i] >= 0:
            self.a[self.place[i]] += self.y[i]
        elif self.projects:
            with gil:
                with Uninterrupted():
                    self.learn_by_projection(i)
        else:
            self.add(i, self.y[i])
        return 0

    cdef void add(self, Py_ssize_t i, double a) noexcept nogil:
        """Make an example a point with that coefficient and maintain the budget."""
        self.scatter(i)
        self.insert(a, self.norms[i], i)
        if self.count > self.most:
            if self.merges:
                self.merge()
            else:
                self.remove(self.smallest())
                self.ledger.charge_row_update(self.n)

    cdef void example(self, Py_ssize_t i) noexcept nogil:
        """Fill ``kernel`` with the values of an example and all points."""
        cdef int64_t start = self.starts[i]
        self.compare(
            &self.columns[start] if self.starts[i + 1] > start else NULL,
            &self.values[start] if self.starts[i + 1] > start else NULL,
            self.starts[i + 1] - start, self.norms[i], 0, self.count,
        )

    cdef void compare(
        self, const int64_t* columns, const double* values, int64_t size, double squared, Py_ssize_t begin,
        Py_ssize_t end,
    ) noexcept nogil:
        """Fill a part of ``kernel`` with the values between the points there and one of these non-zeros."""
        cdef double* sums = &self.kernel[0]
        cdef const double* row = NULL
        cdef double value = 0.0
        cdef Py_ssize_t k = 0
        cdef int64_t j = 0
        cdef int64_t at = 0
        for k in range(begin, end):
            sums[k] = 0.0
        if self.far:
            for j in range(self.d):
                value = 0.0
                if at < size and columns[at] == j:
                    value = values[at]
                    at += 1
                row = &self.points[j, 0]
                for k in range(begin, end):
                    sums[k] += (value - row[k]) * (value - row[k])
        else:
            for j in range(size):
                value = values[j]
                row = &self.points[columns[j], 0]
                for k in range(begin, end):
                    sums[k] += value * row[k]
            for k in range(begin, end):
                sums[k] = max(squared + self.squared[k] - 2.0 * sums[k], 0.0)
        for k in range(begin, end):
            sums[k] = exp(-self.gamma * sums[k])

    cdef void scatter(self, Py_ssize_t i) noexcept nogil:
        """Make an example the ``point``."""
        cdef int64_t j = 0
        for j in range(self.d):
            self.point[j] = 0.0
        for j in range(self.starts[i], self.starts[i + 1]):
            self.point[self.columns[j]] = self.values[j]

    cdef void insert(self, double a, double squared, int64_t source) noexcept nogil:
        """Add the ``point`` with its coefficient; at the end of its class where points are merged."""
        cdef Py_ssize_t k = self.count
        cdef Py_ssize_t j = 0
        if self.merges and a > 0.0:
            k = self.positive
            if k < self.count:
                self.move(k, self.count)
            self.positive += 1
        self.count += 1
        for j in range(self.d):
            self.points[j, k] = self.point[j]
        self.squared[k], self.a[k], self.source[k] = squared, a, source
        self.born[k] = self.serial
        self.serial += 1
        if source >= 0:
            self.place[source] = k

    cdef void remove(self, Py_ssize_t k) noexcept nogil:
        """Remove a point; later points may move to its place."""
        if self.source[k] >= 0:
            self.place[self.source[k]] = -1
        if k < self.positive:
            self.positive -= 1
            if k < self.positive:
                self.move(self.positive, k)
            k = self.positive
        self.count -= 1
        if k < self.count:
            self.move(self.count, k)

    cdef void move(self, Py_ssize_t k, Py_ssize_t to) noexcept nogil:
        """Move a point to another place."""
        cdef Py_ssize_t j = 0
        for j in range(self.d):
            self.points[j, to] = self.points[j, k]
        self.squared[to], self.a[to], self.born[to] = self.squared[k], self.a[k], self.born[k]
        self.source[to] = self.source[k]
        if self.source[to] >= 0:
            self.place[self.source[to]] = to

    cdef Py_ssize_t smallest(self) noexcept nogil:
        """Return the point with the smallest coefficient, the oldest of several."""
        cdef Py_ssize_t best = 0
        cdef Py_ssize_t k = 0
        for k in range(1, self.count):
            if fabs(self.a[k]) < fabs(self.a[best]) or (
                fabs(self.a[k]) == fabs(self.a[best]) and self.born[k] < self.born[best]
            ):
                best = k
        return best

    cdef void evaluated(self, int64_t evaluations) noexcept nogil:
        """Charge evaluations under all conventions."""
        self.ledger.computed(evaluations)
        self.ledger.charge_on_demand(evaluations)
        self.ledger.charge_row_update(evaluations)
        self.ledger.kev_iter += evaluations

    cdef void merge(self) noexcept nogil:
        """Merge the smallest point with the partners that lose least, or remove it if it has none."""
        cdef Py_ssize_t p = self.smallest()
        cdef Py_ssize_t begin = 0 if p < self.positive else self.positive
        cdef Py_ssize_t end = self.positive if p < self.positive else self.count
        cdef Py_ssize_t size = self.gather(p)
        cdef double a = self.a[p]
        cdef double squared = self.squared[p]
        cdef double kappa = 0.0
        cdef Py_ssize_t chosen = 0
        cdef Py_ssize_t k = 0
        # The values with the points after p and before p, not that of p with itself.
        self.compare(&self.point_columns[0], &self.point_values[0], size, squared, begin, p)
        self.compare(&self.point_columns[0], &self.point_values[0], size, squared, p + 1, end)
        self.evaluated(end - begin - 1)
        chosen = self.choose(p, begin, end)
        for k in range(chosen):
            if k:
                kappa = self.value_at(self.partners[k])
                self.evaluated(1)
            else:
                kappa = self.kernel[self.partners[0]]
            a = self.join(a, self.partners[k], kappa)
        self.take_out(p, chosen)
        self.ledger.charge_row_update(<int64_t> self.n * (chosen + 1 + (1 if chosen else 0)))
        if chosen:
            squared = 0.0
            for k in range(self.d):
                squared += self.point[k] * self.point[k]
            self.insert(a, squared, -1)

    cdef Py_ssize_t gather(self, Py_ssize_t k) noexcept nogil:
        """Make a point the ``point``, list its non-zero values and return their number."""
        cdef Py_ssize_t size = 0
        cdef Py_ssize_t j = 0
        for j in range(self.d):
            self.point[j] = self.points[j, k]
            if self.point[j] != 0.0:
                self.point_columns[size], self.point_values[size] = j, self.point[j]
                size += 1
        return size

    cdef Py_ssize_t choose(self, Py_ssize_t p, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
        """List the partners of p with the least losses, the least first, and return their number."""
        cdef Py_ssize_t wanted = min(self.together - 1, end - begin - 1)
        cdef Py_ssize_t best = 0
        cdef Py_ssize_t k = 0
        cdef Py_ssize_t rank = 0
        for k in range(begin, end):
            if k != p:
                self.losses[k] = self.loss(fabs(self.a[p]), fabs(self.a[k]), self.kernel[k])
        for rank in range(wanted):
            best = -1
            for k in range(begin, end):
                if k == p or self.losses[k] < 0.0:  # taken
                    continue
                if best < 0 or self.losses[k] < self.losses[best] or (
                    self.losses[k] == self.losses[best] and self.born[k] < self.born[best]
                ):
                    best = k
            self.partners[rank] = best
            self.losses[best] = -1.0
        return wanted

    cdef double loss(self, double a, double b, double kappa) noexcept nogil:
        """Return the squared loss of the best merge of two coefficients of one sign."""
        cdef double share = max(a, b) / (a + b)
        cdef double loss = 0.0
        if self.table is None:
            loss = merge_loss(share, kappa, golden_section(share, kappa, WIDTH))
        else:
            loss = self.table.loss(share, kappa)
        return (a + b) * (a + b) * loss

    cdef double value_at(self, Py_ssize_t k) noexcept nogil:
        """Return the kernel value of a point and the ``point``."""
        cdef double distance = 0.0
        cdef Py_ssize_t j = 0
        for j in range(self.d):
            distance += (self.point[j] - self.points[j, k]) * (self.point[j] - self.points[j, k])
        return exp(-self.gamma * distance)

    cdef double join(self, double a, Py_ssize_t k, double kappa) noexcept nogil:
        """Merge a point into the ``point`` with coefficient a and return the coefficient that it gets."""
        cdef double b = self.a[k]
        cdef double share = max(fabs(a), fabs(b)) / fabs(a + b)
        cdef double h = 0.0
        cdef double of_point = 0.0
        cdef Py_ssize_t j = 0
        if self.table is None:
            h = golden_section(share, kappa, WIDTH)
        else:
            h = self.table.position(share, kappa)
        of_point = h if fabs(a) >= fabs(b) else 1.0 - h
        for j in range(self.d):
            self.point[j] = of_point * self.point[j] + (1.0 - of_point) * self.points[j, k]
        return (a + b) * merged_coefficient(share, kappa, h)

    cdef void take_out(self, Py_ssize_t p, Py_ssize_t chosen) noexcept nogil:
        """Remove p and its partners, the last first, so that only points after all of them move."""
        cdef Py_ssize_t last = 0
        cdef Py_ssize_t k = 0
        self.partners[chosen] = p
        while chosen >= 0:
            last = 0
            for k in range(1, chosen + 1):
                if self.partners[k] > self.partners[last]:
                    last = k
            self.remove(self.partners[last])
            self.partners[last] = self.partners[chosen]
            chosen -= 1

    cdef learn_by_projection(self, Py_ssize_t i):
        """Add an example or its projection, and project the point that loses least onto the others."""
        cdef Py_ssize_t m = self.count
        Q, G = self.inverse, self.gram
        values = np.asarray(self.kernel)[:m].copy()
        along = Q[:m, :m] @ values
        rest = 1.0 - float(values @ along)
        a = np.asarray(self.a)
        if rest <= DEPENDENT:
            a[:m] += self.y[i] * along
            # The example itself does not become a point: charge m coefficients instead of one.
            self.ledger.charge_row_update(self.n * (m - 1))
            return
        self.scatter(i)
        self.insert(self.y[i], self.norms[i], i)
        G[:m, m] = G[m, :m] = values
        G[m, m] = 1.0
        Q[:m, :m] += np.outer(along, along) / rest
        Q[:m, m] = Q[m, :m] = -along / rest
        Q[m, m] = 1.0 / rest
        if self.count > self.most:
            self.project()

    cdef project(self):
        """Project the point that loses least on the span of the others."""
        cdef Py_ssize_t m = self.count
        Q, G, a = self.inverse, self.gram, np.asarray(self.a)
        losses = np.square(a[:m]) / np.diagonal(Q)[:m]
        best = np.flatnonzero(losses == losses.min())
        p = int(best[np.argmin(np.asarray(self.born)[best])])
        column = Q[:, p].copy()
        a[:m] -= a[p] / column[p] * column[:m]
        Q[:m, :m] -= np.outer(column[:m], column[:m]) / column[p]
        self.remove(p)
        for matrix in (Q, G):  # as `remove` moved the last point
            matrix[p, :m] = matrix[m - 1, :m]
            matrix[:m, p] = matrix[:m, m - 1]
        self.since += 1
        if self.since >= m:
            self.since = 0
            Q[: m - 1, : m - 1] = np.linalg.inv(G[: m - 1, : m - 1])
        self.ledger.charge_row_update(self.n * m)

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(
            points=self.points,
            squared=self.squared,
            a=self.a,
            born=self.born,
            source=self.source,
            place=self.place,
        )
        if self.projects:
            kept.vectors(gram=self.gram, inverse=self.inverse)
        self.count = kept.number("count", self.count)
        self.positive = kept.number("positive", self.positive)
        self.serial = kept.number("serial", self.serial)
        self.since = kept.number("since", self.since)
        kept.stream(self.rng)

    def snapshot(self):
        """Return the last iterate."""
        return self.answer(self.lam * max(self.iterations, 1))

    cdef answer(self, double divisor):
        """Return v, divided, as a snapshot."""
        points = np.ascontiguousarray(np.asarray(self.points)[:, : self.count].T)
        coefficients = np.asarray(self.a)[: self.count] / divisor
        return Snapshot(ReducedSetExpansion(points, coefficients, self.gamma))


class BSGD(Solver):
    """Pegasos on a budget of support vectors; see the module."""

    name = "bsgd"
    title = "BSGD"
    counting = (
        "on demand: the points; rows kept: n per coefficient that changes; iterations: n each; and the "
        "search for a merge to each"
    )
    kernels = ("gaussian",)
    resumable = True
    Params = Params
    Run = Run
