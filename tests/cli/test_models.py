"""`svmbench verify` and `predict` on real runs."""

import gzip
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import svmbench
from svmbench import data as datasets
from svmbench.cli import verify
from svmbench.cli.main import main
from svmbench.data.arrays import write_arrays
from svmbench.errors import UserError
from svmbench.recompute import scores, unit
from svmbench.store import Store
from tests.told import answer, output, refusal

from .conftest import SMALL

#: One run of each form that a model has, and of each kind of dual point.
FORMS = {
    "smo": ["solver=smo"],
    "smo_pair": ["solver=smo_pair", "problem.bias=unregularised"],
    "sbp": ["solver=sbp"],
    "polynomial": ["solver=smo", "kernel=polynomial", "kernel.gamma=0.1", "problem.C=0.01"],
    "cpsp": ["solver=cpsp", "solver.k=5"],
    "bsgd": ["solver=bsgd", "solver.budget=7"],
    "dcsvm": ["solver=dcsvm", "solver.early=1", "solver.sample=50"],
    "cvm": ["solver=cvm", "solver.eps=1e-3"],
    "dcd": ["solver=dcd", "kernel=linear", "solver.loss=squared_hinge"],
    "ocas": ["solver=ocas", "kernel=linear"],
    "nystrom": ["solver=pegasos_linear", "features=nystrom", "features.s=20"],
    "fourier": ["solver=pegasos_linear", "features=fourier", "features.frequencies=20"],
    "pairs": ["solver=dcd", "features=fourier", "features.frequencies=20", "features.form=pairs"],
}


@pytest.fixture
def made(stored, here):
    """A copy of the stored runs that may be changed."""
    shutil.copytree(stored, here / "results")
    return Store(here / "results")


@pytest.mark.parametrize("form", FORMS)
def test_every_number_is_recomputed_without_the_oracle(form, here, capsys):
    small = [text for text in SMALL if not text.startswith("budget.kev")]
    assert main(["run", *FORMS[form], *small, "budget.iterations=500"]) == 0
    out = output(capsys, ["verify", "--recompute"])
    assert "recomputed; the largest difference" in out and out.endswith("1 ok\n")


def test_a_number_that_is_not_right_is_named(made, capsys, monkeypatch):
    run = made.find("smo")
    # A wrong number under right checksums: what an error in the observer would leave.
    real = type(run).summary
    monkeypatch.setattr(
        type(run),
        "summary",
        lambda self: real(self) | {"primal_objective": real(self)["primal_objective"] * (1 + 1e-5)},
    )
    out = output(capsys, ["verify", "--recompute", run.id], 1)
    assert out.startswith(f"differs      {run.id}: primal_objective is stored as ")


def test_runs_of_older_versions_are_said_to_be_so(made, capsys):
    run = made.find("smo")
    end = json.loads((run.path / "status.json").read_text())
    del end["files"], end["check"]
    (run.path / "status.json").write_text(json.dumps(end))
    out = output(capsys, ["verify", "--recompute", run.id])
    assert "stored before there were checksums and models" in out and out.endswith("1 unchecked\n")
    assert "holds no model" in refusal(capsys, ["predict", run.id, "x"])


@pytest.mark.parametrize("form", ["libsvm", "csv", "gzip", "utf-16", "npz"])
def test_predictions_of_a_stored_model(made, here, capsys, form):
    run = made.find("smo")
    test = datasets.load(run.config.dataset.document()).test
    lines = []
    for row, label in zip(test.X, test.y):
        cells = [repr(float(value)) for value in row]
        pairs = [f"{index}:{cell}" for index, cell in enumerate(cells, start=1)]
        lines.append(f"{label:g} {' '.join(pairs)}\n" if form == "libsvm" else ",".join([*cells, "?\n"]))
    text = "".join(lines)
    content = text.encode("utf-16" if form == "utf-16" else "utf-8")
    if form == "npz":
        content = write_arrays(test.X, test.y)
    (here / "rows").write_bytes(gzip.compress(content) if form == "gzip" else content)
    signs = np.array([float(line) for line in output(capsys, ["predict", run.id, "rows"]).splitlines()])
    assert np.count_nonzero(signs != test.y) == run.summary()["test_mistakes"]
    assert main(["predict", run.id, "rows", "--scores"]) == 0
    values = np.array([float(line) for line in capsys.readouterr().out.splitlines()])
    assert np.array_equal(np.where(values > 0.0, 1.0, -1.0), signs) and np.unique(values).size > 2


def example(labels, header=False):
    """Return labels, and rows of two features: text with labels, without, and pairs without."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 2)).round(3) + 0.0005
    y = [labels[int(row[0] > 0)] for row in X]
    bare = [",".join(map(repr, row)) for row in X.tolist()]
    pairs = [f"1:{a!r} 2:{b!r}" for a, b in X.tolist()]
    csv = [*(["a,b,kind"] if header else []), *(f"{line},{label}" for line, label in zip(bare, y))]
    return y, csv, [*(["a,b"] if header else []), *bare], pairs


def written(path, lines):
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("labels", "header", "more"),
    [
        (("ham", "spam"), True, ["dataset.positive=spam", "dataset.label_column=kind"]),
        (("3", "8"), False, []),
        (("-1", "1"), False, []),
    ],
)
def test_rows_without_labels_get_those_of_the_training_file(here, capsys, labels, header, more):
    y, csv, bare, _ = example(labels, header)
    written(here / "mine.csv", csv), written(here / "bare.csv", bare)
    given = ["dataset=file", "dataset.path=mine.csv", *more, "problem.C=100", "kernel.gamma=1", "solver=smo"]
    assert main(["run", *given]) == 0
    answers = []
    for name in ("mine.csv", "bare.csv"):
        answers.append(output(capsys, ["predict", "smo", name]).split())
    assert answers[0] == answers[1] and len(answers[0]) == 60
    assert sum(one == other for one, other in zip(answers[0], y)) >= 55
    found = json.loads(output(capsys, ["predict", "smo", "bare.csv", "--json"]))["labels"]
    assert [str(label) for label in found] == answers[0] and isinstance(found[0], str) == (labels[0] == "ham")
    np.savez(here / "bare.npz", X=np.array([line.split(",") for line in bare[header:]], dtype=float))
    assert output(capsys, ["predict", "smo", "bare.npz"]).split() == answers[0]
    (here / "one").write_text(bare[header].replace(",", " , "))  # one row, no line end
    assert output(capsys, ["predict", "smo", "one"]).split() == answers[0][:1]


@pytest.mark.parametrize("kind", ["binary", "one_vs_one", "one_vs_rest"])
def test_probabilities_are_those_of_rows_that_were_not_trained_on(here, capsys, kind):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(460, 2)).round(3)
    noisy = X.sum(axis=1) + rng.logistic(scale=0.4, size=460)
    y = np.digitize(noisy, [0.0] if kind == "binary" else [-0.7, 0.7])
    lines = [f"{a},{b},c{k}" for (a, b), k in zip(X.tolist(), y)]
    for name, rows in (("mine", lines[:160]), ("more", lines[160:360]), ("new", lines[360:])):
        (here / f"{name}.csv").write_text("a,b,kind\n" + "\n".join(rows))
    given = ["dataset=file", "dataset.path=mine.csv", "problem.C=1", "kernel=linear", "solver=smo"]
    more = ["dataset.positive=c1"] if kind == "binary" else [f"problem.multiclass={kind}"]
    assert main(["run", *given, *more]) == 0
    ask = ["predict", "smo", "new.csv", "--probability"]
    told = answer(capsys, [*ask, "--calibrate", "more.csv", "--json"])
    found = json.loads(told.out)
    assert sorted(found["classes"]) == sorted({f"c{k}" for k in y})
    assert "on the scores of 200 rows of more.csv" in told.err
    assert told.err.count("more.csv: the last line has no line end") == 1
    p, truth = np.array(found["probabilities"]), y[360:]
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    # Nearly as likely as by the probabilities that the labels were drawn with.
    bounds = [-np.inf, *([0.0] if kind == "binary" else [-0.7, 0.7]), np.inf]
    below = 1.0 / (1.0 + np.exp(-(np.array(bounds) - X[360:].sum(axis=1)[:, None]) / 0.4))
    order = [int(name[1:]) for name in found["classes"]]
    own = p[np.arange(100), [order.index(k) for k in truth]]
    drawn = np.diff(below)[np.arange(100), truth]
    assert np.log(own).mean() > np.log(drawn).mean() - 0.1
    assert svmbench.predict("smo", "new.csv", probability=True, calibrate="more.csv").shape == p.shape
    (here / "copy.csv").write_bytes((here / "mine.csv").read_bytes())
    (here / "one.csv").write_text("\n".join(line for line in lines if line.endswith("c1")))
    (here / "bare.csv").write_text("0,1\n1,0\n")
    for file, words in {
        "": "has no validation part to fit probabilities to: give labelled rows that it was not trained on",
        "copy.csv": "is the file that the model was trained on",
        "one.csv": "one.csv has no row of c",
        "bare.csv": "has no labels: give rows with their labels",
    }.items():
        assert words in refusal(capsys, [*ask, *(["--calibrate", file] if file else [])])
    assert main(["predict", "smo", "new.csv", "--calibrate", "more.csv"]) == 2


def test_probabilities_are_fitted_to_the_validation_part(made, here, capsys, monkeypatch):
    run = made.find("smo")
    found = datasets.load(run.config.dataset.document())
    (here / "test.npz").write_bytes(write_arrays(found.test.X, found.test.y))
    (here / "new.svm").write_text("-1 1:.1 2:.2\n+1 1:.9 2:.8\n")
    ask = ["predict", run.id, "new.svm", "--probability"]
    expected = output(capsys, [*ask, "--calibrate", "test.npz"])
    assert len(expected.split()) == 4
    monkeypatch.setattr(verify, "load", lambda *_: replace(found, validation=found.test))
    told = answer(capsys, ask)
    assert told.out == expected and "on the scores of 40 rows of the validation part" in told.err


def test_pairs_without_labels_and_the_rest_of_many_classes(here, capsys):
    y, _, _, pairs = example(("a", "b"))
    many = ["c" if k < 10 else label for k, label in enumerate(y)]
    written(here / "mine", [f"{label} {pair}" for label, pair in zip(many, pairs)])
    written(here / "bare", pairs)
    given = ["dataset=file", "dataset.path=mine", "dataset.positive=b", "problem.C=1", "kernel.gamma=1"]
    assert main(["run", "solver=smo", *given]) == 0
    labelled = output(capsys, ["predict", "smo", "mine"])
    assert main(["predict", "smo", "bare"]) == 0
    assert capsys.readouterr().out == labelled and set(labelled.splitlines()) == {"b", "not b"}
    written(here / "bare", [pairs[0], "", pairs[1]])
    error = refusal(capsys, ["predict", "smo", "bare"])
    assert "bare, line 2 is blank: without labels a row of zeros cannot be told" in error
    assert error.count("\n") == 1


def test_missing_values_and_text_are_replaced_as_in_training(here, capsys):
    lines = [f"{k},{'red' if k < 20 else 'blue'},{'no' if k < 20 else 'yes'}" for k in range(40)]
    written(here / "mine.csv", ["size,colour,kind", *lines])
    given = ["dataset=file", "dataset.path=mine.csv", "dataset.positive=yes", "problem.C=1", "kernel=linear"]
    assert main(["run", "solver=dcd", *given, "dataset.encode=onehot", "dataset.missing=median"]) == 0
    (here / "mine.csv").unlink()  # what is needed is stored with the run
    capsys.readouterr()
    written(here / "rows.csv", ["size,colour", "?,red", "35,blue", "35,green"])
    told = answer(capsys, ["predict", "dcd", "rows.csv"], 2)
    assert "feature 2 ('colour') in 1 of 3 rows, the first 'green' in line 4; correct them" in told.err
    assert told.out == "" and told.err.count("\n") == 1
    told = answer(capsys, ["predict", "dcd", "rows.csv", "--ignore-unseen"])
    assert told.out.split()[:2] == ["no", "yes"] and len(told.out.split()) == 3
    assert "'green' in line 4; they are 0 in all columns of the encoding" in told.err
    written(here / "rows.csv", ["colour,size", "red,1"])
    assert main(["predict", "dcd", "rows.csv"]) == 2
    assert "is not a finite number; the training file has numbers in this column" in capsys.readouterr().err
    written(here / "mine.csv", ["size,colour,kind", *lines])
    assert main(["run", "solver=smo", *given, "dataset.encode=onehot"]) == 0
    written(here / "rows.csv", ["size,colour", "?,red"])
    assert main(["predict", "smo", "rows.csv"]) == 2
    assert "was trained with dataset.missing=refuse: fill it, or train with" in capsys.readouterr().err


def test_one_feature_needs_no_label_either(here, capsys):
    lines = [f"{k - 20}.5,{int(k > 20)}" for k in range(41)]
    written(here / "mine.csv", lines), written(here / "bare.csv", [line.split(",")[0] for line in lines])
    given = ["dataset=file", "dataset.path=mine.csv", "problem.C=1", "kernel=linear", "solver=dcd"]
    assert main(["run", *given]) == 0
    answers = output(capsys, ["predict", "dcd", "bare.csv"]).split()
    assert len(answers) == 41 and set(answers) == {"0", "1"}


@pytest.mark.parametrize("form", ["csv", "libsvm"])
@pytest.mark.parametrize("scaling", ["minmax", "standard", "unit"])
@pytest.mark.parametrize("solver", ["smo", "dcd"])
def test_rows_are_scaled_as_the_training_rows_were(here, capsys, form, scaling, solver):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3)) * [1.0, 30.0, 0.01] + [5.0, -200.0, 0.0]
    y = np.where(X[:, 1] + rng.normal(size=60) > -200.0, 1, -1)
    csv = [",".join([*map(repr, row.tolist()), f"{label}\n"]) for row, label in zip(X, y)]
    pairs = [f"{label} 1:{row[0]!r} 2:{row[1]!r} 3:{row[2]!r}\n" for row, label in zip(X.tolist(), y)]
    (here / "mine").write_text("".join(csv if form == "csv" else pairs))
    kernel = ["kernel=gaussian", "kernel.gamma=0.5"] if solver == "smo" else ["kernel=linear"]
    given = ["dataset=file", "dataset.path=mine", f"dataset.scaling={scaling}", "problem.C=1"]
    assert main(["run", f"solver={solver}", *kernel, *given]) == 0
    (run,) = Store(here / "results").runs()
    signs = np.array([float(line) for line in output(capsys, ["predict", run.id, "mine"]).splitlines()])
    summary = run.summary()
    wrong = summary["test_mistakes"] + round(summary["train_error"] * 48)
    assert np.count_nonzero(signs != y) == wrong
    (here / "one").write_text((csv if form == "csv" else pairs)[0])
    assert main(["predict", run.id, "one"]) == 0
    assert float(capsys.readouterr().out) == signs[0]  # by the training rows, whatever the file holds
    (here / "other").write_text((pairs if form == "csv" else csv)[0])
    assert main(["predict", run.id, "other"]) == (0 if scaling == "unit" else 2)
    assert ("give a file of the same format and columns" in capsys.readouterr().err) == (scaling != "unit")


def test_a_score_of_zero_is_said_to_decide_nothing(here, capsys):
    (here / "mine").write_text("1 1:2 2:1\n-1 1:-1 2:-2\n" * 10)
    given = ["dataset=file", "dataset.path=mine", "problem.C=1", "kernel=linear"]
    assert main(["run", "solver=dcd", *given, "dataset.test_fraction=0"]) == 0
    (here / "rows").write_text("1:0 2:0\n1:1\n")
    out, err = answer(capsys, ["predict", "dcd", "rows"])
    assert out == "-1\n1\n" and "rows with a score of exactly 0, which decides nothing: 1;" in err


#: A model of each form on sparse data: points that are examples, points of its own, weights, a map's weights.
WIDE = {
    "smo": ["solver=smo", "kernel.gamma=0.5"],
    "cpsp": ["solver=cpsp", "solver.k=3", "kernel.gamma=0.5"],
    "dcd": ["solver=dcd", "kernel=linear"],
    "fourier": ["solver=dcd", "features=fourier", "features.frequencies=20", "kernel.gamma=0.5"],
}


@pytest.mark.parametrize("scaling", ["none", "unit", "minmax"])
@pytest.mark.parametrize("occur", [40, 400])  # held in dense rows, and in sparse ones
@pytest.mark.parametrize("form", WIDE)
def test_rows_of_very_wide_data_have_the_columns_of_the_model(here, capsys, form, occur, scaling):
    rng = np.random.default_rng(5)
    wide, n = 200_000, 60
    columns = np.sort(rng.choice(np.arange(2, wide), occur, replace=False))
    X = sp.random_array((n, occur), density=0.05, rng=rng, format="csr", data_sampler=rng.standard_normal)
    X.data = np.abs(X.data) + 0.125
    y = np.where(X.sum(axis=1) > np.median(X.sum(axis=1)), 1, -1)

    def write(name, rows, labels, numbers):
        pairs = [
            " ".join(f"{numbers[j]}:{v!r}" for j, v in zip(row.indices.tolist(), row.data.tolist()))
            for row in (rows[[i]] for i in range(rows.shape[0]))
        ]
        (here / name).write_text("".join(f"{label} {text}\n" for label, text in zip(labels, pairs)))

    X.sort_indices()
    write("mine", X[:40], y[:40], columns)
    write("test", X[40:], y[40:], columns)
    given = ["dataset=file", "dataset.path=mine", "dataset.test_path=test", f"dataset.scaling={scaling}"]
    assert main(["run", *WIDE[form], *given, "problem.C=1", "budget.iterations=200"]) == 0
    (run,) = Store(here / "results").runs()
    data, model = datasets.load(run.config.dataset.document()), run.model()
    step = None if model.indices is None else unit(data.train.X, model.kernel)

    def predicted(name):
        capsys.readouterr()
        code = main(["predict", run.id, name, "--scores"])
        printed = capsys.readouterr()
        return np.array([float(line) for line in printed.out.splitlines()]) if code == 0 else printed.err

    for name, part in (("mine", data.train), ("test", data.test)):
        expected = scores(model, data.train.X, part.X, step) + model.bias
        assert predicted(name) == pytest.approx(expected, rel=1e-5, abs=1e-5)

    # A row of the training file with a value in a column that no example has one in.
    label, first = (here / "mine").read_text().splitlines()[0].split(" ", 1)
    (here / "fresh").write_text(f"{label} 1:1.5 {first}\n")
    values = predicted("fresh")
    if form == "fourier":
        assert "fresh has values in columns that are empty in the data of the model" in values
        return
    row = data.train.X[[0]]
    row = (row.toarray() if sp.issparse(row) else row)[0].astype(float)
    added = 1.5
    if scaling == "unit":
        length = np.sqrt((X[[0]].data ** 2).sum() + 1.5**2)
        row, added = row * np.sqrt((X[[0]].data ** 2).sum()) / length, 1.5 / length
    if form == "dcd":
        assert values == pytest.approx([row @ model.weights + model.bias], rel=1e-5)
        return
    points = model.points if model.points is not None else data.train.X[model.indices]
    points = points.toarray() if sp.issparse(points) else points
    distances = ((points - row) ** 2).sum(axis=1) + added**2
    expected = np.exp(-0.5 * distances) @ model.coefficients + model.bias
    assert values == pytest.approx([expected], rel=1e-5)
    (here / "wider").write_text("1 200001:1\n")
    assert "wider has 200001 feature columns, the model was trained on" in predicted("wider")


def test_weights_of_ordinary_sparse_data_predict_without_their_files(here, capsys):
    (here / "mine").write_text(
        "".join(f"{1 - 2 * (i % 2)} {1 + i % 2}:1 {9 + i % 5}:0.5\n" for i in range(40))
    )
    (here / "rows").write_text("1 1:1 9:0.5\n")
    assert (
        main(["run", "solver=dcd", "kernel=linear", "dataset=file", "dataset.path=mine", "problem.C=1"]) == 0
    )
    (run,) = Store(here / "results").runs()
    (here / "mine").unlink()
    assert output(capsys, ["predict", run.id, "rows"]) == "1\n"


@pytest.mark.parametrize("replaced", ["1 1:1 6:1\n-1 2:1\n" * 20, "1 7:1 90000:1\n-1 8:1\n" * 20])
def test_very_wide_data_that_changed_tell_no_columns(here, capsys, replaced):
    wide = [(10, 20), (30, 99_999)] * 20
    (here / "mine").write_text("".join(f"{1 - 2 * (i % 2)} {a}:1 {b}:1\n" for i, (a, b) in enumerate(wide)))
    assert (
        main(["run", "solver=dcd", "kernel=linear", "dataset=file", "dataset.path=mine", "problem.C=1"]) == 0
    )
    (run,) = Store(here / "results").runs()
    (here / "dense.csv").write_text("1,2,3,4,1\n")
    capsys.readouterr()
    assert main(["predict", run.id, "dense.csv"]) == 2
    assert "has 4 feature columns, the model was trained on 99999" in capsys.readouterr().err
    (here / "mine").write_text(replaced)
    (here / "rows").write_text("1 1:1 2:1\n")
    assert output(capsys, ["predict", run.id, "rows"], 2) == ""


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("", "is empty"), ("1 1:2 99:3\n", "has 99 feature columns"), ("1,2,3,4,5\n", "has 4 feature columns")],
)
def test_rows_that_do_not_fit_the_model(made, here, capsys, content, sentence):
    (here / "rows").write_text(content)
    assert sentence in refusal(capsys, ["predict", "smo", "rows"])


def test_a_column_of_numbers_is_no_file_of_labels_for_a_model_of_a_table(here, capsys):
    written(here / "mine", example(("-1", "1"))[1])
    words = ["kernel=linear", "problem.C=1", "dataset=file", "dataset.path=mine"]
    assert main(["run", "solver=smo", *words]) == 0
    written(here / "rows", ["1", "-1", "1"])
    said = "svmbench: rows has one column, the model 2 features: give them all\n"
    assert answer(capsys, ["predict", "smo", "rows"], 2) == ("", said)


def test_rows_that_double_precision_leaves_open_are_counted(here, capsys):
    rng = np.random.default_rng(0)
    X = 2.0 ** rng.integers(-60, 60, size=(60, 2))
    written(here / "mine", [f"{a!r},{b!r},{1 - 2 * (k % 2)}" for k, (a, b) in enumerate(X.tolist())])
    words = ["kernel=linear", "problem.C=1", "dataset=file", "dataset.path=mine", "budget.iterations=20"]
    assert main(["run", "solver=svm_light", *words]) == 0
    out, err = answer(capsys, ["predict", "svm_light", "mine"])
    assert "rows whose scores double precision cannot tell from 0: " in err and len(out.splitlines()) == 60


def test_a_run_that_ended_in_its_optimum_says_why_it_has_no_model(here, capsys):
    words = ["run", "solver=sbp", *SMALL, "problem.C=1e6", "budget.seconds=1e-9"]
    assert main(words) == 0  # a timeout is a result
    (run,) = Store("results").runs()
    assert run.status == "timeout" and run.value("iterations") is None
    with pytest.raises(UserError) as error:
        run.model()
    assert f"ended before its first checkpoint (timeout: {run.reason}); run it again" in str(error.value)
    assert "killed" not in str(error.value) and "older version" not in str(error.value)
