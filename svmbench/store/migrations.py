"""Conversions of documents from each older schema to the next, one function each."""

from __future__ import annotations

from collections.abc import Callable

from svmbench.files import digest
from svmbench.run_config import Document
from svmbench.store.identity import DERIVED, rounded

#: Titles of solvers whose runs were stored before run.json contained the title.
_TITLES = {
    "sbp": "SBP",
    "pegasos": "Pegasos",
    "sdca": "SDCA",
    "smo": "SMO",
    "perceptron": "Perceptron",
    "smo_pair": "SMO with bias",
}


def _from_1(document: Document) -> Document:
    """Add the solver's title to run.json, and the derived ν or R to its identity."""
    if "identity" not in document:
        return document
    solver = document["config"]["solver"]
    about = dict(document.get("solver", {}))
    about.setdefault("title", _TITLES.get(solver["name"], solver["name"]))
    identity, problem = dict(document["identity"]), document.get("problem", {})
    for name, key in DERIVED.values():
        used = problem.get(name)
        if used is not None and solver.get(key, "auto") == "auto":
            identity["derived"] = {key: rounded(used)}
    return {**document, "solver": about, "identity": identity}


def _from_2(document: Document) -> Document:
    """Add bias and precision to an optimum; those without had no bias and values in single precision."""
    checksum = document.get("checksum")
    if not isinstance(checksum, str) or "relative_gap" not in document:
        return document
    content = {key: value for key, value in document.items() if key != "checksum"}
    whole = checksum == digest(content)
    content = {"bias": 0.0, "precision": "float32", **content}
    # A damaged one stays damaged.
    return {**content, "checksum": digest(content) if whole else checksum}


def _from_3(document: Document) -> Document:
    """Rename ``company`` to ``concurrent_load``, and renew the checksum of an intact status."""
    if "company" not in document:
        return document
    check = document.get("check")
    content = {key: value for key, value in document.items() if key != "check"}
    whole = check == digest(content)
    content = {("concurrent_load" if key == "company" else key): value for key, value in content.items()}
    if check is None:
        return content
    return {**content, "check": digest(content) if whole else check}


#: ``MIGRATIONS[k]`` converts a document of schema k to schema k + 1.
MIGRATIONS: dict[int, Callable[[Document], Document]] = {
    1: _from_1,
    2: _from_2,
    3: _from_3,
}
