"""Resolved configurations from overrides, by Hydra's composition and our validation.

Hydra only reads and composes ``conf/``, and parses overrides and sweeps. It does not run anything.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import yaml
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, RangeSweep
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from svmbench.config import folder
from svmbench.config.overrides import as_text, check_form, check_keys, not_an_override, usual, written
from svmbench.config.plain import check_files, check_shapes, plain, read_section, with_changes
from svmbench.config.validation import checked, of_the_sweep, schema_of, sweep_options
from svmbench.config.values import defaults_of
from svmbench.errors import UserError, nearest
from svmbench.run_config import Parameter, RunConfig

_FAILURES = (HydraException, OmegaConfBaseException, yaml.YAMLError, ValueError, OSError, RecursionError)

#: The keys of the shipped root file outside the groups, as read by this process, by the state of the file.
_ROOT: dict[tuple[int, int], dict[str, Parameter]] = {}

#: An override that needs neither Hydra nor validation if another seed has had both: nothing depends on it.
_SEED = re.compile(r"seed=\d{1,9}", re.ASCII)

#: Most jobs of a sweep. All are composed and validated in advance, in about a millisecond each.
MOST_JOBS = 100_000


def resolve(overrides: Sequence[str], folders: Sequence[Path] = ()) -> RunConfig:
    """Return the resolved configuration of one run.

    Parameters
    ----------
    overrides : sequence of str
        ``KEY=VALUE`` in Hydra's grammar, with one value each.
    folders : sequence of Path
        The user's configuration folders, besides the shipped one.

    Raises
    ------
    UserError
        If anything is unknown, has a wrong type, is out of range or impossible.
    """
    return resolve_all([overrides], folders)[0]


def resolve_all(many: Sequence[Sequence[str]], folders: Sequence[Path] = ()) -> list[RunConfig]:
    """Return the configurations of many runs, as `resolve` does; common parts are read once."""
    with _composer(folders) as composer:
        read = [composer.read(each) for each in many]
        return [_resolved(composer.compose(_single(composer, each))) for each in read]


def _resolved(composed: Mapping[str, Any]) -> RunConfig:
    """Return the resolved configuration of one run, without sweep options."""
    usual = sweep_options({})
    for key, value in sweep_options(composed).items():
        if value != usual[key]:
            raise UserError(f"{key} belongs to a sweep: add -m, or leave it out")
    return checked(composed)


def text(overrides: Sequence[str], folders: Sequence[Path], *, resolved: bool = False) -> str:
    """Return the composed configuration of one run as YAML; for other parameters and errors see `resolve`.

    Parameters
    ----------
    resolved : bool
        Whether to replace interpolations by their values.
    """
    with _composer(folders) as composer:
        overrides = composer.read(overrides)
        checked(composer.compose(_single(composer, overrides)))
        return OmegaConf.to_yaml(compose("config", composer.arguments(overrides)), resolve=resolved).rstrip()


@dataclasses.dataclass(frozen=True)
class Job:
    """One combination of a sweep: its overrides, each with one value, and its resolved configuration."""

    overrides: list[str]
    config: RunConfig


def jobs(
    overrides: Sequence[str], folders: Sequence[Path] = (), settings: Sequence[Sequence[str]] = ((),)
) -> tuple[list[Job], dict[str, Any]]:
    """Return every combination of a sweep, the last key varying fastest, and the options of the sweep.

    All jobs are composed and validated before any is returned. For other parameters and errors see `resolve`.

    Parameters
    ----------
    settings : sequence of sequence of str
        Lists of overrides with one value each. Every combination of `overrides` is made with each of these
        lists.
    """
    with _composer(folders) as composer:
        axes = composer.axes(composer.read(overrides))
        count = len(settings) * math.prod(map(len, axes.values()))
        if count > MOST_JOBS:
            raise UserError(f"a sweep has at most {MOST_JOBS} jobs, these are {count}: make several sweeps")
        moving = {key for key, texts in axes.items() if len(texts) > 1}
        for key in filter(of_the_sweep, sorted(moving)):
            raise UserError(f"{key} belongs to the whole sweep: give it one value")
        found, given = [], sweep_options({})
        alike: dict[tuple[str, ...], RunConfig] = {}  # by the overrides other than the seed
        for texts, setting in itertools.product(itertools.product(*axes.values()), settings):
            every = [*texts, *setting]
            seeds = [text for text in every if _SEED.fullmatch(text)]
            others = tuple(text for text in every if not _SEED.fullmatch(text))
            if len(seeds) == 1 and others in alike:
                config = dataclasses.replace(alike[others], seed=int(seeds[0].partition("=")[2]))
            else:
                composed = composer.compose(every)
                given, config = sweep_options(composed), checked(composed)
                if len(seeds) == 1:
                    alike[others] = config
            found.append(Job(every, config))
        return found, given


def axes(overrides: Sequence[str], folders: Sequence[Path] = ()) -> dict[str, list[str]]:
    """Return the keys of overrides, each with one override per value.

    Their form is checked, but nothing is composed. For parameters and errors see `resolve`.
    """
    with _composer(folders) as composer:
        return composer.axes(composer.read(overrides))


def _check_range(override: Override) -> None:
    """Raise a `UserError` for a range with more values than a sweep may have jobs, before it is expanded."""
    value = override.value()
    if not isinstance(value, RangeSweep):
        return
    if value.start is None or value.stop is None or value.step is None:
        return  # Hydra reports what is missing
    if not value.step:
        raise UserError(f"{written(override)} has no end: give a step that is not 0")
    if (value.stop - value.start) / value.step > MOST_JOBS:
        raise UserError(f"a sweep has at most {MOST_JOBS} jobs: {written(override)} alone has more values")


def _stepped(override: Override) -> list[str] | None:
    """Return the values of a range of fractions, stepped in decimals, else None.

    Binary steps of 0.1 give 0.30000000000000004, a run of its own beside that of 0.3.
    """
    sweep = override.value()
    if not isinstance(sweep, RangeSweep) or sweep.shuffle:
        return None
    ends = (sweep.start, sweep.stop, sweep.step)
    if None in ends or not any(isinstance(end, float) for end in ends):
        return None
    start, stop, step = (Decimal(repr(end)) for end in ends)
    steps = max(0, math.ceil((stop - start) / step))
    return [repr(float(start + k * step)) for k in range(steps)]


def _single(composer: _Composer, overrides: Sequence[str]) -> list[str]:
    """Return the overrides; raise a `UserError` if one of them has several values."""
    for override in composer.parse(overrides):
        if override.is_sweep_override():
            composer.check_known(override)
            raise UserError(f"{written(override)} names several values: add -m to run them all")
    return list(overrides)


@contextmanager
def _composer(folders: Sequence[Path]) -> Iterator[_Composer]:
    with initialize_config_dir(str(folder.conf_dir()), job_name="svmbench", version_base="1.3"):
        yield _Composer(folders)


class _Composer:
    """Composes configurations while Hydra is initialised, and caches the common parts of a sweep's jobs."""

    def __init__(self, folders: Sequence[Path]) -> None:
        check_shapes(folders)
        self._folders = folders
        self._groups = folder.groups(folders)
        self._parser = OverridesParser.create(GlobalHydra.instance().config_loader())
        self._grammar: dict[str, Override | None] = {}
        self._parsed: dict[str, Override] = {}
        self._composed: dict[tuple[str, ...], dict[str, Parameter] | None] = {}
        self._read: dict[tuple[str, str], dict[str, Parameter] | None] = {}

    def read(self, overrides: Sequence[str]) -> list[str]:
        """Return overrides in Hydra's grammar: our names of options, and text in quotes if it needs them."""
        return [self._readable(usual(given, self._folders)) for given in overrides]

    def _readable(self, given: str) -> str:
        key, equals, value = given.partition("=")
        if not equals or self._grammatical(given):
            return given
        parts = [
            one if self._grammatical(f"{key}={one}") else as_text(f"{key}={one}") for one in value.split(",")
        ]
        if None in parts:
            return as_text(given) or given
        return f"{key}=" + ",".join(str(part).removeprefix(f"{key}=") for part in parts)

    def _grammatical(self, given: str) -> Override | None:
        """Return an override as Hydra's grammar reads it, in milliseconds, once; None if it cannot."""
        if given not in self._grammar:
            try:
                (self._grammar[given],) = self._parser.parse_overrides([given])
            except HydraException:
                self._grammar[given] = None
        return self._grammar[given]

    def check_known(self, override: Override) -> None:
        """Raise a `UserError` for a key without a section that does not exist."""
        key = override.key_or_group
        known = [*self._groups, *(one.name for one in folder.keys(folder.defaults(), self._folders))]
        if "." not in key and key not in known:
            raise UserError(f"unknown key {key}{nearest(key, known)} (svmbench run --help lists all keys)")

    def parse(self, overrides: Sequence[str]) -> list[Override]:
        """Parse each override and check its form."""
        return [self._parse(given) for given in overrides]

    def _parse(self, given: str) -> Override:
        if given not in self._parsed:
            override = self._grammatical(given)
            if override is None or not override.key_or_group:
                raise UserError(not_an_override(given, self._folders))
            if not override.is_sweep_override():
                check_form(override, self._groups, self._folders)
            self._parsed[given] = override
        return self._parsed[given]

    def axes(self, overrides: Sequence[str]) -> dict[str, list[str]]:
        """Return for each key, in order, an override per value; of a key given twice, the last one counts."""
        found = {}
        for override in self.parse(overrides):
            key = override.get_key_element()
            if override.is_interval_sweep():
                raise UserError(
                    f"{written(override)} has no values to list: give KEY=A,B or KEY=range(A,B,STEP)"
                )
            values = [written(override)]
            if override.is_sweep_override():
                _check_range(override)
                values = [
                    f"{key}={value}" for value in _stepped(override) or override.sweep_string_iterator()
                ]
            if not values:
                raise UserError(
                    f"{written(override)} has no values: range(A,B) ends before B, glob(PATTERN) gives the "
                    "known names that match"
                )
            self.parse([text for text in values if text == values[0] or not _SEED.fullmatch(text)])
            found[key.lstrip("+")] = values
        return found

    def arguments(self, overrides: Sequence[str]) -> list[str]:
        """Return the arguments for Hydra: the overrides, and one that adds the user's folders."""
        self._register(overrides)
        quoted = ",".join("'file://" + str(path).replace("'", "\\'") + "'" for path in self._folders)
        return [*([f"hydra.searchpath=[{quoted}]"] if quoted else []), *overrides]

    def _register(self, overrides: Sequence[str]) -> None:
        """Register with Hydra the defaults of classes that overrides, defaults or files may choose."""
        texts = [folder.text_of(file) for path in self._folders for file in path.glob("*/*.yaml")]
        words = {given.partition("=")[2] for given in overrides} | set(re.findall(r"\w+", " ".join(texts)))
        words |= set(folder.defaults().values())
        for group in folder.CLASSES:
            for name in words.intersection(folder.class_names(group)):
                ConfigStore.instance().store(
                    name, _class_section(group, name), group=group, provider="svmbench"
                )

    def compose(self, overrides: Sequence[str]) -> Any:
        """Return the composed configuration in plain types.

        Hydra composes only what may affect more than a value or the section of an option, which takes it
        0.1 s. Without such overrides, the shipped defaults are read, and then values and sections replaced.

        Parameters
        ----------
        overrides : sequence of str
            Overrides with one value each.
        """
        parsed = self.parse(overrides)
        sections = self._sections(parsed)
        values = [o for o in parsed if self._is_value(o)]
        fixed = tuple(written(o) for o in parsed if o not in values and o.key_or_group not in sections)
        try:
            if fixed and fixed not in self._composed:
                self._composed[fixed] = plain(compose("config", self.arguments(fixed)), final=False)
            tree = self._composed[fixed] if fixed else self._defaults(sections)
            changed = with_changes(tree, sections, values)
            return changed or plain(compose("config", self.arguments(overrides)), final=True)
        except _FAILURES as error:
            raise self._refusal(overrides, error) from error

    def _defaults(self, sections: Mapping[str, Any]) -> dict[str, Parameter] | None:
        """Return the shipped defaults: of groups without these sections, and of the keys outside groups."""
        file = folder.conf_dir() / "config.yaml"
        about = file.stat()
        state = about.st_mtime_ns, about.st_size
        if state not in _ROOT:
            root = cast(dict[str, Parameter], OmegaConf.to_container(OmegaConf.load(file)))
            _ROOT[state] = {key: value for key, value in root.items() if key != "defaults"}
        chosen = {group: name for group, name in folder.defaults().items() if group not in sections}
        found = {group: self._section(group, name) for group, name in chosen.items()}
        return {**found, **_ROOT[state]} if None not in found.values() else None

    def _sections(self, parsed: Sequence[Override]) -> dict[str, dict[str, Parameter]]:
        """Return the sections of chosen options, by group; none if only Hydra can compose them.

        Only Hydra can do so if anything is added, if a group is named twice, or if the file of an option may
        affect more than its own section.
        """
        options = [o for o in parsed if not self._is_value(o)]
        known = folder.defaults()
        if any(_changes_form(o) or o.key_or_group not in known for o in options):
            return {}
        found = {o.key_or_group: self._section(o.key_or_group, str(o.value())) for o in options}
        sections = {group: section for group, section in found.items() if section}
        return sections if len(sections) == len(options) else {}

    def _section(self, group: str, name: str) -> dict[str, Parameter] | None:
        """Return the section of an option if its file defines nothing else; each file is read once."""
        if (group, name) not in self._read:
            file = folder.file_of(group, name, self._folders)
            of_class = file is None and group in folder.CLASSES
            self._read[group, name] = (
                _class_section(group, name) if of_class else read_section(file) if file else None
            )
        return self._read[group, name]

    def _refusal(self, overrides: Sequence[str], error: Exception) -> UserError:
        """Return the error for overrides that do not compose; raise it if a key or a file is the cause."""
        check_files(self._folders, overrides, error)
        parsed, reason = self.parse(overrides), error
        try:
            choices = [written(o) for o in parsed if o.key_or_group in self._groups]
            check_keys(
                [o for o in parsed if o.key_or_group not in self._groups],
                compose("config", self.arguments(choices)),
            )
        except _FAILURES as failure:  # the options themselves do not compose
            reason = failure
        lines = [line.strip() for line in str(reason).splitlines() if line.strip()] or [type(reason).__name__]
        unread = isinstance(reason, yaml.YAMLError)
        said = f"a file is not YAML ({', '.join(lines)}); correct it" if unread else lines[0]
        way = r" (\${...} stands for these characters themselves)" * ("Interpolation" in said)
        return UserError(f"'{' '.join(overrides)}' cannot be composed: {said}{way}")

    def _is_value(self, override: Override) -> bool:
        """Return whether an override only sets the value of an existing key."""
        return not _changes_form(override) and override.key_or_group not in self._groups


def _changes_form(override: Override) -> bool:
    """Return whether an override adds, deletes or moves a key or a section."""
    added = override.is_add() or override.is_force_add() or override.is_delete()
    return added or override.package is not None


def _class_section(group: str, name: str) -> dict[str, Parameter]:
    """Return the section of a class with its defaults."""
    return {"name": name, **defaults_of(schema_of(group, name))}
