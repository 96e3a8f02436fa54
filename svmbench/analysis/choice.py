"""Choice of a method by its costs on several problems, and how often such a choice is right elsewhere.

A method is near the best on a problem if its cost there is at most `FACTOR` times the least of all methods.
The method that is near the best on most problems is chosen; of several, the one with the best mean rank. The
choice is tested by leaving out each problem in turn: the one made from the others is right if that method is
near the best on the problem left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from svmbench.analysis.ranks import twice_ranks

#: Largest ratio to the least cost that is near it.
FACTOR = 2.0


@dataclass(frozen=True)
class Choice:
    """The method chosen, and what supports it.

    Attributes
    ----------
    method : str
        The method.
    near, problems : int
        On how many of the problems it is near the best; of those on which any method gets there.
    ranks : tuple of float
        Its least, median and greatest rank; 1 is the best.
    methods : int
        Number of methods ranked.
    right, tried : int
        How often a choice without a problem was right on it, of the times that its cost there is known.
    chance : float
        How often methods drawn at random would be right there, on average.
    ahead : bool
        Whether choices are right on more than half of the problems left out, and more often than by chance.
        Otherwise the problems do not tell which method to use.
    """

    method: str
    near: int
    problems: int
    ranks: tuple[float, float, float]
    methods: int
    right: int
    tried: int
    chance: float
    ahead: bool


def left_out(
    costs: Mapping[str, Mapping[str, float]], factor: float = FACTOR
) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    """Yield each problem on which a method gets there, the method chosen by the others, and its costs.

    Parameters
    ----------
    costs, factor
        As in `choose`.
    """
    found = {problem: one for problem, one in costs.items() if min(one.values(), default=np.inf) < np.inf}
    for problem, one in found.items():
        others = choose(
            {name: there for name, there in found.items() if name != problem}, factor, tested=False
        )
        if others is not None:
            yield problem, others.method, one


def choose(
    costs: Mapping[str, Mapping[str, float]], factor: float = FACTOR, *, tested: bool = True
) -> Choice | None:
    """Choose a method; None if no method gets there on any problem.

    Parameters
    ----------
    costs : mapping of str to mapping of str to float
        Problem -> method -> cost; infinite if the method does not get there, absent if that is unknown. An
        unknown cost is never near the best.
    factor : float
        Largest ratio to the least cost that is near it.
    tested : bool
        Whether to test the choice; otherwise `tried` is 0.
    """
    found = [one for one in costs.values() if min(one.values(), default=np.inf) < np.inf]
    if not found:
        return None
    names = list(dict.fromkeys(name for one in found for name in one))
    values = np.array([[one.get(name, np.inf) for name in names] for one in found])
    near = values <= factor * values.min(axis=1, keepdims=True)
    ranks = np.stack([twice_ranks(row) for row in values]) / 2.0
    best = min(range(len(names)), key=lambda k: (-near[:, k].sum(), ranks[:, k].mean()))
    tried, right, chance = 0, 0, 0.0
    for _, chosen, there in left_out(costs, factor) if tested else ():
        if chosen in there:
            most_near = factor * min(there.values())
            tried, right = tried + 1, right + int(there[chosen] <= most_near)
            chance += float(np.mean([cost <= most_near for cost in there.values()]))
    least, median, most = (float(one) for one in np.quantile(ranks[:, best], (0.0, 0.5, 1.0)))
    return Choice(
        names[best],
        int(near[:, best].sum()),
        len(found),
        (least, median, most),
        len(names),
        right,
        tried,
        chance,
        right > max(0.5 * tried, chance),
    )
