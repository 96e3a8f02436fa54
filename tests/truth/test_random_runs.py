import csv
import shutil

import numpy as np
import pytest

from svmbench.cli.main import main
from svmbench.solvers import registry
from tests.truth.random_runs import DEGENERATE, made, problem, put, train
from tests.truth.recomputed import DECIMAL, Problem, Recomputed, Stored, compared

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
    assert main(["verify", "--recompute", "--results", str(tmp_path / "results")]) == 0


def test_what_is_stored_of_degenerate_problems_is_true(tmp_path):
    runs = [run for number in range(DEGENERATE, DEGENERATE + 4) for run in made(number, 0, tmp_path)]
    assert {run.name: run.verdict.differs for run in runs if run.mark == "differs"} == {}
    assert sum(run.mark == "equal" for run in runs) >= 16, [run.end for run in runs]


def stored(folder, solver, X, y, *words):
    put(folder, X, y, len(X) - 1)
    given = [f"dataset.{key}={folder}/{name}" for key, name in (("path", "train"), ("test_path", "test"))]
    asked = [f"solver={solver}", "kernel=linear", "budget.seconds=2", *words, "dataset=file", *given]
    return train(registry.get(solver), asked, folder / solver)[0]


@pytest.mark.parametrize("solver", ["sdca", "decomposition", "smo", "pegasos", "svm_light"])
def test_an_example_at_zero_hides_no_other(solver, tmp_path):
    # Without bias its coefficient goes to C: times the middle of the others, no digit of theirs is left.
    X, y = np.random.default_rng(5).integers(1, 4, (24, 3)).astype(float), np.where(np.arange(24) % 3, -1, 1)
    X[7] = 0.0
    assert compared([stored(tmp_path, solver, X, y, "problem.C=9.5e21")])[0].differs == {}


@pytest.mark.parametrize("solver", ["smo_pair", "decomposition"])
def test_the_objective_of_weights_is_that_of_the_stored_weights(solver, tmp_path):
    rng = np.random.default_rng(6)
    X = (3e6 + rng.integers(-5, 6, (40, 3))).astype(float)
    f = X @ rng.normal(size=3)
    y = np.where(f > np.median(f), 1, -1)
    run = stored(tmp_path, solver, X, y, "problem.C=3e11", "problem.bias=unregularised")
    assert compared([run])[0].differs == {}


def test_bounds_on_pixels_are_exact_for_the_examples_that_each_kind_of_solver_takes(tmp_path):
    # Linear solvers take the values as loaded, kernel solvers the multiples of 1/255 next to them.
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 256, (31, 8)) * (rng.random((31, 8)) < 0.5)
    whole[:2, 0] = 1, 255
    X, y = (whole / 255.0).astype(np.float32).astype(float), np.where(rng.random(31) < 0.5, 1, -1)
    y[:2] = 1, -1
    for solver in ("dcd", "decomposition"):
        run = stored(tmp_path, solver, X, y, "problem.C=10")
        assert compared([run])[0].differs == {}
        problem = Problem(run.manifest["config"])
        made = Recomputed(run, problem, DECIMAL)
        assert float(made.objective[0]) == pytest.approx(run("primal_objective"), rel=1e-12)
        made.rows = problem.rows[not made.loaded]
        del (
            made.__dict__["objective"],
            made.__dict__["loss"],
            made.__dict__["norm2"],
            made.__dict__["margins"],
        )
        made.loaded = not made.loaded
        assert abs(float(made.objective[0]) / run("primal_objective") - 1.0) > 1e-10
