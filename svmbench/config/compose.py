"""From overrides to resolved configurations, by Hydra's composition and our validation."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from svmbench.config import folder
from svmbench.config.check import checked, schema_of
from svmbench.config.overrides import Keys, check_form, check_key, is_group, is_hydra, written
from svmbench.errors import UserError, nearest


def resolve(overrides: Sequence[str], folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Return the resolved configuration of one run.

    Parameters
    ----------
    overrides : sequence of str
        ``KEY=VALUE`` in Hydra's grammar, one value each.
    folders : sequence of Path
        The user's own configuration folders, beside the shipped one.

    Raises
    ------
    UserError
        With one sentence for anything that is unknown, of a wrong type, out of range or impossible.
    """
    with _composer(folders) as composer:
        parsed = composer.parse(overrides)
        for override in parsed:
            if override.is_sweep_override():
                raise UserError(f"{written(override)} names several values: add -m to run them all")
        return composer.job(overrides)


def jobs(overrides: Sequence[str], folders: Sequence[Path] = ()) -> list[tuple[list[str], dict[str, Any]]]:
    """Return overrides and resolved configuration of all jobs of a multirun, in the order of Hydra's starts.

    All jobs are composed and validated before any is returned; parameters and errors as in `resolve`.
    """
    with _composer(folders) as composer:
        parsed = composer.parse(overrides)
        split = in_words(partial(BasicSweeper.split_arguments, parsed, None), " ".join(overrides))[0]
        composer.check_launcher(parsed)
        return [(job, composer.job(job)) for job in split]


def plain(composed: DictConfig) -> dict[str, Any]:
    """Return the resolved configuration of what Hydra composed."""
    return checked(in_words(partial(OmegaConf.to_container, composed, resolve=True), "the configuration"))


@contextmanager
def _composer(folders: Sequence[Path]) -> Iterator[_Composer]:
    with initialize_config_dir(str(folder.conf_dir()), job_name="svmbench", version_base="1.3"):
        yield _Composer(folders)


class _Composer:
    """Composes jobs while Hydra is initialised; keeps what jobs of a sweep have in common."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._path = search_path(folders)
        self._parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
        self._parsed: dict[str, Override] = {}
        self._bases: dict[tuple[str, ...], tuple[DictConfig, Keys]] = {}

    def parse(self, overrides: Sequence[str]) -> list[Override]:
        """Parse and check the form of each override."""
        return [self._parse(text) for text in overrides]

    def _parse(self, text: str) -> Override:
        if text not in self._parsed:
            try:
                override = self._parser.parse_override(text)
            except HydraException as error:
                raise UserError(_not_an_override(text, self._folders)) from error
            if not override.key_or_group:
                raise UserError(_not_an_override(text, self._folders))
            if not override.is_sweep_override():
                check_form(override, self._folders)
            self._parsed[text] = override
        return self._parsed[text]

    def check_launcher(self, overrides: Sequence[Override]) -> None:
        """Compose what is Hydra's own of a sweep, so that a missing launcher is told at the start."""
        given = [written(override) for override in overrides if is_hydra(override)]
        if given:
            in_words(partial(compose, "config", given, return_hydra_config=True), " ".join(given))

    def job(self, overrides: Sequence[str]) -> dict[str, Any]:
        """Return the resolved configuration of overrides without sweeps."""
        mine = [override for override in self.parse(overrides) if not is_hydra(override)]
        choices = [written(o) for o in mine if is_group(o, self._folders)]
        values = [o for o in mine if not is_group(o, self._folders)]
        base, keys = self._base(tuple(choices))
        config = copy.deepcopy(base)
        given = " ".join(overrides)
        for override in values:
            check_key(override, keys)
            add = override.is_add() or override.is_force_add()
            put = partial(OmegaConf.update, config, override.key_or_group, override.value())
            in_words(partial(put, merge=True, force_add=add), given)
        return checked(in_words(partial(OmegaConf.to_container, config, resolve=True), given))

    def _base(self, choices: tuple[str, ...]) -> tuple[DictConfig, Keys]:
        """Return the configuration of the chosen options alone, and the keys that the job can set.

        Setting values in a copy of it gives what Hydra composes from all overrides, so much faster that it is
        felt in a sweep.
        """
        if choices not in self._bases:
            register_plugin_solvers(choices)
            base = in_words(partial(compose, "config", [*self._path, *choices]), " ".join(choices))
            self._bases[choices] = base, _keys(base)
        return self._bases[choices]


def search_path(folders: Sequence[Path]) -> list[str]:
    """Return the override by which Hydra reads the user's folders too."""
    quoted = ",".join("'file://" + str(path).replace("'", "\\'") + "'" for path in folders)
    return [f"hydra.searchpath=[{quoted}]"] if folders else []


def register_plugin_solvers(overrides: Sequence[str]) -> None:
    """Give Hydra the defaults of a chosen plug-in solver that has no file under ``conf/solver/``."""
    chosen = {text.partition("=")[2] for text in overrides if text.startswith("solver=")}
    for name in chosen & set(folder.plugin_solvers()):
        from svmbench.solvers import registry

        params = dataclasses.asdict(registry.get(name).Params())
        ConfigStore.instance().store(name, {"name": name, **params}, group="solver", provider="svmbench")


def in_words(action: Callable[[], Any], given: str) -> Any:
    """Run an action of Hydra's; its errors become one sentence."""
    try:
        return action()
    except (HydraException, OmegaConfBaseException) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise UserError(
            f"'{given}' cannot be composed: {lines[0] if lines else type(error).__name__}"
        ) from error


def _not_an_override(text: str, folders: Sequence[Path]) -> str:
    """Return the sentence for a word that is not of the form KEY=VALUE."""
    if "=" in text.lstrip("="):
        return f"'{text}' cannot be read: write KEY=VALUE, and special characters in quotes: 'KEY=\"...\"'"
    for group in folder.groups(folders):
        if text in folder.options(group, folders):
            return f"'{text}' is not of the form KEY=VALUE; did you mean '{group}={text}'?"
    groups = [f"{group}=" for group in folder.groups(folders)]
    return f"'{text}' is not of the form KEY=VALUE{nearest(text, groups)}"


def _keys(base: DictConfig) -> Keys:
    """Return the keys of a composed configuration and those that its files could have but leave out."""
    names = {group: str(base[group].get("name")) for group in folder.GROUPS}
    present = list(_flatten(OmegaConf.to_container(base)))
    possible = [
        f"{group}.{item.name}"
        for group, name in names.items()
        for item in dataclasses.fields(schema_of(group, name))
    ]
    return Keys(present, [key for key in possible if key not in present], names)


def _flatten(tree: Any, prefix: str = "") -> Iterator[str]:
    """Yield all dotted keys, sections included."""
    for key, value in tree.items():
        yield prefix + key
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
