"""What stored runs say, from their files and their data: with numpy, and nothing of svmbench.

Formulas are those of docs/store.md and docs/notation.md. Numbers are computed with 64 bits of mantissa and a
bound of their rounding error; what this leaves open is computed again with 60 decimal digits.
"""

import base64
import csv
import json
import math
import zlib
from decimal import Decimal, getcontext
from functools import cached_property
from pathlib import Path

import numpy as np

getcontext().prec = 60
_decimals = np.frompyfunc(Decimal, 1, 1)
#: The two arithmetics: conversion of float64, and relative rounding error of one operation.
LONG = (lambda values: np.asarray(values, dtype=np.longdouble), 2.0**-63)
DECIMAL = (lambda values: _decimals(np.asarray(values, dtype=np.float64)), 1e-59)

#: What a number may be off by, relative to the objective: in single precision, in double, a bound.
ROUGH, AGREES, ABOVE = 1e-4, 1e-6, 1e-8
#: Most kernel entries times features in 60 digits. An exponential takes as long as a hundred features.
AFFORDABLE = 2e7


def examples(path):
    """Return the rows and labels of a file: LIBSVM text, or numbers separated by commas, label last."""
    lines = Path(path).read_text().splitlines()
    if "," in lines[0]:
        table = np.array([line.split(",") for line in lines], dtype=np.float64)
        return table[:, :-1], table[:, -1]
    rows = [[word.split(":") for word in line.split()] for line in lines]
    X = np.zeros((len(rows), max(int(at) for row in rows for at, _ in row[1:])))
    for x, row in zip(X, rows):
        for at, value in row[1:]:
            x[int(at) - 1] = float(value)
    return X, np.array([float(row[0][0]) for row in rows])


def multiples(X, T, kernel):
    """Return training and test rows as kernel expansions take them: multiples of a unit, or as loaded."""
    top, sparse = X.max(), np.count_nonzero(X) < 0.08 * X.size and X.shape[1] > 256
    units = top / np.arange(1, 256) if not sparse and X.min() >= 0.0 and (np.float32(X) == X).all() else []
    unit = next((u for u in units if (np.abs(X - np.rint(X / u) * u) <= 1e-7 * top).all()), None)
    if not unit:
        return X, T
    exact, whole = np.rint(X / unit) * unit, np.rint(T / unit)
    moved, most = 2.0 * kernel.get("degree", 1) * np.linalg.norm(X - exact, axis=1), np.linalg.norm(X, axis=1)
    if kernel["name"] == "gaussian":
        moved, most = moved * math.sqrt(2.0 * kernel["gamma"] / math.e), np.ones_like(most)
    fits = (np.abs(T - whole * unit) <= 1e-7 * 255 * unit) & (whole >= 0) & (whole <= 255)
    unmoved = (moved <= 8e-7 * most).all()
    return (exact, np.where(fits.all(axis=1)[:, None], whole * unit, T)) if unmoved else (X, T)


class Stored:
    """The files of a run. Called with the name of a column, it returns a number of the last checkpoint."""

    def __init__(self, folder):
        self.manifest = json.loads((folder / "run.json").read_text())
        self.end = json.loads((folder / "status.json").read_text())
        with (folder / "trace.csv").open() as lines:
            last = [{}, *csv.DictReader(lines)][-1]
        self.row = {key: value for key, value in last.items() if value}
        with np.load(folder / "model.npz") as arrays:
            self.arrays = {name: arrays[name] for name in arrays.files}
        for name in [name for name in self.arrays if name.endswith("_steps")]:
            self.arrays[name.removesuffix("_steps")] = np.cumsum(self.arrays[name])
        self.about, asked = json.loads(str(self.arrays["about"])), self.manifest["problem"]
        self.C, self.biased, self.balanced = asked["C"], asked["bias"] != "none", "weights" in asked
        self.loaded = "weights" in self.arrays or self.manifest["config"].get("precision") == "double"

    def __call__(self, column):
        return float(self.row[column]) if column in self.row else None


class Problem:
    """What runs on the same data, with the same kernel, C and bias share.

    ``best`` has the best upper and lower bound of the optimum, by whether examples are as loaded.
    """

    def __init__(self, config):
        self.kernel, self.values = config["kernel"], {}
        (X, y), (T, t) = (examples(config["dataset"][key]) for key in ("path", "test_path"))
        X, T = (np.pad(Z, ((0, 0), (0, max(0, Y.shape[1] - Z.shape[1])))) for Z, Y in ((X, T), (T, X)))
        self.labels, exact = {"train": y, "test": t}, multiples(X, T, self.kernel)
        self.rows = {True: {"train": X, "test": T}, False: dict(zip(("train", "test"), exact))}
        self.alike, self.best = exact[0] is X, dict.fromkeys(self.rows, (math.inf, -math.inf))

    def kernel_values(self, A, B, of, eps):
        """Return the kernel values of two sets of rows, and bounds of their rounding errors."""
        kernel, d = self.kernel, A.shape[1]
        if kernel["name"] == "gaussian":
            a, b, squared = of(A), of(B), of(np.zeros((len(A), len(B))))
            for k in range(d):
                squared = squared + np.square(a[:, k, None] - b[None, :, k])
            K = np.exp(-of(kernel["gamma"]) * squared)
            return K, eps * K.astype(float) * (2.0 + (d + 4) * kernel["gamma"] * squared.astype(float))
        K, size = of(A) @ of(B).T, np.abs(A) @ np.abs(B).T
        if kernel["name"] == "linear":
            return K, eps * (d + 1) * size
        gamma, coef0, degree = kernel["gamma"], kernel["coef0"], kernel["degree"]
        size = degree * (d + 4) * (gamma * size + coef0) ** degree
        return (of(gamma) * K + of(coef0)) ** degree, eps * size


class Recomputed:
    """The numbers of a stored run in one arithmetic, each with a bound of its rounding error."""

    def __init__(self, stored, problem, arithmetic):
        self.stored, self.problem, (self.of, self.eps) = stored, problem, arithmetic
        self.loaded = stored.loaded or problem.alike
        self.rows, self.y = problem.rows[self.loaded], problem.labels["train"]
        self.n, share = self.y.size, np.ones(self.y.size)
        for sign in (-1.0, 1.0) if stored.balanced else ():
            share[self.y == sign] = self.n / (2.0 * np.count_nonzero(self.y == sign))
        self.share, self.lam = share, 1 / (self.of(stored.C) * self.n)

    def values(self, part, at):
        """Return the kernel values of a part of the data with training examples."""
        key, made = (part, self.loaded, self.eps), self.problem.values
        if key not in made:
            made[key] = self.problem.kernel_values(self.rows[part], self.rows["train"], self.of, self.eps)
        return made[key][0][:, at], made[key][1][:, at]

    def product(self, A, error, beta):
        """Return A β and its error."""
        size = np.abs(A.astype(float)) @ np.abs(beta)
        return A @ self.of(beta) + self.of(0.0), error @ np.abs(beta) + self.eps * (beta.size + 1) * size

    def scores(self, part):
        """Return the scores of the model without its bias; those of its own points if it has no such part."""
        arrays, A = self.stored.arrays, self.rows.get(part)
        if "weights" in arrays:
            return self.product(self.of(A), np.zeros_like(A), arrays["weights"])
        if "points" not in arrays:
            return self.product(*self.values(part, arrays["indices"]), arrays["coefficients"])
        A, points = arrays["points"] if A is None else A, arrays["points"]
        return self.product(*self.problem.kernel_values(A, points, self.of, self.eps), arrays["coefficients"])

    @cached_property
    def margins(self):
        """y (f + b) of the examples of each part, and their errors."""
        bias, found = self.stored.about["bias"], {}
        for part, y in self.problem.labels.items():
            f, error = self.scores(part)
            f = f + self.of(bias)
            found[part] = self.of(y) * f, error + self.eps * (np.abs(f.astype(float)) + abs(bias))
        return found

    @cached_property
    def norm2(self):
        """|w|² and its error."""
        arrays = self.stored.arrays
        if (w := arrays.get("weights")) is not None:
            return self.product(self.of(w), np.zeros_like(w), w)
        f, error = self.scores("points" if "points" in arrays else "train")
        at = arrays.get("indices", slice(None))
        return self.product(f[at], error[at], arrays["coefficients"])

    @cached_property
    def loss(self):
        """The mean hinge loss and its error."""
        margins, error = self.margins["train"]
        hinge = np.maximum(self.of(np.zeros(self.n)), 1 - margins)
        off = self.share * (error + (self.n + 4) * self.eps * hinge.astype(float))
        return (self.of(self.share) * hinge).sum() / self.n, float(off.mean())

    @cached_property
    def objective(self):
        """The primal objective and its error."""
        return self.lam / 2 * self.norm2[0] + self.loss[0], self.loss[1] + float(self.lam) / 2 * self.norm2[1]

    @cached_property
    def alpha(self):
        """The stored dual point of the hinge loss, shape (n,), or None."""
        arrays, alpha, about = self.stored.arrays, np.zeros(self.n), self.stored.about
        if about["dual"] == "own":
            alpha[arrays["dual_indices"]] = arrays["dual_values"]
        elif about["dual"] == "coefficients":
            alpha[arrays["indices"]] = arrays["coefficients"] * self.y[arrays["indices"]]
        return None if about["dual"] == "none" or about["loss"] != "hinge" else alpha

    def infeasible(self):
        """Return how far the dual point is outside of its box, or out of balance relative to its sum."""
        alpha, balance = self.alpha, abs(math.fsum(self.alpha * self.y)) if self.stored.biased else 0.0
        outside = max(-alpha.min(), (alpha - (1.0 + 1e-12) * self.stored.C * self.share).max())
        return max(0.0, outside, balance / (alpha.sum() or 1.0) - 1e-9)

    @cached_property
    def dual(self):
        """The dual objective at the feasible point next to the stored one, and its error."""
        if self.alpha is None:
            return -math.inf, 0.0
        alpha = np.clip(self.alpha, 0.0, self.stored.C * self.share)
        sums = [math.fsum(alpha[self.y == sign]) for sign in (1.0, -1.0)]
        if self.stored.biased and max(sums) > 0.0:
            alpha[self.y == (1.0 if sums[0] > sums[1] else -1.0)] *= min(sums) / max(sums)
        at = np.flatnonzero(alpha)
        f, error = self.product(*self.values("train", at), beta := (alpha * self.y)[at])
        norm2, off = self.product(f[at], error[at], beta)
        off = float(self.lam) * (off + self.eps * self.n * alpha.sum())
        return self.lam * (self.of(alpha).sum() - norm2 / 2), off

    def note(self):
        """Note the objectives of model and dual point as bounds of the optimum."""
        best, (P, error), (D, off) = self.problem.best, self.objective, self.dual
        high, low = best[self.loaded]
        best[self.loaded] = min(high, float(P) + error), max(low, float(D) - off)


class Verdict:
    """Of the numbers of a run that are not equal, how they differ, or what is not known.

    ``above`` is the least distance of the model from the optimum, relative to its objective; the optimum is
    known up to ``known``.
    """

    def __init__(self, stored, problem, arithmetic):
        self.stored, self.differs, self.unknown = stored, {}, {}
        made = Recomputed(stored, problem, arithmetic)
        upper, lower = problem.best[made.loaded]
        self._errors(made, arithmetic is DECIMAL)
        self._objectives(made, upper)
        self.known = (upper - lower) / (abs(upper) or 1.0)

    def _check(self, name, stored, low, high, allowed=0.0):
        """Compare a stored number with the least and the most that it can be."""
        if stored is not None and not low - allowed <= stored <= high + allowed:
            self.differs[name] = f"stored {stored:.12g}, is {low:.12g} to {high:.12g}"
        elif stored is not None and high - low > 2.0 * allowed and math.isfinite(high - low):
            self.unknown[name] = f"stored {stored:.12g}, is {low:.12g} to {high:.12g}"

    def _near(self, name, stored, value, allowed):
        self._check(name, stored, float(value[0]) - value[1], float(value[0]) + value[1], allowed)

    def _errors(self, made, exact):
        """Compare mistakes and support vectors."""
        stored, arrays = self.stored, self.stored.arrays
        for part, (values, error) in made.margins.items():
            values, share = values.astype(float), stored(f"{part}_error")
            # With 60 digits, a score of 0 up to the last of them is 0, which is a mistake.
            wrong, right = values <= (error if exact else -error), values > error
            limits = np.count_nonzero(wrong), np.count_nonzero(~right)
            self._check(f"{part} error", None if share is None else share * values.size, *limits, 1e-9)
            if part == "test" and "wrong_tests" in stored.end:
                self._check("test mistakes", stored("test_mistakes"), *limits)
                packed = np.frombuffer(zlib.decompress(base64.b64decode(stored.end["wrong_tests"])), np.uint8)
                listed = np.unpackbits(packed, count=values.size).astype(bool)
                self._check("list of mistakes", np.count_nonzero(wrong & ~listed | right & listed), 0, 0)
        if (coefficients := arrays.get("coefficients", arrays.get("dual_values"))) is not None:
            self._check("support vectors", stored("support_vectors"), *2 * [np.count_nonzero(coefficients)])

    def _objectives(self, made, upper):
        """Compare objectives, norm, loss, bounds and gaps, where a known point has this objective."""
        stored, (P, error), (D, off), half = self.stored, made.objective, made.dual, float(made.lam) / 2
        size, stated, norm = abs(float(P)), stored("objective_error") or 0.0, stored("norm")
        allowed = (ROUGH if stored.row.get("precision") == "float32" else AGREES) * size
        self._near("primal objective", stored("primal_objective"), (P, error), allowed + stated)
        self._near("mean hinge", stored("mean_hinge"), made.loss, allowed + 2.0 * stated)
        norm2 = half * float(made.norm2[0]), half * made.norm2[1]
        self._near("λ/2 norm²", None if norm is None else half * norm**2, norm2, allowed + 2.0 * stated)
        above, bound = float(P) - error - upper, stored("dual_objective")
        self.above = above / (size or 1.0)
        self._check("bound, optimum", bound, -math.inf, upper, ABOVE * abs(upper) + stated)
        gap = stored("duality_gap")
        self._check("gap, optimum", gap, above, math.inf, allowed)
        self._check(
            "gap, objectives", gap, *2 * [(stored("primal_objective") or 0.0) - (bound or 0.0)], 1e-9 * size
        )
        self._check("relative gap", stored("relative_gap"), self.above, math.inf, allowed / (size or 1.0))
        if made.alpha is not None and stored.row.get("dual_source") == "solver":
            self._check("dual point, infeasible by", made.infeasible(), 0.0, 0.0)
            self._check("bound, dual point", bound, -math.inf, float(D) + off, allowed + stated)
            self._check("gap, dual point", gap, float(P) - error - float(D) - off, math.inf, allowed)


def compared(runs):
    """Compare runs on the same data, with the same kernel, C and bias, with the data and each other."""
    problem = Problem(runs[0].manifest["config"])
    for run in runs:
        Recomputed(run, problem, LONG).note()
    (n, d), m = problem.rows[True]["train"].shape, problem.labels["test"].size
    affordable = n * (n + m) * (d + (100 if problem.kernel["name"] == "gaussian" else 0)) < AFFORDABLE
    first = [Verdict(run, problem, LONG) for run in runs]
    return [Verdict(one.stored, problem, DECIMAL) if one.unknown and affordable else one for one in first]
