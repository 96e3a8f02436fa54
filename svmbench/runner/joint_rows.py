"""Checkpoints and end of a run of several binary problems, from those of the problems."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from svmbench import multiclass
from svmbench.counters import FIELDS
from svmbench.run_config import ObserveConfig, RunConfig
from svmbench.runner.end_states import End
from svmbench.runner.loop import next_mark
from svmbench.store.runs import FLAG
from svmbench.store.trace import Row

if TYPE_CHECKING:
    from svmbench.data import Dataset

#: Columns that are added up.
_SUMS = (*FIELDS, "support_vectors", "wall_seconds", "cpu_seconds")
#: Columns of the problem with the largest gap.
_WORST = ("relative_gap", "precision")
#: Columns of a problem that joint checkpoints are made of.
COLUMNS = (*_SUMS, *_WORST)

#: For each part, what `svmbench.multiclass.predicted` reads of one problem.
Answers: TypeAlias = dict[str, NDArray[Any]]

#: The limit in the reason of an end, and one that is a target.
_LIMIT, _TARGET = re.compile(r"budget\.\S+ reached( by \w+)?"), "budget.gap="


class Trace:
    """The checkpoints of one problem, with its answers on the held-out examples.

    Parameters
    ----------
    kind : str
        ``one_vs_one`` or ``one_vs_rest``.
    rows, answers : sequence
        The first of each, as the attributes. There may be more answers than rows: those of checkpoints that a
        continued problem repeats.

    Attributes
    ----------
    rows : list of dict
        The checkpoints: `COLUMNS`, as far as they are known.
    answers : list of dict
        For each, what `svmbench.multiclass.predicted` reads, by part; a part is missing where its scores
        would have taken too long. All training examples are scored at the last checkpoint only: they would
        need several times the evaluations and the memory of the test set.
    """

    def __init__(self, kind: str, rows: Sequence[Row] = (), answers: Sequence[Answers] = ()) -> None:
        self._kind = kind
        self.rows = [*rows]
        self.answers = [*answers]

    def add(self, row: Row, scores: dict[str, NDArray[np.float64]]) -> None:
        """Add a checkpoint and the scores of its model by part, unless its answers are known."""
        self.rows.append({name: row[name] for name in COLUMNS if name in row})
        if len(self.answers) < len(self.rows):
            self.answers.append({})
            self.answer(scores)

    def answer(self, scores: dict[str, NDArray[np.float64]]) -> None:
        """Add scores of the model of the last checkpoint."""
        self.answers[-1] |= {name: multiclass.answers(self._kind, one) for name, one in scores.items()}

    def at(self, counter: str, mark: int) -> int:
        """Return the number of the first checkpoint with the counter at a mark or beyond, or of the last."""
        found = bisect_left(self.rows, mark, key=itemgetter(counter))
        return min(found, len(self.rows) - 1)


def joint_rows(
    kind: str, traces: Sequence[Trace], data: Dataset, config: RunConfig, first: int
) -> tuple[list[Row], NDArray[np.bool_] | None]:
    """Return the checkpoints of the run, and which test examples the last one misclassifies.

    There is one at each mark of the budget's counter, as if all problems were trained side by side: of each
    problem, the first checkpoint at which its own counter has reached the mark. Counts and seconds are sums,
    the gap is the largest; there is no objective. The first mark is at ``first`` or beyond, as that of the
    smallest problem: the counter of its first checkpoint may be larger, since it goes up by whole iterations.
    """
    counter, rows, before = config.budget.counter, [], None
    wrong: dict[str, NDArray[np.bool_]] = {}
    for places in _places(traces, counter, config.observe, first):
        if places != before:
            row, wrong = _joint_row(kind, traces, places, data)
            rows.append(row)
            before = places
    return rows, wrong.get("test")


def _places(traces: Sequence[Trace], counter: str, observe: ObserveConfig, first: int) -> Iterator[list[int]]:
    """Yield the numbers of the checkpoints of all problems at each mark, and of the last ones."""
    most = max(trace.rows[-1][counter] for trace in traces)
    mark = next_mark(observe, first, 0)
    while mark < most:
        places = [trace.at(counter, mark) for trace in traces]
        yield places
        # Up to the least count, all further marks have the same places.
        counts = [trace.rows[place][counter] for trace, place in zip(traces, places, strict=True)]
        mark = next_mark(observe, first, min(count for count in counts if count >= mark))
    yield [len(trace.rows) - 1 for trace in traces]


def _joint_row(
    kind: str, traces: Sequence[Trace], places: Sequence[int], data: Dataset
) -> tuple[Row, dict[str, NDArray[np.bool_]]]:
    """Return the joint checkpoint of some checkpoints, and which examples of each part it misclassifies."""
    parts = [trace.rows[place] for trace, place in zip(traces, places, strict=True)]
    row: Row = {}
    for name in _SUMS:
        summands = [part.get(name) for part in parts]
        if None not in summands:
            row[name] = sum(summands)
    if all(part.get("relative_gap") is not None for part in parts):
        worst = max(parts, key=lambda part: part["relative_gap"])
        row |= {name: worst.get(name) for name in _WORST}
    answers = [trace.answers[place] for trace, place in zip(traces, places, strict=True)]
    wrong = {}
    for name in ("validation", "test", "train"):
        part = getattr(data, name)
        if part is None or not all(name in one for one in answers):
            continue
        scores = np.stack([one[name] for one in answers], axis=1)
        wrong[name] = multiclass.predicted(kind, scores, len(data.classes)) != part.y
        row[f"{name}_error"] = np.count_nonzero(wrong[name]) / part.n
    if "test" in wrong:
        row["test_mistakes"] = int(np.count_nonzero(wrong["test"]))
    return row, wrong


def joint_end(ends: Sequence[End], row: Row) -> End:
    """Return the end of a run whose binary problems all have an answer; ``row`` is its last checkpoint."""
    cut = sorted((end for end in ends if end.status != "converged"), key=_severity)
    gap = row.get("relative_gap")
    at = "" if gap is None else f", at relative gaps of {gap:.1e} at most"
    after = f"after {row['iterations']} iterations"
    if not cut:
        flagged = sum(FLAG in end.reason for end in ends)
        more = f", {flagged} of them {FLAG}" if flagged else ""
        return End("converged", f"{len(ends)} binary problems converged {after}{more}{at}")
    status, limit = cut[-1].status, _LIMIT.match(cut[-1].reason)
    count = f"{len(cut)} of {len(ends)} binary problems"
    if limit is None:
        return End(status, f"{count} ended before they converged, {after}{at}")
    return End(status, f"{limit[0]} in {count}{at}")


def _severity(end: End) -> int:
    """Return how far an end is from that of the method itself."""
    order = ("stalled", "budget", "timeout")
    return 0 if end.reason.startswith(_TARGET) else 1 + order.index(end.status)
