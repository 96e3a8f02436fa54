"""Content of a run known without opening its files again, as read or as packed in the index."""

from __future__ import annotations

import functools
import marshal
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict

from svmbench.run_config import Document, RunConfig
from svmbench.store.identity import run_id, underived
from svmbench.store.trace import COUNTS, TRACE_COLUMNS, WORDS

#: Keys of both forms.
#: ``status``, ``reason``, ``started``, ``ended``, ``peak_memory``, ``title``, ``config``: as in documents;
#: ``key``: the current name of the run's identity; ``underived``: that without derived parameters, None if
#: nothing was derived; ``last``: the last checkpoint in the order of `TRACE_COLUMNS`, empty without one;
#: ``validation``: the error over all folds; ``about``: ``dataset``, ``problem`` and ``optimum`` of run.json.
KEYS = (
    *("status", "reason", "started", "ended", "title", "key", "underived"),
    *("peak_memory", "validation", "last", "config", "about"),
)
_PLACE = {name: place for place, name in enumerate(TRACE_COLUMNS)}

# Packed numbers of a run: whether there is a checkpoint, the seed, counts, other numbers. Unknown values are
# the least integer and NaN, which no run has.
_NUMBERS = tuple(name for name in TRACE_COLUMNS if name not in WORDS)
_WHOLE = ("checkpoint", "seed", *(name for name in _NUMBERS if name in COUNTS))
_REAL = ("peak_memory", "validation", *(name for name in _NUMBERS if name not in COUNTS))
_PACKED = struct.Struct(f"<{len(_WHOLE)}q{len(_REAL)}d")
_UNKNOWN = -(1 << 63)
_PARTS = {name: (struct.Struct("<q").unpack_from, 8 * place) for place, name in enumerate(_WHOLE)} | {
    name: (struct.Struct("<d").unpack_from, 8 * (len(_WHOLE) + place)) for place, name in enumerate(_REAL)
}


class Common(NamedTuple):
    """A configuration without the seed, shared by runs: as stored, and as read."""

    document: Document
    config: RunConfig


class Facts(dict[str, Any]):
    """Content of a run by `KEYS`."""

    common: Common

    def cell(self, name: str) -> Any:
        """Return one column of the last checkpoint, None if unknown."""
        return self["last"][_PLACE[name]] if self["last"] else None

    @property
    def seed(self) -> int:
        """Seed given by the user."""
        return self.common.config.seed


class PackedFacts(Mapping[str, Any]):
    """`Facts` of an ended run in a third of the memory, unpacked on access.

    Parameters
    ----------
    texts : tuple of str
        status, reason, started, ended, title, key, underived and words, as `pack` returns them.
    numbers : bytes
        From `pack`.
    common : Common
        The configuration.
    about : dict
        As in `KEYS`; shared between runs.
    """

    __slots__ = ("_numbers", "_texts", "about", "common")

    def __init__(self, texts: tuple[str, ...], numbers: bytes, common: Common, about: dict[str, Any]) -> None:
        if len(numbers) != _PACKED.size or common.document.get("seed", 1) != 0:
            raise ValueError("not as it was written")
        self._texts = texts
        self._numbers = numbers
        self.common = common
        self.about = about

    def __getitem__(self, key: str) -> Any:
        if key in _TEXTS:
            text = self._texts[_TEXTS[key]]
            return text if text or key not in ("ended", "underived") else None
        if key in ("peak_memory", "validation"):
            return self._number(key)
        if key == "config":
            return {**self.common.document, "seed": self.seed}
        if key == "last":
            return [self.cell(name) for name in TRACE_COLUMNS] if self._number("checkpoint") else []
        return {"about": self.about}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(KEYS)

    def __len__(self) -> int:
        return len(KEYS)

    def cell(self, name: str) -> Any:
        """Return one column of the last checkpoint, None if unknown."""
        if name in WORDS:
            return self._texts[-1].split("\n")[WORDS.index(name)] or None
        return self._number(name)

    @property
    def seed(self) -> int:
        """Seed given by the user."""
        return int(self._number("seed") or 0)

    def _number(self, name: str) -> Any:
        unpack, place = _PARTS[name]
        (value,) = unpack(self._numbers, place)
        return None if value != value or value == _UNKNOWN else value


_TEXTS = {name: place for place, name in enumerate(KEYS[:7])}


def pack(facts: Mapping[str, Any]) -> tuple[tuple[str, ...], bytes]:
    """Return the texts and numbers of `PackedFacts`.

    Raises
    ------
    ValueError, TypeError, struct.error
        If a value cannot be packed, such as a count beyond 64 bits.
    """
    last = dict(zip(TRACE_COLUMNS, facts["last"])) if facts["last"] else {}
    known = {
        **last,
        "checkpoint": int(bool(facts["last"])),
        **{name: facts[name] for name in ("peak_memory", "validation")},
        "seed": facts["config"]["seed"],
    }
    whole, real = ([known.get(name) for name in names] for names in (_WHOLE, _REAL))
    if _UNKNOWN in whole:
        raise ValueError("a number that stands for an unknown one")
    numbers = _PACKED.pack(
        *[_UNKNOWN if value is None else value for value in whole],
        *[math.nan if value is None else value for value in real],
    )
    texts = [facts[name] or "" for name in KEYS[:7]]
    texts.append("\n".join(last.get(name) or "" for name in WORDS))
    return tuple(texts), numbers


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
    common = Common(dict(manifest["config"]), _config(manifest["config"]))
    # JSON has no NaN or infinity: a diverged objective becomes unknown.
    known = {
        key: None if type(value) is float and not math.isfinite(value) else value
        for key, value in (last or {}).items()
    }
    derives = "derived" in identity
    about = {key: manifest.get(key) for key in ("dataset", "problem", "optimum")}
    _check_about(**about)
    if not isinstance(manifest.get("optimum_values"), dict | None):
        raise TypeError("optimum_values is not a section")
    facts = Facts(
        status=_text(end["status"]),
        reason=_text(end["reason"]),
        started=_text(manifest["started"]),
        ended=None if end.get("ended") is None else _text(end["ended"]),
        title=_text(manifest.get("solver", {}).get("title", common.config.solver.name)),
        key=run_id(identity) if derives else name,
        underived=run_id(underived(identity)) if derives else None,
        peak_memory=_number(end.get("peak_memory")),
        validation=_cross_validation(end),
        last=[known[name] for name in TRACE_COLUMNS] if known else [],
        config=common.document,
        about=about,
    )
    facts.common = common
    return facts


def _config(document: Document) -> RunConfig:
    """Return the configuration of a document; documents that differ only in the seed are read once."""
    seed = document.get("seed", 0)
    if type(seed) is not int:
        raise TypeError(f"a {type(seed).__name__} in place of seed")
    return replace(_config_without_seed(marshal.dumps({**document, "seed": 0}, 2)), seed=seed)


@functools.lru_cache(maxsize=1000)
def _config_without_seed(marshalled: bytes) -> RunConfig:
    config = RunConfig.of(marshal.loads(marshalled))
    _check_config(config)
    return config


def _check_config(config: RunConfig) -> None:
    """Raise for a configuration that commands could not read: they group runs by what stands here."""
    if config.budget.counter not in TRACE_COLUMNS:
        raise ValueError(f"budget.counter is {_text(config.budget.counter)!r}, which no trace has")
    for choice in (config.kernel, config.features):
        for value in {} if choice is None else choice.document().values():
            _scalar(value)
    for value in vars(config.problem).values():
        _scalar(value)


def _scalar(value: Any) -> None:
    if isinstance(value, list | dict):
        raise TypeError(f"a {type(value).__name__} in place of a number or a text")


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
        raise ValueError(f"a load without {', '.join(_LOAD)}")
    if load["seconds"] is None:
        raise ValueError("a load of no time")
    for name, value in load.items():
        listed = isinstance(value, list) and len(value) <= _MOST_LOADS and name not in _LOAD
        for one in value if listed else (value,):
            _number(one)


#: Most characters of a text in a document: more than twice the length of any path.
LONGEST = 10_000


#: Most keys of a section, ten times those of any.
_MOST_KEYS = 1000


def check_lengths(value: Any) -> None:
    """Raise ValueError for what is too long in a document to be shown or drawn: a text, or a section."""
    if isinstance(value, dict) and len(value) > _MOST_KEYS:
        raise ValueError(f"a section of {len(value):,} keys")
    if isinstance(value, str):
        _text(value)
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            check_lengths(one)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a {type(value).__name__} in place of a text")
    if len(value) > LONGEST:
        raise ValueError(f"a text of {len(value):,} characters")
    return value


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(f"a {type(value).__name__} in place of a number")
    return value


def _cross_validation(end: Mapping[str, Any]) -> float | None:
    """Return the fraction of mistakes over all folds; None without folds, or if some were not fitted."""
    found = end.get("cross_validation")
    if found is None or len(found["mistakes"]) < found["folds"]:
        return None
    return _number(sum(found["mistakes"]) / sum(found["examples"]))
