"""Checks of RandSVM: its sample size, and what random projections keep of margins and norms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from svmbench.papers.checks import Outcome
from svmbench.solvers.kernel.randsvm import sample_bound


def sample_size(given: Mapping[str, Any], where: Mapping[str, Any]) -> Outcome:
    """Return k of formula (4) for the paper's sizes, epsilon 0.2 and delta 0.9."""
    return Outcome(
        {
            f"k for n = {n}, {word}": {"value": sample_bound(int(n), 0.2, 0.9, separable)}
            for n in given["sizes"]
            for word, separable in (("separable", True), ("not separable", False))
        }
    )


def margin_kept(given: Mapping[str, Any], where: Mapping[str, Any]) -> Outcome:
    """Theorem 1: after projection the margin is at least l (1 - gamma), with probability 1 - delta."""
    n, d, gamma, delta = int(given["n"]), int(given["d"]), float(given["gamma"]), float(given["delta"])
    kept = []
    for trial in range(int(given["trials"])):
        generator = np.random.default_rng([7101, trial])
        u = generator.standard_normal(d)
        u /= np.linalg.norm(u)
        X = generator.standard_normal((n, d)) / np.sqrt(d)
        y = np.where(X @ u > 0.0, 1.0, -1.0)
        X += np.outer(y, u) * float(given["margin"])
        length, margin = float(np.linalg.norm(X, axis=1).max()), float(np.min(y * (X @ u)))
        k = int(
            np.ceil(
                8.0 / gamma**2 * (1.0 + (1.0 + length**2) / (2.0 * margin)) ** 2 * np.log(4.0 * n / delta)
            )
        )
        R = generator.standard_normal((d, k)) / np.sqrt(k)
        projected = u @ R
        # The margin of the projected u is a lower bound of the greatest one.
        kept.append(
            float(np.min(y * ((X @ R) @ projected))) / float(np.linalg.norm(projected))
            >= margin * (1.0 - gamma)
        )
    return Outcome({"share": _share(kept)}, notes=[f"{len(kept)} projections; the last one to {k} columns."])


def norms_kept(given: Mapping[str, Any], where: Mapping[str, Any]) -> Outcome:
    """Lemma 1: the squared norm is kept to e, with probability at least 1 - 2 exp(-(e² - e³) k / 4)."""
    measures: dict[str, Any] = {}
    for k in given["columns"]:
        for eps in given["eps"]:
            generator = np.random.default_rng([8101, int(k), int(1000 * eps)])
            # u R / sqrt(k) has independent normal entries of variance |u|²/k, whatever u is.
            norms = generator.chisquare(int(k), size=int(given["trials"])) / float(k)
            found = _share(list(np.abs(norms - 1.0) <= eps))
            bound = 1.0 - 2.0 * float(np.exp(-(eps**2 - eps**3) * k / 4.0))
            measures[f"k = {k}, e = {eps}: above the bound by"] = {key: found[key] - bound for key in found}
    least = min(measures.values(), key=lambda found: found["low"])
    return Outcome({**measures, "least": least})


def _share(hits: list[bool]) -> dict[str, float]:
    """Return a share with its 95 % interval (Wilson 1927)."""
    n, share, z = len(hits), float(np.mean(hits)), 1.959964
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    return {"value": share, "low": centre - half, "high": min(1.0, centre + half)}
