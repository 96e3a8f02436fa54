"""Kernel values one at a time, by the plain formula, each noted."""

import numpy as np

from tests.kernels.reference import kernel_matrix


class SlowOracle:
    """An oracle over X, shape (n, d), that notes every pair asked for; values rounded to single precision.

    They follow from the plain formula, unless a method needs those of the compiled oracle to the last bit.

    ``setup`` are the evaluations for the diagonal, ``beside`` those made outside of rows, which no cache
    holds, ``subsets`` the oracles over some of the examples, whose pairs are noted here. ``iterated`` is what
    a specification charges its iterations with by itself; None: each costs n. ``on_request`` tells what a
    program evaluates that makes no whole rows, by the rows its cache holds; None: it makes whole rows.
    """

    def __init__(self, X, kernel, values=None):
        self._values = kernel_matrix(X, X, kernel)
        self._exact = self._values
        self._diagonal = self._values.diagonal().copy()
        if values is not None:
            self._values = values.astype(float)
        self._unit_diagonal = kernel["name"] == "gaussian"
        self.X, self.kernel = np.asarray(X, dtype=np.float64), kernel
        self.n = len(X)
        self.pairs = []
        self.rows = []
        self.iterated = None
        self.on_request = None
        self.setup = self.beside = 0
        self.subsets = []
        self.whole = None

    def subset(self, indices):
        """An oracle over some of the examples; it knows the diagonal."""
        part = SlowOracle.__new__(SlowOracle)
        part.__dict__.update(vars(self), _values=self._values[np.ix_(indices, indices)], rows=[])
        part._diagonal = self._diagonal[indices]
        part.n, part._unit_diagonal, part.setup, part.beside = len(indices), True, 0, 0
        self.subsets.append((indices, part))
        return part

    def part(self, indices):
        """The same, whose rows a cache with room for all of them takes from those that this one holds."""
        part = self.subset(indices)
        part.whole, part.examples, part.asked = self, indices, []
        return part

    def value(self, i, j):
        self.pairs.append((i, j))
        return float(np.float32(self._values[i, j]))

    def row(self, i):
        self.rows.append(i)
        if self.whole is not None:
            self.asked.append(len(self.whole.rows))
        return np.array([self.value(i, j) for j in range(self.n)])

    def exact_row(self, i):
        """The same in double precision."""
        self.row(i)
        return self._exact[i].copy()

    def again(self, i):
        """A row that has been charged and is needed once more: only a cache can save computing it again."""
        self.rows.append(i)
        return self.unnoted(i)

    def unnoted(self, i):
        """A row that is compared with, and that no method has asked for."""
        return self._values[i].astype(np.float32).astype(np.float64)

    def block(self, rows, cols):
        """K(x_i, x_j) for i of the rows and j of the columns; made outside of rows."""
        self.beside += len(rows) * len(cols)
        return np.array([[self.value(i, j) for j in cols] for i in rows]).reshape(len(rows), len(cols))

    def foreign(self, point, cols):
        """K(b, x_j) for a point b that is no example and j of the columns; made outside of rows."""
        return self.between(point, list(self.X[cols]))

    def between(self, point, others):
        """K(b, b') for a point b that is no example and each of the others; made outside of rows."""
        self.beside += len(others)
        self.pairs.extend((-1, j) for j in range(len(others)))
        return kernel_matrix(point[None, :], np.array(others).reshape(-1, len(point)), self.kernel)[0]

    def inner_products(self, count):
        """Note inner products in the input space; made outside of rows."""
        self.beside += count
        self.pairs.extend([(-1, -1)] * count)

    def diagonal(self):
        """The n values K(x_i, x_i); known without evaluation for the Gaussian kernel."""
        if not self._unit_diagonal:
            self.pairs.extend((i, i) for i in range(self.n))
            self.setup = self.n
        return self._diagonal.copy()

    def misses(self, slots, slots_of_whole=0):
        """How many of the rows a least-recently-used cache of that many rows would have to compute."""
        copied = self.whole is not None and slots >= self.n
        kept = []
        missed = 0
        for k, i in enumerate(self.rows):
            if i in kept:
                kept.remove(i)
            elif not (copied and self.examples[i] in self.whole.held(slots_of_whole, self.asked[k])):
                missed += 1
            kept = [*kept, i][-slots:] if slots else []
        return missed

    def held(self, slots, until):
        """The rows in that cache after so many were asked for."""
        last = dict.fromkeys(reversed(self.rows[:until]))
        return list(last)[:slots]
