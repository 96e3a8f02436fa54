"""Checks of the SBP paper: lemmas on the slack-constrained problem, and pictures of the water level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.papers.checks import Outcome, log_panel
from svmbench.problem import Problem, dual_objective, mean_hinge, primal_objective
from svmbench.rng import Generator
from svmbench.solvers import registry
from svmbench.solvers.slack.water_level import comparisons, water_level
from svmbench.solvers.slack.water_level_bias import water_level_bias

Floats = NDArray[np.float64]


def lemma_2_1(given: Mapping[str, Any]) -> Outcome:
    """Lemma 2.1: a nearly optimal w, scaled by its value, has about the norm and loss of u."""
    norms, losses, values = [], [], []
    for seed in range(int(given["trials"])):
        generator = np.random.default_rng([2101, seed])
        X, y = _examples(generator, 60, 4)
        u = generator.standard_normal(4) * generator.uniform(0.3, 3.0)
        length, loss = float(np.linalg.norm(u)), mean_hinge(y * (X @ u))
        volume = len(y) * loss / length
        values.append(water_level(y * (X @ u) / length, volume) * length)
        w = u / length + generator.uniform(0.0, 0.3) * generator.standard_normal(4)
        w /= max(1.0, float(np.linalg.norm(w)))
        value = water_level(y * (X @ w), volume)
        slack = max(0.0, 1.0 / length - value)  # difference from the value achieved by u
        if value <= 0.0 or slack * length >= 1.0:
            continue
        norms.append(float(np.linalg.norm(w)) / value * (1.0 - slack * length) / length)
        losses.append(mean_hinge(y * (X @ w) / value) * (1.0 - slack * length) / loss if loss > 0.0 else 0.0)
    return Outcome(
        {
            "norm": {"value": max(norms)},
            "loss": {"value": max(losses)},
            "value": {"value": min(values)},
        },
        notes=[f"{len(norms)} random predictors on random examples in four dimensions, linear kernel."],
    )


def lemma_3_1(given: Mapping[str, Any]) -> Outcome:
    """Lemma 3.1: uniform weights on examples under water give a supergradient, and are minimax optimal."""
    above, gaps = [], []
    for seed in range(int(given["trials"])):
        generator = np.random.default_rng([3101, seed])
        X, y = _examples(generator, 50, 3)
        w, v = (_in_ball(generator, 3) for _ in range(2))
        volume = len(y) * generator.uniform(0.01, 0.3)
        c = y * (X @ w)
        level = water_level(c, volume)
        p = (c < level) / np.count_nonzero(c < level)
        step = (p * y) @ X
        above.append(water_level(y * (X @ v), volume) - level - float(step @ (v - w)))
        gaps.append(abs(float(p @ c) + volume * float(p.max()) - level))
    return Outcome({"above the tangent": {"value": max(above)}, "minimax gap": {"value": max(gaps)}})


def lemma_e_1(given: Mapping[str, Any]) -> Outcome:
    """Lemma E.1: if u has no loss and λ = e/|u|², 0 is e-accurate in the dual, and useless in the primal.

    Both numbers are fractions of what the lemma states, for the eps closest to contradicting it.
    """
    dual, primal = [], []
    for eps in given["eps"]:
        generator = np.random.default_rng(5101)
        X, _ = _examples(generator, 80, 2)
        u = np.array([1.0, 0.5])
        y = np.where(X @ u > 0.0, 1.0, -1.0)
        u = u / float(np.min(y * (X @ u)))  # every example has a margin of at least 1
        problem = Problem.build(y, lam=float(eps) / float(u @ u))
        oracle = Oracle(np.ascontiguousarray(X, dtype=np.float32), {"name": "linear"})
        solver = registry.get("smo")
        run = solver(solver.Params(eps=1e-9)).start(problem, oracle, Generator(0))
        run.advance("iterations", 200_000)
        alpha = run.snapshot().alpha
        assert alpha is not None
        w = (alpha * y) @ X
        norm2 = float(w @ w)
        # At 0 the dual objective is 0 and the primal one 1.
        dual.append(dual_objective(problem.lam, alpha, norm2) / float(eps))
        reached = primal_objective(problem.lam, norm2, mean_hinge(y * (X @ w)))
        primal.append((1.0 - reached) / (1.0 - float(eps)))
    return Outcome(
        {
            "dual suboptimality of 0 over e": {"value": max(dual)},
            "primal suboptimality of 0 over 1 - e": {"value": min(primal)},
        }
    )


def level_work(given: Mapping[str, Any]) -> Outcome:
    """Count the comparisons with a pivot until the water level is found, for n random responses."""
    sizes = [int(n) for n in given["sizes"]]
    series = [
        [
            comparisons(np.random.default_rng([6101, n, trial]).standard_normal(n), 0.1 * n)
            for trial in range(int(given["repetitions"]))
        ]
        for n in sizes
    ]
    sorting = [n * float(np.log2(n)) for n in sizes]
    found = [float(np.median(counts)) for counts in series]
    panel = log_panel(
        "divide and conquer on normal responses", "examples n", "comparisons",
        {"label": "water level", "solver": "sbp", "x": sizes, "y": found},
        {"label": "n log2 n, to sort", "x": sizes, "y": sorting},
    )  # fmt: skip
    note = f"Median of {given['repetitions']} draws: {found[-1] / sizes[-1]:.2f} n at n = {sizes[-1]:,}."
    return Outcome({"comparisons": {"x": sizes, "series": series}}, [panel], [note])


def basin(given: Mapping[str, Any]) -> Outcome:
    """Figure 1: the sorted responses as the floor of a basin, and the surface of water of volume nν."""
    c, _, volume = _snapshot("none")
    level = water_level(c, volume)
    floor = np.sort(c)
    spent = float(np.maximum(0.0, level - c).sum())
    return Outcome(
        {"water": {"value": spent / volume}},
        [_basin_panel("responses of SBP on a checkerboard", floor, level)],
        [f"{np.count_nonzero(c < level)} of {c.size} responses are under water."],
    )


def basins(given: Mapping[str, Any]) -> Outcome:
    """Figure 4: with a bias there are two basins, with equal numbers of responses under water."""
    c, y, volume = _snapshot("unregularised")
    level, bias, _ = water_level_bias(c, y, volume)
    sides = {sign: np.sort(c[y == sign] + sign * bias) for sign in (1.0, -1.0)}
    under = {sign: int(np.count_nonzero(side < level - 1e-12)) for sign, side in sides.items()}
    at_most = {sign: int(np.count_nonzero(side <= level + 1e-12)) for sign, side in sides.items()}
    # Examples exactly at the surface may be counted on either side of it.
    apart = max(0, max(under.values()) - min(at_most.values()))
    spent = sum(float(np.maximum(0.0, level - side).sum()) for side in sides.values())
    panels = [
        _basin_panel(title, sides[sign], level)
        for title, sign in (("positives, raised by b", 1.0), ("negatives, lowered by b", -1.0))
    ]
    return Outcome(
        {"water": {"value": spent / volume}, "under water apart": {"value": apart}},
        panels,
        [f"{under[1.0]} positives and {under[-1.0]} negatives are under water; b = {bias:.4g}."],
    )


def _basin_panel(title: str, floor: Floats, level: float) -> Mapping[str, Any]:
    """Return a basin: its floor, the surface, and the water between them."""
    places = list(range(1, floor.size + 1))
    water = {"band": [floor.tolist(), np.maximum(floor, level).tolist()], "bare": True}
    lines = [
        {"label": "responses", "x": places, "y": floor.tolist(), "bare": True},
        {"label": "water level", "solver": "sbp", "x": places, "y": [level] * floor.size, **water},
    ]
    return {
        "title": title,
        "x_label": "examples, sorted",
        "y_label": "response",
        "scale": "linear",
        "lines": lines,
    }


def _snapshot(bias: str) -> tuple[Floats, Floats, float]:
    """Return responses, labels and volume of SBP after some hundred steps on a checkerboard."""
    from svmbench import data

    board = data.load({"name": "checkerboard", "n_train": 200, "n_test": 10, "seed": 0})
    nu = 0.02
    problem = Problem.build(board.train.y, lam=None, C=10.0, bias=bias, nu=nu)
    oracle = Oracle(board.train.X, {"name": "gaussian", "gamma": 10.0})
    solver = registry.get("sbp")
    run = solver(solver.Params(nu=nu)).start(problem, oracle, Generator(0))
    run.advance("iterations", 400)
    snapshot = run.snapshot()
    responses = board.train.y * snapshot.model.training_scores(oracle)
    return responses, board.train.y, nu * responses.size


def _examples(generator: np.random.Generator, n: int, d: int) -> tuple[Floats, Floats]:
    X = generator.standard_normal((n, d)) / np.sqrt(d)
    return X, np.where(X[:, 0] + 0.3 * generator.standard_normal(n) > 0.0, 1.0, -1.0)


def _in_ball(generator: np.random.Generator, d: int) -> Floats:
    w = generator.standard_normal(d)
    return np.asarray(w / np.linalg.norm(w) * generator.uniform() ** (1.0 / d))
