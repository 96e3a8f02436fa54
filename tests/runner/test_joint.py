"""``problem.multiclass``: one run of several binary problems, against scikit-learn and runs of each."""

import gc
import io
import json
import weakref
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from svmbench import config, data, multiclass
from svmbench.cli.main import main
from svmbench.counters import FIELDS
from svmbench.data.arrays import write_arrays
from svmbench.data.splits import folds
from svmbench.files import sha256
from svmbench.recompute import joint_numbers, joint_scores
from svmbench.recompute.joint import _unsure
from svmbench.report.figures import problems
from svmbench.runner.end_states import End
from svmbench.runner.execute import execute
from svmbench.runner.joint_rows import Trace, joint_end, joint_rows
from svmbench.runner.loop import next_mark
from svmbench.runner.progress import PlainLines
from svmbench.runner.training import Training
from svmbench.store import bits
from svmbench.store.joint_model import JointModel, load_model
from tests.told import output


class Quiet(PlainLines):
    """Hears everything and says nothing."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())


LABELS = ("ant", "bee", "cat", "dog")
KINDS = ("one_vs_one", "one_vs_rest")
#: What scikit-learn solves below.
ASKED = ("dataset=file", "dataset.name=clouds", "problem.C=2")
EXACT = ("solver=decomposition", "problem.bias=unregularised", "solver.eps=1e-9", "budget.gap=1e-7")
#: What neither a shared cache nor the held-out examples change.
PAID = tuple(name for name in FIELDS if name not in ("kev_observation", "kev_prediction", "kev_discarded"))


def clouds(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return four clouds of points that overlap, of different sizes."""
    rng = np.random.default_rng(seed)
    y = rng.choice(4, size=n, p=(0.4, 0.3, 0.2, 0.1))
    middle = np.array([[0.0, 0.0, 0.0], [1.5, 0.0, 0.5], [0.0, 1.5, 1.0], [1.2, 1.2, -1.0]])
    return (middle[y] + rng.normal(size=(n, 3))).astype(np.float32), y


TRAIN, TEST = clouds(240, 1), clouds(150, 2)


def write(path: Path, X: np.ndarray, y: np.ndarray) -> Path:
    path.write_bytes(write_arrays(X, np.array(LABELS)[y]))
    return path


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The folder of two files with the four classes."""
    monkeypatch.chdir(tmp_path)
    for name, part in (("train.npz", TRAIN), ("test.npz", TEST)):
        write(tmp_path / name, *part)
    return tmp_path


def run(*overrides: str, folder: str = ".", train: str = "train.npz", test: str = "test.npz"):
    return execute(asked(*overrides, folder=folder, train=train, test=test), progress=Quiet()).run


def asked(*overrides: str, folder: str = ".", train: str = "train.npz", test: str = "test.npz"):
    gamma = [] if "kernel=linear" in overrides else ["kernel.gamma=0.3"]
    files = [f"dataset.path={train}", f"dataset.test_path={test}", f"results={folder}"]
    return config.resolve([*files, *ASKED, *gamma, *overrides])


@pytest.mark.parametrize("kind", KINDS)
def test_the_joint_prediction_is_that_of_scikit_learn(mine, kind):
    stored = run(f"problem.multiclass={kind}", *EXACT)
    libsvm = SVC(C=2, gamma=0.3, tol=1e-8, decision_function_shape="ovo")
    other = libsvm if kind == "one_vs_one" else OneVsRestClassifier(libsvm)
    wrong = other.fit(*TRAIN).predict(TEST[0]) != TEST[1]
    assert 20 < wrong.sum() < 100
    np.testing.assert_array_equal(bits.unpacked(stored.wrong_tests, wrong.size), wrong)
    found = stored.summary()
    assert found["test_error"] == wrong.mean() and found["test_mistakes"] == wrong.sum()
    missed = other.predict(TRAIN[0]) != TRAIN[1]
    assert missed.sum() > 20 and found["train_error"] == missed.mean()
    assert found["relative_gap"] <= 1e-7 and found["primal_objective"] is None
    assert stored.status == "budget" and "budget.gap=1e-07 reached in " in stored.reason
    loaded = data.load(stored.config.dataset.document())
    assert loaded.classes == LABELS
    values = joint_scores(stored.model(), loaded.train, TEST[0].astype(np.float64))
    np.testing.assert_allclose(values, other.decision_function(TEST[0]), atol=2e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_folds_are_predicted_jointly(mine, kind):
    words = (f"problem.multiclass={kind}", *EXACT)
    stored = run(*words, "validate.folds=3", "validate.seed=1")
    parts = folds(TRAIN[1].astype(np.float64), 3, 1)
    for label in range(4):
        sizes = [int(np.count_nonzero(TRAIN[1][part] == label)) for part in parts]
        assert max(sizes) - min(sizes) <= 1
    libsvm = SVC(C=2, gamma=0.3, tol=1e-8)
    other = libsvm if kind == "one_vs_one" else OneVsRestClassifier(libsvm)
    split = [(np.setdiff1d(np.arange(TRAIN[1].size), part), part) for part in parts]
    wrong = cross_val_predict(other, *TRAIN, cv=split) != TRAIN[1]
    assert stored.cross_validation["mistakes"] == [int(wrong[part].sum()) for part in parts]
    assert stored.summary()["validation_error"] == pytest.approx(wrong.mean(), abs=1e-12)
    plain = run(*words)
    assert stored.wrong_tests == plain.wrong_tests and stored.id != plain.id


@pytest.mark.parametrize(
    ("kind", "overrides"),
    [
        ("one_vs_one", ("solver=decomposition",)),
        ("one_vs_rest", ("solver=decomposition",)),
        ("one_vs_rest", ("solver=smo", "solver.eps=1e-2", "budget.kev=30000")),
        ("one_vs_one", ("solver=sbp", "budget.iterations=150")),
        ("one_vs_one", ("solver=pegasos", "budget.iterations=200", "seed=3")),
        (
            "one_vs_rest",
            ("solver=pegasos_linear", "features=fourier", "features.frequencies=8", "budget.iterations=90"),
        ),
        ("one_vs_one", ("solver=dcd", "kernel=linear")),
        ("one_vs_one", ("solver=smo_pair", "problem.weights=balanced", "problem.bias=unregularised")),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0].partition("=")[2],
)
def test_costs_are_those_of_a_run_of_each_problem(mine, kind, overrides):
    joint = run(f"problem.multiclass={kind}", *overrides)
    alone = []
    for i, j in multiclass.problems(kind, 4):
        for name, (X, y) in (("some.npz", TRAIN), ("rest.npz", TEST)):
            kept = np.full(y.size, True) if j is None else (y == i) | (y == j)
            write(mine / name, X[kept], y[kept])
        alone.append(
            run(
                *overrides, f"dataset.positive={LABELS[i]}", folder="alone", train="some.npz", test="rest.npz"
            )
        )
    last = [one.summary() for one in alone]
    assert len({one.id for one in alone}) == len(alone)
    for name in (*PAID, "support_vectors"):
        own = [row[name] for row in last]
        assert joint.summary()[name] == (None if None in own else sum(own)), name
    gaps = [row["relative_gap"] for row in last]
    if None not in gaps:
        assert joint.summary()["relative_gap"] == pytest.approx(max(gaps), rel=1e-9)
    models = [one.model() for one in alone]
    assert [model.bias for model in joint.model().models] == [model.bias for model in models]
    rows = joint.rows()
    assert len(rows) > (1 if joint.solver in ("sbp", "pegasos", "smo") else 0)
    assert all(one["iterations"] < other["iterations"] for one, other in pairwise(rows))


@pytest.mark.parametrize("kind", KINDS)
def test_the_training_error_is_known_at_the_end_and_its_evaluations_are_counted(mine, kind, capsys):
    words = (f"problem.multiclass={kind}", "solver=pegasos", "budget.iterations=300")
    stored, without = run(*words), run(*words, "observe.train=false")
    assert [row["train_error"] is None for row in stored.rows()] == [True] * (len(stored.rows()) - 1) + [
        False
    ]
    assert without.summary()["train_error"] is None
    counted = [one.summary()["kev_prediction"] for one in (stored, without)]
    assert counted[0] - counted[1] == stored.summary()["support_vectors"] * TRAIN[1].size > 0
    told = output(capsys, ["verify", "--recompute", stored.id, "--results", "."])
    assert "recomputed" in told and "train_error" not in told
    loaded = data.load(stored.config.dataset.document())
    made = joint_numbers(stored.model(), stored.manifest["problem"], loaded)
    assert made["train_error"] == stored.summary()["train_error"] > 0.05
    shown = output(capsys, ["show", stored.id, "--results", "."])
    assert f"training error   {100 * made['train_error']:.2f} %" in shown and "objective" not in shown


def test_a_problem_frees_its_rows_before_the_next_one_trains(mine, monkeypatch):
    made: list[weakref.ref] = []

    class Watched(Training):
        def drive(self, *given):
            assert all(one() is None for one in made)
            made.append(weakref.ref(self))
            return super().drive(*given)

    monkeypatch.setattr("svmbench.runner.joint.Training", Watched)
    gc.collect()
    gc.disable()
    try:
        run("problem.multiclass=one_vs_rest", "solver=decomposition")
    finally:
        gc.enable()
    assert len(made) == 4


def test_the_first_checkpoint_at_a_mark_or_beyond_is_found_without_reading_all():
    class Read(dict):
        looked = 0

        def __getitem__(self, name):
            Read.looked += 1
            return super().__getitem__(name)

    counts = [0, 1, 1, 3, 7, *range(8, 2000)]
    trace = Trace("one_vs_rest", [Read(kev_iter=count) for count in counts])
    for mark in (0, 1, 2, 3, 4, 1998, 1999, 5000):
        Read.looked = 0
        reached = [number for number, count in enumerate(counts) if count >= mark]
        assert trace.at("kev_iter", mark) == (reached or [len(counts) - 1])[0]
        assert Read.looked <= 12


def test_a_checkpoint_joins_what_each_problem_had_when_its_counter_reached_the_mark():
    def trace(*checkpoints: tuple[int, float, list[float]]) -> Trace:
        made = Trace("one_vs_rest")
        for count, gap, scores in checkpoints:
            row = {"iterations": count, "kev_iter": count, "relative_gap": gap, "wall_seconds": 0.5 * count}
            made.add(row | {"kev_setup": None}, {"test": np.array(scores)})
        return made

    traces = [
        trace((1, 0.9, [9.0, 0.0]), (11, 0.2, [0.0, 0.0]), (101, 0.1, [0.0, 0.0])),
        trace((2, 0.5, [1.0, 1.0])),
        trace((1, 0.8, [2.0, 2.0]), (10, 0.3, [3.0, 0.0])),
    ]
    part = data.Part(np.zeros((2, 1), np.float32), np.array([0.0, 1.0]))
    three = data.Dataset("three", part, None, part, "", {"labels": ["0", "1", "2"]})
    points = replace(asked("problem.multiclass=one_vs_rest").observe, points=1)
    counted = replace(asked("problem.multiclass=one_vs_rest").budget, counter="kev_iter")
    joined = replace(asked("problem.multiclass=one_vs_rest"), observe=points, budget=counted)
    rows, wrong = joint_rows("one_vs_rest", traces, three, joined, 1)
    assert [row["iterations"] for row in rows] == [1 + 2 + 1, 11 + 2 + 10, 101 + 2 + 10]
    assert [row["relative_gap"] for row in rows] == [0.9, 0.5, 0.5]
    assert [row["wall_seconds"] for row in rows] == [2.0, 11.5, 56.5]
    assert [row["test_mistakes"] for row in rows] == [1, 1, 1] and wrong.tolist() == [True, False]
    assert all("kev_setup" not in row and row["test_error"] == 0.5 for row in rows)
    apart = replace(joined, observe=replace(points, every=50))
    rows, _ = joint_rows("one_vs_rest", traces, three, apart, 1)
    assert [row["iterations"] for row in rows] == [101 + 2 + 10]
    far = [*traces[:2], trace((3, 0.8, [2.0, 2.0]), (10**15, 0.3, [3.0, 0.0]))]
    rows, _ = joint_rows("one_vs_rest", far, three, replace(joined, observe=replace(points, every=1)), 1)
    assert [row["iterations"] - 2 for row in rows] == [1 + 3, 11 + 3, 11 + 10**15, 101 + 10**15]
    del traces[0].answers[1]["test"]  # it would have taken too long
    rows, _ = joint_rows("one_vs_rest", traces, three, joined, 1)
    assert ["test_error" in row for row in rows] == [True, False, True]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spacing", ["observe.every=1000", "observe.points=10"])
def test_the_first_checkpoint_joins_the_first_ones_of_problems_that_pass_the_mark(mine, kind, spacing):
    words = ("solver=sbp", "budget.kev=20000", "budget.counter=kev_iter")
    stored = run(f"problem.multiclass={kind}", *words, spacing)
    sizes = [multiclass.binary(TRAIN[1], sides)[1].size for sides in multiclass.problems(kind, 4)]
    marks = [next_mark(stored.config.observe, n, 0) for n in sizes]
    passed = [-(-mark // n) * n for mark, n in zip(marks, sizes, strict=True)]
    assert all(mark < count for mark, count in zip(marks, passed, strict=True))
    assert stored.rows()[0]["kev_iter"] == sum(passed)


@pytest.mark.parametrize(
    ("ends", "status", "reason"),
    [
        ("aa", "converged", "2 binary problems converged after 7 iterations, at relative gaps of 1.0e-02"),
        ("af", "converged", "2 binary problems converged after 7 iterations, 1 of them by its own rule"),
        ("akg", "budget", "budget.kev=1e+08 reached by kev_iter in 2 of 3 binary problems, at relative gaps"),
        ("ktk", "timeout", "budget.seconds=2 reached in 3 of 3 binary problems, at "),
        ("asg", "stalled", "2 of 3 binary problems ended before they converged, after 7 iterations, at "),
        ("ga", "budget", "budget.gap=0.01 reached in 1 of 2 binary problems, at "),
    ],
)
def test_the_end_is_that_of_the_problem_furthest_from_its_own(ends, status, reason):
    known = {
        "a": End("converged", "the solver's stopping rule holds after 3 iterations"),
        "f": End("converged", "the solver's stopping rule holds after 3 iterations, by its own rule alone"),
        "k": End("budget", "budget.kev=1e+08 reached by kev_iter before it converged"),
        "g": End("budget", "budget.gap=0.01 reached: relative_gap 0.009"),
        "t": End(
            "timeout", "budget.seconds=2 reached within an iteration, which was given up, after 3 iterations"
        ),
        "s": End("stalled", "no further progress is possible in floating point after 3 iterations"),
    }
    end = joint_end([known[letter] for letter in ends], {"iterations": 7, "relative_gap": 0.01})
    assert end.status == status and end.reason.startswith(reason)


@pytest.mark.parametrize("kind", KINDS)
def test_predict_answers_in_the_labels_of_the_file_and_verify_recomputes(mine, kind, capsys):
    stored = run(f"problem.multiclass={kind}", "solver=smo", "dataset.scaling=standard")
    rows = mine / "rows.csv"
    np.savetxt(rows, TEST[0].astype(np.float64), delimiter=",", fmt="%.17g")
    predict = ["predict", stored.id, str(rows), "--results", "."]
    answers = np.array(output(capsys, predict).split())
    wrong = answers != np.array(LABELS)[TEST[1]]
    assert set(answers) == set(LABELS) and wrong.mean() == stored.summary()["test_error"]
    assert json.loads(output(capsys, [*predict, "--json"]))["labels"] == answers.tolist()
    scores = np.loadtxt(io.StringIO(output(capsys, [*predict, "--scores"])))
    assert np.array(LABELS)[multiclass.predicted(kind, scores, 4)].tolist() == answers.tolist()
    assert "recomputed; the largest difference" in output(capsys, ["verify", "--recompute", "--results", "."])


def test_commands_that_read_runs_read_these(mine, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")
    one, rest = (run(f"problem.multiclass={kind}", "solver=smo") for kind in KINDS)
    other = run("problem.multiclass=one_vs_one", "solver=decomposition")
    plain = run("dataset.positive=bee", "solver=smo")
    for words, told in (
        (["list"], "multiclass=one_vs_rest"),
        (["show", one.id], "multiclass: one_vs_one"),
        (["table", "smo-*", "--rows", "problem.multiclass"], "one_vs_rest"),
        (["plot", one.id, rest.id], "curves.png"),
        (["compare", one.id, other.id, "--to", "test_error=0.5"], "Of 1 problem"),
        (["report", "--output", "a.html"], "a.html"),
    ):
        assert main([*words, "--results", "."]) == 0, words
        assert told in capsys.readouterr().out
    assert {title: len(runs) for title, runs in problems([one, rest, other, plain])} == {
        "clouds: γ = 0.3, C = 2, one vs one": 2,
        "clouds: γ = 0.3, C = 2, one vs rest": 1,
        "clouds: γ = 0.3, C = 2": 1,
    }


def test_a_model_that_is_not_that_of_the_numbers_is_noticed(mine, capsys):
    stored = run("problem.multiclass=one_vs_one", "solver=smo")
    model = stored.model()
    changed = replace(model, models=(replace(model.models[0], bias=3.0), *model.models[1:]))
    changed.save(stored.path / "model.npz")
    assert load_model(stored.path / "model.npz").models[0].bias == 3.0
    assert main(["verify", "--results", "."]) == 1  # its checksum
    status = json.loads((stored.path / "status.json").read_text())
    del status["check"]
    status["files"]["model.npz"] = sha256(stored.path / "model.npz")
    (stored.path / "status.json").write_text(json.dumps(status))
    assert "test_error is stored as" in output(capsys, ["verify", "--recompute", "--results", "."], 1)
    loaded, terms = data.load(stored.config.dataset.document()), stored.manifest["problem"]
    right = joint_numbers(model, terms, loaded)
    assert right["relative_gap"] == pytest.approx(stored.summary()["relative_gap"], rel=1e-3)
    assert joint_numbers(changed, terms, loaded)["relative_gap"] > 2.0 * right["relative_gap"]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_unsure_where_a_change_within_the_doubt_may_change_the_class(kind):
    rng = np.random.default_rng(0)
    count = len(multiclass.problems(kind, 3))
    model = JointModel(kind, 3, ())
    values, doubt = rng.integers(-3, 4, size=(200, count)) / 2.0, np.full((200, count), 0.75)
    moved = [values + 0.75 * np.subtract(signs, 1) for signs in np.ndindex(*(3,) * count)]
    before = model.predicted(values)
    expected = sum(any(model.predicted(one[k : k + 1])[0] != before[k] for one in moved) for k in range(200))
    assert 20 < expected < 180 and _unsure(model, values, doubt) == expected


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("dataset=adult", "dataset=adult has two classes, and"),
        ("dataset.positive=bee", "dataset.positive=bee makes two classes of"),
        ("dataset=mnist dataset.task=3", "dataset.task=3 makes two classes of all"),
        ("budget.test_error=0.1", "budget.test_error=0.1 cannot end the binary"),
        ("validate.folds=3 validate.warm=true", "validate.warm=true begins each fold at the"),
        ("start=abcd", "start=abcd begins one binary problem, and"),
        ("problem.multiclass=two", "problem.multiclass=two is not allowed: give"),
        ("problem.multiclass=none dataset.task=all", "dataset.task=all has more than two classes"),
        ("dataset.path=two.npz", "two.npz has no more labels than 'ant' and"),
        ("problem.multiclass=none", "'cat' is a third label beside 'ant' and"),
        ("subset=3", "the 3 training examples that seed=0 draws"),
        ("dataset.test_path=null dataset.path=rare.npz", "no training example has the label 'dog'"),
    ],
)
def test_wrong_use_is_one_sentence(mine, given, sentence, capfd):
    kept = TRAIN[1] < 2
    write(mine / "two.npz", TRAIN[0][kept], TRAIN[1][kept])
    rare = np.array([0, 1, 2] * 5 + [3])
    write(mine / "rare.npz", np.arange(16.0)[:, np.newaxis], rare[np.argsort(rare == 3, kind="stable")])
    files = [] if given.startswith("dataset=") else [*ASKED, "dataset.path=train.npz", "kernel.gamma=0.3"]
    code = main(["run", "problem.multiclass=one_vs_one", *files, *given.split(), "results=.", "solver=smo"])
    told = capfd.readouterr().err
    assert code == 2 and sentence in told and len(told.splitlines()) == 1
    assert not list(mine.glob("runs/*"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folds", [(), ("validate.folds=3",)])
def test_an_optimum_that_is_zero_is_refused_in_the_binary_problem_that_has_it(mine, kind, folds):
    write(mine / "zero.npz", np.zeros((36, 2), dtype=np.float32), np.arange(36) % 4)
    words = ("solver=sbp", "kernel=linear", f"problem.multiclass={kind}", *folds)
    made = run(*words, train="zero.npz", test="zero.npz")
    assert (made.status, made.trace().empty) == ("refused", True)
    assert made.reason == (
        "nu=auto needs an optimum that is not zero; give solver.nu=NUMBER or a smaller lam, "
        f"in the binary problem ant against {'bee' if kind == KINDS[0] else 'the rest'}"
        f"{' in fold 1 of 3' if folds else ''}"
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", ["smo", "pegasos", "sdca", "decomposition"])
def test_a_run_whose_problems_all_have_an_optimum_of_zero_has_an_answer(mine, kind, solver):
    write(mine / "zero.npz", np.zeros((36, 2), dtype=np.float32), np.arange(36) % 4)
    words = (f"solver={solver}", "kernel=linear", f"problem.multiclass={kind}", "budget.iterations=500")
    made = run(*words, train="zero.npz", test="zero.npz")
    assert made.complete and made.value("test_error") > 0.0, made.reason
