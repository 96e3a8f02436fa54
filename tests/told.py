"""What commands print, and the one sentence by which they refuse."""

from collections.abc import Sequence
from typing import Any

from svmbench.cli.main import main


def output(capture: Any, words: Sequence[str]) -> str:
    """Run a command that ends well; return what it prints on standard output."""
    capture.readouterr()
    assert main([*words]) == 0
    return capture.readouterr().out


def refusal(capture: Any, words: Sequence[str]) -> str:
    """Run a command that cannot do what it is asked; return its error, which has one sentence for that."""
    capture.readouterr()
    assert main([*words]) == 2
    out, error = capture.readouterr()
    sentences = [line for line in error.splitlines() if line.startswith("svmbench: ")]
    assert len(sentences) == 1 and "Traceback" not in out + error, error
    return error
