"""Artifacts: a figure, table or check of a document, read from ``conf/paper/<id>.yaml`` and validated.

There are six kinds: *curves* of a metric against a cost, a *front* of the least error that a method reaches
with any of its settings, a *sweep* of one number per run against a key of the configuration, a *grid* of
cells, a *profile* over problems, and a *check*, a small function.
docs/add-a-paper-figure.md lists all keys.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from svmbench.config.folder import conf_dir, own_papers, papers, text_of
from svmbench.errors import UserError, nearest
from svmbench.figures.series import COUNTERS, METRICS
from svmbench.papers import fields
from svmbench.papers.claims import Claim, read_claims
from svmbench.papers.runs import Runs, read_runs
from svmbench.store.timing import SECONDS

#: Kind -> (required keys of its section, optional keys).
KINDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "curves": (
        (),
        ("metrics", "counters", "together", "ranges", "points", "levels", "notes", "scale", "hidden"),
    ),
    "front": ((), ("counters", "scale", "ranges", "highlight", "window")),
    "sweep": (
        ("x", "y"),
        ("x_label", "y_label", "counters", "scale", "share_y", "points", "levels", "hidden"),
    ),
    "grid": ((), ("layout", "baseline", "cell", "values", "published", "counters", "hidden")),
    "profile": (("metric", "targets"), ("counters",)),
    "check": (("function",), ("arguments", "levels")),
}

#: Kinds with a cost, and thus a counting convention.
_COUNTED = ("curves", "front", "profile")

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

_TOP = ("title", "source", "kind")

#: Keys under which a quantity, test or published point names a line, and those that name a metric.
_LINE_KEYS = ("solver", "curve", "other", "epoch", "shared")
_METRIC_KEYS = ("metric", "arrival", "stabilises", "area")


@dataclass(frozen=True)
class Artifact:
    """One figure, table or check.

    Attributes
    ----------
    id : str
        Name of the file.
    kind : str
        One of `KINDS`.
    title, source : str
        Title, and the place of publication.
    target : str
        Name in the list of targets, such as ``SBP-F2``; empty for a table of solvers.
    runs : Runs
        The runs; none for a check.
    of : str
        The artifact that owns the runs, itself by default.
    options : mapping
        The keys of its kind, see `KINDS`.
    claims : tuple of Claim
        Claims about it.
    """

    id: str
    kind: str
    title: str
    source: str
    target: str
    runs: Runs
    of: str
    options: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()

    @property
    def counters(self) -> tuple[str, ...]:
        """Counting conventions, with one picture and one verdict each; empty if nothing is counted."""
        return tuple(self.options.get("counters", ("",) if self.kind not in _COUNTED else ("kev_ondemand",)))

    @functools.cached_property
    def timed(self) -> bool:
        """Whether it shows or judges seconds, so that its runs must be alone on their machine."""
        given = [dict(self.options), *(dict(part.arguments) for claim in self.claims for part in claim.parts)]
        named = _named(given, ("metrics", "counters", "x", "y", *_METRIC_KEYS))
        return any(name in SECONDS for name in named)

    @property
    def document(self) -> str:
        """The document, by the prefix of the target's name."""
        return self.target.partition("-")[0]

    @property
    def is_check(self) -> bool:
        """Whether it is a check, which has an outcome instead of runs."""
        return self.kind == "check"

    @property
    def is_listing(self) -> bool:
        """Whether it is a table with one line per run."""
        return self.kind == "grid" and self.options.get("layout") == "runs"


@functools.cache
def load(paper_id: str, folders: tuple[Path, ...] = ()) -> Artifact:
    """Read one artifact, from the user's folders or ours.

    Raises
    ------
    UserError
        If there is no such artifact, or its file is invalid.
    """
    import yaml

    own = own_papers(folders)
    known = [*own, *papers()]
    if paper_id not in known:
        raise UserError(f"unknown paper '{paper_id}'{nearest(paper_id, known)} (papers: {', '.join(known)})")
    file = own.get(paper_id, conf_dir() / "paper" / f"{paper_id}.yaml")
    try:
        content = yaml.load(text_of(file), Loader=_loader(paper_id not in own))
    except (yaml.YAMLError, RecursionError) as error:
        raise UserError(f"{file} is not YAML: {' '.join(str(error).split())}") from error
    return read(paper_id, content, str(file), folders if paper_id in own else ())


@functools.cache
def _loader(ours: bool) -> Any:
    """Return a loader that reads 1e-4 as a number, like YAML 1.2 and the other files of ``conf/``.

    Our files are read by libyaml if PyYAML has it, which is quicker. The loader in Python says more of what
    is wrong with a file.
    """
    import re

    import yaml

    class Loader(yaml.CSafeLoader if ours and yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
        pass

    number = re.compile(r"^[-+]?(\d[\d_]*)?(\.\d*)?[eE][-+]?\d+$")
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", number, list("-+0123456789."))
    return Loader


def read(paper_id: str, content: Any, origin: str, folders: tuple[Path, ...] = ()) -> Artifact:
    """Return the artifact described by a file.

    Parameters
    ----------
    paper_id : str
        Its name.
    content : Any
        The parsed file.
    origin : str
        Name of the file in errors.
    folders : tuple of Path
        The user's configuration folders, whose options its overrides may choose.
    """
    every = sorted({key for needed, optional in KINDS.values() for key in (*needed, *optional)})
    top = fields.section(content, origin, _TOP, ("target", "runs", "claims", *every))
    kind = fields.one_of(top["kind"], f"{origin}: kind", tuple(KINDS))
    needed, optional = KINDS[kind]
    own = ("runs",) if kind != "check" else ()
    fields.section(content, f"{origin}: kind {kind}", (*_TOP, *own, *needed), ("target", "claims", *optional))
    options = {key: top[key] for key in (*needed, *optional) if key in top}
    _check(options, origin)
    if kind == "grid":
        _check_grid(options, origin)
    target = str(top.get("target", ""))
    if target and target.partition("-")[0] not in DOCUMENTS:
        raise UserError(
            f"{origin}: target={target} is not allowed: begin it with one of {', '.join(DOCUMENTS)}"
        )
    claims = read_claims(top.get("claims", []), f"{origin}: claims", target)
    runs, of = _runs(top["runs"], paper_id, f"{origin}: runs", folders) if own else (Runs(), paper_id)
    artifact = Artifact(
        paper_id, kind, str(top["title"]), str(top["source"]), target, runs, of, options, claims
    )
    _check_names(artifact, origin)
    return artifact


def _runs(content: Any, paper_id: str, where: str, folders: tuple[Path, ...]) -> tuple[Runs, str]:
    """Return the runs of a file, its own or those of another one, and the artifact that owns them."""
    if isinstance(content, Mapping) and "of" not in content:
        return replace(read_runs(content, where), folders=folders), paper_id
    given = {"of": content} if isinstance(content, str) else content
    keys = fields.section(given, where, ("of",), ("panels", "solvers"))
    other = load(str(keys["of"]), folders)
    if other.is_check:
        raise UserError(f"{where}.of={keys['of']} is a check and has no runs")
    names = [panel.name for panel in other.runs.panels], [line.name for line in other.runs.lines]
    panels, solvers = (
        fields.words(keys[key], f"{where}.{key}", known) if key in keys else None
        for key, known in zip(("panels", "solvers"), names, strict=True)
    )
    return other.runs.only(panels, solvers), other.of


def _check(options: Mapping[str, Any], origin: str) -> None:
    """Check the keys of the kinds that refer to known names."""
    if "counters" in options:
        fields.words(options["counters"], f"{origin}: counters", tuple(COUNTERS))
    if "metrics" in options:
        fields.words(options["metrics"], f"{origin}: metrics", tuple(METRICS))
    for axis, ends in options.get("ranges", {}).items():
        fields.positive_range(ends, f"{origin}: ranges.{axis}")


def _check_grid(options: Mapping[str, Any], origin: str) -> None:
    """Refuse a table of neither kind, and cells that refer to missing values."""
    if "layout" in options:
        fields.one_of(options["layout"], f"{origin}: layout", ("runs",))
        return
    for key in ("cell", "values"):
        if key not in options:
            raise UserError(
                f"{origin}: kind grid: the key '{key}' is missing; give cell and values, or layout: runs"
            )
    values = fields.section(options["values"], f"{origin}: values")
    try:
        str(options["cell"]).format(**dict.fromkeys(values, 0.0))
    except (KeyError, IndexError, ValueError) as error:
        raise UserError(
            f"{origin}: cell='{options['cell']}' cannot be filled ({error}): the values are "
            f"{', '.join(values)}"
        ) from error


def _check_names(artifact: Artifact, origin: str) -> None:
    """Refuse panels, lines, conventions and metrics that the artifact does not have."""
    panels = [panel.name for panel in artifact.runs.panels] or [""]
    lines = [line.name for line in artifact.runs.lines]
    _check_quantities(artifact.options, lines, origin)
    for claim in artifact.claims:
        for part in claim.parts:
            where = f"{origin}: claim '{claim.name}', part '{part.name}'"
            _check_known(part.panels or (), panels, where)
            _check_known((*(part.counters or ()), *(part.convention or ())), artifact.counters, where)
            _check_quantities(part.arguments, lines, where)
    _check_known(artifact.options.get("window", ()), lines, f"{origin}: window")
    for key in ("baseline", "highlight"):
        line = artifact.options.get(key)
        if line is not None and line not in lines:
            raise UserError(f"{origin}: {key}={line} is not allowed: give one of the solvers")


def _check_quantities(given: Any, lines: Sequence[str], where: str) -> None:
    _check_known(_named(given, _LINE_KEYS), lines, where)
    _check_known(_named(given, _METRIC_KEYS), tuple(METRICS), where)


def _check_known(names: Iterable[str], known: Sequence[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise UserError(f"{where}: unknown '{name}'{nearest(name, known)}")


def _named(given: Any, keys: Sequence[str]) -> Iterator[str]:
    """Yield the names under some keys, at any depth."""
    if isinstance(given, Mapping):
        for key, value in given.items():
            if key in keys and not isinstance(value, Mapping):
                yield from map(str, value if isinstance(value, list) else [value])
            else:
                yield from _named(value, keys)
    elif isinstance(given, list):
        for value in given:
            yield from _named(value, keys)
