"""Counts of a stored trace that the charges of docs/counting.md allow; each table is one sentence of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: "Under C, an iteration is charged n": n per iteration, and at most n under A and B.
ONE_ROW = ("sbp", "smo", "pegasos", "sdca", "sgd_ball", "perceptron")
#: Charged at least n per iteration under C, and under B n per changed coefficient or row taken.
_ROWS = ("smo_pair", "svm_light", "gpdt", "chunking", "platt", "lasvm", "cvm", "bvm", "projectron")
#: The same, and a search for a merge, whose values are no whole rows.
_ROWS_AND_MORE = ("bsca", "bsgd")
#: Under A, each iteration is charged s, the number of non-zero coefficients, which never falls.
_GROWING = ("pegasos", "sgd_ball", "perceptron")
#: Least and most inner products of an iteration of a linear method.
PRODUCTS = {"asset": (1, 2), "snacks": (2, 2)}


def charged(manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Generate a sentence for each count, of all checkpoints or some, that the solver cannot be charged."""
    config, n = manifest["config"], manifest["dataset"]["rows"]["train"]
    name, several = config["solver"]["name"], config["problem"].get("multiclass", "none")
    if several == "one_vs_one":  # each problem has an n of its own
        return
    if name in (*ONE_ROW, *_ROWS, *_ROWS_AND_MORE) and config.get("features") is None:
        for row in rows:
            yield from _of_rows(name, n, row)
        if not config["solver"].get("average"):  # an average may lose coefficients that did not change
            for before, row in itertools.pairwise(rows):
                yield from _between(name, n, before, row, several == "none")
    elif name in PRODUCTS and several == "none" and config.get("features") is None:
        for before, row in itertools.pairwise(rows):
            made = row["iterations"] - before["iterations"]
            paid = row["inner_products"] - before["inner_products"]
            least, most = (made * one for one in PRODUCTS[name])
            if not least <= paid <= most:
                at = f"after {before['iterations']} iterations"
                yield f"inner_products grow by {paid} in {made} iterations {at}, {least} to {most} are due"


def _of_rows(name: str, n: int, row: Mapping[str, Any]) -> Iterator[str]:
    """Compare the counts of a checkpoint with its iterations and its support vectors."""
    at = f"at {row['iterations']} iterations"
    per_iteration, changed, vectors = row["kev_iter"], row["kev_rowupdate"], row["support_vectors"]
    if None in (per_iteration, changed):
        return
    least = (row["kev_setup"] or 0) + n * row["iterations"]
    if per_iteration < least or (name in ONE_ROW and per_iteration > least):
        yield f"kev_iter is {per_iteration} {at}, n each makes {least}"
    for other in ("kev_ondemand", "kev_rowupdate") if name in ONE_ROW else ():
        if row[other] is not None and row[other] > least:
            yield f"{other} is {row[other]} {at}, n each makes {least}"
    if name not in _ROWS_AND_MORE and changed % n:
        yield f"kev_rowupdate is {changed} {at}, no multiple of n = {n}"
    if vectors is not None and changed < n * vectors:
        yield f"kev_rowupdate is {changed} {at}, n for each of {vectors} support vectors makes more"


def _between(
    name: str, n: int, before: Mapping[str, Any], row: Mapping[str, Any], alone: bool
) -> Iterator[str]:
    """Compare the support vectors of two checkpoints with what was charged between them."""
    at = f"from {before['iterations']} to {row['iterations']} iterations"
    few, many = before["support_vectors"], row["support_vectors"]
    if None in (few, many, before["kev_rowupdate"], row["kev_rowupdate"]):
        return
    if n * abs(many - few) > row["kev_rowupdate"] - before["kev_rowupdate"]:
        yield f"support vectors change from {few} to {many} {at}, kev_rowupdate is charged for fewer"
    made, paid = row["iterations"] - before["iterations"], row["kev_ondemand"] - before["kev_ondemand"]
    if alone and name in _GROWING and not made * few <= paid <= made * many:
        yield f"kev_ondemand grows by {paid} {at}, with {few} to {many} support vectors"
