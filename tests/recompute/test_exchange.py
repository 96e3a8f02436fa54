"""Models in the forms of other programs: each predicts like `svmbench predict`, row by row."""

import importlib.util
import json

import numpy as np
import pytest

from svmbench.cli.main import main
from tests.told import output, refusal

RANDOM = np.random.default_rng(0)
SETS = {
    "binary": (3, lambda X: np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, 1, -1)),
    "01": (3, lambda X: np.where(X[:, 0] > 0, 1, 0)),
    "three": (3, lambda X: 10 * np.digitize(X[:, 0], [-0.4, 0.4])),
    "words": (3, lambda X: np.array(["left", "middle", "right"])[np.digitize(X[:, 0], [-0.4, 0.4])]),
}
VS = "problem.multiclass=one_vs"
CASES = [
    ("binary", "smo", ["kernel.gamma=0.7"]),
    ("binary", "smo", ["kernel=polynomial", "kernel.degree=2", "kernel.gamma=0.3"]),
    ("binary", "smo", ["kernel=linear"]),
    ("binary", "dcd", ["kernel=linear"]),
    ("binary", "decomposition", ["kernel.gamma=0.7", "problem.weights=balanced"]),
    ("01", "smo", ["kernel.gamma=0.7", "dataset.positive=0"]),
    ("01", "sbp", ["kernel.gamma=0.7"]),
    ("three", "smo", ["kernel.gamma=0.7", "problem.multiclass=one_vs_one"]),
    ("three", "dcd", ["kernel=linear", "problem.multiclass=one_vs_one"]),
    ("words", "smo", ["kernel.gamma=0.7", "problem.multiclass=one_vs_one"]),
    ("three", "smo", ["kernel.gamma=0.7", "problem.multiclass=one_vs_rest"]),
    ("words", "smo", ["kernel=polynomial", "kernel.gamma=0.7", "problem.multiclass=one_vs_rest"]),
    ("binary", "smo", ["kernel=sigmoid", "kernel.gamma=0.05", "kernel.coef0=0.5"]),
    ("binary", "pegasos_linear", ["features=nystrom", "features.s=30", "kernel.gamma=0.7"]),
    ("binary", "pegasos_linear", ["features=fourier", "features.frequencies=40", "kernel.gamma=0.7"]),
    ("01", "dcd", ["features=fourier", "features.form=pairs", "features.frequencies=40", "kernel.gamma=0.7"]),
    ("three", "dcd", ["features=nystrom", "features.s=30", "kernel.gamma=0.7", f"{VS}_one"]),
    ("three", "dcd", ["features=fourier", "features.frequencies=40", "kernel.gamma=0.7", f"{VS}_rest"]),
    ("three", "dcd", ["features=fourier", "features.frequencies=40", "kernel.gamma=0.7", f"{VS}_one"]),
    ("binary", "dcsvm", ["solver.early=1", "solver.sample=40", "kernel.gamma=0.7"]),
    ("binary", "sbp", ["kernel=laplacian", "kernel.gamma=0.7"]),
]
#: Which forms do not have a model, by words of its case, and what is said.
LACKING = {
    "one_vs_rest": ("libsvm", "has no one_vs_rest models"),
    "fourier": ("libsvm", "has no features=fourier in models of this kind: use onnx or npz"),
    "_vs_one fourier": ("libsvm sklearn", "has no features=fourier"),
    "dcsvm": ("libsvm sklearn", "has no models with clusters (solver.early): use onnx or npz"),
    "laplacian": ("libsvm sklearn onnx", "has no kernel=laplacian"),
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return the run, its rows, labels and scores by a case."""
    cache = {}

    def make(number, capsys, monkeypatch):
        name, solver, words = CASES[number]
        if number not in cache:
            folder = tmp_path_factory.mktemp(name)
            monkeypatch.chdir(folder)
            d, rule = SETS[name]
            X = (64 * RANDOM.normal(size=(90, d))).round() / 64  # feature maps read single precision
            rows = "\n".join(
                ",".join([*map(repr, map(float, x)), str(y)]) for x, y in zip(X, rule(X), strict=True)
            )
            (folder / "data.csv").write_text(f"a,b,c,y\n{rows}\n")
            common = ["dataset=file", "dataset.path=data.csv", "problem.C=5", "budget.iterations=3000"]
            run = json.loads(output(capsys, ["run", f"solver={solver}", *common, *words, "--json"]))["run"]
            answers = []
            for option in ([], ["--scores"]):
                assert main(["predict", run, "data.csv", *option, "--json"]) == 0
                answers.append(json.loads(capsys.readouterr().out)["scores" if option else "labels"])
            cache[number] = folder, run, X, np.array(answers[0]), np.array(answers[1])
        monkeypatch.chdir(cache[number][0])
        return cache[number]

    return make


def exported(run, form, capsys):
    return json.loads(output(capsys, ["export", run, "--model", form, "--json"]))["path"]


def close(scores, expected):
    np.testing.assert_allclose(np.reshape(scores, expected.shape), expected, rtol=1e-9, atol=1e-9)


def refused(number, form, run, capsys):
    """Return whether a form does not have the model, which is one sentence."""
    for words, (forms, told) in LACKING.items():
        if form in forms.split() and all(word in str(CASES[number]) for word in words.split()):
            error = refusal(capsys, ["export", run, "--model", form])
            assert "has no" in error
            return told in error or len(words.split()) == 1
    return False


@pytest.mark.parametrize("number", range(len(CASES)))
def test_libsvm(trained, number, capsys, monkeypatch):
    svmutil = pytest.importorskip("libsvm.svmutil")
    _, run, X, labels, scores = trained(number, capsys, monkeypatch)
    if refused(number, "libsvm", run, capsys):
        return
    path = exported(run, "libsvm", capsys)
    model = svmutil.svm_load_model(path)
    found, _, values = svmutil.svm_predict([], X, model, "-q")
    if labels.dtype.kind != "U":
        assert np.array_equal(np.array(found), labels)
    else:
        assert np.array_equal(np.array(sorted(set(labels)))[np.array(found, int)], labels)
    close(values, scores)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_scikit_learn(trained, number, capsys, monkeypatch):
    joblib = pytest.importorskip("joblib")
    _, run, X, labels, scores = trained(number, capsys, monkeypatch)
    if refused(number, "sklearn", run, capsys):
        return
    model = joblib.load(exported(run, "sklearn", capsys))
    assert np.array_equal(model.predict(X), labels)
    if scores.ndim == 1:
        sign = (
            1.0
            if np.array_equal(np.where(scores > 0, model.classes_[1], model.classes_[0]), labels)
            else -1.0
        )
        close(sign * model.decision_function(X), scores)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_onnx(trained, number, capsys, monkeypatch):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    _, run, X, labels, scores = trained(number, capsys, monkeypatch)
    if refused(number, "onnx", run, capsys):
        return
    session = runtime.InferenceSession(exported(run, "onnx", capsys), providers=["CPUExecutionProvider"])
    found, values = session.run(["label", "scores"], {"X": X})
    assert np.array_equal(found.astype(labels.dtype), labels)
    close(values, scores)


@pytest.mark.parametrize("number", [0, 1, 7, 10, 13, 14, 15, 17, 19])
def test_plain_arrays(trained, number, capsys, monkeypatch):
    _, run, X, _, scores = trained(number, capsys, monkeypatch)
    with np.load(exported(run, "npz", capsys)) as held:
        kernel, points = json.loads(str(held["kernel"])), held["points"]
        if kernel["name"] == "gaussian":
            values = np.exp(-kernel["gamma"] * np.square(X[:, None] - points).sum(axis=2))
        elif kernel["name"] == "cosine":
            values = np.cos(X @ points.T + held["phases"])
        else:
            values = (kernel["gamma"] * X @ points.T + kernel["coef0"]) ** kernel["degree"]
        if "regions" in held:
            ranks = held["centre_norms"] - 2.0 * (X @ held["centres"].T - held["centre_shift"])
            values *= ranks.argmin(axis=1)[:, None] == held["regions"]
        close(values @ held["coefficients"].T + held["bias"], scores)


@pytest.mark.parametrize("scaling", ["minmax", "standard", "unit"])
def test_rows_of_the_file_are_scaled_by_the_model(scaling, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X = RANDOM.normal(size=(90, 3)) * [1.0, 100.0, 1e-3] + [5.0, -300.0, 0.0]
    X = np.column_stack([X, np.full(90, 7.0)])  # a constant column
    y = np.where(X[:, 0] + X[:, 1] / 100 > 2.0, 1, -1)
    np.savez(tmp_path / "data.npz", X=X, y=y)
    words = ["dataset=file", "dataset.path=data.npz", f"dataset.scaling={scaling}", "kernel.gamma=0.7"]
    run = json.loads(output(capsys, ["run", "solver=smo", "problem.C=5", *words, "--json"]))["run"]
    assert main(["predict", run, "data.npz", "--scores", "--json"]) == 0
    scores = np.array(json.loads(capsys.readouterr().out)["scores"])
    joblib = pytest.importorskip("joblib")
    close(joblib.load(exported(run, "sklearn", capsys)).decision_function(X), scores)
    if importlib.util.find_spec("onnxruntime"):
        runtime = pytest.importorskip("onnxruntime")
        session = runtime.InferenceSession(exported(run, "onnx", capsys), providers=["CPUExecutionProvider"])
        close(session.run(["scores"], {"X": X})[0], scores)
    if scaling == "unit":
        assert main(["export", run, "--model", "libsvm"]) == 0
        assert "dataset.scaling=unit" in capsys.readouterr().err
        return
    with np.load(exported(run, "npz", capsys)) as held:
        rows, gamma = (X - held["shift"]) / held["width"], json.loads(str(held["kernel"]))["gamma"]
        values = np.exp(-gamma * np.square(rows[:, None] - held["points"]).sum(axis=2))
        close(values @ held["coefficients"].T + held["bias"], scores)
    assert main(["export", run, "--model", "libsvm"]) == 0
    path, ranges = (line.split()[0] for line in capsys.readouterr().out.splitlines())
    assert ranges == f"{path}.range"
    x, bounds, *lines = (tmp_path / ranges).read_text().splitlines()
    assert (x, bounds) == ("x", "0 1")
    numbers, low, high = np.array([line.split() for line in lines], float).T
    assert numbers.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose((X - low) / (high - low), rows, rtol=1e-12, atol=1e-12)
