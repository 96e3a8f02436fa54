"""Content of a run known without opening its files again."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Mapping
from operator import itemgetter
from typing import Any, NamedTuple, TypedDict

from svmbench.errors import Damage, kind_of
from svmbench.run_config import Document, RunConfig
from svmbench.store.identity import run_id, underived
from svmbench.store.trace import TRACE_COLUMNS, WORDS

#: Most characters of a text in a document: more than twice the length of any path.
LONGEST = 10_000

_PLACE = {name: place for place, name in enumerate(TRACE_COLUMNS)}
_NUMBERS = itemgetter(*(place for name, place in _PLACE.items() if name not in WORDS))
_WORDS = itemgetter(*(_PLACE[name] for name in WORDS))
_TEXTS = itemgetter("status", "reason", "started", "title", "key")


class Common(NamedTuple):
    """A configuration with seed 0, shared by runs: as stored, and as read."""

    document: Document
    config: RunConfig


class Facts(dict[str, Any]):
    """Content of a run by key.

    ``status``, ``reason``, ``started``, ``ended``, ``peak_memory``, ``title``, ``seed``: as in documents;
    ``key``: the current name of the run's identity; ``underived``: that without derived parameters, None if
    nothing was derived; ``last``: the last checkpoint in the order of `TRACE_COLUMNS`, empty without one;
    ``validation``: the error over all folds; ``about``: ``dataset``, ``problem`` and ``optimum`` of run.json.
    A TypeError, ValueError or KeyError is raised for other content than a run has.
    """

    __slots__ = ("common",)

    def __init__(self, found: Mapping[str, Any], about: Mapping[str, Any], common: Common) -> None:
        super().__init__(found, about=about)
        self.common = common
        last = self["last"] or [None] * len(TRACE_COLUMNS)
        texts, numbers = _TEXTS(self), (*_NUMBERS(last), self["peak_memory"], self["validation"])
        words = (*_WORDS(last), self["ended"], self["underived"])
        right = {*map(type, texts)} == {str} and {*map(type, words)} <= {str, type(None)}
        right = right and {*map(type, numbers)} <= {int, float, type(None)} and type(self["seed"]) is int
        if not right:
            raise Damage("a value of another type than a run has")

    def cell(self, name: str) -> Any:
        """Return one column of the last checkpoint, None if unknown."""
        return self["last"][_PLACE[name]] if self["last"] else None


def facts_of(
    name: str, manifest: Mapping[str, Any], end: Mapping[str, Any], last: Mapping[str, Any] | None
) -> Facts:
    """Return the facts of a run.

    Parameters
    ----------
    name : str
        Name of its folder, without a suffix.
    manifest, end : mapping
        run.json and status.json.
    last : mapping, optional
        The last checkpoint.

    Raises
    ------
    LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError
        For a document with a missing value or one of a wrong type.
    """
    identity = manifest["identity"]
    _check_identity(identity)
    settings = common(json.dumps({**manifest["config"], "seed": 0}))
    # JSON has no NaN or infinity: a diverged objective becomes unknown.
    known = {
        key: None if type(value) is float and not math.isfinite(value) else value
        for key, value in (last or {}).items()
    }
    derives = "derived" in identity
    about = {key: manifest.get(key) for key in ("dataset", "problem", "optimum")}
    _check_about(**about)
    if not isinstance(manifest.get("optimum_values"), dict | None):
        raise Damage("optimum_values is not a section")
    found = {
        **{name: _text(end[name]) for name in ("status", "reason")},
        "started": _text(manifest["started"]),
        "ended": end.get("ended"),
        "title": _text(manifest.get("solver", {}).get("title", settings.config.solver.name)),
        "key": run_id(identity) if derives else name,
        "underived": run_id(underived(identity)) if derives else None,
        "peak_memory": _number(end.get("peak_memory")),
        "validation": _cross_validation(end),
        "last": [known[name] for name in TRACE_COLUMNS] if known else [],
        "seed": manifest["config"].get("seed", 0),
    }
    return Facts(found, about, settings)


@functools.lru_cache(maxsize=20_000)
def common(text: str) -> Common:
    """Return a configuration from its text with seed 0; those that differ only in the seed are read once."""
    document = json.loads(text)
    config = RunConfig.of(document)
    _check_config(config)
    return Common(document, config)


def _check_identity(identity: Any) -> None:
    """Raise for an identity that commands could not compare with that of another run."""
    for section in ("solver", "dataset"):
        _text(identity["config"][section]["name"])
    _text(identity["checksum"])
    if not re.match(r"\d+(,|$)", str(identity["solver_version"])):
        raise Damage("solver_version is not a number")
    for value in identity.get("derived", {}).values():
        _number(value)


def _check_config(config: RunConfig) -> None:
    """Raise for a configuration that commands could not read: they group runs by what stands here."""
    if config.budget.counter not in TRACE_COLUMNS:
        raise Damage(f"budget.counter is {_text(config.budget.counter)}, which no trace has")
    for choice in (config.kernel, config.features):
        for value in {} if choice is None else choice.document().values():
            _scalar(value)
    for value in vars(config.problem).values():
        _scalar(value)


def _scalar(value: Any) -> None:
    if isinstance(value, list | dict):
        raise Damage(f"{kind_of(value)} in place of a number or a text")


def _check_about(dataset: Any, problem: Any, optimum: Any) -> None:
    """Raise an error if commands could not use the data set, problem or optimum in run.json."""
    _text(optimum or "")
    if dataset is not None:
        _text(dataset.get("checksum") or "")
        for count in dataset.get("rows", {}).values():
            _number(count)
    if problem is not None:
        for name in ("bias", "weights"):
            _text(problem.get(name) or "")
        for name in ("lam", "C", "nu", "radius"):
            _number(problem.get(name))


class Load(TypedDict):
    """Load of the machine while a run trained, in status.json; None where unknown."""

    seconds: float  # watched
    own: float  # CPU seconds a second of the process
    others: float | None  # of all other processes
    others_most: float | None  # the same in the worst second
    stolen: float | None  # by the hypervisor
    queue: list[float] | None  # median and maximum of the run queue
    mhz: list[int] | None  # minimum, median and maximum of the clock rate
    cores: int | None  # of the machine
    affinity: int | None  # cores that the process may use


#: Numbers of a recorded load that commands use, and the largest length of a list in it.
_LOAD, _MOST_LOADS = ("seconds", "others", "stolen"), 3


def check_load(load: Any) -> None:
    """Raise an error unless the load in status.json is absent, or has the numbers that commands use."""
    if load is None:
        return
    if not isinstance(load, dict) or not set(_LOAD) <= load.keys():
        raise Damage(f"a load without {', '.join(_LOAD)}")
    if load["seconds"] is None:
        raise Damage("a load of no time")
    for name, value in load.items():
        listed = isinstance(value, list) and len(value) <= _MOST_LOADS and name not in _LOAD
        for one in value if listed else (value,):
            _number(one)


#: Most keys of a section, ten times those of any.
_MOST_KEYS = 1000


def check_lengths(value: Any) -> None:
    """Raise ValueError for what is too long in a document to be shown or drawn: a text, or a section."""
    if isinstance(value, dict) and len(value) > _MOST_KEYS:
        raise Damage(f"a section of {len(value):,} keys")
    if isinstance(value, str):
        _text(value)
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            check_lengths(one)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Damage(f"{kind_of(value)} in place of a text")
    if len(value) > LONGEST:
        raise Damage(f"a text of {len(value):,} characters")
    return value


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise Damage(f"{kind_of(value)} in place of a number")
    return value


def _cross_validation(end: Mapping[str, Any]) -> float | None:
    """Return the fraction of mistakes over all folds; None without folds, or if some were not fitted."""
    found = end.get("cross_validation")
    if found is None or len(found["mistakes"]) < found["folds"]:
        return None
    return _number(sum(found["mistakes"]) / sum(found["examples"]))
