"""Validation of the form of overrides, and messages for overrides that do not compose."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.config import folder
from svmbench.config.validation import schema_of
from svmbench.errors import UserError, nearest, nearest_file
from svmbench.run_config import quoted

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

#: What to use instead of Hydra's own keys, by prefix; the last entry is for all other keys.
_INSTEAD = {
    "hydra/launcher hydra.launcher": "jobs=N runs N jobs of a sweep at once, launcher=slurm or ray elsewhere",
    "hydra/sweeper hydra.sweeper": "give the values as KEY=A,B or KEY=range(A,B) after svmbench run -m",
    "hydra.run hydra.sweep hydra.output_subdir hydra.job": "results=DIR says where runs are stored",
    "hydra.searchpath": "--config-dir DIR adds a folder of your own",
    "hydra.mode": "svmbench run -m starts a sweep",
    "hydra": "svmbench uses Hydra only to compose the configuration, and sets Hydra's own keys itself",
}


#: Second names of options in the literature, and in scikit-learn.
_ALIASES = {
    "kernel": {"rbf": "gaussian", "poly": "polynomial"},
    "solver": {
        **dict.fromkeys(("libsvm", "svc"), "sklearn_svc"),
        **dict.fromkeys(("liblinear", "linearsvc"), "sklearn_linearsvc"),
    },
    "dataset": {"a9a": "adult"},
}
#: What other programs call some keys.
_MEANT = {
    "budget.gap": "tol tolerance",
    "budget.iterations": "epochs iter max_iter n_iter passes steps",
    "budget.seconds": "max_time time time_limit timeout",
    "dataset.label_column": "label target",
    "dataset.path": "data data_path file filename path",
    "dataset.scaling": "normalize scale scaling standardize",
    "dataset.test_fraction": "test_size test_split",
    "jobs": "n_jobs workers",
    "kernel.gamma": "bandwidth sigma width",
    "problem.C": "cost",
    "problem.lam": "alpha lambda reg",
    "problem.weights": "class_weight sample_weight",
    "results": "out output output_dir",
    "seed": "random_seed random_state",
    "subset": "n_samples max_samples",
    "validate.folds": "cv",
}
_KEYS = {word: key for key, words in _MEANT.items() for word in words.split()}
#: What a value that Hydra's grammar means to read begins and ends with; anything else is text.
_MARKED = re.compile(r"""(['"\[{(]|\w+\().*""")


def usual(given: str, folders: Sequence[Path]) -> str:
    """Return an override with our names of the options that have a second name."""
    key, equals, value = given.partition("=")
    others = _ALIASES.get(key, {})
    if others.keys().isdisjoint(value.lower().split(",")):
        return given
    own = folder.options(key, folders)
    names = (one if one in own else others.get(one.lower(), one) for one in value.split(","))
    return key + equals + ",".join(names)


def meant(word: str) -> str | None:
    """Return the key that a word names in other programs, or None."""
    return _KEYS.get(word.lower().replace("-", "_"))


def as_text(given: str) -> str | None:
    """Return an override that Hydra cannot read with its value as text, such as a path; None if it has marks.

    A list that is not closed is a mistake and no text, but in a path every character is one of a name.
    """
    key, _, value = given.partition("=")
    if not value or (_MARKED.match(value) and not key.endswith(_PATHS)):
        return None
    if value.startswith("~") and key.endswith(_PATHS):
        value = os.path.expanduser(value)
    return f"{key}={quoted(value)}"


#: Ends of the keys whose values are paths.
_PATHS = ("path", "results", "mirror", "dir")


def written(override: Override) -> str:
    """Return the override as written by the user."""
    return override.input_line or ""


def check_form(override: Override, groups: Sequence[str], folders: Sequence[Path]) -> None:
    """Check what can be checked without composing: options of groups, and forms that are not supported.

    Raises
    ------
    UserError
        With the nearest valid name, or with what svmbench has instead.
    """
    given, key = written(override), override.key_or_group
    if key.startswith(("hydra.", "hydra/")) or key == "hydra":
        way = next(way for keys, way in _INSTEAD.items() if key.startswith(tuple(keys.split())))
        raise UserError(f"{given} is not allowed: {way}")
    if override.is_delete():
        raise UserError(f"{given} is not allowed: nothing can be removed; KEY=null lifts a limit")
    value = override.value()
    if value == "" and key.endswith(_PATHS):
        raise UserError(f"{given} is empty: give a path")
    value = value if isinstance(value, str) else override.get_value_element_as_str()
    if override.package is not None:
        raise UserError(f"{given} is not allowed: a group has one place; write {key}={value}")
    if key not in groups:
        return
    added, always = override.is_add() or override.is_force_add(), key in folder.GROUPS
    for name in [value] if always else value.strip("[]").split(","):
        allowed = folder.options(key, folders)
        if name not in allowed:
            hint = hint_of(key, name) or nearest(name, [*allowed, *_ALIASES.get(key, {})])
            if key == "dataset" and not hint:
                hint = "; your own file is dataset=file dataset.path=FILE"
            raise UserError(f"unknown {key} '{name}'{hint} ({key}=: {', '.join(allowed)})")
    if always and added:
        raise UserError(f"{given} is not allowed: {key} is set already; write {key}={value}")
    if not always and not added:
        raise UserError(f"{given} is not allowed: {key} is not part of every run; write +{key}={value}")


def hint_of(key: str, name: str) -> str:
    """Return what is meant by a value of a group that is no name of an option, if that is known."""
    if (key, name) == ("solver", "svm"):  # the beginning of the names of several
        return "; did you mean 'smo', or 'libsvm'?"
    if key in ("solver", "kernel") and Path(package := f"svmbench-{name}").is_dir():
        return f"; install it first: pip install ./{package}"
    if key == "budget" and re.fullmatch(r"[\d.]+(e\+?\d+)?", name):
        keys = (f"'budget.{key}={float(name):.10g}'" for key in ("kev", "iterations", "seconds"))
        return f"; did you mean {' or '.join(keys)}?"
    if key != "dataset":
        return ""
    files = sorted(map(str, Path().glob(f"{name}.*"))) if re.fullmatch(r"[\w-]+", name) else []
    if name == "openml":
        name = "openml:NUMBER"
    elif files:
        name = files[0]
    elif not (os.sep in name or Path(name).suffix or name.startswith("openml:")):
        return ""
    return f"; did you mean 'dataset=file dataset.path={name}'?"


def not_an_override(given: str, folders: Sequence[Path]) -> str:
    """Return the message for a word that is not of the form KEY=VALUE."""
    if "=" in given.lstrip("="):
        return f"'{given}' cannot be read: write KEY=VALUE, and special characters in quotes: 'KEY=\"...\"'"
    if Path(given).expanduser().is_file():
        return f"'{given}' is a file; did you mean 'dataset=file dataset.path={given}'?"
    groups = folder.groups(folders)
    first, colon, rest = given.partition(":")
    if colon and first in groups:
        return f"'{given}' is not of the form KEY=VALUE; did you mean '{first}={rest}'?"
    if re.fullmatch(r"[\d.]+", given):
        return f"'{given}' is not of the form KEY=VALUE; several values are run -m KEY=A,B, without spaces"
    if Path(given).suffix:
        return f"'{given}' is neither a file here nor of the form KEY=VALUE{nearest_file(given)}"
    for group in groups:
        if given in folder.options(group, folders):
            return f"'{given}' is not of the form KEY=VALUE; did you mean '{group}={given}'?"
    return f"'{given}' is not of the form KEY=VALUE{nearest(given, [f'{group}=' for group in groups])}"


def unknown_key(override: Override, base: Mapping[str, Any]) -> UserError:
    """Return the error for an unknown key: the nearest one, its siblings, and the options that have it.

    Parameters
    ----------
    override : Override
        An override of a key that does not exist.
    base : mapping
        The configuration composed from the options of the groups only.
    """
    key, given, names = override.key_or_group, written(override), [*_flatten(base)]
    sections = {name.rpartition(".")[0] for name in names} - {""} | set(folder.GROUPS)
    leaves = [name for name in names if name not in sections and not name.endswith(".name")]
    leaves = [name for name in leaves if ".suggested." not in name]
    last, section = key.rpartition(".")[2], key.split(".")[0]
    twin = next((name for name in leaves if name.rpartition(".")[2] == last), None)
    if twin is None and (twin := meant(last)) is not None:
        file = "dataset=file " if twin.startswith("dataset.") and twin not in names else ""
        value = "=1/(2 sigma²)" if twin == "kernel.gamma" else given[given.index("=") :]
        twin = file + twin + value
    among = leaves if "." in key else [*folder.GROUPS, *leaves]
    hint = f"; did you mean '{twin}'?" if twin else ""
    others = _having(key) if not hint else []
    if section == "dataset" and "file" in others:
        hint, others = f"; did you mean 'dataset=file {given.lstrip('+')}'?", []
    hint = hint or nearest(key, among)
    chosen = base.get(section)
    which = f"{section}={chosen['name']}" if isinstance(chosen, Mapping) and "name" in chosen else section
    beside = [name for name in leaves if name.startswith(section + ".")]
    has = f"; {section}={', '.join(others)} {'has' if len(others) == 1 else 'have'} it" if others else ""
    if beside:
        return UserError(f"unknown key {key}{hint} (keys of {which}: {', '.join(beside)}{has})")
    if section in sections:
        return UserError(f"unknown key {key}{hint} ({which} has no keys{has})")
    return UserError(f"unknown key {key}{hint} (svmbench run --help lists all keys)")


def _having(key: str) -> list[str]:
    """Return the shipped options of a group that have a key."""
    group, _, name = key.partition(".")
    options = folder.options(group, []) if group in folder.GROUPS else []
    return [
        one for one in options if name in {item.name for item in dataclasses.fields(schema_of(group, one))}
    ]


def _flatten(tree: Any, prefix: str = "") -> Iterator[str]:
    """Yield all dotted keys, including those of sections."""
    for key, value in tree.items():
        yield prefix + key
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
