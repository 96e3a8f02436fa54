"""Checks of RandSVM: its sample size, and the preservation of margins and norms by random projections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from svmbench.papers.checks import Outcome
from svmbench.solvers.kernel.randsvm import sample_bound


def sample_size(given: Mapping[str, Any]) -> Outcome:
    """Return k of formula (4) for the paper's sizes, epsilon 0.2 and delta 0.9."""
    return Outcome(
        {
            f"k for n = {n}, {word}": {"value": sample_bound(int(n), 0.2, 0.9, separable)}
            for n in given["sizes"]
            for word, separable in (("separable", True), ("not separable", False))
        }
    )


def margin_kept(given: Mapping[str, Any]) -> Outcome:
    """Theorem 1: after projection, the margin is at least l (1 - gamma), with probability 1 - delta."""
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
        # The margin of the projected u is a lower bound of the largest one.
        kept.append(
            float(np.min(y * ((X @ R) @ projected))) / float(np.linalg.norm(projected))
            >= margin * (1.0 - gamma)
        )
    return Outcome({"share": _share(kept)}, notes=[f"{len(kept)} projections; the last one to {k} columns."])


def norms_kept(given: Mapping[str, Any]) -> Outcome:
    """Lemma 1: the squared norm is preserved to e, with probability at least 1 - 2 exp(-(e² - e³) k / 4)."""
    measures: dict[str, Any] = {}
    for k in given["columns"]:
        for eps in given["eps"]:
            generator = np.random.default_rng([8101, int(k), int(1000 * eps)])
            # u R / sqrt(k) has independent normal entries of variance |u|²/k, for any u.
            norms = generator.chisquare(int(k), size=int(given["trials"])) / float(k)
            bound = 1.0 - 2.0 * float(np.exp(-(eps**2 - eps**3) * k / 4.0))
            kept = list(np.abs(norms - 1.0) <= eps)
            measures[f"k = {k}, e = {eps}: above the bound by"] = _above(kept, bound)
    least = min(measures.values(), key=lambda found: found["low"])
    return Outcome({**measures, "least": least})


def distances_kept(given: Mapping[str, Any]) -> Outcome:
    """Lemma 2: each bound of a squared distance holds with probability at least 1 - exp(-(e² - e³) k / 4).

    For entries from N(0, 1), for random signs, and for the uniform distribution on the interval from -1 to 1,
    the usual meaning of ``U(-1, 1)``.
    """
    measures: dict[str, Any] = {}
    for place, kind in enumerate(given["entries"]):
        for k in map(int, given["columns"]):
            generator = np.random.default_rng([8102, place, k])
            difference = generator.standard_normal(int(given["d"]))
            difference /= np.linalg.norm(difference)
            # |R'(u - v)|²/k divided by |u - v|² for random R
            ratios = np.array(
                [
                    np.sum((difference @ _entries(generator, kind, (difference.size, k))) ** 2) / k
                    for _ in range(int(given["trials"]))
                ]
            )
            for eps in map(float, given["eps"]):
                bound = 1.0 - float(np.exp(-(eps**2 - eps**3) * k / 4.0))
                for side, kept in (("lower", ratios >= 1.0 - eps), ("upper", ratios <= 1.0 + eps)):
                    measures[f"{kind}: {side} bound, k = {k}, e = {eps}"] = _above(list(kept), bound)
    return _with_least(measures, given)


def products_kept(given: Mapping[str, Any]) -> Outcome:
    """Corollary 1: an inner product is kept to (e/2)(L1² + L2²), with probability 1 - 4 exp(-e² k / 8)."""
    measures: dict[str, Any] = {}
    for place, kind in enumerate(given["entries"]):
        for k in given["columns"]:
            for cosine in given["cosines"]:
                generator = np.random.default_rng([8103, place, int(k), int(100 * cosine) + 100])
                u, v = _at_angle(generator, int(given["d"]), float(cosine))
                apart = np.array(
                    [
                        abs(float((u @ R) @ (v @ R)) / k - float(u @ v))
                        for R in (
                            _entries(generator, kind, (u.size, int(k))) for _ in range(int(given["trials"]))
                        )
                    ]
                )
                allowed = 0.5 * float(u @ u + v @ v)
                for eps in given["eps"]:
                    bound = 1.0 - 4.0 * float(np.exp(-(eps**2) * k / 8.0))
                    name = f"{kind}: cosine {cosine}, k = {k}, e = {eps}"
                    measures[name] = _above(list(apart <= eps * allowed), bound)
    return _with_least(measures, given)


def _entries(generator: np.random.Generator, kind: str, shape: tuple[int, int]) -> Any:
    """Return the entries of R."""
    if kind == "normal":
        return generator.standard_normal(shape)
    if kind == "signs":
        return 2.0 * generator.integers(2, size=shape) - 1.0
    return generator.uniform(-1.0, 1.0, shape)


def _at_angle(generator: np.random.Generator, d: int, cosine: float) -> tuple[Any, Any]:
    """Return two vectors of length 1 and 2 at an angle."""
    u, other = generator.standard_normal((2, d))
    u /= np.linalg.norm(u)
    other -= (other @ u) * u
    other /= np.linalg.norm(other)
    return u, 2.0 * (cosine * u + np.sqrt(1.0 - cosine**2) * other)


def _above(hits: list[bool], bound: float) -> dict[str, float]:
    """Return by how much a fraction exceeds its bound, with its interval."""
    found = _share(hits)
    return {key: found[key] - bound for key in found}


def _with_least(measures: dict[str, Any], given: Mapping[str, Any]) -> Outcome:
    """Return measures, and for each kind of entries the one closest to contradicting its bound."""
    least = {
        f"least, {kind}": min(
            (found for name, found in measures.items() if name.startswith(f"{kind}:")),
            key=lambda found: found["low"],
        )
        for kind in given["entries"]
    }
    return Outcome(
        {**measures, **least}, notes=[f"{given['trials']} projections of {given['d']} dimensions each."]
    )


def _share(hits: list[bool]) -> dict[str, float]:
    """Return a fraction with its 95 % interval (Wilson 1927)."""
    n, share, z = len(hits), float(np.mean(hits)), 1.959964
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    return {"value": share, "low": centre - half, "high": min(1.0, centre + half)}
