import csv
import shutil

import numpy as np
import pytest

from svmbench.solvers import registry
from tests.truth.random_runs import made, problem, train
from tests.truth.recomputed import Stored, compared

NUMBERS = (0, 1, 3)


@pytest.fixture(scope="module", params=NUMBERS)
def runs(request, tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    return made(request.param, 0, root), root / str(request.param) / "results" / "runs"


def test_what_is_stored_of_random_runs_is_true(runs):
    assert {run.name: run.verdict.differs for run in runs[0] if run.mark == "differs"} == {}
    assert sum(run.mark == "equal" for run in runs[0]) >= 6, [run.end for run in runs[0]]


def damaged(folder, what):
    if what == "model":
        with np.load(folder / "model.npz") as arrays:
            kept = dict(arrays)
        kept[next(name for name in ("coefficients", "weights") if name in kept)][0] *= 1.01
        np.savez(folder / "model.npz", **kept)
        return
    with (folder / "trace.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    rows[-1] |= {
        what: float(rows[-1][what] or 0.0) * 0.99 + (what.startswith("test") or what == "support_vectors")
    }
    with (folder / "trace.csv").open("w") as lines:
        table = csv.DictWriter(lines, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


@pytest.mark.parametrize(
    "what", ["test_mistakes", "support_vectors", "primal_objective", "duality_gap", "model"]
)
def test_a_number_that_is_not_true_is_found(runs, what, tmp_path):
    folders = sorted(path for path in runs[1].iterdir() if (path / "model.npz").exists())
    shutil.copytree(folders[0], tmp_path / "damaged")
    damaged(tmp_path / "damaged", what)
    verdict, *others = compared([Stored(path) for path in (tmp_path / "damaged", *folders[1:])])
    assert verdict.differs and not any(other.differs for other in others)


@pytest.mark.parametrize(("number", "solver"), [(7, "smo_pair"), (14, "lasvm")])
def test_gaps_of_tiny_objectives_allow_for_the_rounding_of_large_kernel_values(number, solver, tmp_path):
    rng = np.random.default_rng([2, number])
    words, _ = problem(rng, tmp_path)
    stored, _ = train(
        registry.get(solver), [f"solver={solver}", "budget.seconds=5", *words], tmp_path / "results"
    )
    (verdict,) = compared([stored])
    assert verdict.differs == {}
    assert stored("objective_error") > 0.0
