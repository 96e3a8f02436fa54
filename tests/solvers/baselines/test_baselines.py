"""What the adapters add to the programs: feasible answers, words for what cannot be done, no early import."""

import io
import json
import os
import re
import signal
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

from svmbench import config
from svmbench.cli.main import main
from svmbench.data import Dataset, Part
from svmbench.errors import Refusal, UserError
from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.runner.execute import execute
from svmbench.runner.observe import Observer
from svmbench.runner.progress import PlainLines
from svmbench.solvers import registry
from svmbench.solvers.baselines import _mapped, sklearnex_svc
from svmbench.solvers.baselines._baseline import BaselineRun, dual_point, kernel_options, seed
from svmbench.solvers.baselines._data import BaselineData
from svmbench.store import Store
from tests.conformance.cases import KERNELS, data, posed, start
from tests.kernels.reference import kernel_matrix

SMALL = ("dataset.n_train=60", "dataset.n_test=40", "budget=debug")


@pytest.mark.parametrize("pack", [np.atleast_2d, lambda values: scipy.sparse.csr_matrix([values])])
def test_rounded_coefficients_become_a_feasible_point(pack):
    problem = Problem.build(np.array([1.0, 1.0, -1.0, -1.0, 1.0]), C=0.1)
    signed = np.array([0.1, 0.05, -0.1], dtype=np.float32)  # 0.1 in single precision is above 0.1
    alpha = dual_point([0, 1, 2], pack(signed), problem)
    assert alpha.max() <= problem.C
    assert alpha @ problem.y == pytest.approx(0.0, abs=1e-16)
    np.testing.assert_allclose(alpha, [0.1 * 2 / 3, 0.05 * 2 / 3, 0.1, 0.0, 0.0], rtol=1e-7)


def test_balanced_coefficients_stay_as_they_are():
    problem = Problem.build(np.array([1.0, -1.0, 1.0]), C=1.0)
    np.testing.assert_array_equal(dual_point([0, 1], [[0.3, -0.3]], problem), [0.3, 0.3, 0.0])


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])
def test_kernels_are_those_of_scikit_learn(kernel):
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    X, _ = data()
    options = kernel_options(kernel)
    theirs = pairwise.pairwise_kernels(X.astype(float), metric=options.pop("kernel"), **options)
    np.testing.assert_allclose(theirs, kernel_matrix(X, X, kernel), rtol=1e-9, atol=1e-12)


def test_both_storages_give_libsvm_the_same_problem():
    X, y = data()
    answers = []
    for storage in ("csr", "dense"):
        run, _ = start("sklearn_svc", {"storage": storage, "tol": [1e-8]}, X, y, KERNELS[0])
        run.advance("iterations", 1)
        answers.append(run.snapshot().alpha)
    np.testing.assert_allclose(*answers, atol=1e-6)


def test_rows_are_mapped_in_parts(monkeypatch):
    X, y = data()
    run, _ = start("sklearn_nystroem", {"components": 8}, X, y, KERNELS[0])
    run.advance("iterations", 1)
    snapshot = run.snapshot()
    monkeypatch.setattr(_mapped, "_ROWS", 5)
    np.testing.assert_allclose(snapshot.model.scores(None, X), y * snapshot.responses, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(_mapped.MappedModel(np.zeros(0), 0.5).scores(None, X), np.full(len(X), 0.5))


@pytest.mark.parametrize("name", ["sklearn_nystroem", "sklearn_rbfsampler"])
def test_a_mapped_model_is_observed_in_its_features(name):
    X, y = data()
    run, _ = start(name, {"components": 8}, X, y, KERNELS[0])
    problem, _ = posed(name, {"components": 8}, y)
    none = Dataset("made", Part(X, y), None, None, "", {})
    observe = Observer(problem, LinearData(X), none)
    assert observe(run.snapshot())["primal_objective"] == 1.0
    run.advance("iterations", 1)
    snapshot = run.snapshot()
    margins = y * snapshot.model.scores(None, X)
    loss = np.maximum(0.0, 1.0 - margins).mean()
    expected = 0.5 * problem.lam * (snapshot.model.weights @ snapshot.model.weights) + loss
    assert observe(snapshot)["primal_objective"] == pytest.approx(expected, rel=1e-5)


def test_linearsvc_behind_a_map_has_no_bias():
    X, y = data()
    with pytest.raises(Refusal, match=r"linearsvc.*solver.linear=sgd or problem.bias=none"):
        start("sklearn_rbfsampler", {"linear": "linearsvc", "bias": "unregularised"}, X, y, KERNELS[0])


def test_what_onedal_hands_on_is_no_result_of_onedal():
    X, y = data()
    problem = Problem.build(y, C=1.0, bias="unregularised")
    plain = SimpleNamespace(fit=lambda X, y: plain)
    examples = BaselineData(X, KERNELS[0])
    run = sklearnex_svc.OneDALRun(problem, examples, lambda data: data.X, [0.1], lambda tol: plain)
    with pytest.raises(Refusal, match="oneDAL cannot fit this problem, and scikit-learn fitted it"):
        run.advance("iterations", 1)


@pytest.mark.usefixtures("interruptible")
def test_an_iteration_is_ended_before_ctrl_c_is_heard():
    def step(number: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        done.append(number)

    done: list[int] = []
    examples = BaselineData(np.ones((2, 1), np.float32), KERNELS[1])
    run = BaselineRun(examples.ledger, 5, step, lambda: None, None)
    with pytest.raises(KeyboardInterrupt):
        run.advance("iterations", 5)
    assert done == [0] and run.iterations == 1


def test_one_generator_gives_each_epoch_an_order_of_its_own():
    linear_model = pytest.importorskip("sklearn.linear_model")
    X, y = data()
    problem, examples = Problem.build(y, C=1.0), BaselineData(X, KERNELS[1])
    solver = registry.get("sklearn_sgd")
    run = solver(solver.Params()).start(problem, examples, Generator(3))
    run.advance("iterations", 3)

    def theirs(random_state):
        peer = linear_model.SGDClassifier(alpha=problem.lam, fit_intercept=False, random_state=random_state)
        for _ in range(3):
            peer.partial_fit(examples.compact(np.float32), y, classes=(-1.0, 1.0))
        return peer.coef_[0]

    number = seed(Generator(3))
    np.testing.assert_array_equal(run.snapshot().model.weights, theirs(np.random.RandomState(number)))
    assert not np.array_equal(theirs(np.random.RandomState(number)), theirs(number))  # the same order thrice


@pytest.mark.slow
def test_a_run_of_a_baseline_is_stored_with_empty_counts_and_the_reason(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    # However dear a look is: what a baseline evaluates is unknown, and a race without its gap is none.
    monkeypatch.setattr("svmbench.certify.certificate._FREE", 0)
    # Sanitizers take more memory than the budget of SMALL allows.
    assert (
        main(["run", "solver=sklearn_svc", "problem.bias=unregularised", *SMALL, "budget.memory=1024"]) == 0
    )
    (run,) = Store("results").runs()
    trace = run.trace()
    assert trace["iterations"].tolist() == [1, 2, 3]
    assert trace["kev_ondemand"].isna().all() and trace["inner_products"].isna().all()
    assert trace["relative_gap"].notna().all() and (trace["relative_gap"].diff().dropna() < 0.0).all()
    assert (trace["wall_seconds"] > 0.0).all()
    manifest = json.loads((run.path / "run.json").read_text())
    assert manifest["solver"]["counting"].startswith("not observable: ")
    assert "scikit-learn" in manifest["solver"]["version"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("svc", "sklearn_svc cannot solve with problem.bias=none: it needs"),
        ("linearsvc kernel=linear problem.bias=unregularised", "it needs problem.bias=none"),
        ("sgd", "sklearn_sgd cannot use kernel=gaussian: it needs kernel=linear"),
        ("rbfsampler kernel=polynomial", "it needs kernel=gaussian"),
        ("sgd kernel=linear budget.counter=kev_iter", "so that budget.counter=kev_iter stands still"),
        ("svc problem.bias=unregularised solver.tol=[]", "solver.tol=[] is not allowed"),
        ("svc problem.bias=unregularised solver.tol=[0.1,0]", "solver.tol=[0.1,0] is not allowed"),
        ("linearsvc kernel=linear solver.passes=[]", "solver.passes=[] is not allowed"),
    ],
)
def test_what_a_program_cannot_do_is_refused_in_words(tmp_path, arguments, sentence):
    pytest.importorskip("sklearn")
    words = [f"solver=sklearn_{arguments}", *SMALL, f"results={tmp_path}"]
    with pytest.raises(UserError, match=re.escape(sentence)):  # by the command, a process for each
        execute(config.resolve(" ".join(words).split()), progress=PlainLines(io.StringIO()))


def test_a_map_whose_kernel_values_overflow_says_so():
    from sklearn.kernel_approximation import Nystroem

    X, _ = data()
    map = Nystroem(kernel="poly", degree=5, gamma=0.5, coef0=1, n_components=10, random_state=0)
    assert np.isfinite(_mapped.mapped(map, X.astype(np.float64))).all()
    with pytest.raises(FloatingPointError, match="scale the data"):
        _mapped.mapped(map, 1e100 * X.astype(np.float64))
