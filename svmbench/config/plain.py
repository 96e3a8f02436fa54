"""Composed configurations in plain types, where the few values that differ between jobs can be replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from svmbench.config.folder import text_of
from svmbench.errors import UserError, kind_of
from svmbench.run_config import Parameter

if TYPE_CHECKING:
    from pathlib import Path

    from hydra.core.override_parser.types import Override
    from omegaconf import DictConfig


#: Errors that do not name the file they come from.
_UNNAMED = (ValueError, OSError)


def plain(config: DictConfig, *, final: bool) -> dict[str, Parameter] | None:
    """Return a composed configuration in plain types, or None.

    Parameters
    ----------
    config : DictConfig
        The configuration, composed by Hydra.
    final : bool
        Whether no value will be replaced later. If values will be, the result is None for a configuration
        with interpolations, since these would not follow the changes.
    """
    if not final and "${" in str(OmegaConf.to_container(config, resolve=False)):
        return None
    return cast(dict[str, Parameter], OmegaConf.to_container(config, resolve=True))


def read_section(file: Path) -> dict[str, Parameter] | None:
    """Return the section that the file of an option defines, or None if only Hydra can compose it.

    A file defines just its section unless it has a list of defaults, a package directive or interpolations.
    The whole text is searched for the words that these have, comments included: leaving a file to Hydra is
    always safe.
    """
    text = text_of(file)
    if any(word in text for word in ("defaults", "@package", "${")):
        return None
    try:
        content = OmegaConf.to_container(OmegaConf.load(file))
    except yaml.YAMLError:
        return None  # Hydra fails as well, and reports the place
    return cast(dict[str, Parameter], content) if content and isinstance(content, dict) else None


#: Deepest nesting of a user's file, and most keys and values that its aliases may expand to.
_DEEPEST = 100
_MOST_ALIASED = 10_000


def check_shapes(folders: Sequence[Path]) -> None:
    """Raise a `UserError` for a file that composing would take long for, or never read.

    Such a file is nested too deeply, or its aliases, which may be nested, expand to too many values.
    """
    for file in (file for folder in folders for file in sorted(folder.glob("*/*.yaml")) if file.is_file()):
        sizes: dict[str, int] = {}
        open_ones: list[tuple[str | None, int]] = []
        size = 0
        try:
            # libyaml's parser where there is one: the other takes seconds for hundreds of levels
            for event in yaml.parse(text_of(file), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                size += 1
                if isinstance(event, yaml.AliasEvent):
                    size += sizes.get(str(event.anchor), 0)
                elif isinstance(event, yaml.CollectionStartEvent):
                    open_ones.append((event.anchor, size))
                elif isinstance(event, yaml.CollectionEndEvent):
                    anchor, before = open_ones.pop()
                    if anchor is not None:
                        sizes[anchor] = size - before
                if len(open_ones) > _DEEPEST:
                    raise UserError(f"{file} is nested too deeply: write plain sections of keys and values")
                if size > _MOST_ALIASED and sizes:
                    raise UserError(
                        f"the aliases in {file} stand for more than {_MOST_ALIASED} values: write them out"
                    )
        except yaml.YAMLError:
            continue  # composing reports the place


def check_files(folders: Sequence[Path], overrides: Sequence[str], error: Exception) -> None:
    """Raise a `UserError` if composing failed because of a chosen file that Hydra does not name.

    Such a file is not UTF-8 or has no keys.
    """
    if isinstance(error, OmegaConfBaseException) or not isinstance(error, _UNNAMED):
        return
    values = ",".join(overrides)
    for file in (file for folder in folders for file in sorted(folder.glob("*/*.yaml"))):
        if file.stem not in values or not file.is_file():
            continue
        text = text_of(file)
        try:
            content = yaml.safe_load(text)
        except yaml.YAMLError:  # Hydra names the file
            continue
        if content is not None and not isinstance(content, dict):
            raise UserError(f"{file} holds {kind_of(content)}, not keys: write lines as in KEY: VALUE")


def with_changes(
    tree: dict[str, Parameter] | None,
    sections: Mapping[str, dict[str, Parameter]],
    values: Sequence[Override],
) -> dict[str, Parameter] | None:
    """Return a plain configuration with sections, then values, replaced; None if only Hydra can compose it.

    OmegaConf would take a hundred times as long, and a sweep may have a thousand jobs.
    """
    if tree is None:
        return None
    changed = _copied({**tree, **sections})
    for override in values:
        *path, last = override.key_or_group.split(".")
        place: Any = changed
        value = override.value()
        for section in path:
            place = place.get(section) if isinstance(place, dict) else None
        if (
            not isinstance(place, dict)
            or last not in place
            or isinstance(place[last], dict)
            or not (value is None or type(value) in (bool, int, float, str))
            or "${" in str(value)
            or override.is_add()
            or override.is_force_add()
        ):
            return None
        place[last] = value
    return changed


def _copied(tree: dict[str, Parameter]) -> dict[str, Parameter]:
    return {
        key: _copied(value) if type(value) is dict else list(value) if type(value) is list else value
        for key, value in tree.items()
    }
