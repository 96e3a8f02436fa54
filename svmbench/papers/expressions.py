"""Arithmetic with keys of a configuration, such as ``solver.k * budget.iterations``."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from svmbench.errors import UserError

_OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def value_of(expression: str, config: Mapping[str, Any], rows: int | None = None) -> float:
    """Return the value of an expression of numbers, dotted keys and ``n``, the number of training examples.

    Parameters
    ----------
    expression : str
        May contain + - * / ** and parentheses.
    config : mapping
        A resolved configuration.
    rows : int or None
        n, if known.

    Raises
    ------
    UserError
        If the expression is invalid, or a key is unknown or not a number.
    """
    try:
        return _value(ast.parse(expression, mode="eval").body, config, rows)
    except (SyntaxError, ZeroDivisionError, OverflowError, KeyError, TypeError) as error:
        raise UserError(f"'{expression}' cannot be computed from the configuration ({error})") from error


def _value(node: ast.expr, config: Mapping[str, Any], rows: int | None) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, config, rows), _value(node.right, config, rows))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, config, rows)
    if isinstance(node, ast.Name | ast.Attribute):
        path = ast.unparse(node).split(".")
        if path == ["n"]:
            if rows is None:
                raise KeyError("n is known only for stored runs")
            return float(rows)
        found: Any = config
        for key in path:
            found = found[key]
        if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
            raise KeyError(f"{'.'.join(path)}={found} is not a number")
        return float(found)
    raise KeyError(f"{ast.unparse(node)} is not allowed")
