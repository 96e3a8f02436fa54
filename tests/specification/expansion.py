"""w = Σ a_i y_i Φ(x_i) in the two forms that the conventions charge."""

import numpy as np


class _Expansion:
    def __init__(self, oracle, y):
        self.oracle = oracle
        self.y = y
        self.a = np.zeros(oracle.n)
        self._c = np.zeros(oracle.n)

    def scale(self, factor):
        self.a *= factor
        self._c *= factor

    def _add(self, i, change, row):
        self._c += change * self.y[i] * self.y * row


class Maintained(_Expansion):
    """Keeps all responses; a change of a coefficient costs a row.

    ``needs_all`` says whether they were read at once, as ``c``: then on demand a change costs a row as well.
    """

    needs_all = False

    @property
    def c(self):
        """All responses, which may be changed in place."""
        self.needs_all = True
        return self._c

    @c.setter
    def c(self, changed):
        self._c = changed

    def response(self, i):
        return self._c[i]

    def put(self, i, value):
        self._add(i, value - self.a[i], self.oracle.row(i))
        self.a[i] = value


class OnDemand(_Expansion):
    """Keeps coefficients only; a response costs one evaluation for each that is not zero.

    These are noted. The value is that of the maintained responses, to the last bit, so that a method that
    chooses between equal values, or by their rounding, makes the same choices in both forms.
    """

    def __init__(self, oracle, y):
        super().__init__(oracle, y)
        self._known = self.a.copy()  # coefficients behind the maintained responses

    def response(self, i):
        self._catch_up()
        terms = [self.a[j] * self.y[j] * self.oracle.value(j, i) for j in np.flatnonzero(self.a)]
        size = max(1.0, np.abs(terms).max(initial=0.0))
        np.testing.assert_allclose(self._c[i], self.y[i] * sum(terms), rtol=1e-9, atol=1e-9 * size)
        return self._c[i]

    def put(self, i, value):
        self.a[i] = value
        self._catch_up()

    def scale(self, factor):
        super().scale(factor)
        self._known = self.a.copy()

    def _catch_up(self):
        for j in np.flatnonzero(self.a != self._known):
            self._add(j, self.a[j] - self._known[j], self.oracle.unnoted(j))
            self._known[j] = self.a[j]


def averaged(iterates, suffix):
    """Return the mean of the iterates; of their suffix, those since the last but one power of two."""
    count = len(iterates)
    first = (1 << (count.bit_length() - 1)) // 2 if suffix else 0
    return np.mean(iterates[first:], axis=0)
