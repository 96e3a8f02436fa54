"""Start a task function under `hydra.main`, as if from Hydra's own command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from svmbench.config import folder


def start(task: Callable[[Any], None], arguments: Sequence[str], folders: Sequence[Path]) -> None:
    """Let Hydra compose the arguments and call the task with each configuration.

    Parameters
    ----------
    task : callable
        Takes the composed DictConfig. For a multirun one that can be pickled, as some launchers need.
    arguments : sequence of str
        Hydra's options and overrides, checked before.
    folders : sequence of Path
        The user's own configuration folders.
    """
    import hydra

    from svmbench.config.compose import in_words, register_plugin_solvers, search_path

    _mend_help()
    register_plugin_solvers(arguments)
    program = hydra.main(version_base="1.3", config_path=str(folder.conf_dir()), config_name="config")(task)
    with _process(["svmbench run", *arguments, *search_path(folders)]):
        in_words(program, " ".join(arguments))


@contextmanager
def _process(argv: list[str]) -> Iterator[None]:
    """Give Hydra its arguments, and let its errors reach us instead of being printed."""
    before = sys.argv, os.environ.get("HYDRA_FULL_ERROR")
    sys.argv = argv
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    finally:
        sys.argv = before[0]
        if before[1] is None:
            del os.environ["HYDRA_FULL_ERROR"]
        else:
            os.environ["HYDRA_FULL_ERROR"] = before[1]


def _mend_help() -> None:
    """Let Hydra 1.3 start on Python 3.14, whose argparse checks help texts before Hydra has made them."""
    if sys.version_info >= (3, 14) and hasattr(argparse.ArgumentParser, "_check_help"):
        argparse.ArgumentParser._check_help = lambda self, action: None
