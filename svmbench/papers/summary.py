"""The comparison of the field in brief: what `svmbench advise` needs, shipped with the package.

`read` returns what ``svmbench field --draw --summary svmbench/papers/summary.json`` wrote; a test compares it
with the stored runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from typing import TypedDict

import numpy as np

from svmbench.option import show
from svmbench.papers.material import Material
from svmbench.papers.method_costs import WISHES, Measured, measured, memory_of
from svmbench.papers.panels import line_of, title_of

#: Data sets of which at most this share of the values is not 0 are sparse.
SPARSE_SHARE = 0.15

#: The sparse data sets of the comparison, and of the data sets outside it (X-OUTSIDE).
SPARSE = ("adult", "w8a", "reuters", "rcv1_subset", "texts")

#: Examples of a first model, whose error tells how noisy data are.
FIRST = 1000

#: Significant digits of costs.
_DIGITS = 5


class DataSet(TypedDict):
    """A data set: title, rows and columns, whether it is sparse, and test errors in percent.

    `error` is that of the optimum, `first` that of decomposition on `FIRST` examples, drawn at random.
    """

    title: str
    rows: int
    columns: int
    sparse: bool
    error: float | None
    first: float | None


@dataclass(frozen=True)
class Summary:
    """The comparison in brief.

    Attributes
    ----------
    until : str
        Day of its last run.
    sets : mapping of str to DataSet
        Data sets by name.
    titles, overrides : mapping
        Title, and arguments of ``svmbench run``, of each method by name. Where a key has several values,
        separated by commas, those were tried, and the best counted.
    found : mapping of str to Measured
        By wish, what `svmbench.papers.method_costs.measured` returns; an infinite cost is null in the file.
    memory : mapping of str to mapping of str to float
        Largest peak memory in MiB by method and data set.
    least_memory : float
        Least peak memory of all runs: that of the program itself.
    """

    until: str
    sets: Mapping[str, DataSet]
    titles: Mapping[str, str]
    overrides: Mapping[str, tuple[str, ...]]
    found: Mapping[str, Measured]
    memory: Mapping[str, Mapping[str, float]]
    least_memory: float

    def text(self) -> str:
        """Return the content of the file."""
        about = asdict(self)
        about["found"] = {
            wish: {
                panel: {name: [None if np.isinf(cost) else cost, run] for name, (cost, run) in one.items()}
                for panel, one in sets.items()
            }
            for wish, sets in self.found.items()
        }
        return json.dumps(about, ensure_ascii=False) + "\n"


def of(material: Material) -> Summary:
    """Return the summary of the stored runs of the comparison."""
    memory: dict[str, dict[str, float]] = {}
    peaks = []
    for match in material.matches:
        if match.complete and (peak := memory_of(match.result)):
            peaks.append(peak)
            own = memory.setdefault(match.planned.solver, {})
            own[match.planned.panel] = max(own.get(match.planned.panel, 0.0), peak)
    found = {wish: _rounded(measured(material, wish)) for wish in WISHES}
    names = sorted({name for sets in found.values() for one in sets.values() for name in one})
    return Summary(
        max((run.started for run in material.stored), default="")[:10],
        _sets(material),
        {name: title_of(material, name) for name in names},
        {name: _overrides(material, name) for name in names},
        found,
        memory,
        min(peaks, default=np.inf),
    )


def read() -> Summary:
    """Return the summary that is shipped."""
    about = json.loads(resources.files("svmbench.papers").joinpath("summary.json").read_text("utf-8"))
    found = {
        wish: {
            panel: {name: (np.inf if cost is None else cost, run) for name, (cost, run) in one.items()}
            for panel, one in sets.items()
        }
        for wish, sets in about["found"].items()
    }
    overrides = {name: tuple(words) for name, words in about["overrides"].items()}
    return Summary(**{**about, "found": found, "overrides": overrides})


def shapes_of(material: Material) -> dict[str, tuple[int, int]]:
    """Return the rows and columns of the data sets with runs on all of their examples."""
    shapes: dict[str, tuple[int, int]] = {}
    for match in material.matches:
        if match.complete and match.planned.config.subset is None:
            about = match.result.manifest["dataset"]
            shapes[match.planned.panel] = int(about["rows"]["train"]), int(about["features"])
    return shapes


def _sets(material: Material) -> dict[str, DataSet]:
    titles = {panel.name: panel.title for panel in material.artifact.runs.panels}
    errors = {name: material.evidence(name, "").reference().record.get("test_error") for name in titles}
    return {
        name: DataSet(
            title=titles[name],
            rows=rows,
            columns=columns,
            sparse=name in SPARSE,
            error=None if (error := errors[name]) is None else _short(100.0 * error),
            first=_first(material, name),
        )
        for name, (rows, columns) in shapes_of(material).items()
    }


def _first(material: Material, panel: str) -> float | None:
    """Return the test error of decomposition on `FIRST` examples in percent, its median over seeds."""
    ends = [
        100.0 * match.result.summary()["test_error"]
        for match in material.matches
        if match.complete
        and (match.planned.panel, match.planned.config.subset) == (panel, FIRST)
        and match.planned.config.solver.name == "decomposition"
    ]
    return _short(float(np.median(ends))) if ends else None


def _overrides(material: Material, name: str) -> tuple[str, ...]:
    """Return the arguments of a method, with all values that were compared."""
    settings: dict[str, dict[str, None]] = {}
    for match in material.matches:
        if match.planned.solver == name:
            for key, value in match.planned.over:
                settings.setdefault(key, {})[show(value)] = None
    line = line_of(material.artifact, name)
    tried = (f"{key}={','.join(values)}" for key, values in settings.items())
    return (f"solver={line.solver}", *line.overrides.split(), *tried)


def _rounded(found: Measured) -> Measured:
    return {
        panel: {name: (_short(cost), run) for name, (cost, run) in one.items()}
        for panel, one in found.items()
    }


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
