"""Artifacts: a figure, table or check of a document, with its runs and the claims about it.

There are six kinds: *curves* of a metric against a cost, a *front* of the least error that a method reaches
with any of its settings, a *sweep* of one number per run against a key of the configuration, a *grid* of
cells or of lines, a *profile* over problems, and a *check*, a small function.
docs/add-a-paper-figure.md shows how one is written, `svmbench.papers.documents` has ours.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import runpy
import shlex
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from svmbench.config import folder
from svmbench.errors import UserError, nearest
from svmbench.figures.series import COUNTERS, METRICS
from svmbench.papers.catalogue import ENTRY, names, ours, owned
from svmbench.papers.claims import Claim
from svmbench.papers.keys import Axis, ByPanel, Key
from svmbench.papers.quantities import EACH, SAME, OfLine, Quantity, walk
from svmbench.papers.runs import Group, Runs, check_known, check_types
from svmbench.plugins import plugins
from svmbench.store.timing import SECONDS

#: Documents by the prefix of their targets' names.
DOCUMENTS = {
    "SBP": "Stochastic Batch Perceptron",
    "RUP": "Pegasos, slides",
    "PEG": "Pegasos",
    "RS": "RandSVM",
    "LEC": "Lecture",
    "AS": "ASSET",
    "LA": "LASVM",
    "CVM": "Core vector machines",
    "DC": "DC-SVM",
    "X": "beyond the documents",
}


@dataclass(frozen=True)
class Artifact:
    """One figure, table or check.

    Attributes
    ----------
    target : str
        Name in the list of targets, such as ``SBP-F2``; empty for a table of solvers.
    title, source : str
        Title, and the place of publication.
    runs : Runs
        The runs; none for a check.
    claims : sequence of Claim
        Claims about it.
    counters : str
        Counting conventions, with one picture and one verdict each, separated by spaces.
    scale : {"linear", "log"} or None
        Scale of the axes; None: chosen by the values.
    hidden : str
        Lines that are not drawn and serve only as a bound, separated by spaces.
    points, levels : sequence of mapping
        Published values: ``panel``, ``solver``, ``at`` and ``value``, perhaps ``counter``; or ``label`` and
        ``value``, perhaps ``panel``.
    supplied : str
        Data and parameters that are ours, because the document does not give them or they are not available:
        those of each claim that names none.
    id : str
        Its name, which `load` gives it: that of its function, with dashes.
    part : str
        Which of its runs `few` has kept, such as ``2 of 10 seeds``; empty: all.
    """

    target: str
    title: str
    source: str
    runs: Runs = field(default_factory=Runs)
    claims: Sequence[Claim] = ()
    _: KW_ONLY
    counters: str = ""
    scale: str | None = None
    hidden: str = ""
    points: Sequence[Mapping[str, Any]] = ()
    levels: Sequence[Mapping[str, Any]] = ()
    supplied: str = ""
    id: str = ""
    part: str = ""
    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        check_types(self)

    @property
    def conventions(self) -> tuple[str, ...]:
        """Counting conventions; a single empty one if nothing is counted."""
        return tuple(self.counters.split()) or ("",)

    @property
    def pictured(self) -> tuple[str, ...]:
        """Conventions whose pictures are committed: of our own questions (X-...), the first alone."""
        return self.conventions[: 1 if self.target.startswith("X-") else None]

    @functools.cached_property
    def timed(self) -> bool:
        """Whether it shows or judges seconds, so that its runs must be alone on their machine."""
        named = {*self.counters.split(), *getattr(self, "metrics", "").split()}
        named |= {getattr(node, "metric", "") for node in self.judged_and_shown()}
        return not named.isdisjoint(SECONDS)

    def judged_and_shown(self) -> list[Any]:
        """Return all tests and quantities of its claims and of what it shows."""
        return [*walk(self.claims), *walk([value for value in vars(self).values() if value is not self.runs])]

    @property
    def of(self) -> str:
        """The artifact that owns the runs."""
        return self.runs.of or self.id

    def command(self, action: str, *options: str) -> str:
        """Return the words after ``svmbench`` that make its runs (``run``), or do another action with it."""
        name = self.of if action == "run" else self.id
        return shlex.join(["paper", action, name, *options, *folder.option(self.runs.folders)])

    @property
    def document(self) -> str:
        """The document, by the prefix of the target's name."""
        return self.target.partition("-")[0]

    @property
    def is_check(self) -> bool:
        """Whether it is a check, which has an outcome instead of runs."""
        return isinstance(self, Check)

    def check(self) -> None:
        """Raise a `UserError` for an unknown panel, line, convention, metric or document."""
        if self.target and self.document not in DOCUMENTS:
            raise UserError(
                f"target={self.target} is not allowed: begin it with one of {', '.join(DOCUMENTS)}"
            )
        panels = [panel.name for panel in self.runs.panels]
        lines = [line.name for line in self.runs.lines]
        check_known(self.counters.split(), tuple(COUNTERS), "counters")
        for key in ("hidden", "window", "baseline", "highlight", "relative"):
            check_known(getattr(self, key, "").split(), lines, key)
        check_known(getattr(self, "metrics", "").split(), tuple(METRICS), "metrics")
        for point in self.points:
            check_known([point["solver"]], lines, "points")
        for claim in self.claims:
            for test in claim.tests:
                where = f"claim '{claim.name}', test '{test.name}'"
                check_known(test.panels.split(), panels, where)
                check_known(f"{test.counters} {test.convention}".split(), self.conventions, where)
                _check_names(list(walk(test)), lines, where, self.runs.groups)
        _check_names(self.judged_and_shown(), lines, "what is shown", self.runs.groups)


def _check_names(nodes: Sequence[Any], lines: Sequence[str], where: str, groups: Sequence[Group]) -> None:
    for node in nodes:
        named = (getattr(node, key, EACH) for key in ("solver", "other"))
        check_known([name for name in named if name != EACH], lines, where)
        if hasattr(node, "metric"):
            check_known([node.metric], tuple(METRICS), where)
        for key, value in getattr(node, "where", {}).items():
            asked = [one for one in groups if node.solver in (EACH, *one.lines.split())]
            check_known([key], [known for one in asked for known in one.over], f"{where}: where")
            known = [*itertools.chain(*(one.over.get(key, ()) for one in groups)), SAME]
            if value not in known and not isinstance(value, ByPanel):
                raise UserError(
                    f"{where}: no run has {key}={value}: give one of {', '.join(map(str, known))}"
                )


@dataclass(frozen=True)
class Curves(Artifact):
    """Metrics of the trace against a counter or a clock.

    Attributes
    ----------
    metrics : str
        Keys of `svmbench.figures.series.METRICS`, one row of panels each, separated by spaces.
    together : bool
        Whether all conventions are drawn on one sheet, too.
    ranges : mapping
        Ends of the axes ``x`` and ``y``, or of the axis of one panel, such as ``y adult``.
    notes : sequence of str
        Paragraphs of the caption.
    """

    _: KW_ONLY
    counters: str = "kev_ondemand"
    metrics: str = "test_error"
    together: bool = False
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    kind = "curves"


@dataclass(frozen=True)
class Front(Curves):
    """The least test error that a line has reached by a cost with any of its settings, and a table of them.

    Attributes
    ----------
    window : str
        Lines whose reach determines the costs over which fronts are compared; empty: all.
    highlight : str
        The line in colour; empty: those most ahead.
    """

    _: KW_ONLY
    metrics: str = "least_test_error"
    window: str = ""
    highlight: str = ""
    kind = "front"


@dataclass(frozen=True)
class Sweep(Artifact):
    """One number per run against a key of the configuration.

    Attributes
    ----------
    x : Axis, or mapping of str to Axis
        The key or an expression of keys, perhaps for each line.
    y : OfLine, or mapping of str to OfLine
        The number, of `EACH` line; with several, each has a title.
    x_label, y_label : str
        Labels of the axes.
    share_y : bool
        Whether all panels have the same range.
    """

    _: KW_ONLY
    x: Axis | Mapping[str, Axis]
    y: OfLine | Mapping[str, OfLine]
    x_label: str = ""
    y_label: str = ""
    share_y: bool = False
    kind = "sweep"


#: What fills a place of a cell.
Filling: TypeAlias = Quantity | tuple[str, Quantity] | Key


@dataclass(frozen=True)
class Grid(Artifact):
    """A table with a cell for each panel and line.

    Attributes
    ----------
    cell : str
        Template of a cell.
    values : mapping of str to Quantity, to (str, Quantity) or to Key
        What it is filled with, of `EACH` line: the ``median`` over seeds, ``mean`` or ``sd``; or a key.
    own : mapping of str to mapping of str to Quantity
        What cells of some lines have in place of a value, by line.
    split : str
        A key that the runs vary; each of its values has a row of its own.
    rows : sequence
        These values of the key; empty: all.
    relative : str
        A line; each number is its number divided by that of the cell. Empty: the numbers themselves.
    blocks : mapping of str to str
        Rows of each panel by their name, which titles of lines may end with: the lines of each, in the order
        of the columns. Empty: one row of all lines.
    published : mapping of str to mapping of str to str
        Published cells, by panel and line; with ``split``, by panel, a space and the value. Else what
        follows the panel is the name of a row of the document, which stands above ours.
    """

    _: KW_ONLY
    cell: str
    values: Mapping[str, Filling]
    own: Mapping[str, Mapping[str, Quantity]] = field(default_factory=dict)
    split: str = ""
    rows: Sequence[Any] = ()
    blocks: Mapping[str, str] = field(default_factory=dict)
    relative: str = ""
    published: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    kind = "grid"

    def check(self) -> None:
        """Refuse cells that refer to missing values, too."""
        super().check()
        try:
            self.cell.format(**dict.fromkeys(self.values, 0.0))
        except (KeyError, IndexError, ValueError) as error:
            known = ", ".join(self.values)
            raise UserError(
                f"cell='{self.cell}' cannot be filled ({error}): the values are {known}"
            ) from error


@dataclass(frozen=True)
class Listing(Artifact):
    """A table with one line per run, compared with the objectives of the line ``baseline``."""

    _: KW_ONLY
    baseline: str = ""
    kind = "grid"


@dataclass(frozen=True)
class Profile(Artifact):
    """The fraction of problems on which a metric reaches targets, against a cost."""

    _: KW_ONLY
    counters: str = "kev_ondemand"
    metric: str
    targets: Sequence[float]
    kind = "profile"


@dataclass(frozen=True)
class Check(Artifact):
    """The measurements of a function of `svmbench.papers.checks`.

    Attributes
    ----------
    function : str
        Name of the function.
    arguments : mapping
        What it is given.
    columns : mapping of str to str
        Templates of a table without a picture, by title: filled with what is measured of a row, whose names
        begin with that of the row. Empty: a line for each measurement.
    published : mapping of str to sequence of str
        The rows of this table as the document prints them.
    """

    _: KW_ONLY
    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    published: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kind = "check"


@functools.cache
def load(paper_id: str, folders: tuple[Path, ...] = ()) -> Artifact:
    """Return one artifact, from the user's folders, from a plug-in, or ours.

    Raises
    ------
    UserError
        If there is no such artifact, or it is invalid.
    """
    file = owned(folders).get(paper_id)
    if not (file or paper_id in ours() or paper_id in (known := names(folders))):
        raise UserError(f"unknown paper '{paper_id}'{nearest(paper_id, known)} (papers: {', '.join(known)})")
    where = str(file or paper_id)
    try:
        made = _function(paper_id, file)()
        if not isinstance(made, Artifact):
            raise TypeError(f"it returns {type(made).__name__}, not a figure, table or check")
        made = finished(made, paper_id, folders, bool(file), where)
    except UserError as error:
        raise UserError(f"{where}{_line(error, where)}: {error}") from error
    except Exception as error:  # whatever the user's Python raises
        raise UserError(f"{where}{_line(error, where)}: {type(error).__name__}: {error}") from error
    return made


def finished(
    made: Artifact, paper_id: str, folders: tuple[Path, ...] = (), own: bool = False, where: str = ""
) -> Artifact:
    """Return an artifact with its name and the runs of another one if it shows them, after all checks.

    Parameters
    ----------
    made : Artifact
        What its function returns.
    paper_id : str
        Its name.
    folders : tuple of Path
        The user's configuration folders.
    own : bool
        Whether it is the user's, so that its runs may use options of these folders.
    where : str
        Its place, for messages about its runs.
    """
    if made.runs.of:
        other = load(made.runs.of, folders)
        if other.is_check:
            raise UserError(f"its runs are those of {other.id}, which is a check and has none")
        runs = replace(other.runs.only(made.runs.shown.split()), of=other.of)
    else:
        runs = replace(
            made.runs.checked(), folders=folders if own else (), where=f"{where or paper_id}: runs"
        )
    claims = [
        replace(claim, target=claim.target or made.target, supplied=claim.supplied or made.supplied)
        for claim in made.claims
    ]
    made = replace(made, id=paper_id, runs=runs, claims=claims)
    made.check()
    return made


def few(whole: Artifact, seeds: int | None, only: Sequence[str]) -> Artifact:
    """Return an artifact with fewer runs, and a title and claims that say so.

    Parameters
    ----------
    whole : Artifact
        The artifact.
    seeds : int or None
        The first seeds that are kept; None: all.
    only : sequence of str
        Panels and lines that are kept; empty: all. Tests of other panels, or of a mean over more panels, are
        left out.

    Raises
    ------
    UserError
        If it is a check, or has no such panel or line.
    """
    if whole.is_check:
        raise UserError(f"{whole.id} is a check, which has no runs: leave out --seeds and --only")
    runs = whole.runs.only(only)
    panels, lines = ([one.name for one in part] for part in (runs.panels, runs.lines))
    kept = [one for one in runs.groups if any(one.has(panel, line) for panel in panels for line in lines)]
    most = max((len(one.seeds) for one in kept), default=0)  # type: ignore[arg-type]
    groups = [replace(one, seeds=tuple(one.seeds)[:seeds]) for one in kept]  # type: ignore[arg-type]
    said = [f"{seeds} of {most} seeds"] if seeds is not None and seeds < most else []
    said += [f"only {', '.join(only)}"] if only else []
    if not said:
        return whole
    claims = []
    for claim in whole.claims:
        tests = []
        for test in claim.tests:
            asked = test.panels.split() or [panel.name for panel in whole.runs.panels]
            mine = [name for name in asked if name in panels]
            if mine == asked or (mine and not test.together):
                tests.append(replace(test, panels=" ".join(mine)))
        why = claim.not_attempted if tests or claim.not_attempted else "--only leaves out what it is about"
        claims.append(replace(claim, tests=tuple(tests), not_attempted=why))
    return replace(
        whole, runs=replace(runs, groups=groups), claims=claims, part="; ".join(said),
        title=f"{whole.title} ({'; '.join(said)})",
    )  # fmt: skip


def _function(paper_id: str, file: Path | None) -> Callable[[], Any]:
    """Return the function of an artifact, which is executed only now."""
    name = paper_id.replace("-", "_")
    if file is not None:
        return _namespace(file)[name]  # type: ignore[no-any-return]
    theirs = plugins(ENTRY).get(paper_id)
    if theirs is not None and paper_id in ours():
        raise UserError(
            f"{theirs.value} has a figure with the name of one of svmbench, {paper_id}: rename it"
        )
    if theirs is not None:
        return theirs.load()  # type: ignore[no-any-return]
    module = importlib.import_module(f"svmbench.papers.documents.{ours()[paper_id]}")
    return getattr(module, name)  # type: ignore[no-any-return]


@functools.cache
def _namespace(file: Path) -> Mapping[str, Any]:
    return runpy.run_path(str(file))


def _line(error: BaseException, where: str) -> str:
    """Return the line of the user's file at which an error came up."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    found = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == where]
    return f", line {found[-1]}" if found else ""
