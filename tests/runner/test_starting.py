"""Runs that begin at the coefficients of a stored run."""

import json

import numpy as np
import pytest

from svmbench import config
from svmbench.errors import UserError
from svmbench.problem import Problem
from svmbench.runner.execute import execute
from svmbench.runner.starting import first_point
from svmbench.store import Store
from tests.told import output

from .fakes import Silent

DATA = ["dataset=checkerboard", "dataset.n_train=400", "dataset.n_test=200"]


def made(results, *words):
    given = [*DATA, "observe.points=2", f"results={results}", *words]
    return execute(config.resolve(given), progress=Silent()).run


def counts(run):
    return {
        name: run.rows()[-1][name] for name in ("iterations", "kev_ondemand", "kev_rowupdate", "kev_iter")
    }


@pytest.fixture
def root(tmp_path):
    return tmp_path / "r"


EXACT = [
    ("decomposition", "none"),
    ("decomposition", "unregularised"),
    ("smo", "none"),
    ("smo_pair", "unregularised"),
]


@pytest.mark.parametrize(("solver", "bias"), EXACT)
def test_a_start_at_the_optimum_ends_there_and_is_charged(root, solver, bias):
    words = [f"solver={solver}", f"problem.bias={bias}", "solver.eps=1e-5"]
    cold = made(root, *words)
    warm = made(root, *words, f"start={cold.id}")
    assert warm.status == "converged"
    vectors = len(cold.model().indices)
    assert counts(warm)["iterations"] <= 2
    # n for each coefficient of the start, under every convention, and what the iterations cost.
    for name in ("kev_ondemand", "kev_rowupdate", "kev_iter"):
        assert counts(warm)[name] >= 400 * vectors
    assert warm.rows()[-1]["kev_setup"] == 400 * vectors
    assert warm.rows()[-1]["primal_objective"] == pytest.approx(cold.rows()[-1]["primal_objective"], rel=1e-6)


@pytest.mark.parametrize(("solver", "bias"), EXACT)
@pytest.mark.parametrize("change", [["problem.C=1000"], ["problem.C=0.1"], ["kernel.gamma=3"]])
def test_a_start_elsewhere_reaches_the_same_optimum(root, solver, bias, change):
    words = [f"solver={solver}", f"problem.bias={bias}", "solver.eps=1e-5"]
    first = made(root, *words)
    warm, cold = made(root, *words, *change, f"start={first.id}"), made(root, *words, *change)
    assert warm.status == cold.status == "converged"
    ends = [run.rows()[-1] for run in (warm, cold)]
    objectives = [end["primal_objective"] for end in ends]
    gap = max(end["relative_gap"] for end in ends)
    assert abs(objectives[0] - objectives[1]) <= gap * max(objectives)
    assert gap < 2e-3
    assert warm.id != cold.id


@pytest.mark.parametrize("solver", ["smo", "decomposition"])
def test_the_dual_point_of_an_answer_on_features_is_polished(root, solver):
    rough = made(root, "solver=dcd", "features=nystrom", "features.s=100")
    words = [f"solver={solver}", "solver.eps=1e-4"]
    warm, cold = made(root, *words, f"start={rough.id}"), made(root, *words)
    assert warm.status == "converged"
    assert warm.rows()[-1]["kev_setup"] == 400 * len(rough.model().dual_indices)
    ends = [run.rows()[-1]["primal_objective"] for run in (warm, cold)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_dcd_begins_at_a_stored_point_of_its_loss(root, loss):
    words = ["solver=dcd", "features=nystrom", "features.s=100", f"solver.loss={loss}", "solver.eps=1e-5"]
    cold = made(root, *words)
    warm = made(root, *words, f"start={cold.id}")
    first, end = cold.rows()[-1], warm.rows()[-1]
    assert warm.status == "converged"
    assert end["iterations"] < first["iterations"]


def test_the_start_is_part_of_the_identity_and_named_in_full(root):
    one, other = (made(root, "solver=sdca", "budget.kev=1e5", f"seed={seed}") for seed in (0, 1))
    runs = [made(root, "solver=smo", f"start={run.id[:-3]}") for run in (one, other)]
    assert runs[0].id != runs[1].id
    assert [run.document["start"] for run in runs] == [one.id, other.id]
    assert all("start" in run.manifest["identity"] for run in runs)
    assert made(root, "solver=smo", f"start={one.id}").id == runs[0].id
    assert "start" not in json.dumps(made(root, "solver=smo").manifest["identity"])


def test_a_warm_run_is_recomputed_and_continued(root, capsys):
    first = made(root, "solver=sdca", "budget.kev=1e5")
    words = ["solver=smo", "solver.eps=1e-7", f"start={first.id}"]
    short = made(root, *words, "budget.iterations=40")
    long = made(root, *words, "budget.iterations=400")
    assert "continued" in long.manifest
    whole = made(root.with_name("other"), "solver=sdca", "budget.kev=1e5")
    alone = made(root.with_name("other"), *words, "budget.iterations=400")
    assert whole.id == first.id
    assert alone.rows()[-1]["dual_objective"] == long.rows()[-1]["dual_objective"]
    assert counts(alone) == counts(long)
    assert short.rows()[-1]["iterations"] == 40
    # Stopped before its first mark, which the rows of the first point put off.
    early = made(root, *words, "budget.iterations=1", "observe.points=4")
    late = made(root, *words, "budget.iterations=400", "observe.points=4")
    fresh = made(root.with_name("other"), *words, "budget.iterations=400", "observe.points=4")
    assert late.manifest["continued"]["run"] == early.id
    assert late.trace()["iterations"].tolist() == fresh.trace()["iterations"].tolist()
    out = output(capsys, ["verify", "--recompute", "--results", str(root)])
    assert out.count("smo-checkerboard") == 4 and "differs" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["solver=pegasos"], "pegasos cannot begin at start=.*: leave it out, or use dcd, decomposition"),
        (["solver=smo", "dataset.seed=1"], "was trained on other examples"),
        (["solver=smo", "subset=100"], "was trained on other examples"),
        (["solver=smo", "validate.folds=3"], "cannot be combined with validate.folds"),
        (["solver=smo", "kernel=linear"], "has kernel=gaussian, whose .* do not fit kernel=linear: give a"),
        (["solver=dcd", "features=nystrom", "features.s=20", "solver.loss=squared_hinge"], "has loss=hinge"),
    ],
)
def test_a_start_that_does_not_fit_is_one_sentence(root, words, message):
    first = made(root, "solver=sdca", "budget.kev=1e5")
    with pytest.raises(UserError, match=message):
        made(root, *words, f"start={first.id}")
    assert len(list(Store(root).runs())) == 1


def test_a_start_without_coefficients_of_examples_is_refused(root):
    points = made(root, "solver=pegasos_linear", "features=nystrom", "features.s=20", "budget.kev=1e5")
    with pytest.raises(UserError, match="stores weights or points instead of coefficients of training"):
        made(root, "solver=smo", f"start={points.id}")
    with pytest.raises(UserError, match="there is no run nosuch"):
        made(root, "solver=smo", "start=nosuch")


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_coefficients_at_their_bound_go_to_the_new_bound(root, bias):
    words = ["solver=smo_pair" if bias != "none" else "solver=smo", f"problem.bias={bias}"]
    run = made(root, *words, "problem.C=0.5")
    settings = config.resolve([*DATA, *words, "problem.C=4", f"start={run.id}"])
    found = np.zeros(400)
    found[run.model().indices] = np.abs(run.model().coefficients)
    y = np.ones(400)
    y[run.model().indices] = np.sign(run.model().coefficients)
    problem = Problem.build(y, C=4.0, bias=bias)
    alpha = first_point(settings, run.model().checksum, problem, Store(root))
    assert problem.within_box(alpha)
    kept = y > 0 if alpha[y > 0].max() == 4.0 else y < 0  # the other class may be scaled down
    free = kept & (found < 0.5)
    assert np.any(kept & (found == 0.5)) and np.any(free & (found > 0.0))
    np.testing.assert_array_equal(alpha[kept & (found == 0.5)], 4.0)
    np.testing.assert_array_equal(alpha[free], found[free])


def test_the_first_point_is_feasible(root):
    run = made(root, "solver=pegasos", "budget.kev=1e6", "problem.C=100")
    settings = config.resolve([*DATA, "solver=smo_pair", "problem.bias=unregularised", f"start={run.id}"])
    y = np.where(np.arange(400) % 3 == 0, 1.0, -1.0)
    problem = Problem(y=y, C=0.5, lam=1 / (0.5 * 400), bias="unregularised")
    alpha = first_point(settings, run.model().checksum, problem, Store(root))
    assert problem.within_box(alpha)
    assert alpha @ y == pytest.approx(0.0, abs=1e-12)
    signed = np.zeros(400)
    signed[run.model().indices] = run.model().coefficients
    np.testing.assert_array_equal((alpha > 0.0), (signed * y > 0.0))
