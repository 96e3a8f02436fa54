"""k-fold cross-validation: the folds, the errors of their fits by another program, and what is stored."""

import io

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.svm import SVC

from svmbench import config, data
from svmbench.data.splits import folds
from svmbench.errors import UserError
from svmbench.runner.execute import execute
from svmbench.runner.progress import PlainLines
from svmbench.store import Store

SMALL = ("dataset=waveform", "dataset.n_train=90", "dataset.n_test=30", "kernel.gamma=0.02")


def run(tmp_path, *overrides):
    log = io.StringIO()
    resolved = config.resolve([*overrides, f"results={tmp_path}"])
    return execute(resolved, progress=PlainLines(log)), log.getvalue(), resolved


@pytest.mark.parametrize(("positives", "count"), [(40, 5), (7, 7), (50, 3)])
def test_folds_are_stratified_whole_and_fixed_by_their_seed(positives, count):
    y = np.where(np.random.default_rng(0).permutation(103) < positives, 1.0, -1.0)
    found = folds(y, count, 3)
    np.testing.assert_array_equal(np.sort(np.concatenate(found)), np.arange(y.size))
    for sign in (1.0, -1.0):
        sizes = [int(np.count_nonzero(y[fold] == sign)) for fold in found]
        assert max(sizes) - min(sizes) <= 1
    assert max(map(len, found)) - min(map(len, found)) <= 1
    assert all(np.array_equal(one, other) for one, other in zip(found, folds(y, count, 3)))
    assert not all(np.array_equal(one, other) for one, other in zip(found, folds(y, count, 4)))
    said = f"validate.folds={positives + 1} is more than the {positives} training"
    with pytest.raises(UserError, match=said):
        folds(y, positives + 1, 0)


def test_the_error_is_that_of_libsvm_on_the_same_folds(tmp_path):
    overrides = ("solver=smo_pair", "solver.eps=1e-6", "problem.bias=unregularised", "problem.C=2", *SMALL)
    outcome, log, resolved = run(tmp_path, *overrides, "validate.folds=4")
    train = data.load(resolved.dataset.document()).train
    of = np.empty(90, int)
    for number, fold in enumerate(folds(train.y, 4, 0)):
        of[fold] = number
    split = [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(4)]
    predicted = cross_val_predict(SVC(C=2, gamma=0.02, tol=1e-6), train.X, train.y, cv=split)
    wrong = predicted != train.y
    assert wrong.any()
    assert outcome.run.summary()["validation_error"] == pytest.approx(wrong.mean(), abs=1e-12)
    kept = outcome.run.cross_validation
    assert kept["mistakes"] == [int(wrong[of == k].sum()) for k in range(4)]
    assert sum(kept["examples"]) == 90
    assert "fold 2 of 4: " in log
    # By the index, which opens none of its files, and as the run's own: without folds it is another run.
    (stored,) = Store(tmp_path).runs()
    assert stored.summary()["validation_error"] == outcome.run.summary()["validation_error"]
    plain, _, _ = run(tmp_path, *overrides)
    assert plain.run.id != outcome.run.id
    assert plain.run.summary()["validation_error"] is None
    times = ("wall_seconds", "cpu_seconds", "validation_error")
    own, other = ({k: v for k, v in one.run.rows()[-1].items() if k not in times} for one in (outcome, plain))
    assert own == other


def test_a_derived_parameter_is_that_of_each_fold(tmp_path):
    outcome, _, _ = run(tmp_path, "solver=sbp", "budget.iterations=20", "validate.folds=2", *SMALL)
    assert outcome.state == "done"
    assert len(list((tmp_path / "optima").glob("*.json"))) == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("solver=smo validate.folds=2 budget.test_error=0.1", "cannot end the fits of validate"),
        ("solver=smo validate.folds=60", "=60 is more than the "),
        ("solver=pegasos validate.folds=2 validate.warm=true", "pegasos cannot begin at the run's own"),
    ],
)
def test_folds_are_refused_where_they_mean_nothing(tmp_path, words, sentence):
    with pytest.raises(UserError, match=sentence):
        run(tmp_path, *words.split(), *SMALL)
    assert not Store(tmp_path).runs()
    assert not list((tmp_path / "runs").glob("*.running"))


EXACT = [
    ("decomposition", ()),
    ("smo", ()),
    ("smo_pair", ("problem.bias=unregularised", "problem.weights=balanced")),
    ("dcd", ("kernel=linear",)),
]


@pytest.mark.parametrize(("solver", "more"), EXACT)
def test_warm_folds_begin_at_the_own_answer_and_reach_the_same_optima(tmp_path, solver, more):
    words = (f"solver={solver}", "solver.eps=1e-8", "problem.lam=0.01", "validate.folds=3", *SMALL, *more)
    words = tuple(word for word in words if solver != "dcd" or "gamma" not in word)
    cold, _, _ = run(tmp_path, *words)
    warm, _, _ = run(tmp_path, *words, "validate.warm=true")
    one, other = (outcome.run.cross_validation for outcome in (cold, warm))
    assert warm.run.id != cold.run.id
    assert "warm" not in cold.run.document["validate"]
    assert other["mistakes"] == one["mistakes"]
    times = ("wall_seconds", "cpu_seconds", "validation_error")
    own, same = ({k: v for k, v in one.run.rows()[-1].items() if k not in times} for one in (cold, warm))
    assert own == same  # the own training is the same one
    answers = [outcome.run.model() for outcome in (cold, warm)]
    np.testing.assert_array_equal(
        *(answer.coefficients if solver != "dcd" else answer.weights for answer in answers)
    )
    if solver == "dcd":
        assert one["kev_ondemand"] == [None] * 3
    else:  # a fold begins with the rows of its positive coefficients, and cannot cost less
        vectors = np.count_nonzero(answers[1].coefficients)
        assert min(other["kev_ondemand"]) >= 60 * (vectors - 30)


def test_warm_folds_save_evaluations(tmp_path):
    words = ("solver=decomposition", "problem.C=1", "validate.folds=5", "kernel.gamma=0.02")
    words += ("dataset=waveform", "dataset.n_train=1000", "dataset.n_test=10")
    costs = [
        sum(run(tmp_path, *words, f"validate.warm={warm}")[0].run.cross_validation["kev_ondemand"])
        for warm in ("false", "true")
    ]
    assert costs[1] < 0.9 * costs[0]


@pytest.mark.parametrize(("solver", "more"), EXACT)
def test_warm_folds_that_end_before_the_optimum_know_nothing_of_what_is_left_out(tmp_path, solver, more):
    # One iteration from the answer on all examples would leave nearly that answer.
    words = (f"solver={solver}", "problem.lam=1e-4", "validate.folds=3", "budget.iterations=1", *SMALL, *more)
    words = tuple(word for word in words if solver != "dcd" or "gamma" not in word)
    cold, warm = (
        run(tmp_path, *words, f"validate.warm={warm}")[0].run.cross_validation for warm in ("false", "true")
    )
    assert warm["mistakes"] == cold["mistakes"]
    if solver != "dcd":  # both fits are paid
        assert min(np.subtract(warm["kev_ondemand"], cold["kev_ondemand"])) > 0


def test_warm_folds_follow_a_start(tmp_path):
    words = ("solver=smo", "validate.folds=2", "validate.warm=true", *SMALL)
    first, _, _ = run(tmp_path, *words, "problem.C=1")
    second, _, _ = run(tmp_path, *words, "problem.C=4", f"start={first.run.id}")
    alone, _, _ = run(tmp_path, *words, "problem.C=4")
    assert second.state == "done"
    assert second.run.cross_validation["mistakes"] == alone.run.cross_validation["mistakes"]
    assert second.run.rows()[-1]["kev_setup"] > 0
