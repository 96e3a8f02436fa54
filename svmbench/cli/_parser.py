"""Argument parsing of subcommands: one sentence per mistake, no abbreviations."""

from __future__ import annotations

import argparse
import importlib
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from svmbench.errors import UserError, nearest

#: Keys whose section is often left out.
_WHOLE = {"C": "problem.C", "c": "problem.C", "gamma": "kernel.gamma", "degree": "kernel.degree"}


class _Asked(Exception):
    """Raised instead of parsing, where completion asks for the parser."""


class Parser(argparse.ArgumentParser):
    """A parser for one subcommand."""

    _asked = False

    def __init__(self, command: str, description: str, **options: Any) -> None:
        prog = f"svmbench {command}"
        super().__init__(prog=prog, description=description, allow_abbrev=False, **options)

    @staticmethod
    def actions(command: str, words: Sequence[str]) -> list[argparse.Action]:
        """Return what a subcommand takes, or its action that the words begin with, if that has a parser.

        The subcommand is called, and ends where it would parse.
        """
        Parser._asked = True
        try:
            importlib.import_module(f"svmbench.cli.{command}").main([])
        except _Asked as asked:
            (parser,) = asked.args
        finally:
            Parser._asked = False
        for action in parser._actions if words else ():
            own = action.choices.get(words[0]) if isinstance(action.choices, Mapping) else None
            parser = own if isinstance(own, Parser) else parser
        return list(parser._actions)

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        """Add an argument; any number of words includes none, so they are not named as required."""
        if options.get("nargs") == "*":
            options.setdefault("default", [])
        return super().add_argument(*names, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; the other methods that parse call this one."""
        if Parser._asked:
            raise _Asked(self)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise the mistake as a `UserError`."""
        found = re.match(r"unrecognized arguments: (--?)([\w.-]+)(?:=| |$)", message)
        if found:
            from svmbench.config.folder import GROUPS
            from svmbench.config.overrides import meant
            from svmbench.run_config import TOP

            dashes, name = found.groups()
            known = name in (*GROUPS, *TOP) or "." in name
            key = name if known else _WHOLE.get(name) or meant(name)
            options = [one for one in self._option_string_actions if one.startswith("--")]
            hint = "" if key or dashes == "-" else nearest(f"--{name}", options)
            takes_keys = any(action.metavar == "KEY=VALUE" for action in self._actions)
            if takes_keys and not hint and (key or len(name) > 1):
                hint = f"; a key has no dashes: {key or name.replace('-', '_')}=VALUE"
            message += hint
        found = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)$", message)
        if found:
            hint = nearest(found[1], re.findall(r"[\w.-]+", found[2]))
            message = f"{message[: found.end(1) + 1]}{hint}{message[found.end(1) + 1 :]}"
        raise UserError(f"{self.prog}: {message} (see {self.prog} --help)")

    def add_results(self, *, written: bool = False) -> None:
        """Add the option for the results folder, which must exist if it is only read."""
        self.add_argument(
            "--results", default="results", metavar="DIR", help="folder of the stored runs", action=_Folder,
            const=written,
        )  # fmt: skip

    def parse_with_results(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Add the options of commands that read stored runs, --json and --results, and parse."""
        self.add_json()
        self.add_results()
        return self.parse_args(arguments)

    def add_sweep(self, help: str = "name or unique prefix; the newest by default") -> None:
        """Add the argument that names a sweep."""
        self.add_argument("sweep", nargs="?", metavar="SWEEP", help=help, type=_sweep)

    def add_json(self) -> None:
        """Add the option for machine-readable output."""
        self.add_argument("--json", action="store_true", help="print JSON; unknown numbers are null")


class _Folder(argparse.Action):
    """Store the name of a folder, which may be missing if `const` is true."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: Any = None
    ) -> None:
        if not Path(values).is_dir() and not (self.const and not os.path.lexists(values)):
            raise UserError(
                f"--results {values} is not a folder: give the results folder of your runs, such as results"
            )
        setattr(namespace, self.dest, values)


def _sweep(text: str) -> str:
    """Return the name of a sweep; a `UserError` for the results folder, given as for svmbench run."""
    key, equals, folder = text.partition("=")
    if equals and key == "results":
        raise UserError(f"{text} names no sweep: give the results folder as --results {folder or 'DIR'}")
    return text


def as_number(text: str) -> float:
    """Return the number that a text is, or NaN."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _in_folder(option: str, text: str) -> Path:
    """Return a path; a `UserError` if a file is in the place of a folder that it is in."""
    path = Path(text)
    above = next((one for one in path.parents if os.path.lexists(one)), None)
    if above is not None and not above.is_dir():
        raise UserError(f"{option} {text}: {above} is no folder: give a path in one")
    return path


def file_path(option: str, text: str) -> Path:
    """Return the path of an output file, the value of an option; a `UserError` if it cannot be one."""
    path = _in_folder(option, text)
    if not path.name or path.is_dir():
        raise UserError(
            f"{option} {text or path} is a folder: give the name of a file, such as {path / 'mine'}"
        )
    return path


#: Suffixes of formats that some users expect; any other one is part of a name, as in fig1.2.
_NOT_WRITTEN = ("eps", "gif", "htm", "html", "jpeg", "jpg", "latex", "tif", "tiff", "txt", "webp", "xlsx")


def written(text: str, formats: Sequence[str] | None, known: Sequence[str]) -> tuple[Path, list[str]]:
    """Return the path of files without the suffix of a format, and their formats.

    These are the ones given, else that of the suffix, else the first known one. A `UserError` if the path
    names no file.
    """
    path = _in_folder("-o", text)
    if path.name in ("", "..") or path.is_dir():
        raise UserError(f"-o {text or path} names no file: give a name, such as {path / 'mine'}")
    ending = path.suffix.removeprefix(".")
    if formats is None and ending in _NOT_WRITTEN:
        raise UserError(
            f"-o {text}: .{ending} is not written here: give {', '.join('.' + one for one in known)}"
        )
    stem = path.with_suffix("") if ending in known else path
    return stem, list(dict.fromkeys(formats or [ending if ending in known else known[0]]))


def sweep_words(command: str, words: Sequence[str]) -> tuple[int, Mapping[str, Any]]:
    """Return jobs and launcher as given to a command that chooses its runs itself, and check them."""
    from svmbench.config.validation import of_the_sweep, sweep_options

    for word in words:
        key = word.partition("=")[0]
        if key != "jobs" and not (of_the_sweep(key) and key.startswith("launcher")):
            raise UserError(f"{command}: {word} is not allowed: give names, jobs=N, or launcher=NAME")
    if not words:
        options = sweep_options({})
    else:
        from svmbench.config import compose
        from svmbench.sweep.launch import check

        options = compose.jobs(words)[1]
        check(options)
    return options["jobs"], options["launcher"]
