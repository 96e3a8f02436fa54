"""Resolved configurations from overrides: parsed by Hydra's grammar, composed and validated here.

A configuration is the defaults of the chosen options, in plain types, with the given values in their places.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, RangeSweep
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from svmbench.config import folder, options
from svmbench.config.options import Option, Tree, merged, option_of
from svmbench.config.overrides import as_text, check_form, not_an_override, unknown_key, usual, written
from svmbench.config.schema import Sweep
from svmbench.config.validation import checked, of_the_sweep, sweep_options
from svmbench.errors import UserError, nearest
from svmbench.option import defaults_of
from svmbench.run_config import SECTIONS, TOP, RunConfig

#: An override that needs neither parsing nor validation if another seed has had both: nothing depends on it.
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
    composer = _Composer(folders)
    return [_resolved(composer.compose(_single(composer, composer.read(each)))) for each in many]


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
    composer = _Composer(folders)
    overrides = _single(composer, composer.read(overrides))
    checked(composer.compose(overrides))
    return OmegaConf.to_yaml(OmegaConf.create(composer.tree(overrides)), resolve=resolved).rstrip()


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
    composer = _Composer(folders)
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
    composer = _Composer(folders)
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


class _Composer:
    """Composes configurations, and caches the common parts of a sweep's jobs."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._groups = folder.groups(folders)
        self._parser = OverridesParser.create()
        self._grammar: dict[str, Override | None] = {}
        self._parsed: dict[str, Override] = {}
        self._read: dict[tuple[str, str], Option] = {}
        self._chosen: dict[tuple[str, ...], Tree] = {}

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
        known = [*self._groups, *(one.name for one in options.keys(options.defaults(), self._folders))]
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
            values, given = [written(override)], override.value()
            if isinstance(given, Glob):
                values = [f"{key}={name}" for name in given.filter(folder.options(key, self._folders))]
            elif override.is_sweep_override():
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

    def compose(self, overrides: Sequence[str]) -> Tree:
        """Return the composed configuration of overrides with one value each."""
        tree = self.tree(overrides)
        if "${" not in str(tree):
            return tree
        try:
            return cast(Tree, OmegaConf.to_container(OmegaConf.create(tree), resolve=True))
        except OmegaConfBaseException as error:
            said = str(error).strip().splitlines()[0]
            way = r"\${...} stands for these characters themselves"
            raise UserError(f"'{' '.join(overrides)}' cannot be composed: {said} ({way})") from error

    def tree(self, overrides: Sequence[str]) -> Tree:
        """Return the composed configuration with its interpolations, ``${KEY}``, as they are."""
        parsed = self.parse(overrides)
        base = self._options([o for o in parsed if o.key_or_group in self._groups])
        tree = merged(base, {})
        for override in (o for o in parsed if o.key_or_group not in self._groups):
            *path, last = override.key_or_group.split(".")
            place: Any = tree
            for section in path:
                place = place.get(section) if isinstance(place, dict) else None
            known = isinstance(place, dict) and last in place
            if not known:
                raise unknown_key(override, base)
            place.update(merged(place, {last: override.value()}))
        return tree

    def _options(self, given: Sequence[Override]) -> Tree:
        """Return the defaults of the options that overrides choose, and of the others."""
        words = tuple(map(written, given))
        if words in self._chosen:
            return self._chosen[words]
        chosen, own = dict(options.defaults()), []
        for override in given:
            value = override.value()
            for name in map(str, value if isinstance(value, list) else [value]):
                if override.key_or_group in folder.GROUPS:
                    chosen[override.key_or_group] = name
                else:
                    own.append((override.key_or_group, name))
        fixed = {override.key_or_group for override in given}
        every = [*own, *chosen.items()]
        for option in every:  # those that they choose may choose others
            for group, name in self._option(option).overrides.items():
                if group not in fixed:
                    fixed.add(group)
                    chosen[group] = name
                    every.append((group, name))
        root = {
            **{name: value for name, value in defaults_of(RunConfig).items() if name in TOP},
            **{name: defaults_of(kind) for name, kind in SECTIONS.items() if name not in folder.GROUPS},
            **defaults_of(Sweep),
        }
        tree: Tree = {}
        for part in (*map(self._tree, chosen.items()), root, *map(self._tree, own)):
            tree = merged(tree, part)
        tree |= {group: options.filled(group, tree.get(group)) for group in folder.GROUPS}
        self._chosen[words] = tree
        return tree

    def _tree(self, option: tuple[str, str]) -> Tree:
        return self._option(option).tree

    def _option(self, option: tuple[str, str]) -> Option:
        """Return an option by its group and its name; each is read once."""
        if option not in self._read:
            self._read[option] = option_of(*option, self._folders)
        return self._read[option]
