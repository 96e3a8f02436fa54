r"""RandSVM: an SVM trained on random samples of bounded size.

K. Krishnan, C. Bhattacharyya and R. Hariharan, A Randomized Algorithm for Large Scale Support Vector
Learning, NIPS 2007.

Problem, the regularised form in its C-form, C = 1/(λn), the same C for a sample as for all examples. A
solution of a sample, with 0 for the other examples, is a dual point of the whole problem.

Method, with another solver inside, a bound k and samples of r = c k examples::

    if r >= n: solve the whole problem
    S  = random sample of r examples;  SV = support vectors of its solution
    V  = {x outside S : y f(x) < 1 - eps}
    while V is not empty and |SV| < k:
        S  = SV and min(|V|, r - |SV|) random examples of V;  SV = support vectors of its solution
        V  = {x outside S : y f(x) < 1 - eps}

By the theory of random projections, samples suffice with (eq. 4)
:math:`k = \frac{16}{\epsilon^2} \ln \frac{4n}{\delta}` for separable data, and twice that for others. It also
ends if a round changes neither the support vectors nor the dual objective, which can happen within the
tolerance. The `reason` of the run says why it ended; if the inner solver stalled in the last sample, short of
its tolerance, the run has stalled, too. If a sample has one class only, the data have two and there is a
bias, its last example is replaced by a random one of the other class.

Counting: an iteration is one of the inner solver, charged as usual over the r examples of its sample, or a
scan for violators, which evaluates n for each support vector and charges this to every convention.

Answer: the solution of the last finished round; in the first round, the current one of the inner solver.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.errors import UserError
from svmbench.option import option
from svmbench.problem import Problem, dual_objective
from svmbench.solvers import registry
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import Uninterrupted, checked_diagonal

from svmbench.rng cimport Generator
from svmbench.solvers.run cimport CountedRun, SteppedRun

_INNER = {"none": "smo", "unregularised": "smo_pair"}


@dataclass(frozen=True)
class Params:
    """Parameters of RandSVM."""

    inner: str | None = option(
        None,
        "Solver of a sample: a kernel solver that stops by a tolerance eps. null: smo, or smo_pair with a "
        "bias.",
    )
    k: int | None = option(
        None,
        "Number of support vectors at which the run ends. null: by the paper's formula (4) from the next "
        "three keys.",
        min=1,
    )
    epsilon: float = option(
        0.2, "Distortion that the formula of k allows. The value of the paper.", above=0.0
    )
    delta: float = option(
        0.9,
        "Probability of failure that the formula of k allows. The value of the paper.",
        above=0.0,
        max=1.0,
    )
    separable: bool = option(True, "Whether the data are separable: factor 16 of the formula, else 32.")
    c: float = option(
        2.0, "Size of a sample: c k examples. Unconfirmed: the paper does not give c.", min=1.0
    )
    eps: float = option(
        1e-3,
        "Tolerance of the inner solver, and of margins before they count as violated. The default of LIBSVM.",
        above=0.0,
    )


def sample_bound(n: int, epsilon: float, delta: float, separable: bool) -> int:
    """Return k of equation 4 for n examples, rounded to the nearest whole number."""
    return round((16.0 if separable else 32.0) / epsilon**2 * float(np.log(4.0 * n / delta)))


cdef class Run(SteppedRun):
    """A started RandSVM."""

    cdef Generator rng
    cdef object problem
    cdef object solver              # the inner one
    cdef readonly Py_ssize_t k
    cdef readonly Py_ssize_t size   # r, of a sample
    cdef readonly object sample     # int64, ascending
    cdef readonly str reason
    cdef CountedRun inner
    cdef object last                # support vectors and dual objective of the last round
    cdef object solution            # of the last finished round: α, responses, bias
    cdef readonly Py_ssize_t rounds  # finished

    def __init__(self, problem, oracle, Generator rng not None, solver, params):
        super().__init__(problem, oracle)
        checked_diagonal(oracle)
        self.rng = rng
        self.problem = problem
        self.solver = solver
        self.eps = params.eps
        bound = sample_bound(self.n, params.epsilon, params.delta, params.separable)
        self.k = params.k or bound
        self.size = min(self.n, round(params.c * self.k))
        self.reason = ""
        self.rounds = 0
        self.begin(np.zeros(0, dtype=np.int64), np.arange(self.n))

    cdef int begin(self, support, candidates) except -1:
        """Start the inner solver on the support vectors and random candidates."""
        drawn = self.rng.permutation(candidates.size)[: self.size - support.size]
        chosen = self.both_classes(np.concatenate([support, candidates[drawn]]))
        self.sample = np.sort(chosen)
        y = np.asarray(self.labels)[self.sample]
        problem = Problem.build(y, C=self.problem.C, bias=self.problem.bias)
        run = self.solver.start(problem, self.oracle.subset(self.sample), self.rng)
        if not isinstance(run, CountedRun):
            raise UserError(f"solver.inner={self.solver.name} is not compiled: give a built-in solver")
        self.inner = run
        return 0

    def both_classes(self, chosen):
        """Return the sample, with its last example replaced by a random one if it has only one class."""
        y = np.asarray(self.labels)
        others = np.flatnonzero(y != y[chosen[0]])
        if self.problem.bias == "none" or others.size == 0 or np.any(y[chosen] != y[chosen[0]]):
            return chosen
        kept = chosen[: max(chosen.size - 1, 1)]
        return np.append(kept, others[self.rng.integers(others.size)])

    cdef int step(self) except -1 nogil:
        if not self.inner.converged and not self.inner.stalled:
            self.inner.step()
            self.inner.iterations += 1
            if self.size == self.n and (self.inner.converged or self.inner.stalled):
                with gil:
                    self.end(f"the sample of {self.n} examples is the whole set, and its solver is done")
        else:
            with gil:
                with Uninterrupted():
                    self.finish_round()
        return 0

    cdef int finish_round(self) except -1:
        """Scan all examples for violators of the solution, and end or begin another round."""
        self.rounds += 1
        snapshot = self.inner.snapshot()
        support = self.sample[snapshot.model.indices]
        f = self.oracle.responses(support, snapshot.model.coefficients)
        self.ledger.iteration(support.size * self.n)
        self.ledger.charge_both(support.size * self.n)
        y = np.asarray(self.labels)
        self.solution = self.embedded(snapshot.alpha), y * f, snapshot.model.bias
        margins = y * (f + snapshot.model.bias)
        margins[self.sample] = np.inf
        violators = np.flatnonzero(margins < 1.0 - self.eps)
        norm2 = float(snapshot.model.coefficients @ f[support])
        objective = dual_objective(self.problem.lam, snapshot.alpha, norm2)
        if violators.size == 0:
            self.end("no example outside the sample violates its margin")
        elif support.size >= self.k:
            self.end(f"the {support.size} support vectors have reached k = {self.k}")
        elif self.unchanged(support, objective):
            self.end("a round changed neither support vectors nor dual objective")
        else:
            self.last = support, objective
            self.begin(support, violators)
        return 0

    def unchanged(self, support, objective) -> bool:
        """Return whether the last round had the same support vectors and no lower objective."""
        if self.last is None:
            return False
        before, reached = self.last
        return np.array_equal(support, before) and objective <= reached + 1e-12 * abs(reached)

    cdef int end(self, str reason) except -1:
        """End with a reason; as stalled if the last sample was not solved to the tolerance."""
        if self.inner.stalled:
            self.reason = f"{reason}; {self.solver.name} made no further progress in the last sample"
            self.stalled = True
        else:
            self.reason = reason
            self.converged = True
        return 0

    def snapshot(self):
        """Return the solution of the last finished round, or the current one of the first."""
        if self.solution is None:
            inner = self.inner.snapshot()
            responses = inner.responses if self.size == self.n else None
            alpha, bias = self.embedded(inner.alpha), inner.model.bias
        else:
            alpha, responses, bias = self.solution
            alpha, responses = np.array(alpha), np.array(responses)
        model = KernelExpansion.from_alpha(alpha, np.asarray(self.labels), bias)
        native = {"rounds": self.rounds, "candidates": self.sample.size}
        return Snapshot(model, responses=responses, alpha=alpha, native=native)

    def embedded(self, alpha):
        """Return coefficients of the sample as coefficients of all examples, float64 (n,)."""
        result = np.zeros(self.n)
        result[self.sample] = alpha
        return result


class RandSVM(Solver):
    """RandSVM; see the module."""

    name = "randsvm"
    title = "RandSVM"
    biases = ("none", "unregularised")
    counting = "as the inner solver over its sample; n per support vector and scan under every convention"
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0, its first sample drawn."""
        name = self.params.inner or _INNER[problem.bias]
        inner = registry.get(name)
        exact = inner.access == "kernel" and inner.form == "regularised" and hasattr(inner.Params(), "eps")
        if name == self.name or not exact:
            raise UserError(
                f"solver.inner={name} is not allowed: give a kernel solver of the regularised problem that "
                "stops by a tolerance eps, such as smo or smo_pair"
            )
        if problem.bias not in inner.biases:
            raise UserError(
                f"solver.inner={name} cannot solve with problem.bias={problem.bias}: "
                f"give solver.inner={_INNER[problem.bias]}, or leave it out"
            )
        return Run(problem, oracle, rng, inner(inner.Params(eps=self.params.eps)), self.params)
