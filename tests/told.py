"""What commands print, and the one sentence by which they refuse."""

import re
from collections.abc import Sequence
from typing import Any

from svmbench.cli.main import main


def answer(capture: Any, words: Sequence[str], code: int = 0) -> Any:
    """Run a command that ends with this code; return what it prints on standard output, and as errors."""
    capture.readouterr()
    assert main([*words]) == code
    return capture.readouterr()


def output(capture: Any, words: Sequence[str], code: int = 0) -> str:
    """Run a command; return what it prints on standard output."""
    return answer(capture, words, code).out


def refusal(capture: Any, words: Sequence[str]) -> str:
    """Run a command that cannot do what it is asked; return its error, which has one sentence for that."""
    out, error = answer(capture, words, 2)
    sentences = [line for line in error.splitlines() if line.startswith("svmbench: ")]
    assert len(sentences) == 1 and "Traceback" not in out + error, error
    return error


def names(sentence: str, *values: object) -> bool:
    """Say whether a sentence names some values, in this order."""
    return re.search(".*".join(re.escape(str(value)) for value in values), sentence) is not None
