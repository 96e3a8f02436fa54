"""Names of the options of each group, and the folders with files of options: ``conf/``, and the user's."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from svmbench.errors import UserError

#: Groups from each of which one option is always chosen; the launcher only matters to sweeps.
GROUPS = ("solver", "dataset", "kernel", "features", "budget", "launcher")


def conf_dir() -> Path:
    """Return the shipped configuration folder, in an installed package or in a source tree."""
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
        If one is not a folder, or has a file with the name of an option of svmbench.
    """
    shipped, folders = conf_dir(), []
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
                raise UserError(f"{file} has the name of an option of svmbench: rename it")
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
    if group == "dataset":
        from svmbench import data

        return data.names()
    if group == "launcher":
        from svmbench.config.schema import LAUNCHERS

        return [*LAUNCHERS]
    from svmbench import features

    return ["none", *features.NAMES] if group == "features" else []


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
