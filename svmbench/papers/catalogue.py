"""The names of all figures, tables and checks, found without executing any of their files.

An artifact is a function without arguments that returns an `Artifact`; its name has dashes where the function
has underscores. Ours are in `svmbench.papers.documents`, those of a user in ``DIR/paper/*.py`` of the
configuration folder, those of a plug-in are entry points of the group ``svmbench.papers``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from svmbench.errors import UserError
from svmbench.plugins import plugins

#: Group of the entry points of plug-ins.
ENTRY = "svmbench.papers"
#: Our documents.
_DOCUMENTS = Path(__file__).parent / "documents"
#: The line that begins an artifact.
_FUNCTION = re.compile(r"^def ([a-z]\w*)\(\) -> Artifact:", re.MULTILINE)


@functools.cache
def ours() -> dict[str, str]:
    """Return the names of our artifacts, sorted, and the module of each."""
    return dict(sorted((name, file.stem) for file in _DOCUMENTS.glob("*.py") for name in _in(file)))


def owned(folders: Sequence[Path]) -> dict[str, Path]:
    """Return the user's artifacts by name, sorted, and the file of each.

    Raises
    ------
    UserError
        If a file cannot be read, has a figure with the name of ours, or is YAML, as figures once were.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        for old in (folder / "paper").glob("*.yaml"):
            raise UserError(
                f"{old} is of an older form: figures are Python files now; start from what svmbench new "
                "figure NAME --config-dir DIR writes, which has an argument for each key "
                "(docs/add-a-paper-figure.md)"
            )
        found |= {name: file for file in (folder / "paper").glob("*.py") for name in _in(file)}
    for name in found.keys() & ours().keys():
        raise UserError(f"{found[name]} has a figure with the name of one of svmbench, {name}: rename it")
    return dict(sorted(found.items()))


def names(folders: Sequence[Path] = ()) -> dict[str, str]:
    """Return the names of all artifacts, the user's first, and the file, package or module of each."""
    theirs = {name: entry.value for name, entry in plugins(ENTRY).items()}
    return {**{name: str(file) for name, file in owned(folders).items()}, **theirs, **ours()}


def _in(file: Path) -> Iterator[str]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read: {error}") from error
    yield from (name.replace("_", "-") for name in _FUNCTION.findall(text))
