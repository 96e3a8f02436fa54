"""What users read where something cannot be done: one sentence each, without a full stop."""

import ast
import re
from pathlib import Path

import svmbench

PACKAGE = Path(svmbench.__file__).parent
#: A full stop, a line end, a space too many, half a pair of brackets.
WRONG = re.compile(r"\. (?![a-z_/])|[.!]$|\n|  |^ |^[^(]*\)|\([^)]*$")


def written(node: ast.AST) -> str:
    """Return the text of an expression, with a 1 for each value in it."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(written, node.values))
    if isinstance(node, ast.BinOp):
        return written(node.left) + written(node.right)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "1"


def test_every_refusal_is_one_sentence():
    told = {
        f"{path.relative_to(PACKAGE)}:{call.lineno}": written(call.args[0])
        for path in sorted(PACKAGE.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("UserError", "Refusal")
    }
    assert len(told) > 100
    assert {place: text for place, text in told.items() if WRONG.search(text)} == {}
