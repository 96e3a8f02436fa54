"""The options of each group and their keys, read without Hydra so that help is instant.

An option is a file in ``conf/``, or a class whose parameters are the keys: all but data sets and budgets.
Of files, this module only reads the simple style of those in ``conf/``: one key per line, two-space
indentation and a comment above each key; what is allowed says the class of the section. Runs use Hydra's
composition in `svmbench.config.compose`; a test compares both.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from svmbench.errors import UserError

#: Groups from each of which one option is always chosen; the launcher only matters to sweeps.
GROUPS = ("solver", "dataset", "kernel", "features", "budget", "launcher")

#: The groups whose options are classes; users may have files of options with other names.
CLASSES = ("solver", "kernel", "features", "launcher")

_LINE = re.compile(r"^(?P<indent> *)(?P<name>[A-Za-z_]\w*):(?:\s+(?P<value>.*))?$")

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


def conf_dir() -> Path:
    """Return the folder of the shipped configuration, in an installed package or in a source tree."""
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "conf", package.parent / "conf"):
        if (candidate / "config.yaml").is_file():
            return candidate
    raise RuntimeError(
        f"the configuration that belongs to svmbench is missing from {package}; install it again"
    )


def user_folders(given: str | None = None) -> list[Path]:
    """Return the user's configuration folders: ``--config-dir``, then ``$SVMBENCH_CONF``.

    Raises
    ------
    UserError
        If one is not a folder, or has a file with the name of a shipped file, which Hydra would read instead.
    """
    shipped = conf_dir()
    folders = []
    for origin, text in (("--config-dir", given), ("SVMBENCH_CONF", os.environ.get("SVMBENCH_CONF"))):
        if not text:
            continue
        folder = Path(text).expanduser().resolve()
        if not folder.is_dir():
            raise UserError(
                f"{origin}={text} is not a folder: give the folder that holds your configuration files"
            )
        for file in sorted((*folder.glob("*.yaml"), *folder.glob("*/*.yaml"))):
            twin = file.relative_to(folder)
            ours = (shipped / twin).is_file() or twin.stem in class_names(twin.parent.name)
            if folder != shipped and ours:
                raise UserError(
                    f"{file} has the name of an option of svmbench, which would be read instead: rename it"
                )
            if file.is_file():
                for match in _OTHER_NUMBER.finditer(text_of(file)):
                    raise UserError(
                        f"{file}: {match[0].strip()} is a number in another base, which the command line "
                        "does not read: write it in decimals, or in quotes if it is text"
                    )
        folders.append(folder)
    return folders


#: A value that YAML reads as a number in base 16, 8, 2 or 60.
_OTHER_NUMBER = re.compile(
    r"^[^#'\"\n]*(?:[:-][ \t]+|[\[,][ \t]*)[-+]?"
    r"(0x[0-9a-fA-F_]+|0b[01_]+|0[0-7_]+|[1-9][0-9_]*(:[0-5]?[0-9])+)(?=[ \t]*([,\]#]|$))",
    re.MULTILINE,
)


def option(folders: Sequence[Path | str]) -> list[str]:
    """Return the words by which a command is given the first of the user's folders; none without a folder."""
    return ["--config-dir", str(folders[0])] if folders else []


def groups(folders: Sequence[Path] = ()) -> list[str]:
    """Return the names of the groups: `GROUPS`, then the user's own."""
    found = {
        path.name
        for folder in (conf_dir(), *folders)
        for path in folder.iterdir()
        if path.is_dir() and any(path.glob("*.yaml"))
    }
    return [*GROUPS, *sorted(found - set(GROUPS))]


def options(group: str, folders: Sequence[Path] = ()) -> list[str]:
    """Return the names that can follow ``group=``, sorted; classes include those of installed plug-ins."""
    files = (file for folder in (conf_dir(), *folders) for file in (folder / group).glob("*.yaml"))
    found = {file.stem for file in files if file.is_file()}
    return sorted(found.union(class_names(group)))


def file_of(group: str, option: str, folders: Sequence[Path] = ()) -> Path | None:
    """Return the file of ``group=option`` in the first folder that has it; None for a class."""
    files = (folder / group / f"{option}.yaml" for folder in (conf_dir(), *folders))
    return next((file for file in files if file.is_file()), None)


def class_names(group: str) -> list[str]:
    """Return the names of the classes of a group, without importing any of them."""
    if group == "solver":
        from svmbench.solvers import registry

        return registry.names()
    if group == "kernel":
        from svmbench.kernels.functions import registry as kernels

        return kernels.names()
    if group == "launcher":
        from svmbench.config.schema import LAUNCHERS

        return [*LAUNCHERS]
    from svmbench import features

    return ["none", *features.NAMES] if group == "features" else []


def class_keys(group: str, option: str) -> list[Key]:
    """Return the keys of a class, with its dotted names."""
    from svmbench.config.validation import schema_of
    from svmbench.config.values import defaults_of, show

    kind = schema_of(group, option)
    values, section = defaults_of(kind), f"{group}."
    own = [
        Key(section + item.name, show(values[item.name]), item.metadata.get("help", ""))
        for item in fields(kind)
    ]
    return _limited(own, [(section, kind)])


def _file_keys(file: Path, group: str) -> list[Key]:
    """Return the keys of the file of an option; nothing says what is allowed in one of a wrong name."""
    from svmbench.config.schema import Suggested
    from svmbench.config.validation import kind_of, schema_of

    own, section = read_keys(file, group), f"{group}."
    with contextlib.suppress(UserError):
        stated = {key.name.removeprefix(section): key.default for key in own}
        kind = schema_of(group, kind_of(group, {"name": file.stem, **stated}))
        own = _limited(own, [(section, kind), (f"{section}suggested.", Suggested)])
    return own


def _limited(keys: Sequence[Key], sections: Iterable[tuple[str, type]]) -> list[Key]:
    """Return keys with what the classes of their sections, by the beginning of their names, allow."""
    from svmbench.config.values import alternatives, hints

    allowed = {
        section + item.name: BETWEEN.join(alternatives(types[item.name], item.metadata))
        for section, kind in sections
        for types in (hints(kind),)
        for item in fields(kind)
    }
    return [replace(key, allowed=allowed.get(key.name, "")) for key in keys]


def defaults() -> dict[str, str]:
    """Return the default option of each group."""
    text = (conf_dir() / "config.yaml").read_text(encoding="utf-8")
    return dict(re.findall(r"^  - (\w+): (\w+)$", text, re.MULTILINE))


def keys(chosen: dict[str, str], folders: Sequence[Path] = ()) -> list[Key]:
    """Return all keys of a run with the given options, in the order of the files."""
    from svmbench.config.schema import Sweep
    from svmbench.run_config import SECTIONS, RunConfig

    found = []
    for group in GROUPS:
        file = file_of(group, chosen[group], folders)
        own = _file_keys(file, group) if file else class_keys(group, chosen[group])
        found += [key for key in own if not key.name.endswith(".name")]
    top = [key for key in read_keys(conf_dir() / "config.yaml") if key.name != "defaults"]
    run = [("", RunConfig), *((f"{name}.", kind) for name, kind in SECTIONS.items())]
    return found + _limited(top, [*run, ("", Sweep)])


def text_of(file: Path) -> str:
    """Return the text of a configuration file.

    Raises
    ------
    UserError
        If it cannot be read or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror or error}; make it readable") from error
    except UnicodeDecodeError as error:
        raise UserError(
            f"{file} is not UTF-8 (byte {error.start + 1} is 0x{error.object[error.start]:02x}), as "
            "configuration files are: save it as UTF-8"
        ) from error


def read_keys(file: Path, prefix: str = "") -> list[Key]:
    """Return the leaf keys of a file, prefixed with ``prefix.``."""
    found: list[Key] = []
    path: list[tuple[int, str]] = [(-1, prefix)] if prefix else []
    comment: list[str] = []
    lines = text_of(file).splitlines()
    for number, line in enumerate(lines):
        if line.lstrip().startswith("#"):
            comment.append(line.lstrip().removeprefix("#").strip())
            continue
        match = _LINE.match(line)
        if match:
            indent = len(match["indent"])
            path = [level for level in path if level[0] < indent]
            value = (match["value"] or "").partition("# ")[0].strip()
            if value or not _opens_section(lines[number + 1 :], indent):
                name = ".".join([*(part for _, part in path), match["name"]])
                found.append(Key(name, value, " ".join(comment)))
            else:
                path.append((indent, match["name"]))
        comment = []
    return found


def _opens_section(rest: list[str], indent: int) -> bool:
    """Return whether the lines after a key without a value are indented, so that they are its section."""
    following = next((line for line in rest if line.strip() and not line.lstrip().startswith("#")), "")
    return len(following) - len(following.lstrip()) > indent
