"""Check overrides against the groups and keys of a run before anything is composed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from svmbench.config import folder
from svmbench.errors import UserError, nearest

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

#: The only keys of Hydra's own that a user sets; the others decide where files go.
_LAUNCHER = ("hydra/launcher", "hydra.launcher")


def written(override: Override) -> str:
    """Return the override as the user wrote it."""
    return override.input_line or ""


def is_hydra(override: Override) -> bool:
    """Return whether the override is for Hydra and not for the run."""
    return override.key_or_group.split(".")[0].split("/")[0] == "hydra"


def is_group(override: Override, folders: Sequence[Path]) -> bool:
    """Return whether the override chooses an option of a group."""
    return override.key_or_group in folder.groups(folders)


def check_form(override: Override, folders: Sequence[Path]) -> None:
    """Check what can be said without composing: group options, forms that a run does not have.

    Raises
    ------
    UserError
        With the nearest valid name.
    """
    text, key = written(override), override.key_or_group
    if is_hydra(override):
        if not key.startswith(_LAUNCHER):
            raise UserError(
                f"{text} is not allowed: of Hydra's keys only hydra/launcher and hydra.launcher.* can be set"
            )
        return
    if override.is_delete():
        raise UserError(f"{text} is not allowed: nothing can be removed; KEY=null lifts a limit")
    if override.package is not None:
        raise UserError(
            f"{text} is not allowed: a group has one place; write {key}={override.get_value_element_as_str()}"
        )
    if is_group(override, folders):
        _check_option(override, folders)


def _check_option(override: Override, folders: Sequence[Path]) -> None:
    group = override.key_or_group
    value = override.get_value_element_as_str()
    names = value.strip("[]").split(",") if group not in folder.GROUPS else [value]
    allowed = folder.options(group, folders)
    for name in names:
        if name not in allowed:
            raise UserError(
                f"unknown {group} '{name}'{nearest(name, allowed)} ({group}=: {', '.join(allowed)})"
            )
    if group in folder.GROUPS and (override.is_add() or override.is_force_add()):
        raise UserError(f"{written(override)} is not allowed: {group} is set already; write {group}={value}")
    if group not in folder.GROUPS and not override.is_add():
        raise UserError(
            f"{written(override)} is not allowed: {group} is not part of every run; write +{group}={value}"
        )


@dataclass(frozen=True)
class Keys:
    """The keys of a run, dotted.

    Attributes
    ----------
    present : list of str
        In the composed configuration, sections included.
    missing : list of str
        Left out by a user's own file, so that they have to be added.
    chosen : dict of str to str
        The name of each group's option.
    """

    present: list[str]
    missing: list[str]
    chosen: dict[str, str]


def check_key(override: Override, keys: Keys) -> None:
    """Check a value's key, also behind ``+`` and ``++``, against the keys of the run it belongs to.

    Parameters
    ----------
    override : Override
        An override that is neither Hydra's nor a group's.
    keys : Keys
        Of the run.
    """
    key, text = override.key_or_group, written(override)
    if key in keys.present:
        if override.is_add() and not override.is_force_add():
            raise UserError(f"{text} is not allowed: {key} is set already; write {text.removeprefix('+')}")
    elif key not in keys.missing:
        raise UserError(_unknown_key(key, keys))
    elif not (override.is_add() or override.is_force_add()):
        raise UserError(f"{text} is not allowed: your own file leaves {key} out; write +{text}")


def _unknown_key(key: str, keys: Keys) -> str:
    """Return the sentence for a key that does not exist: the nearest one and the keys beside it."""
    sections = {name.rpartition(".")[0] for name in keys.present}
    leaves = [name for name in (*keys.present, *keys.missing) if name not in sections]
    leaves = [name for name in leaves if not name.endswith(".name") and ".suggested." not in name]
    if "." in key:
        hint = nearest(key, leaves)
    else:
        same_tail = [name for name in leaves if name.rpartition(".")[2] == key]
        hint = f"; did you mean '{same_tail[0]}'?" if same_tail else nearest(key, [*folder.GROUPS, *leaves])
    section = key.split(".")[0]
    which = f"{section}={keys.chosen[section]}" if section in keys.chosen else section
    beside = [name for name in leaves if name.startswith(section + ".")]
    if beside:
        return f"unknown key {key}{hint} (keys of {which}: {', '.join(beside)})"
    if section in sections or section in keys.chosen:
        return f"unknown key {key}{hint} ({which} has no keys)"
    return f"unknown key {key}{hint} (svmbench run --help lists all keys)"
