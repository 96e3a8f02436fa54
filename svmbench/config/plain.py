"""Composed configurations in plain types, in which the jobs of a sweep differ by a few values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from svmbench.config.folder import text_of
from svmbench.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from hydra.core.override_parser.types import Override
    from omegaconf import DictConfig


#: Errors of a file that do not say which one it is.
_UNNAMED = (ValueError, OSError, RecursionError)


def plain(config: DictConfig, *, final: bool) -> dict[str, Any] | None:
    """Return a composed configuration in plain types.

    Parameters
    ----------
    config : DictConfig
        Composed by Hydra.
    final : bool
        No value will be changed. Otherwise a configuration in which values refer to others has no plain form,
        None: these would not follow.
    """
    if not final and "${" in str(OmegaConf.to_container(config, resolve=False)):
        return None
    return cast(dict[str, Any], OmegaConf.to_container(config, resolve=True))


def read_section(file: Path) -> dict[str, Any] | None:
    """Return what the file of an option is composed to, or None if only Hydra can tell.

    Such a file is its section, unless a list of defaults or a package directive says otherwise or a value
    refers to another. Their words are looked for anywhere in it: to let Hydra compose is never wrong.
    """
    text = text_of(file)
    if any(word in text for word in ("defaults", "@package", "${")):
        return None
    try:
        content = OmegaConf.to_container(OmegaConf.load(file))
    except (yaml.YAMLError, RecursionError):
        return None  # Hydra fails likewise, and says where
    return cast(dict[str, Any], content) if content and isinstance(content, dict) else None


def check_files(folders: Sequence[Path], overrides: Sequence[str], error: Exception) -> None:
    """Raise a `UserError` if an error in composing comes from a chosen file that Hydra does not name.

    For one that is not UTF-8 or holds no keys it raises a plain ValueError.
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
        except yaml.YAMLError:  # which Hydra does name
            continue
        except RecursionError:
            raise UserError(f"{file} is nested too deeply: write plain sections of keys and values") from None
        if content is not None and not isinstance(content, dict):
            raise UserError(
                f"{file} holds a {type(content).__name__}, not keys: write lines as in KEY: VALUE"
            )


def with_changes(
    tree: dict[str, Any] | None, sections: Mapping[str, dict[str, Any]], values: Sequence[Override]
) -> dict[str, Any] | None:
    """Return a plain configuration with other sections and then other values, or None if that takes more.

    OmegaConf needs a hundred times as long, and a sweep has a thousand jobs.
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


def _copied(tree: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _copied(value) if type(value) is dict else list(value) if type(value) is list else value
        for key, value in tree.items()
    }
