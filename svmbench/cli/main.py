"""The command ``svmbench``: subcommands and dispatch only, so that help and completion answer at once.

Each subcommand is a module in `svmbench.cli` with a function ``main(arguments) -> exit code``; those
modules import the standard library, and anything else when they need it.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import svmbench
from svmbench.cli._commands import COMMANDS
from svmbench.errors import UserError, nearest, printable


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments, by default those of the process.

    Returns
    -------
    int
        0 done, 1 failed, 2 bad input or refused, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(arguments)
    except UserError as error:
        print(f"svmbench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("svmbench: interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        print("svmbench: out of memory; give fewer examples, or a smaller budget.memory", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of our output is gone, as in `svmbench list | head`: end quietly, also at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a disk that is full, a folder that is not ours to read
        where = "" if error.filename is None else f"{error.filename}: "
        print(f"svmbench: {printable(where)}{error.strerror or error}", file=sys.stderr)
        return 1
    except SystemExit as end:  # argparse after --help, Hydra after --cfg
        return end.code if isinstance(end.code, int) else int(end.code is not None)


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] == ["help"] and len(arguments) > 1:
        arguments = [arguments[1], "--help"]
    command = arguments[0] if arguments else "help"
    if command in ("help", "-h", "--help"):
        print(_help())
        return 0
    if command == "--version":
        print(f"svmbench {svmbench.__version__}")
        return 0
    if command == "__complete":
        from svmbench.cli._candidates import complete

        print("\n".join(complete(" ".join(arguments[1:]))))
        return 0
    if command not in COMMANDS:
        hint = nearest(command, COMMANDS)
        raise UserError(f"unknown command '{command}'{hint} (commands: {', '.join(COMMANDS)})")
    module = importlib.import_module(f"svmbench.cli.{command}")
    return int(module.main(arguments[1:]))


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, text in COMMANDS.items()]
    return "\n".join(
        [
            "usage: svmbench COMMAND ...",
            "",
            "Train SVM solvers with true counts of kernel evaluations, store every run, draw the curves.",
            "",
            *lines,
            "",
            "  svmbench COMMAND --help  says more about one; svmbench --version  prints the version.",
            "",
            "Start with: svmbench run",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
