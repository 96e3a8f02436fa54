"""Random runs of every solver, whose stored numbers are recomputed from their files and data alone.

    python -m tests.truth.random_runs --runs 2000 [--seed S] [--jobs J] [--first F] [--problem NUMBER]

makes problems of small files, and runs of several solvers on each; NUMBER repeats one and keeps its runs.
Problems from number 1000 are degenerate: few examples, far from zero, there many times, of both labels,
constant in some features, or nearly all of one class, with C from 1e-12 to 1e12, γ from 1e-12 to 1e6. A
run is *equal*, *differs* in some numbers, or has some that are *not known*, because 64 bits leave them open,
and 60 digits do too, or would take too long. It lists exact solvers that converged far from the optimum, and
the slowest runs.
"""

import argparse
import contextlib
import json
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import svmbench
from svmbench.errors import UserError
from svmbench.solvers import registry
from tests.truth.recomputed import Stored, compared

#: Runs on one problem, the most seconds of training, and the relative distance from the optimum that is far.
RUNS, SECONDS, FAR = 8, 1, 1e-3
SCALINGS, OFFSETS = ("plain", "columns", "pixels", "raw"), (0.0, 100.0, 1e5)
KERNELS = {"linear": 0.4, "gaussian": 0.24, "square": 0.12, "cube": 0.12, "homogeneous": 0.12}
#: The number of the first degenerate problem, and what is odd about their examples.
DEGENERATE = 1000
ODD = ("plain", "offset", "copies", "both labels", "constant", "rare", "tiny", "huge", "grid")
#: Their models are in a space of their own.
MAPPED = ("sklearn_nystroem", "sklearn_rbfsampler")
MARKS = ("equal", "differs", "not known", "no model")


def write(rng, folder):
    """Write a training and a test file; return the mean squared distance of rows."""
    d = int(rng.choice([2, 5, 20, 300], p=[0.3, 0.4, 0.2, 0.1]))
    n, m, scaling = int(rng.integers(60, 301 if d < 300 else 101)), 150, rng.choice(SCALINGS)
    X = rng.normal(size=(n + m, d)) * (rng.random((n + m, d)) < (1.0 if d < 300 else 0.03))
    f = X @ rng.normal(size=d) + rng.choice([0.0, 1.0]) * np.square(X).sum(axis=1)
    y = np.sign(f - np.median(f) + rng.choice([1e-9, 0.5, 3.0]) * rng.normal(size=n + m)).astype(int)
    some = X != 0.0
    if scaling == "columns":
        X *= 10.0 ** rng.uniform(-2.0, 4.0, size=d)
    elif scaling == "pixels":
        X = np.clip(np.rint(128.0 + 50.0 * X), 0, 255)
        X = X if rng.random() < 0.5 else np.float32(X / 255).astype(np.float64)
    elif scaling == "raw":
        X = np.round(np.abs(100.0 * X * 3.0 ** rng.uniform(-4.0, 1.5, size=d)), 1)
    X = some * (X + rng.choice(OFFSETS, p=[0.6, 0.2, 0.2]))
    put(folder, X, y, n)
    return 2.0 * float(X.var(axis=0).sum())


def put(folder, X, y, n):
    """Write the first n examples to one file, and the others to another."""
    for name, rows in (("train", slice(n)), ("test", slice(n, None))):
        with (folder / name).open("w") as lines:
            for x, label in zip(X[rows].tolist(), y[rows].astype(int).tolist()):
                words = [f"{label:+d}", *(f"{j}:{v!r}" for j, v in enumerate(x, 1) if v)]
                lines.write((",".join(map(repr, [*x, label])) if len(x) == 5 else " ".join(words)) + "\n")


def odd(rng, n, kind):
    """Return n degenerate examples of at most five features, in single precision, and labels."""
    d = int(rng.integers(1, 6))
    y = np.where(rng.random(n) < rng.choice([0.5, 0.3, 0.1]), 1, -1)
    y[:2] = (1, -1)[:n]
    X = rng.normal(size=(n, d)) + rng.choice([0.0, 0.6, 4.0]) * y[:, None]
    if kind == "offset":
        X = 10.0 ** rng.uniform(2.0, 7.0) + rng.choice([1.0, 5.0]) * np.round(X)
    elif kind in ("copies", "both labels"):
        at = np.append([0, 1], rng.integers(max(2, n // 8), size=n))[:n]
        at = np.minimum(at, n - 1)
        X, y = X[at], y if kind == "both labels" else y[at]
    elif kind == "constant":
        X[:, rng.random(d) < 0.7] = 10.0 ** rng.uniform(-3.0, 4.0)
    elif kind == "rare":
        y[1:] = -1
    elif kind in ("tiny", "huge"):
        X *= 1e-6 if kind == "tiny" else 1e6
    elif kind == "grid":
        X = np.round(X)
    return X.astype(np.float32), y.astype(np.float64)


def problem(rng, folder, degenerate=False):
    """Write the data of a problem; return its keys, and the installed solvers that can solve it."""
    if degenerate:
        n = int(rng.integers(2, 41))
        X, y = odd(rng, 2 * n, rng.choice(ODD))
        put(folder, X.astype(np.float64), y, n)
    gamma, kind = (
        10.0 ** rng.uniform(-12.0, 6.0)
        if degenerate
        else 10.0 ** rng.uniform(-2.0, 2.0) / write(rng, folder),
        rng.choice(list(KERNELS), p=[*KERNELS.values()]),
    )
    bias, weights = (
        rng.choice(["none", "unregularised"], p=[0.7, 0.3]),
        rng.choice(["none", "balanced"], p=[0.9, 0.1]),
    )
    kernel = kind if kind in ("linear", "gaussian") else "polynomial"
    words = [
        f"kernel={kernel}",
        f"problem.C={10.0 ** (rng.uniform(-12.0, 12.0) if degenerate else rng.uniform(-3.0, 8.0)):.3g}",
        f"problem.bias={bias}",
    ]
    words += [f"problem.weights={weights}"] if weights != "none" else []
    words += [f"dataset.{key}={folder}/{name}" for key, name in (("path", "train"), ("test_path", "test"))]
    if kernel == "polynomial":
        gamma, degree = rng.choice([gamma, 0.01, 1.0]), {"square": 2, "cube": 3}.get(kind, rng.integers(2, 4))
        coef0 = 0.0 if kind == "homogeneous" else rng.choice([0.5, 1.0, 10.0])
        words += [f"kernel.degree={degree}", f"kernel.coef0={coef0}"]
    words += [f"kernel.gamma={gamma:.3g}"] if kernel != "linear" else []
    found = []
    for method in map(registry.get, registry.names()):
        fits = kernel in (method.kernels or [kernel]) and bias in method.biases and method.name not in MAPPED
        if fits and (method.weighted or weights == "none"):
            with contextlib.suppress(UserError):  # it is not installed
                method.release()
                found.append(method)
    return [*words, "dataset=file"], found


def keys(rng, method):
    """Return the keys of a run that the problem leaves open."""
    words = [f"solver={method.name}", f"budget.seconds={SECONDS}", "observe.points=2"]
    for key, low, high in (("nu", -3.0, 0.0), ("R", -2.0, 3.0)):
        if hasattr(method.Params(), key) and rng.random() < 0.5:
            words.append(f"solver.{key}={10.0 ** rng.uniform(low, high):.3g}")
    words += ["solver.loss=squared_hinge"] if method.name == "dcd" and rng.random() < 0.5 else []
    words += ["precision=double"] if rng.random() < 0.1 else []
    endless = method.access == "data" or (method.exact and rng.random() < 0.7)
    return [*words, f"budget.kev={'null' if endless else f'{10.0 ** rng.uniform(4.0, 7.0):.0f}'}"]


def train(method, words, folder):
    """Make a run, of a baseline by the command line, which can end it; return what is stored, and its end."""
    said = ""
    if method.access == "data":
        command = [Path(sys.executable).with_name("svmbench"), "run", *words, f"results={folder}"]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    else:
        try:
            svmbench.run(*words, results=str(folder), quiet=True)
        except (UserError, RuntimeError) as error:
            said = str(error)
    for path in folder.glob(f"runs/{method.name}-*/status.json"):
        end = json.loads(path.read_text())
        kept = path.with_name("model.npz").exists() and end["status"] != "diverged"
        return Stored(path.parent) if kept else None, f"{end['status']}: {end['reason']}"
    return None, said


def made(number, seed, root):
    """Make the runs of a problem, and compare each with its files and data."""
    rng, folder = np.random.default_rng([seed, number]), Path(root) / str(number)
    folder.mkdir()
    words, methods = problem(rng, folder, number >= DEGENERATE)
    often, runs = np.array([0.3 if method.access == "data" else 1.0 for method in methods]), []
    for method in rng.choice(methods, size=min(RUNS, len(methods)), replace=False, p=often / often.sum()):
        asked, begun = [*keys(rng, method), *words, f"seed={number}"], time.perf_counter()
        stored, end = train(method, asked, folder / "results")
        run = SimpleNamespace(name=f"{number} {method.name}", solver=method.name, stored=stored, end=end)
        run.command, run.mark = f"svmbench run {' '.join(asked)}", "no model"
        run.seconds = time.perf_counter() - begun
        runs.append(run)
    kept = [run for run in runs if run.stored]
    for run, verdict in zip(kept, compared([run.stored for run in kept]) if kept else []):
        gap, run.verdict, run.stored = run.stored("relative_gap"), verdict, None
        run.mark = "differs" if verdict.differs else "not known" if verdict.unknown else "equal"
        claims = run.end.startswith("converged") and registry.get(run.solver).exact
        hinge = verdict.stored.about["loss"] == "hinge"
        run.far = claims and hinge and (gap is None or max(gap, verdict.above) > FAR)
    return runs


def report(runs):
    """Print what was found."""
    kept = [run for run in runs if run.mark != "no model"]
    for what in ("differs", "unknown"):
        print(f"\n{what}:")
        for run in kept:
            for key, text in getattr(run.verdict, what).items():
                print(f"  {run.name}, {key}: {text}; {run.end}")
    print(f"\nconverged farther than {FAR} from the optimum, or at an unknown distance:")
    for run in kept:
        if run.far:
            gap = run.verdict.stored("relative_gap")
            print(f"  {run.name}: gap {gap}, is {run.verdict.above:.2g} or more; {run.end}")
    print("\nslowest:")
    for run in sorted(runs, key=lambda run: -run.seconds)[:20]:
        print(f"  {run.seconds:6.2f} s  {run.name}: {run.end}")
    print("\nsolver                    runs", *(f"{mark:>10}" for mark in MARKS))
    for solver in [*sorted({run.solver for run in runs}), "all"]:
        counts = Counter(run.mark for run in runs if solver in (run.solver, "all"))
        print(f"{solver:20}{counts.total():10}", *(f"{counts[mark]:10}" for mark in MARKS))
    known = sum(run.verdict.known < FAR for run in kept)
    print(f"the optimum is known to {FAR} for {known} of {len(kept)} runs")


def main():
    """Make the runs that the command line asks for; return 1 if one differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for option, default in (
        ("--runs", 2000),
        ("--seed", 0),
        ("--jobs", 1),
        ("--first", 0),
        ("--problem", None),
    ):
        parser.add_argument(option, type=int, default=default)
    asked, folder = parser.parse_args(), tempfile.mkdtemp()
    numbers = [asked.first + number for number in range(-(-asked.runs // RUNS))]
    numbers = numbers if asked.problem is None else [asked.problem]
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        parts = pool.starmap(made, [(number, asked.seed, folder) for number in numbers], chunksize=1)
    runs = [run for part in parts for run in part]
    if asked.problem is None:
        shutil.rmtree(folder)
    else:
        print(*(run.command for run in runs), sep="\n")
    report(runs)
    return int(any(run.mark == "differs" for run in runs))


if __name__ == "__main__":
    sys.exit(main())
