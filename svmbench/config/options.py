"""What options contribute to a configuration: their keys, with defaults, meanings and limits.

An option is a class, whose fields are the keys, or a file with other values of the keys of such a class, in
``conf/`` or in a folder of the user.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from svmbench.config import folder
from svmbench.config.schema import Sweep
from svmbench.config.validation import kind_of, schema_of
from svmbench.data import catalogue
from svmbench.errors import UserError, nearest
from svmbench.errors import kind_of as type_of
from svmbench.option import alternatives, defaults_of, hints, show
from svmbench.run_config import SECTIONS, Parameter, RunConfig

#: A configuration or a part of it, by nested keys.
Tree = dict[str, Parameter]

#: Deepest nesting of a user's file, and most keys and values that its aliases may expand to.
_DEEPEST = 100
_MOST_ALIASED = 10_000

_PACKAGE = re.compile(r"^#\s*@package\s+(\S+)", re.MULTILINE)


#: Separator of the alternatives in the comment after a value.
BETWEEN = " | "


@dataclass(frozen=True)
class Key:
    """One key of an option: its dotted name, default as written, comment, and allowed values."""

    name: str
    default: str
    comment: str
    allowed: str = ""

    @property
    def choices(self) -> list[str]:
        """Words that the key accepts; descriptions such as "a number" are left out."""
        words = self.allowed.split(BETWEEN) if self.allowed else []
        return [word for word in words if word != "text" and not word.startswith("a ")]


@dataclass(frozen=True)
class Option:
    """What an option contributes to a configuration.

    Attributes
    ----------
    tree : Tree
        Its keys within the configuration: those of its section, unless a file begins with
        ``# @package _global_``.
    overrides : dict
        Options that it chooses of other groups, by group.
    """

    tree: Tree
    overrides: dict[str, str]


def option_of(group: str, name: str, folders: Sequence[Path], within: Sequence[Path] = ()) -> Option:
    """Return an option: of a user, in the part of Hydra's form that svmbench reads, or of svmbench.

    The list ``defaults`` of a file has options of the same group, whose keys it changes, and
    ``override /GROUP: NAME``.

    Raises
    ------
    UserError
        If there is no such option, its file has another form, or it is one of those that it changes
        (`within`).
    """
    file = folder.file_of(group, name, folders)
    if file is None:
        if name not in (known := folder.options(group, folders)):
            raise UserError(f"unknown {group} '{name}'{nearest(name, known)} ({group}=: {', '.join(known)})")
        more = {"suggested": defaults_of(catalogue.suggested(name))} if group == "dataset" else {}
        return Option({group: {"name": name, **more}}, {})
    if file in within:
        raise UserError(f"{file} names itself in its defaults: leave it out there")
    text, content = _content(file)
    package = _PACKAGE.search(text)
    if package and package[1] not in ("_global_", "_group_"):
        raise UserError(f"{file}: @package {package[1]} is not allowed: give _global_, or leave it out")
    tree: Tree = {}
    overrides: dict[str, str] = {}
    listed = content.pop("defaults", [])
    for entry in listed if isinstance(listed, list) else [listed]:
        ((key, other),) = entry.items() if isinstance(entry, dict) and len(entry) == 1 else ((None, entry),)
        place = str(key).removeprefix("override /")
        if isinstance(other, str) and key is None:
            tree = merged(
                tree, option_of(group, other, folders, [*within, file]).tree if other != "_self_" else {}
            )
        elif isinstance(other, str) and place in folder.GROUPS and place != key:
            overrides[place] = other
        else:
            raise UserError(
                f"{file}: an entry of defaults is neither an option of the same group nor of the form "
                f"'override /GROUP: NAME', with GROUP one of {', '.join(folder.GROUPS)}: write it so"
            )
    whole = package and package[1] == "_global_"
    return Option(merged(tree, content if whole else {group: content}), overrides)


def _content(file: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a file, and its keys."""
    import yaml
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    text = folder.text_of(file)
    try:
        _check_shape(file, text)
        content: Any = OmegaConf.to_container(OmegaConf.load(file))
    except (yaml.YAMLError, OmegaConfBaseException, OSError) as error:
        lines = str(error).replace('in "<unicode string>", ', "").replace(f'in "{file}", ', "").splitlines()
        said = ", ".join(line.strip() for line in lines if line.strip())
        raise UserError(f"{file} is not YAML ({said}): correct it") from error
    if content is None:
        content = {}
    if not isinstance(content, dict):
        raise UserError(f"{file} holds {type_of(content)}, not keys: write lines as in KEY: VALUE")
    return text, content


def _check_shape(file: Path, text: str) -> None:
    """Raise a `UserError` for a text nested too deeply, or whose aliases expand to too many values."""
    import yaml

    sizes: dict[str, int] = {}
    open_ones: list[tuple[str | None, int]] = []
    size = 0
    # libyaml's parser where there is one: the other takes seconds for hundreds of levels
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
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


def filled(group: str, given: Any) -> Any:
    """Return a section with the defaults of its class for the keys that it leaves out."""
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        return given  # which validation refuses
    return {"name": "", **defaults_of(schema_of(group, kind_of(group, given))), **given}


@functools.cache
def defaults() -> dict[str, str]:
    """Return the option of each group that is chosen without a word."""
    _, content = _content(folder.conf_dir() / "config.yaml")
    return {group: name for entry in content["defaults"] for group, name in entry.items()}


def keys(chosen: dict[str, str], folders: Sequence[Path] = ()) -> list[Key]:
    """Return all keys of a run with the given options, group by group."""
    found = []
    for group in folder.GROUPS:
        given = option_of(group, chosen[group], folders).tree.get(group)
        values = filled(group, {"name": chosen[group], **(given if isinstance(given, dict) else {})})
        kind = kind_of(group, values)
        found += _keys(f"{group}.", schema_of(group, kind), values)
        if group == "dataset":
            found += _keys("dataset.suggested.", catalogue.suggested(kind), values.get("suggested", {}))
    others = {f"{name}.": schema for name, schema in SECTIONS.items() if name not in folder.GROUPS}
    for prefix, schema in (*others.items(), ("", RunConfig), ("", Sweep)):
        found += _keys(prefix, schema, defaults_of(schema))
    return found


def _keys(prefix: str, kind: type, values: Mapping[str, Any]) -> list[Key]:
    """Return the keys of a section that have a help and a value."""
    return [
        Key(
            prefix + item.name,
            show(values[item.name]),
            item.metadata["help"],
            BETWEEN.join(alternatives(hints(kind)[item.name], item.metadata)),
        )
        for item in fields(kind)
        if item.name in values and item.name != "name" and "help" in item.metadata
    ]


def merged(tree: Mapping[str, Any], changes: Mapping[str, Any]) -> Tree:
    """Return a copy of a tree with the values of another one in place of its own; both remain as they are."""
    found = {key: merged(value, {}) if isinstance(value, dict) else value for key, value in tree.items()}
    for key, value in changes.items():
        if isinstance(value, dict):
            below = found.get(key)
            value = merged(below if isinstance(below, dict) else {}, value)
        found[key] = value
    return found
