"""Certificates against an independent program: the table in results/reference/tables/certificates.md.

    python -m tests.truth.table measure FILE [--problem TEXT] [--solver NAME] [--cpu SECONDS]
    python -m tests.truth.table write FILE

The first trains every exact solver on every problem, adds one line of JSON for each to FILE, and leaves out
those that stand there; the second makes the table of FILE. What a run reports is what its observer says of
the last iterate; the truth is that of `tests.truth.evaluate` for the same coefficients.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.data import load
from svmbench.data.dataset import Dataset, Part
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.runner.observe import Observer
from svmbench.solvers import registry
from tests.specification.certificate import many_features, two_moons
from tests.truth.evaluate import evaluate

ROOT = Path(__file__).parent.parent.parent
TABLE = ROOT / "results" / "reference" / "tables" / "certificates.md"
SOLVERS = ("smo", "smo_pair", "decomposition", "svm_light", "gpdt", "lasvm", "chunking", "platt")

#: Cache of kernel rows, in bytes.
CACHE = 1 << 30

INTRODUCTION = """# Certificates against an independent program

Reported objectives P and D (λ-form) and relative gap of the last iterate of every exact solver, and the same
by numpy in float64 from the coefficients alone (`tests/truth/evaluate.py`).

Made by `python -m tests.truth.table measure FILE` and `python -m tests.truth.table write FILE`.

{runs} runs, {converged} of them converged. The largest relative amount by which a reported D lies above the
optimum, or a reported P below it, is {worst:.1e}: the optimum of a problem lies between the largest true D
and the least true P of its runs, each widened by its rounding. The columns ΔP and ΔD are the relative
differences of the two programs, the last column is what rounding in float64 can make of either, as a part of
P. An end of `time` is the limit of CPU seconds, in brackets behind what was spent: such a run was not waited
for. A gap that is not shown (–) would have taken longer in double precision than the training. Exact solvers
that are named below a table as not measured were not run on that problem."""

HEAD = (
    "| solver | end | CPU s | P | D | gap | true gap | ΔP | ΔD | precision | rounding |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |",
)

#: A bound may be passed by so much of the objective, beside the rounding of the independent program.
ALLOWED = 1e-12


@dataclass(frozen=True)
class Posed:
    """A problem of the table: a set, γ, C, with a bias or without, and the tolerance that is asked for.

    A violation of eps may leave a gap of eps in the λ-form, so eps is the target times the optimum or less.
    """

    data: str
    gamma: float
    C: float
    bias: str
    eps: float

    def __str__(self) -> str:
        bias = "no bias" if self.bias == "none" else "bias"
        return f"{self.data}, gamma {self.gamma:g}, C {self.C:g}, {bias}"

    @property
    def target(self) -> float:
        """The true relative gap that a run must have which says that it converged."""
        return 1e-6 if self.C < 1e6 else 1e-5


def _made(make: Callable[[], tuple[NDArray[np.float32], NDArray[np.float64]]]) -> Callable[[], Dataset]:
    return lambda: Dataset("made", Part(*make()), None, None, "", {})


#: Where the examples come from.
SETS: dict[str, Callable[[], Dataset]] = {
    "plane": _made(two_moons),
    "clean plane": _made(lambda: two_moons(noise=0.1)),
    "24 features": _made(many_features),
    "Adult": lambda: load({"name": "adult"}),
    "MNIST 8": lambda: load({"name": "mnist"}),
    "covertype 50k": lambda: load({"name": "covtype", "split": "50k"}),
}

PROBLEMS = (
    Posed("plane", 1.0, 1.0, "none", 1e-8),
    Posed("plane", 1.0, 1e4, "unregularised", 1e-8),
    Posed("plane", 1.0, 1e5, "none", 1e-8),
    Posed("clean plane", 1.0, 1e4, "unregularised", 1e-10),
    Posed("clean plane", 1.0, 1e6, "none", 1e-11),
    Posed("clean plane", 1.0, 1e6, "unregularised", 1e-11),
    Posed("24 features", 0.03, 1e3, "none", 1e-9),
    Posed("24 features", 0.03, 1e6, "none", 1e-11),
    Posed("24 features", 0.03, 1e6, "unregularised", 1e-11),
    Posed("Adult", 0.05, 1.0, "none", 1e-7),
    Posed("Adult", 0.05, 1.0, "unregularised", 1e-7),
    Posed("Adult", 0.005, 100.0, "unregularised", 1e-7),
    Posed("MNIST 8", 0.02, 1.0, "none", 1e-6),
    Posed("covertype 50k", 1.0, 3.0, "unregularised", 1e-6),
)


def train(run: Any, seconds: float) -> str:
    """Advance until the run ends or its CPU time is spent; return how it ended."""
    began, most = time.process_time(), 1
    while not (run.converged or run.stalled):
        before = time.process_time()
        if before - began > seconds:
            return "time"
        run.advance("iterations", run.iterations + most)
        if time.process_time() - before < 0.02 * seconds:
            most *= 2
    return "converged" if run.converged else "stalled"


def measure(posed: Posed, name: str, data: Dataset, seconds: float) -> dict[str, Any]:
    """Train one solver on one problem; return what is reported and what is true."""
    part = data.train
    kernel = {"name": "gaussian", "gamma": posed.gamma}
    problem = Problem.build(part.y, C=posed.C, bias=posed.bias)
    oracle = Oracle(part.X, kernel, CACHE)
    solver = registry.get(name)
    began = time.process_time()
    run = solver(solver.Params(eps=posed.eps)).start(problem, oracle, Generator(0))
    end = train(run, seconds)
    spent = time.process_time() - began
    snapshot = run.snapshot()
    row = Observer(problem, oracle, data)(snapshot)
    X = part.X if isinstance(part.X, np.ndarray) else part.X.toarray()
    X = X.astype(np.float64)
    if posed.data == "MNIST 8":  # whole numbers over 255, which float32 holds rounded and the oracle exactly
        X = np.rint(255.0 * X) / 255.0
    truth = evaluate(
        X,
        part.y,
        posed.gamma,
        posed.C,
        snapshot.alpha,
        snapshot.model.bias,
        posed.bias != "none",
    )
    return {
        "problem": str(posed),
        "solver": name,
        "version": solver.version,
        "end": end,
        "limit": seconds,
        "cpu_seconds": spent,
        "iterations": run.iterations,
        "precision": row["precision"],
        "primal": row["primal_objective"],
        "dual": row.get("dual_objective"),
        "gap": row.get("relative_gap"),
        "true_primal": truth.primal,
        "true_dual": truth.dual,
        "rounding": truth.rounding,
    }


def true_gap(row: dict[str, Any]) -> float:
    """Return the relative gap of a run's coefficients by the independent program."""
    return (row["true_primal"] - row["true_dual"]) / row["true_primal"]


def violation(row: dict[str, Any], rows: Iterable[dict[str, Any]]) -> float:
    """Return how far a reported bound passes what is known of the optimum, of the objective; 0 if not.

    The optimum of a problem lies between the largest true dual and the least true primal objective of all its
    runs. A bound that is not shown passes nothing.
    """
    same = [other for other in rows if other["problem"] == row["problem"]]
    above = min(other["true_primal"] + other["rounding"] for other in same)
    below = max(other["true_dual"] - other["rounding"] for other in same)
    passed = below - row["primal"] if row["precision"] == "float64" else 0.0
    if row["dual"] is not None:
        passed = max(passed, row["dual"] - above, row["dual"] - row["primal"])
    return max(0.0, passed / row["primal"])


def complaints(rows: list[dict[str, Any]]) -> list[str]:
    """Return what is wrong with the certificates of the runs."""
    found = []
    for row in rows:
        posed = next(one for one in PROBLEMS if str(one) == row["problem"])
        where = f"{row['solver']} on {row['problem']}"
        if violation(row, rows) > ALLOWED:
            found.append(f"{where}: a bound is passed by {violation(row, rows):.1e}")
        slack = row["rounding"] / row["primal"]
        if row["end"] == "converged" and true_gap(row) > posed.target + slack:
            found.append(f"{where}: converged with a true gap of {true_gap(row):.1e}")
        if row["gap"] is not None and abs(row["gap"] - true_gap(row)) > 1e-9 + 2.0 * slack:
            found.append(f"{where}: a gap of {row['gap']:.1e} is shown, {true_gap(row):.1e} is true")
    return found


def _able(posed: Posed) -> list[str]:
    """Return the solvers that a problem is for."""
    return [name for name in SOLVERS if posed.bias in registry.get(name).biases]


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def render(rows: list[dict[str, Any]]) -> str:
    """Return the table as Markdown."""
    worst = max((violation(row, rows) for row in rows), default=0.0)
    ended = [row for row in rows if row["end"] == "converged"]
    lines = [INTRODUCTION.format(runs=len(rows), converged=len(ended), worst=worst)]
    for posed in PROBLEMS:
        mine = [row for row in rows if row["problem"] == str(posed)]
        if not mine:
            lines += ["", f"## {posed}", "", "Not measured."]
            continue
        limit = f"a run that converged must have a true gap of at most {posed.target:g}"
        lines += ["", f"## {posed}", "", f"Tolerance {posed.eps:g}; {limit}.", "", *HEAD]
        for row in mine:
            P = row["true_primal"]
            off = None if row["dual"] is None else abs(row["dual"] - row["true_dual"]) / P
            cells = [
                row["solver"],
                row["end"],
                f"{row['cpu_seconds']:.1f}" + (f" ({row['limit']:g})" if row["end"] == "time" else ""),
                f"{row['primal']:.12g}",
                _number(row["dual"], ".12g"),
                _number(row["gap"], ".1e"),
                f"{true_gap(row):.1e}",
                f"{abs(row['primal'] - P) / P:.0e}",
                _number(off, ".0e"),
                row["precision"],
                f"{row['rounding'] / P:.0e}",
            ]
            lines.append("| " + " | ".join(cells) + " |")
        left = [name for name in _able(posed) if name not in {row["solver"] for row in mine}]
        if left:
            lines += ["", f"Not measured: {', '.join(left)}."]
    wrong = complaints(rows)
    lines += ["", "## What does not hold", "", *([f"- {line}." for line in wrong] or ["Nothing."]), ""]
    return "\n".join(lines)


def read(path: Path) -> list[dict[str, Any]]:
    """Return the measured runs of a file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main() -> None:
    """Measure, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("measure", "write"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--problem", default="")
    parser.add_argument("--solver", default="")
    parser.add_argument("--cpu", type=float, default=120.0)
    asked = parser.parse_args()
    if asked.what == "write":
        TABLE.write_text(render(read(asked.file)))
        return
    for posed in PROBLEMS:
        if asked.problem not in str(posed):
            continue
        data = SETS[posed.data]()
        for name in SOLVERS:
            known = {(row["problem"], row["solver"]) for row in read(asked.file)}
            skip = (str(posed), name) in known or name not in _able(posed)
            if skip or asked.solver not in ("", name):
                continue
            row = measure(posed, name, data, asked.cpu)
            with asked.file.open("a") as file:
                file.write(json.dumps(row, default=float) + "\n")


if __name__ == "__main__":
    main()
