"""Values as people type them: paths, second names, ranges of fractions, numbers of YAML, names of files."""

import pytest

from svmbench import config
from svmbench.config import compose, folder
from svmbench.errors import UserError

FILE = ("dataset=file", "kernel.gamma=1", "problem.C=1")


@pytest.mark.parametrize(
    "path",
    [
        "é/four.svm",
        "a=b.svm",
        "x#1.svm",
        "br[1].svm",
        "[1].svm",
        "a b (2).svm",
        "it's.svm",
        "{x}.csv",
        "50%.csv",
    ],
)
@pytest.mark.parametrize("key", ["dataset.path", "dataset.test_path", "results", "data.mirror"])
def test_a_path_is_taken_as_it_was_typed(key, path):
    given = [*FILE, "dataset.path=one.svm", f"{key}={path}"]
    document = config.resolve(given).document()
    section, _, name = key.rpartition(".")
    assert (document[section] if section else document)[name] == path
    (job,), _ = compose.jobs(given)
    assert job.config.document() == document


def test_the_home_folder_is_known(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert (
        config.resolve([*FILE, "dataset.path=~/a.svm"]).document()["dataset"]["path"] == f"{tmp_path}/a.svm"
    )


def test_values_of_a_sweep_are_read_one_by_one():
    jobs, _ = compose.jobs([*FILE, "dataset.path=a=b.svm,c.svm", "seed=0,1"])
    assert [job.config.document()["dataset"]["path"] for job in jobs] == ["a=b.svm"] * 2 + ["c.svm"] * 2


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ("range(0.1,0.5,0.1)", [0.1, 0.2, 0.3, 0.4]),
        ("range(0.5,0.1,-0.1)", [0.5, 0.4, 0.3, 0.2]),
        ("range(1e-3,4e-3,1e-3)", [0.001, 0.002, 0.003]),
        ("range(0,1,0.25)", [0.0, 0.25, 0.5, 0.75]),
    ],
)
def test_a_range_of_fractions_has_the_values_of_a_list(given, values):
    axes = compose.axes([f"kernel.coef0={given}"])
    assert [float(text.partition("=")[2]) for text in axes["kernel.coef0"]] == values
    one, listed = (
        (
            compose.jobs(["kernel=polynomial", f"kernel.coef0={text}"])[0]
            for text in (given, ",".join(map(str, values)))
        )
        if min(values) >= 0
        else ([], [])
    )
    assert [job.config for job in one] == [job.config for job in listed]


@pytest.mark.parametrize(("other", "usual"), [("rbf", "gaussian"), ("poly", "polynomial")])
def test_second_names_of_kernels(other, usual):
    assert config.resolve([f"kernel={other}"]) == config.resolve([f"kernel={usual}"])


def test_second_names_of_solvers():
    jobs, _ = compose.jobs(["solver=libsvm,smo"])
    assert [job.config.solver.name for job in jobs] == ["sklearn_svc", "smo"]
    assert config.resolve(["solver=liblinear", "kernel=linear"]).solver.name == "sklearn_linearsvc"


@pytest.mark.parametrize("number", ["0x10", "12:30", "010", "0b11", "[0x10, 2]"])
def test_a_number_that_only_yaml_reads_is_refused_in_a_file(tmp_path, number):
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel" / "mine.yaml").write_text(f"name: gaussian\ngamma: {number}  # base\n")
    with pytest.raises(UserError, match=r"mine\.yaml: gamma.* is a number in another base"):
        folder.user_folders(str(tmp_path))


def test_other_values_of_a_file_are_not_mistaken_for_numbers_of_yaml(tmp_path):
    (tmp_path / "budget").mkdir()
    text = "# at 12:30\nkev: 1000000\nseconds: 0.5\ngap: 1e-3\nnote: '0x10'\nday: 2026-10-02\nzero: 0\n"
    (tmp_path / "budget" / "mine.yaml").write_text(text)
    assert folder.user_folders(str(tmp_path)) == [tmp_path]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["dataset=mine.csv"], "did you mean 'dataset=file dataset.path=mine.csv'?"),
        (["seeds=0,1,2"], "unknown key seeds; did you mean 'seed'?"),
        (["solver=svm"], "did you mean 'smo', or 'libsvm'?"),
        (["dataset=openml:credit-g"], "unknown dataset 'openml:credit-g'"),
        (["kernel.gamma=a=b"], "kernel.gamma=a=b is not allowed: give a number above 0"),
        (["kernel.gamma=[1"], "cannot be read"),
    ],
)
def test_the_answer_names_what_is_meant(given, words):
    with pytest.raises(UserError) as caught:
        config.resolve(given)
    assert words in str(caught.value) and "\\" not in str(caught.value)
