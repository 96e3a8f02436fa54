"""The command ``svmbench``: only subcommands and dispatch, so that help and completion are instant.

Each subcommand is a module in `svmbench.cli` with a function ``main(arguments) -> exit code``. These modules
import the standard library only, and everything else when needed.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import signal
import sys
import threading
from collections.abc import Sequence
from types import FrameType, TracebackType

from svmbench.cli._commands import COMMANDS
from svmbench.cli._streams import shown
from svmbench.errors import UserError, nearest, printable
from svmbench.version import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments. Default: those of the process.

    Returns
    -------
    int
        0 done, 1 failed, 2 bad input or refused, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        sys.excepthook, sys.unraisablehook = _without_traceback, raised_later
    with shown():
        return _answered(arguments)


def _answered(arguments: list[str]) -> int:
    """Dispatch and return the exit code, whatever happens."""
    try:
        return _dispatch(arguments)
    except UserError as error:
        print(f"svmbench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return _end_interrupted()
    except MemoryError:
        print("svmbench: out of memory; give fewer examples, or a smaller budget.memory", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of our output is gone, as in `svmbench list | head`: exit quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # such as a full disk, or a folder without permission
        where = "" if error.filename is None else f"{error.filename}: "
        help = _HELP.get(error.errno or 0, "")
        print(f"svmbench: {printable(where)}{error.strerror or error}{help}", file=sys.stderr)
        return 1
    except SystemExit as end:  # argparse after --help, Hydra after --cfg
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        if _interrupts:
            return _end_interrupted()
        raise


#: What helps where the file system refuses.
_HELP = {
    **dict.fromkeys((errno.EACCES, errno.EPERM), "; make it accessible, or name another place"),
    errno.EROFS: "; name another place",
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "; make room, or name another place"),
}


#: Interrupts so far. Libraries make other errors of some: a compiled module that is being imported an
#: ImportError, code that cleans up half-made objects an AttributeError.
_interrupts: list[int] = []

#: File name of Python's import system, and the seconds after which an interrupt that met it is sent again.
_IMPORTS, _LATER = "<frozen importlib._bootstrap>", 0.01


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle SIGINT like Python, but remember it, and never raise where Python would drop the exception.

    It does so in the callbacks of import locks, and in its hook for dropped exceptions.
    """
    _interrupts.append(number)
    dropped = frame is not None and frame.f_code.co_filename == _IMPORTS
    while frame is not None and not dropped:
        dropped, frame = frame.f_code is raised_later.__code__, frame.f_back
    if not dropped:
        raise KeyboardInterrupt
    _send_again(number)


def _send_again(number: int) -> None:
    again = threading.Timer(_LATER, os.kill, (os.getpid(), number))
    again.daemon = True
    with contextlib.suppress(RuntimeError):  # no thread can be started while Python ends
        again.start()


def raised_later(dropped: sys.UnraisableHookArgs) -> None:
    """Send an interrupt again that was raised in a finaliser or a callback, whose exceptions are dropped."""
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        _send_again(signal.SIGINT)
    else:
        sys.__unraisablehook__(dropped)


def _end_interrupted() -> int:
    """Ignore further signals while the process ends, say why it does, and return the exit code."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("svmbench: interrupted", file=sys.stderr)
    return 130


def _without_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show an interrupt during the handling of another one like the first, without a traceback."""
    if issubclass(kind, KeyboardInterrupt):
        _end_interrupted()
    else:
        sys.__excepthook__(kind, error, trace)


#: What other programs call some commands.
_MEANT = {
    "run": "fit train",
    "run -m": "multirun sweep",
    "cancel": "kill stop",
    "check": "test",
    "datasets fetch": "download fetch",
    "delete": "del remove rm",
    "list": "history",
    "plot": "draw figure graph",
    "predict": "classify evaluate score",
    "resume": "continue",
    "show": "cat info inspect view",
    "speed": "bench benchmark",
    "tune": "cv grid gridsearch optimize search",
    "verify --repair": "repair",
    "--version": "-V -v version",
}
_COMMAND_OF = {word: command for command, words in _MEANT.items() for word in words.split()}


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] == ["help"] and len(arguments) > 1:
        arguments = [arguments[1], "--help"]
    command = arguments[0] if arguments else "help"
    if command in ("help", "-h", "--help"):
        print(_help())
        return 0
    if command == "--version":
        print(f"svmbench {__version__}")
        return 0
    if command == "__complete":
        from svmbench.cli._candidates import complete

        print("\n".join(complete(" ".join(arguments[1:]))))
        return 0
    if command not in COMMANDS:
        meant = _COMMAND_OF.get(command)
        hint = f"; did you mean '{meant}'?" if meant else nearest(command, COMMANDS)
        raise UserError(f"unknown command '{command}'{hint} (commands: {', '.join(COMMANDS)})")
    module = importlib.import_module(f"svmbench.cli.{command}")
    return int(module.main(arguments[1:]))


def _help() -> str:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    return (
        "usage: svmbench COMMAND ...\n\n"
        "Train SVM solvers, count every kernel evaluation, store every run, plot the results.\n\n"
        f"{commands}\n\n"
        "  svmbench COMMAND --help  says more about one; svmbench --version  prints the version.\n\n"
        "Start with: svmbench run"
    )


if __name__ == "__main__":
    sys.exit(main())
