"""``svmbench new``: the files of a solver, kernel, data set or figure of your own, to be filled in."""

from __future__ import annotations

import json
import keyword
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from svmbench.cli._parser import Parser
from svmbench.errors import UserError

_KINDS = ("solver", "kernel", "dataset", "figure")
#: Kinds that are packages of their own.
_PACKAGES = ("solver", "kernel")
_TEMPLATES = Path(__file__).resolve().parent.parent / "templates"

_FILES = """solver   a package svmbench-NAME in the current folder: the solver, its specification for the
         conformance tests, and a test. It works as it is (greedy coordinate ascent); replace the method.
         See docs/add-a-solver.md.
kernel   a package svmbench-NAME in the current folder, with a kernel that works as it is (the Cauchy kernel);
         replace the formula. See docs/add-a-kernel.md.
dataset  DIR/dataset/NAME.yaml for a file of yours, given by dataset.path=FILE and other keys of dataset=file
         (dataset.positive=LABEL, dataset.encode=onehot); it is read to check them. Then
         svmbench run --config-dir DIR dataset=NAME
figure   DIR/paper/NAME.py: curves of three solvers, and a claim. Then
         svmbench paper run NAME --config-dir DIR; svmbench paper draw NAME --config-dir DIR

Files that exist are never replaced."""


def main(arguments: Sequence[str]) -> int:
    """Write the files of what is new, and print their names and the next command."""
    from argparse import RawDescriptionHelpFormatter

    parser = Parser(
        "new",
        "Write the files of a solver, kernel, data set or figure of your own.",
        epilog=_FILES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("kind", choices=_KINDS, help="what is new")
    parser.add_argument(
        "name", metavar="NAME", help="lower-case letters, digits and '_'; '-' in data sets and figures"
    )
    parser.add_argument("keys", nargs="*", metavar="KEY=VALUE", help="dataset: dataset.path=FILE and others")
    parser.add_argument(
        "--config-dir", metavar="DIR", help="dataset, figure: your own configuration folder, made if missing"
    )
    given = parser.parse_intermixed_args(arguments)
    _check_name(given.kind, given.name)
    if given.keys and given.kind != "dataset":
        parser.error(f"{given.keys[0]} does not apply to a {given.kind}: leave it out")
    if given.config_dir and given.kind in _PACKAGES:
        parser.error(f"--config-dir does not apply to a {given.kind}: leave it out")
    if given.kind in _PACKAGES:
        files, command = _package(given.kind, given.name)
    elif given.kind == "dataset":
        files, command = _dataset(given.name, _folder(given.config_dir), given.keys)
    else:
        files, command = _figure(given.name, _folder(given.config_dir))
    _write(files)
    print("\n".join(map(str, files)))
    print(f"next     {command}")
    return 0


def _check_name(kind: str, name: str) -> None:
    inside = "a-z0-9_" if kind in _PACKAGES else "a-z0-9_-"
    if not re.fullmatch(rf"[a-z]([{inside}]*[a-z0-9])?", name) or len(name) > 40:
        dash = "" if kind in _PACKAGES else " or '-'"
        raise UserError(
            f"'{name}' cannot name a {kind}: give at most 40 lower-case letters, digits, '_'{dash} that "
            "begin with a letter and end with a letter or digit"
        )
    if name in _taken(kind):
        raise UserError(f"there is a {kind} '{name}' already: give another name")


def _taken(kind: str) -> Sequence[str]:
    """Return the names that cannot be given again."""
    if kind == "figure":
        from svmbench.papers.catalogue import ours

        return [*ours(), *(name.replace("-", "_") for name in ours())]
    from svmbench.config import folder

    return folder.class_names(kind)


def _folder(given: str | None) -> Path:
    """Return the user's configuration folder."""
    text = given or os.environ.get("SVMBENCH_CONF")
    if not text:
        raise UserError("give --config-dir DIR, the folder of your own configuration, or set SVMBENCH_CONF")
    folder = Path(text).expanduser()
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--config-dir {text} is a file: give a folder")
    return folder


def _package(kind: str, name: str) -> tuple[dict[Path, str], str]:
    """Return the files of a package with a solver or a kernel, and the command that installs it."""
    title = name.replace("_", " ").capitalize()
    names = {"name": name, "title": title, "kind": "".join(map(str.capitalize, name.split("_")))}
    root, files = Path(f"svmbench-{name}"), {}
    for template in sorted((_TEMPLATES / kind).glob("*.txt")):
        parts = template.name.removesuffix(".txt").split("__", 1 if "__init__" in template.name else -1)
        place = [
            {"package": f"svmbench_{name}", "test_solver.py": f"test_{name}.py"}.get(p, p) for p in parts
        ]
        files[root.joinpath(*place)] = _filled(template, names)
    checked = f" && pip install pytest scikit-learn && svmbench check {name}" if kind == "solver" else ""
    return files, f"pip install ./{root} && svmbench run {kind}={name}{checked}"


def _dataset(name: str, folder: Path, keys: Sequence[str]) -> tuple[dict[Path, str], str]:
    """Return the option of a data set, and the command that tunes it; the file is read."""
    from svmbench import config, data

    other = [text for text in keys if not text.startswith("dataset.")]
    if other:
        raise UserError(f"{other[0]} is not a key of a data set: give dataset.KEY=VALUE")
    # Its width and C are not known yet; some value is needed to check the other keys.
    about = config.resolve(["dataset=file", *keys, "kernel.gamma=1", "problem.C=1"]).dataset.document()
    data.load(about)
    written = {text.partition("=")[0].removeprefix("dataset.") for text in keys} - {"name"}
    for key in written & {"path", "test_path"}:
        about[key] = os.path.abspath(Path(str(about[key])).expanduser())
    lines = (f"{key}: {json.dumps(about[key])}" for key in about if key in written)
    option = folder / "dataset" / f"{name}.yaml"
    command = f"svmbench tune --config-dir {shlex.quote(str(folder))} solver=decomposition dataset={name}"
    keys_of = {"title": name, "keys": "\n".join(lines)}
    return {option: _filled(_TEMPLATES / "dataset.yaml.txt", keys_of)}, command


def _figure(name: str, folder: Path) -> tuple[dict[Path, str], str]:
    """Return the file of a figure, and the commands that make it."""
    function = name.replace("-", "_")
    if keyword.iskeyword(function) or function == "claim":
        raise UserError(f"'{name}' cannot name a figure, whose function would have a name that Python uses")
    where = f"{name.replace('_', '-')} --config-dir {shlex.quote(str(folder))}"
    names = {"function": function, "title": function.replace("_", " ").capitalize()}
    files = {folder / "paper" / f"{name}.py": _filled(_TEMPLATES / "figure.py.txt", names)}
    return files, f"svmbench paper run {where} && svmbench paper draw {where}"


def _filled(template: Path, names: Mapping[str, str]) -> str:
    return Template(template.read_text(encoding="utf-8")).substitute(names)


def _write(files: Mapping[Path, str]) -> None:
    """Write files, none of which may exist."""
    for file in files:
        if file.exists():
            raise UserError(f"{file} exists already: give another name, or move it")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
