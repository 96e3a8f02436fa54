"""Write the parts of ``conf/`` that follow from classes: ``python -m svmbench.config.generate``.

A parameter is defined once, as a field of a dataclass: its type, default, limits and, for solvers and
features, its help. The files repeat this for Hydra, for readers, and for help and completion, for which
importing the classes would be too slow. Files of solvers and features are generated entirely, except for
their first comment. The other files have their own values and rationales; only the allowed values are
generated. A test compares the files with the classes.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from svmbench.config import folder, schema
from svmbench.config.validation import schema_of
from svmbench.config.values import alternatives, default, hints, show
from svmbench.errors import UserError
from svmbench.run_config import SECTIONS, RunConfig

_WIDTH = 120

#: Groups whose files are generated entirely, and what the name in such a file denotes.
_WHOLE = {"solver": "solver", "features": "feature map"}

_KEY = re.compile(r"^(?P<lead>(?P<indent> *)(?P<name>\w+): *[^#\n]*?) *(?:# .*)?$")


def generated(file: Path) -> str:
    """Return the text that a file of ``conf/`` should have, from the schema and what is kept of the file."""
    group, name = file.parent.name, file.stem
    text = file.read_text(encoding="utf-8") if file.is_file() else f"{_first_comment(name)}\n\n"
    if group in _WHOLE:
        return "\n".join([text.partition("\n\n")[0], "", *_keys(group, name)]) + "\n"
    top = file == folder.conf_dir() / "config.yaml"
    named = re.search(r"^name: (\w+)$", text, re.MULTILINE)
    kind = RunConfig if top else schema_of(group, named[1] if named else name)
    sections: dict[str, list[type]] = {"": [kind], "suggested": [schema.Suggested]}
    if top:
        sections = {name: [section] for name, section in SECTIONS.items()}
        sections[""] = [kind, schema.Sweep]
    return "\n".join(_with_limits(text.splitlines(), sections)) + "\n"


def _first_comment(solver: str) -> str:
    """Return the first comment of a new solver's file."""
    from svmbench.solvers import registry

    kind = registry.get(solver)
    lines = textwrap.wrap(f"{kind.title}: {kind.citation}", _WIDTH - 2, break_on_hyphens=False)
    return "\n".join(f"# {line}" for line in lines)


def _keys(group: str, name: str) -> Iterator[str]:
    """Yield the lines of a file's keys."""
    kind = schema_of(group, name)
    yield f"# Name of the {_WHOLE[group]}; chosen by {group}=NAME."
    yield f"name: {name}"
    types = hints(kind)
    for item in dataclasses.fields(kind):
        yield from textwrap.wrap(
            item.metadata["help"], _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
        )
        yield f"{item.name}: {_yaml(default(item))}  {_limits(types[item.name], item.metadata)}"


def _yaml(value: Any) -> str:
    """Return a value in YAML; a float always has a decimal point, even before an exponent."""
    if isinstance(value, list):
        return f"[{', '.join(map(_yaml, value))}]"
    text = show(value)
    if isinstance(value, float) and "e" in text:
        digits, exponent = text.split("e")
        return f"{digits}{'' if '.' in digits else '.0'}e{int(exponent):+d}"
    return text


def _limits(hint: Any, limits: Any) -> str:
    return f"# {folder.BETWEEN.join(alternatives(hint, limits))}"


def _with_limits(lines: list[str], sections: dict[str, list[type]]) -> Iterator[str]:
    """Yield the lines, each key followed by its allowed values according to the schemas of its section."""
    section = ""
    for line in lines:
        match = _KEY.match(line)
        if match is None or line.lstrip().startswith("#"):
            yield line
            continue
        if not match["indent"]:
            section = match["name"] if match["name"] in sections else ""
        stated = [
            _limits(hints(kind)[item.name], item.metadata)
            for kind in sections[section]
            for item in dataclasses.fields(kind)
            if item.name == match["name"] != "name"
        ]
        opens = match["lead"].rstrip().endswith(":")
        yield line if opens or not stated else f"{match['lead']}  {stated[0]}"


def files() -> list[Path]:
    """Return all files that this module generates, entirely or in part, including those of new solvers."""
    from svmbench.solvers import registry

    conf, plugins = folder.conf_dir(), folder.plugin_solvers()
    names = {("solver", name) for name in registry.names()}
    names |= {(group, name) for group in folder.GROUPS for name in folder.options(group)}
    found = [conf / group / f"{name}.yaml" for group, name in sorted(names)]
    return [conf / "config.yaml", *(file for file in found if file.is_file() or file.stem not in plugins)]


def main() -> int:
    """Write all files that have changed, and print their names."""
    try:
        texts = {file: generated(file) for file in files()}
    except UserError as error:
        print(f"svmbench: {error}", file=sys.stderr)
        return 2
    for file, text in texts.items():
        if not file.is_file() or text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8")
            print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
