"""Observation: the numbers of a checkpoint from a snapshot of a solver. Neither charged nor timed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from svmbench.certify.certificate import TrainingScores, diagonal
from svmbench.certify.gap_bounds import GapBound, GapBounds, Point
from svmbench.kernels._oracle import Oracle
from svmbench.problem import (
    Problem,
    dual_bound,
    mean_squared_hinge,
    objectives_rounding,
    primal_objective,
    squared_hinge_dual_objective,
)
from svmbench.runner.held_out import HeldOutScores, spread
from svmbench.solvers.base import KernelExpansion, LinearModel, Model, Reader, Snapshot
from svmbench.store import bits
from svmbench.store.trace import Row

if TYPE_CHECKING:
    from svmbench.data import Dataset, Part
    from svmbench.run_config import BudgetConfig


#: Evaluations that the checkpoints of an exact method may always take, on test examples and in single
#: precision on training examples, and the divisor of the training that they may take in addition.
_FREE, _SHARE = 2_000_000_000, 8

#: Fraction of the objective above which its rounding error is stated; `verify` allows for as much.
FEW_DIGITS = 1e-6

#: Prefixes of arrays in a state: those after the last observation, and those before it.
_AFTER, _BEFORE = "looked_", "to_look_"


#: Columns of the trace that say how a model answers.
_ERRORS = ("test_error", "test_mistakes", "validation_error", "train_error")


def mistaken(scores: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which examples have y * score <= 0; a score of 0 or NaN is a mistake.

    Parameters
    ----------
    scores, y : ndarray of float64, shape (m,)
        Scores and labels in {-1, +1}.
    """
    return np.asarray(~(scores * y > 0.0))


def mistakes(scores: NDArray[np.float64], y: NDArray[np.float64]) -> int:
    """Count the mistakes."""
    return int(np.count_nonzero(mistaken(scores, y)))


def _same(one: KernelExpansion, other: KernelExpansion) -> bool:
    return np.array_equal(one.indices, other.indices) and np.array_equal(one.coefficients, other.coefficients)


def check_fits(snapshot: Snapshot, n: int) -> None:
    """Raise an error if a method's answer does not fit n training examples; compiled code does not check."""
    model = snapshot.model
    if isinstance(model, KernelExpansion) and model.indices.size:
        least, most = int(model.indices.min()), int(model.indices.max())
        if least < 0 or most >= n:
            raise ValueError(
                f"the snapshot has a coefficient of example {least if least < 0 else most} of {n}"
            )
    for name in ("alpha", "responses"):
        values = getattr(snapshot, name)
        if values is not None and np.shape(values) != (n,):
            raise ValueError(f"{name} of the snapshot has the shape {np.shape(values)}, not ({n},)")


class Observer:
    """Makes the checkpoints of one run.

    Parameters
    ----------
    problem : Problem
        The problem; objectives are those of its λ-form.
    oracle : Oracle or LinearData
        Over the training rows, as the solver reads them.
    data : Dataset
        For test and validation errors.
    bound : float or None
        A certified lower bound of the optimal λ-form objective, for solvers without a dual objective.
    train : bool
        Whether to evaluate the training examples. Without, there is no objective, gap or training error.
    limited : bool
        Whether evaluations in double precision may take no longer than the training (`TrainingScores`). If
        not, there is always a gap.
    exact : bool
        Whether the method ends at the optimum. If the rounding errors of the oracle's rows are bounded, its
        gaps are bounds from few responses in double precision (`GapBounds`). Then all observations but the
        last take at most a quarter of the training time plus a fixed amount; columns that would take more
        are unknown.
    targets : BudgetConfig, optional
        ``gap`` and ``test_error`` that end the run. Such a gap is confirmed, such an error always known.

    Attributes
    ----------
    wrong : ndarray of bool or None
        Which test examples the last snapshot misclassifies; None without a test set.
    scores : dict
        Scores of the last snapshot by held-out part (``test``, ``validation``), if they were computed.
    """

    def __init__(
        self,
        problem: Problem,
        oracle: Reader,
        data: Dataset,
        bound: float | None = None,
        train: bool = True,
        limited: bool = True,
        exact: bool = False,
        targets: BudgetConfig | None = None,
    ) -> None:
        self._problem = problem
        self._oracle = oracle
        self._data = data
        self._bound = bound
        self._train = train
        self._target = None if targets is None else targets.gap
        self._races = None if targets is None else targets.test_error
        self._exact = exact
        bounded = exact and train and GapBounds.possible(oracle)
        self._bounds = GapBounds(problem, oracle) if bounded else None
        self._scores = TrainingScores(oracle, limited, self._bounds is not None)
        self._tests = (
            {name: HeldOutScores(oracle, part.X) for name, part in self._parts()} if self._bounds else {}
        )
        self._spent = 0
        self._promise = math.inf
        self._before = self._state()
        self._last: tuple[KernelExpansion, NDArray[np.float64]] | None = None
        self.wrong: NDArray[np.bool_] | None = None
        self.scores: dict[str, NDArray[np.float64]] = {}

    @property
    def wrong_tests(self) -> str | None:
        """`wrong` as packed by the store."""
        return None if self.wrong is None else bits.packed(self.wrong)

    def state(self) -> dict[str, NDArray[np.float64]]:
        """Return arrays by name on which the next observation depends, and on which the last one did."""
        named = {_AFTER: self._state(), _BEFORE: self._before}
        return {f"{prefix}{name}": value for prefix, found in named.items() for name, value in found.items()}

    def _state(self) -> dict[str, NDArray[np.float64]]:
        """Return the arrays on which the next observation depends."""
        state = self._scores.state()
        if self._bounds is not None:
            state["looks"] = np.array([self._spent, self._bounds.made, self._promise], dtype=np.float64)
        for part, scores in self._tests.items():
            state |= {f"{part}_{name}": value for name, value in scores.state().items()}
        return state

    def _restore(self, state: Mapping[str, NDArray[np.float64]]) -> None:
        """Restore the arrays."""
        self._scores.restore(state)
        if self._bounds is not None and "looks" in state:
            looks = state["looks"]
            self._spent, self._bounds.made = (int(value) for value in looks[:2])
            self._promise = float(looks[2]) if looks.size > 2 else math.inf
            for part, scores in self._tests.items():
                own = f"{part}_"
                scores.restore({n.removeprefix(own): v for n, v in state.items() if n.startswith(own)})

    def restore(self, state: Mapping[str, NDArray[np.float64]], *, before: bool) -> None:
        """Restore the state after the last observation, or the one before it."""
        prefix = _BEFORE if before else _AFTER
        names = (name for name in state if name.startswith(prefix))
        self._restore({name.removeprefix(prefix): state[name] for name in names})

    def __call__(self, snapshot: Snapshot, last: bool = False) -> Row:
        """Return the columns of a snapshot, keys of TRACE_COLUMNS without counters and clocks.

        `last` marks the end of the method. An interrupted observation leaves the state unchanged.
        """
        self._before, wrong = self._state(), self.wrong
        try:
            return self._seen(snapshot, last)
        except KeyboardInterrupt:
            self._restore(self._before)
            self.wrong = wrong
            raise

    def _seen(self, snapshot: Snapshot, last: bool) -> Row:
        check_fits(snapshot, self._problem.n)
        row: Row = {}
        self.scores = {}
        self._generalise(row, snapshot.model, last)
        if self._races is not None and row.get("test_error", math.inf) <= self._races:
            last = last or self._exact
        row |= self._on_training(snapshot, last) if self._train else snapshot.native
        if self._target is not None and row.get("relative_gap", math.inf) <= self._target:
            self._generalise(row, snapshot.model, last=True)  # the run ends here
        row["support_vectors"] = snapshot.model.support_vectors
        if row["support_vectors"] is None and snapshot.alpha is not None:
            row["support_vectors"] = int(np.count_nonzero(snapshot.alpha))
        if row["support_vectors"] == 0 and snapshot.model.bias == 0.0:
            # The method has not answered yet: an empty model names no class, so it has no errors.
            row = {name: value for name, value in row.items() if name not in _ERRORS}
            self.wrong = None
        return row

    def promising(self, snapshot: Snapshot) -> bool:
        """Return whether the method's responses alone suggest that the gap that ends the run is reached.

        After a false alarm, the suggested gap must be half as large to be promising again.
        """
        alpha, responses = snapshot.alpha, snapshot.responses
        if self._target is None or alpha is None or responses is None:
            return False
        if self._bounds is None or not self._has_bound(snapshot):
            return False
        least = self._bounds.quick(Point(alpha, responses, alpha), snapshot.model.bias).least
        if least > min(self._target, self._promise):
            return False
        self._promise = 0.5 * least
        return True

    def _on_training(self, snapshot: Snapshot, last: bool) -> Row:
        """Return the columns from the training examples: objective, gap, error, and the method's own."""
        model, problem, y = snapshot.model, self._problem, self._problem.y
        maintained = snapshot.responses
        diverged = maintained is not None and not np.isfinite(maintained).all()
        bounded = self._has_bound(snapshot)
        # A dual point of an exact method that is not feasible up to rounding has no other bound.
        infeasible = not bounded and snapshot.loss == "hinge" and snapshot.alpha is not None
        unbounded = self._bounds is None or infeasible
        scores = None if diverged else self._scores(
            model,
            last=last,
            anyway=last and self._exact and unbounded,
            coarse=not bounded or snapshot.exact_at is None,
        )  # fmt: skip
        if scores is None and not diverged and bounded:
            return {**self._bounded(snapshot, last), **snapshot.native}
        if scores is not None:
            responses = y * scores
        else:
            responses = maintained if maintained is not None else y * self._fresh(model)
            if not diverged and not self._scores.support(model, problem, responses):
                scores = self._scores(model, anyway=True)
                assert scores is not None
                responses = y * scores
        row = self._objective(model, responses)
        off = 0.0
        if scores is not None:
            off = self._rounding(snapshot, row["primal_objective"], self._errors(snapshot))
            if last and off > FEW_DIGITS * row["primal_objective"] and (longer := self._longer(model)):
                responses = y * longer[0]
                row = self._objective(model, responses)
                off = self._rounding(snapshot, row["primal_objective"], longer[1])
            if off > FEW_DIGITS * row["primal_objective"]:
                row["objective_error"] = off
        row |= {"precision": "float32" if scores is None else "float64", **snapshot.native}
        self._count_mistakes(row, snapshot, responses, None if scores is None and not diverged else 0.0)
        if snapshot.loss == "squared":
            own = 0.5 * float(np.square(1.0 - responses - y * model.bias).mean())
            row["native_objective"] = primal_objective(self._problem.lam, row["norm"] ** 2, own)
        if snapshot.loss == "squared_hinge":
            self._squared_hinge(row, snapshot.alpha, row["norm"] ** 2, responses + y * model.bias)
        if scores is not None:
            self._certify(row, snapshot, responses, off)
        return row

    def _objective(self, model: Model, responses: NDArray[np.float64]) -> Row:
        """Return the objective of a model and its terms, from responses without its bias."""
        norm2 = model.squared_norm(self._oracle, self._problem.y, responses)
        loss = self._problem.mean_loss(responses, model.bias)
        primal = primal_objective(self._problem.lam, norm2, loss)
        return {"primal_objective": primal, "norm": math.sqrt(norm2), "mean_hinge": loss}

    def _errors(self, snapshot: Snapshot) -> NDArray[np.float64] | None:
        """Return bounds of the errors of the scores in double precision, None if α tells them."""
        return self._scores.errors(snapshot.model, snapshot.alpha, self._problem.y)

    def _longer(self, model: Model) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return scores in extended precision and bounds of their errors, if they can be computed."""
        if not isinstance(model, KernelExpansion):
            return None
        assert isinstance(self._oracle, Oracle)
        return self._oracle.long_responses(model.indices, model.coefficients)

    def _rounding(self, snapshot: Snapshot, primal: float, errors: NDArray[np.float64] | None) -> float:
        """Return a bound of the rounding errors of objective and gap; 0 if it does not matter."""
        model, alpha, n = snapshot.model, snapshot.alpha, self._problem.n
        if alpha is None:
            alpha = spread(model, n) if isinstance(model, KernelExpansion) else np.zeros(n)
        if errors is not None:
            errors = errors + 2.0**-52 * abs(model.bias)
        return objectives_rounding(self._problem, alpha, primal, errors)

    def _has_bound(self, snapshot: Snapshot) -> bool:
        """Return whether the gap at a snapshot can be bounded from few responses in double precision."""
        alpha = snapshot.alpha
        if self._bounds is None or snapshot.loss != "hinge" or alpha is None:
            return False
        return isinstance(snapshot.model, KernelExpansion) and self._bounds.feasible(alpha)

    def _bounded(self, snapshot: Snapshot, last: bool) -> Row:
        """Return the columns of a dual point from responses in single precision and few in double precision.

        Empty if the method maintains no responses at this snapshot and computing them is too expensive.
        """
        point = self._point(snapshot, last)
        if point is None:
            return {}
        assert self._bounds is not None
        bias, target = snapshot.model.bias, self._target
        bound = self._bounds.quick(point, bias)
        if last or (target is not None and bound.least <= target < bound.relative_gap):
            bound = self._bounds.confirmed(point, bias)
        row = self._proven(bound)
        self._count_mistakes(row, snapshot, bound.responses, self._bounds.farthest(point))
        return row

    def _point(self, snapshot: Snapshot, last: bool) -> Point | None:
        """Return a dual point with responses of bounded rounding error."""
        alpha, model = snapshot.alpha, snapshot.model
        assert alpha is not None and isinstance(model, KernelExpansion)
        if snapshot.responses is not None and snapshot.exact_at is not None:
            return Point(alpha, snapshot.responses, snapshot.exact_at)
        if not self._affords(model.indices.size * self._problem.n, last):
            return None
        return Point(alpha, self._problem.y * self._fresh(model), np.zeros_like(alpha))

    def _affords(self, evaluations: int, last: bool) -> bool:
        """Return whether these evaluations in single precision are affordable, and record them if so."""
        trained = self._oracle.ledger.kev_iter
        if not last and self._spent + evaluations > _FREE + trained // _SHARE:
            return False
        self._spent += evaluations
        return True

    def _proven(self, bound: GapBound) -> Row:
        """Return the columns of a bound."""
        row: Row = {
            "primal_objective": bound.primal,
            "norm": math.sqrt(bound.norm2),
            "mean_hinge": bound.mean_hinge,
            "precision": bound.kind,
            "objective_error": bound.error,
            "dual_objective": bound.dual,
            "dual_source": "solver",
            "duality_gap": bound.gap,
        }
        return row | ({"relative_gap": bound.relative_gap} if math.isfinite(bound.relative_gap) else {})

    def _count_mistakes(
        self, row: Row, snapshot: Snapshot, responses: NDArray[np.float64], off: float | None
    ) -> None:
        """Add the training error, if it is affordable to compute the responses of uncertain sign again.

        `off` bounds the errors of the responses; None: it is that of rows in single precision.
        """
        model, oracle, y = snapshot.model, self._oracle, self._problem.y
        scores: NDArray[np.float64] = y * responses + model.bias
        if isinstance(model, KernelExpansion) and off != 0.0:
            bounds = self._row_errors(model, snapshot) if off is None else np.full(y.size, off)
            at = np.flatnonzero(~(np.abs(scores) > bounds))
            if not self._scores.again(at.size * model.indices.size):
                return
            scores[at] = oracle.exact_again(model.indices, model.coefficients, at) + model.bias
        elif isinstance(model, LinearModel) and hasattr(oracle, "map"):
            scores = oracle.map.settled(scores, model.weights, model.bias, oracle.map.rows)
        row["train_error"] = mistakes(scores, y) / y.size

    def _row_errors(self, model: KernelExpansion, snapshot: Snapshot) -> NDArray[np.float64]:
        """Return bounds of the errors of maintained responses, shape (n,)."""
        oracle, n = self._oracle, self._problem.n
        moved = spread(model, n)
        if snapshot.responses is not None and snapshot.exact_at is not None:
            moved -= self._problem.y * snapshot.exact_at
        at = np.flatnonzero(moved)
        additions = oracle.ledger.kev_iter / n
        # The sums of float64 have errors of at most 2^-29 of these per addition; 2^-25 allows for larger sums
        # before.
        return np.asarray(oracle.score_errors(at, moved[at]) * (1.0 + additions * 2.0**-25))

    def _fresh(self, model: Model) -> NDArray[np.float64]:
        """Return the model's scores on the training set, reused if the model has not changed."""
        if not isinstance(model, KernelExpansion):
            return model.training_scores(self._oracle)
        if self._last is None or not _same(model, self._last[0]):
            self._last = model, model.training_scores(self._oracle)
        return self._last[1]

    def _squared_hinge(
        self,
        row: Row,
        alpha: NDArray[np.float64] | None,
        norm2: float,
        margins: NDArray[np.float64],
    ) -> None:
        """Add the objective of a method with the squared hinge loss, and the bound of its dual point."""
        lam = self._problem.lam
        row["native_objective"] = primal_objective(lam, norm2, mean_squared_hinge(margins))
        if alpha is not None:
            row["native_bound"] = squared_hinge_dual_objective(lam, alpha, norm2)

    def _certify(self, row: Row, snapshot: Snapshot, responses: NDArray[np.float64], off: float) -> None:
        """Add the dual objective and gaps, of the solver's dual point or else of the stored optimum.

        `off` bounds the rounding error of the gap of the solver's dual point.
        """
        dual, source = None, "solver"
        if snapshot.loss == "hinge":
            dual = snapshot.dual
            if snapshot.alpha is not None:
                own = dual_bound(
                    self._problem,
                    snapshot.alpha,
                    self._of_dual_point(snapshot, responses),
                    diagonal(self._oracle),
                )
                # Without this, a gap at C = 1e12 would be that of the rounded kernel.
                dual = dual if own is None else own - off
        if dual is None and snapshot.inside:
            dual, source = self._bound, "optimum"
        if dual is None:
            return
        primal = row["primal_objective"]
        row.update(dual_objective=dual, dual_source=source, duality_gap=primal - dual)
        least = primal - (row.get("objective_error") or 0.0)
        if least > 0.0:
            row["relative_gap"] = (primal - dual) / least

    def _of_dual_point(self, snapshot: Snapshot, responses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the responses of w(α); those of a linear model may have drifted."""
        alpha, y = snapshot.alpha, self._problem.y
        if alpha is None or not isinstance(snapshot.model, LinearModel):
            return responses
        at = np.flatnonzero(alpha)
        weights = self._oracle.combination(at, alpha[at] * y[at])
        return y * LinearModel(weights).training_scores(self._oracle)

    def _parts(self) -> list[tuple[str, Part]]:
        """Return the held-out parts by name."""
        found = {"test": self._data.test, "validation": self._data.validation}
        return [(name, part) for name, part in found.items() if part is not None]

    def _generalise(self, row: Row, model: Model, last: bool) -> None:
        """Add the missing errors on the test and validation sets, if affordable."""
        for name, part in self._parts():
            if f"{name}_error" in row:
                continue
            scores = self._held_out(model, name, part, last)
            if scores is None:
                continue
            self.scores[name], wrong = scores, mistaken(scores, part.y)
            count = int(np.count_nonzero(wrong))
            row[f"{name}_error"] = count / wrong.size
            if name == "test":
                self.wrong, row["test_mistakes"] = wrong, count

    def _held_out(self, model: Model, name: str, part: Part, last: bool) -> NDArray[np.float64] | None:
        """Return the scores of the examples of a part; None if too expensive."""
        scores = self._tests.get(name)
        if scores is None or not isinstance(model, KernelExpansion):
            return model.scores(self._oracle, part.X)
        if not self._affords(scores.price(model), last or self._races is not None):
            return None
        return scores(model)
