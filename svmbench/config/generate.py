"""Write the parts of ``conf/`` that follow from classes: ``python -m svmbench.config.generate``.

The files have their own values and rationales; the allowed values of each key are generated from the classes
of the sections. A test compares both.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from svmbench.config import folder, schema
from svmbench.config.validation import schema_of
from svmbench.config.values import alternatives, hints
from svmbench.errors import UserError
from svmbench.run_config import SECTIONS, RunConfig

_KEY = re.compile(r"^(?P<lead>(?P<indent> *)(?P<name>\w+): *[^#\n]*?) *(?:# .*)?$")


def generated(file: Path) -> str:
    """Return the text that a file of ``conf/`` should have, from the schema and what is kept of the file."""
    group, name = file.parent.name, file.stem
    text = file.read_text(encoding="utf-8")
    top = file == folder.conf_dir() / "config.yaml"
    named = re.search(r"^name: (\w+)$", text, re.MULTILINE)
    kind = RunConfig if top else schema_of(group, named[1] if named else name)
    sections: dict[str, list[type]] = {"": [kind], "suggested": [schema.Suggested]}
    if top:
        sections = {name: [section] for name, section in SECTIONS.items()}
        sections[""] = [kind, schema.Sweep]
    return "\n".join(_with_limits(text.splitlines(), sections)) + "\n"


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
    """Return all files of ``conf/``."""
    return sorted(folder.conf_dir().rglob("*.yaml"))


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
