"""Synthetic results folders of any size: python -m tests.store.large FOLDER [--runs 10000].

The runs are as a sweep leaves them: four solvers on five data sets under five C, the rest seeds. Each is
validly sealed, so that every command takes it for a run. Their numbers are made up; many runs share a trace
of 25 checkpoints through hard links.
"""

import argparse
import itertools
import json
import os
import random
import zlib
from pathlib import Path
from typing import Any

from svmbench.files import canonical, sha256
from svmbench.run_config import RunConfig
from svmbench.store import bits, documents, trace
from svmbench.store.identity import identity, run_id

SOLVERS = {"sbp": "SBP", "pegasos": "Pegasos", "sdca": "SDCA", "smo": "SMO"}
_DATASETS = ("adult", "ijcnn1", "mnist", "forest", "reuters")
_C = (0.1, 1.0, 10.0, 100.0, 1000.0)
_ROWS = 10_000
#: Different traces of one solver on one problem.
_TRACES = 20


def make(folder: Path, count: int) -> None:
    """Make a results folder with so many runs."""
    import numpy as np

    runs = folder / "runs"
    runs.mkdir(parents=True)
    wrong = bits.packed(np.random.default_rng(0).random(_ROWS) < 0.05)
    groups = list(itertools.product(SOLVERS, _DATASETS, _C))
    traces: dict[tuple[Any, ...], tuple[Path, str]] = {}
    for number in range(count):
        solver, dataset, C = groups[number % len(groups)]
        seed = number // len(groups)
        config = _config(solver, dataset, C, seed)
        same = identity(RunConfig.of(config), sha256(dataset.encode()), 1)
        id = run_id(same)
        about = {
            "schema": documents.SCHEMA, "id": id, "identity": same, "config": config,
            "dataset": {"name": dataset, "checksum": same["checksum"], "features": 123, "columns": None,
                        "rows": {"train": _ROWS, "test": _ROWS}},
            "solver": {"name": solver, "version": 1, "title": SOLVERS[solver]},
            "problem": {"lam": 1.0 / (_ROWS * C), "C": C, "nu": None, "radius": None, "bias": "none"},
            "seeds": {"entropy": [seed, 1, 2], "generator": [seed] * 8}, "environment": "0123456789abcdef",
            "started": _time(number),
        }  # fmt: skip
        home = runs / id
        home.mkdir()
        text = json.dumps(about, indent=2) + "\n"
        (home / "run.json").write_text(text)
        key = solver, dataset, C, seed % _TRACES
        if key in traces:
            os.link(traces[key][0], home / "trace.csv")
        else:
            (home / "trace.csv").write_text(_trace(random.Random(repr(key))))
            traces[key] = home / "trace.csv", sha256(home / "trace.csv")
        end = {
            "status": "budget", "reason": "budget.kev=1e+08 reached", "started": about["started"],
            "ended": _time(number + 1), "wrong_tests": wrong, "peak_memory": 100.0 + number % 50,
            "files": {"run.json": sha256(text.encode()), "trace.csv": traces[key][1]},
        }  # fmt: skip
        check = sha256(canonical(end).encode())[:16]
        document = {"schema": documents.SCHEMA, **end, "check": check}
        (home / "status.json").write_text(json.dumps(document, indent=2) + "\n")


def _config(solver: str, dataset: str, C: float, seed: int) -> dict[str, Any]:
    return {
        "solver": {"name": solver},
        "dataset": {"name": dataset, "scaling": "none"},
        "kernel": {"name": "gaussian", "gamma": 0.05},
        "problem": {"lam": None, "C": C, "bias": "none"},
        "budget": {"name": "paper", "counter": "kev_ondemand", "kev": 1.0e8, "iterations": None,
                   "seconds": None, "memory": 1024, "gap": None, "test_error": None},
        "observe": {"points": 5}, "seed": seed, "threads": 1, "prefetch": True, "results": "results",
        "data": {"mirror": None, "dir": None}, "force": False,
    }  # fmt: skip


def _time(number: int) -> str:
    return f"2026-{1 + number // 28 % 12:02}-{1 + number % 28:02}T12:00:00.{number % 1000000:06}+00:00"


def _trace(chance: random.Random) -> str:
    """Return a trace: an error that falls with the evaluations."""
    text = f"{trace.header()[:-1]},{trace.CHECK}\n"
    crc = zlib.crc32(text.encode())
    floor, first = chance.uniform(0.05, 0.1), chance.uniform(0.3, 0.5)
    for k in range(25):
        cost = int(_ROWS * 10 ** (k / 6) * chance.uniform(1.0, 1.2))
        error = floor + first * 0.7**k
        row = {
            "kev_ondemand": cost, "kev_rowupdate": cost, "kev_iter": cost, "kev_computed": cost,
            "kev_setup": 0, "iterations": cost // _ROWS, "support_vectors": 10 * (k + 1), "test_error": error,
            "test_mistakes": int(error * _ROWS), "train_error": error, "primal_objective": 0.2 + error,
            "dual_objective": 0.2 - error, "dual_source": "solver", "duality_gap": 2 * error,
            "relative_gap": 2 * error / (0.2 + error), "precision": "float64", "norm": 1.0 + k,
            "mean_hinge": 0.1,
            "wall_seconds": cost / 1e7 * chance.uniform(1.0, 1.1), "cpu_seconds": cost / 1e7,
        }  # fmt: skip
        body = trace.line(row)[:-1] + ","
        check = f"{zlib.crc32(body.encode(), crc):08x}\n"
        crc = zlib.crc32((body + check).encode(), crc)
        text += body + check
    return text


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where; must not be there yet")
    parser.add_argument("--runs", type=int, default=10_000)
    given = parser.parse_args()
    make(given.folder, given.runs)


if __name__ == "__main__":
    _main()
