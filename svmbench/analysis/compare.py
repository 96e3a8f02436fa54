"""Comparison of two groups of runs: the cost from which each stays at a target, problem by problem."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from svmbench.analysis.costs import Key, Observed, median, observe, scaled, unscaled
from svmbench.analysis.ranks import Floats, holm, least_p, rank_sum, signed_rank
from svmbench.errors import UserError
from svmbench.store import StoredRun
from svmbench.store.timing import SECONDS, for_seconds

#: Repetitions of the bootstrap, the seed of its draws, and the coverage of intervals.
RESAMPLES, SEED, LEVEL = 2000, 20120626, 0.95
#: A difference is significant below this corrected p-value.
ALPHA = 0.05


@dataclass
class Row:
    """The comparison on one problem.

    Attributes
    ----------
    problem, a, b : str
        Names of the problem and of the two methods.
    metric : str
        Metric of the target.
    target : float
        Target in stored units: errors are fractions.
    cost_a, cost_b : float
        Median over seeds of the cost from which a run stays at or below the target; infinite if it ends
        above.
    reached_a, reached_b, seeds_a, seeds_b : int
        Number of seeds that end at or below the target, and of all seeds.
    ratio, low, high : float
        Median of A's cost divided by B's, with its interval; A is cheaper below 1. NaN if unknown.
    pairs : int
        Number of common seeds if they are compared pairwise; 0 if groups are compared.
    constant : {'', 'A', 'B', 'both'}
        Sides without random choices; one run of them stands for all seeds.
    p, holm : float
        The p-value, and the same corrected for the number of problems. NaN if both sides are constant and the
        cost is not a time.
    verdict : str
        The winner, or why it is undecided.
    """

    problem: str
    a: str
    b: str
    metric: str
    target: float
    cost_a: float
    cost_b: float
    reached_a: int
    reached_b: int
    seeds_a: int
    seeds_b: int
    ratio: float
    low: float
    high: float
    pairs: int
    constant: str
    p: float
    holm: float = 1.0
    verdict: str = ""

    def plain(self) -> dict[str, object]:
        """Return a record for JSON and CSV; None for infinite or unknown values."""
        return {
            key: None if isinstance(value, float) and not np.isfinite(value) else value
            for key, value in asdict(self).items()
        }


def compare(
    a: Sequence[StoredRun],
    b: Sequence[StoredRun],
    cost: str,
    metric: str,
    target: float | None = None,
    seedless: Collection[str] = (),
) -> tuple[list[Row], list[tuple[str, str]]]:
    """Compare two groups of runs on all problems that both have.

    Parameters
    ----------
    a, b : sequence of StoredRun
        The groups. On each problem, each group has one method; or both have methods in common, and each of
        these is compared with itself.
    cost, metric : str
        Keys of `COUNTERS` and `TARGETS`.
    target : float, optional
        In stored units. Default: on each problem, the worse of the two groups' medians of the last value.
    seedless : collection of str
        Solvers without random choices. Without explicit features, one run of such a solver stands for all
        seeds and is paired with each seed of the other side.

    Returns
    -------
    rows : list of Row
        By problem.
    left_out : list of (str, str)
        Run or problem, and why it is not compared.

    Raises
    ------
    UserError
        If nothing can be compared, or a group has several methods on a problem.
    """
    kept, left_out = for_seconds([*a, *b], cost)  # both together, so that they have one machine
    places = {run.value("path") for run in kept}
    first, second = (
        observe([run for run in group if run.value("path") in places], cost, metric) for group in (a, b)
    )
    both = first.with_names_of(second)
    left_out = list(dict.fromkeys(left_out + first.left_out + second.left_out))
    rows = []
    for problem, name in sorted(both.problems.items(), key=lambda entry: entry[1]):
        mine, yours = _methods(first, problem), _methods(second, problem)
        if not mine or not yours:
            left_out.append((name, f"only {'B' if yours else 'A'} has runs of it"))
            continue
        for one, other in _matched(mine, yours, both, name):
            constant = [both.is_constant(method, seedless) for method in (one, other)]
            row = _row(first, second, problem, one, other, metric, target, constant, cost in SECONDS)
            row.problem, row.a, row.b = name, both.methods[one], both.methods[other]
            rows.append(row)
    if not rows:
        why = "; ".join(f"{name}: {reason}" for name, reason in left_out[:3])
        raise UserError(f"A and B have no problem in common that can be compared ({why or 'no runs'})")
    tested = [row for row in rows if not np.isnan(row.p)]
    for row, corrected in zip(tested, holm([row.p for row in tested]), strict=True):
        row.holm = corrected
    for row in rows:
        row.verdict = _verdict(row)
    return rows, left_out


def _methods(observed: Observed, problem: Key) -> list[Key]:
    return [method for key, method in observed.steps if key == problem]


def _matched(mine: list[Key], yours: list[Key], both: Observed, problem: str) -> list[tuple[Key, Key]]:
    if len(mine) == len(yours) == 1:
        return [(mine[0], yours[0])]
    shared = [(method, method) for method in mine if method in yours]
    if not shared:
        side, several = ("A", mine) if len(mine) > 1 else ("B", yours)
        names = ", ".join(both.methods[method] for method in several)
        raise UserError(
            f"{side} has {len(several)} methods on {problem} ({names}): name the runs of one, "
            "such as 'sbp-adult-*', or give two folders of results with the same methods"
        )
    return sorted(shared, key=lambda pair: both.methods[pair[0]])


def _row(
    first: Observed,
    second: Observed,
    problem: Key,
    one: Key,
    other: Key,
    metric: str,
    target: float | None,
    constant: Sequence[bool],
    timed: bool,
) -> Row:
    x, y = first.steps[problem, one], second.steps[problem, other]
    ends = (median(float(steps.value[-1]) for steps in group.values()) for group in (x, y))
    at = max(ends) if target is None else scaled(metric, target)
    costs_a = first.arrivals(problem, one, at)
    costs_b = second.arrivals(problem, other, at)
    reached_a, reached_b = (sum(map(np.isfinite, costs.values())) for costs in (costs_a, costs_b))
    cost_a, cost_b = median(costs_a.values()), median(costs_b.values())
    exact = all(constant) and not timed
    if exact:
        costs_a, costs_b = {0: cost_a}, {0: cost_b}
    elif constant[0] != constant[1]:
        # One value stands for all seeds: pair it with each seed of the other side.
        if constant[0]:
            costs_a = dict.fromkeys(costs_b, cost_a)
        else:
            costs_b = dict.fromkeys(costs_a, cost_b)
    shared = sorted(costs_a.keys() & costs_b.keys())
    paired = len(shared) > 1 or (len(costs_a) == len(costs_b) == len(shared))
    if paired:
        logs = log_ratio(_array(costs_a, shared), _array(costs_b, shared))
        logs = logs[~np.isnan(logs)]  # drops pairs in which neither reaches the target
        (ratio, low, high), p, pairs = bootstrap(logs), signed_rank(logs), int(logs.size)
    else:
        groups = (_array(costs_a, sorted(costs_a)), _array(costs_b, sorted(costs_b)))
        (ratio, low, high), p, pairs = bootstrap(*groups), rank_sum(*groups), 0
    return Row(
        problem="", a="", b="", metric=metric, target=unscaled(metric, at),
        cost_a=cost_a, cost_b=cost_b,
        reached_a=int(reached_a), reached_b=int(reached_b), seeds_a=len(x), seeds_b=len(y),
        ratio=ratio, low=low, high=high, pairs=pairs,
        constant="both" if all(constant) else "A" if constant[0] else "B" if constant[1] else "",
        p=float("nan") if exact else p, holm=float("nan") if exact else 1.0,
    )  # fmt: skip


def _array(costs: dict[int, float], seeds: Sequence[int]) -> Floats:
    return np.array([costs[seed] for seed in seeds], dtype=np.float64)


def log_ratio(a: Floats, b: Floats) -> Floats:
    """Return log(a / b); NaN if both are infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(a) - np.log(b))


def bootstrap(first: Floats, second: Floats | None = None) -> tuple[float, float, float]:
    """Return a median ratio and its interval, by the percentile bootstrap over seeds.

    Parameters
    ----------
    first : ndarray of float64, shape (n,)
        Logarithms of ratios, or costs if there is a second group.
    second : ndarray of float64, shape (m,), optional
        Costs of an independent group; the ratio is then that of the medians.

    Returns
    -------
    ratio, low, high : float
        NaN if unknown; the interval is NaN if no group has more than one seed.
    """
    generator = np.random.default_rng(SEED)

    def medians(values: Floats) -> Floats:
        # Draw the middle of n resampled indices directly, without sorting n draws: the k-th smallest of n
        # uniform numbers has the distribution Beta(k, n + 1 - k), and the next one is the least of the n - k
        # numbers above it. Times n, they are indices.
        n = values.size
        k = (n + 1) // 2
        below = generator.beta(k, n + 1 - k, size=RESAMPLES)
        above = below if n % 2 else below + (1.0 - below) * generator.beta(1, n - k, size=RESAMPLES)
        ordered = np.sort(values)
        places = [np.minimum((n * share).astype(np.int64), n - 1) for share in (below, above)]
        low = ordered[np.append((n - 1) // 2, places[0])]
        high = ordered[np.append(n // 2, places[1])]
        # The mean of two equal infinities is infinite; that of opposite infinities is unknown.
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(low == high, low, 0.5 * (low + high)))

    if first.size == 0:
        return (float("nan"),) * 3
    logs = medians(first) if second is None else log_ratio(medians(first), medians(second))
    value = float(np.exp(logs[0]))
    known = logs[1:][~np.isnan(logs[1:])]
    if max(first.size, 0 if second is None else second.size) < 2 or known.size == 0:
        return value, float("nan"), float("nan")
    # Quantiles without interpolation, since resampled medians may be infinite.
    ends = np.exp(np.quantile(known, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0], method="nearest"))
    return value, float(ends[0]), float(ends[1])


def _verdict(row: Row) -> str:
    if not row.reached_a and not row.reached_b:
        return "neither reaches it"
    if np.isnan(row.p):  # neither side is random
        return "equal" if row.ratio == 1.0 else "A" if row.ratio < 1.0 else "B"
    if least_p(row.pairs, row.seeds_a, row.seeds_b) > ALPHA:
        seeds = f"{row.pairs} shared" if row.pairs else f"{row.seeds_a} and {row.seeds_b}"
        least = min(row.seeds_a, row.seeds_b)  # a pair in which neither reaches the target does not count
        one = seeds == "1 shared"
        reach = f" that reach{'es' * one} it" if not row.constant and 0 < row.pairs < least else ""
        return f"cannot tell with {seeds} seed{'' if one else 's'}{reach}"
    if row.holm >= ALPHA or row.ratio == 1.0:
        return "no difference shown"
    return "A" if row.ratio < 1.0 else "B"
