"""Shell completion from parsers of commands, options and names of folders.

Standard library only, except for the names of metrics.
"""

from __future__ import annotations

import os
from argparse import Action
from collections.abc import Iterable
from pathlib import Path

from svmbench.cli._commands import COMMANDS
from svmbench.cli._parser import Parser
from svmbench.config import folder, options
from svmbench.counters import COUNTERS
from svmbench.errors import UserError
from svmbench.speed.jobs import JOBS

#: Commands whose arguments are runs.
_OF_RUNS = (
    *("show", "plot", "table", "compare", "profile", "report", "export", "tag", "note", "delete"),
    *("verify", "predict"),
)

# The word before the cursor is replaced. bash splits words at = (COMP_WORDBREAKS), so there only the part
# after = may be given.
_BASH = r"""_svmbench() {
    local line=${COMP_LINE:0:COMP_POINT} IFS=$'\n'
    local word=${line##* }
    COMPREPLY=($(svmbench __complete "$line" 2>/dev/null))
    if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*=}"}"}")
    fi
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=.] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o default -F _svmbench svmbench
"""
_ZSH = r"""_svmbench() {
    local -a replies open closed
    replies=("${(@f)$(svmbench __complete "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
    replies=(${replies:#})
    (( ${#replies} )) || { _files; return; }
    open=(${(M)replies:#*[=.]})
    closed=(${replies:#*[=.]})
    (( ${#open} )) && compadd -Q -S '' -- $open
    (( ${#closed} )) && compadd -Q -- $closed
}
compdef _svmbench svmbench
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH}


def complete(line: str) -> list[str]:
    """Return the completions, sorted, of the last word of a line up to the cursor, ``svmbench`` included."""
    words = line.split(" ")
    last = words.pop()
    words = [word for word in words if word]
    if len(words) < 2:
        return _starting(last, COMMANDS)
    command, before = words[1], words[2:]
    if command not in COMMANDS or command == "help":
        return _starting(last, COMMANDS if command == "help" and not before else ())
    option = before[-1] if before else ""
    actions = Parser.actions(command, before)
    if last.startswith("-"):
        return _starting(last, (word for one in actions for word in one.option_strings if word[1:2] == "-"))
    for action in actions:
        if action.choices and (option in action.option_strings or not (before or action.option_strings)):
            return _starting(last, action.choices)
        if option in action.option_strings and action.nargs != 0:
            return _values(last, action)
    if command in ("run", "plan", "tune"):
        try:
            return _run(last, before)
        except UserError:  # --config-dir is not a folder (yet)
            return []
    return _starting(last, _names(command, before))


def _values(last: str, action: Action) -> list[str]:
    """Return the values of an option without choices: costs and metrics; the shell completes paths."""
    if action.metavar == "COST":
        return _starting(last, COUNTERS)
    if not str(action.metavar).startswith("METRIC"):
        return []
    from svmbench.figures.series import METRICS

    done = last[: len(last) - len(last.rpartition(",")[2])]
    return _starting(last, [done + metric for metric in METRICS])


def _names(command: str, before: list[str]) -> Iterable[str]:
    """Return the names that a command accepts: runs, data sets, papers, jobs."""
    if command in ("status", "watch", "resume", "cancel", "best"):
        return _sweeps(_after("--results", before) or "results")
    if command in _OF_RUNS and (command != "tag" or before):  # the tag precedes its runs
        return _runs(_after("--results", before) or "results")
    if command == "datasets" and before[0] in ("fetch", "verify", "describe"):
        return folder.options("dataset")
    if command == "paper":
        from svmbench.papers.catalogue import names

        return names(folder.user_folders(_after("--config-dir", before)))
    if command == "speed" and before[0] == "baselines":
        return (*JOBS, "all")
    return ()


def _runs(results: str) -> list[str]:
    places = (Path(results) / "runs", Path(results) / "reference" / "runs")
    return [name.removesuffix(".running") for place in places if place.is_dir() for name in os.listdir(place)]


def _sweeps(results: str) -> list[str]:
    place = Path(results) / "sweeps"
    return os.listdir(place) if place.is_dir() else []


def _run(last: str, before: list[str]) -> list[str]:
    """Return overrides: groups and keys, or values after ``=``."""
    folders = folder.user_folders(_after("--config-dir", before))
    groups = folder.groups(folders)
    chosen = dict(options.defaults())
    chosen |= dict(
        word.split("=", 1) for word in before if word.partition("=")[0] in folder.GROUPS and "=" in word
    )
    keys = {key.name: key.choices for key in options.keys(chosen, folders)}
    plus = last[: len(last) - len(last.lstrip("+"))]
    name, equals, value = last[len(plus) :].partition("=")
    if not equals:
        own = [f"{group}=" if group in folder.GROUPS else f"+{group}=" for group in groups]
        return _starting(last, [*own, *(f"{plus}{key}=" for key in keys)])
    # Values of a sweep are separated by commas; only the last one is completed.
    done = last[: len(last) - len(value.rpartition(",")[2])]
    values = folder.options(name, folders) if name in groups else keys.get(name, [])
    return _starting(last, [done + option for option in values])


def _after(option: str, words: list[str]) -> str | None:
    """Return the word after an option."""
    return words[words.index(option) + 1] if option in words[:-1] else None


def _starting(beginning: str, words: Iterable[str]) -> list[str]:
    return sorted({word for word in words if word.startswith(beginning)})
