"""From Python: the same checks, the same store, and tables of what is stored."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench import api
from svmbench.errors import UserError
from tests.figures.stored import stored_run

SMALL = {"dataset": {"name": "checkerboard", "n_train": 60, "n_test": 40}, "quiet": True}


def points(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] + 0.1 * rng.normal(size=n) > 0, "right", "left")


def test_words_and_keywords_are_the_same_run(tmp_path):
    first = api.run(solver="smo", kernel={"gamma": 0.7}, results=tmp_path, **SMALL)
    words = ("solver=smo", "kernel.gamma=0.7", "dataset=checkerboard", "dataset.n_train=60")
    words += ("dataset.n_test=40",)
    again = api.run(*words, results=tmp_path, quiet=True)
    assert again.id == first.id and again.ended == first.ended
    assert api.run(*words, results=tmp_path, quiet=True, force=True).ended > first.ended
    assert first.config.kernel.parameters["gamma"] == 0.7


def test_runs_are_loaded_as_tables(tmp_path):
    for seed in (0, 1):
        api.run(solver="pegasos", seed=seed, budget={"name": "debug"}, results=tmp_path, **SMALL)
    runs = api.load_runs(tmp_path)
    assert len(runs) == 2 and set(runs["seed"]) == {0, 1}
    assert {"run", "status", "solver.name", "kernel.gamma", "test_error", "kev_ondemand"} <= set(runs)
    traces = api.load_runs(tmp_path, traces=True)
    last = traces.groupby("run")["test_error"].last()
    assert dict(last) == dict(zip(runs["run"], runs["test_error"]))


def test_a_folder_without_runs_is_an_empty_table_and_one_that_is_absent_a_mistake(tmp_path):
    assert api.load_runs(tmp_path).empty
    with pytest.raises(UserError, match=r"^folder .*absent does not exist: give the results folder"):
        api.load_runs(tmp_path / "absent")


@pytest.mark.parametrize("sparse", [False, True])
def test_arrays_are_a_data_set_that_the_command_line_can_read(tmp_path, sparse):
    X, y = points()
    rows = sp.csr_array(X) if sparse else X
    made = api.run(
        solver="smo",
        dataset={"train": (rows, y), "test": points(40, 1), "name": "mine"} if not sparse else (rows, y),
        kernel={"gamma": 0.5},
        problem={"C": 2.0},
        results=tmp_path,
        quiet=True,
        **{"dataset.positive": "right"},
    )
    assert made.summary()["test_error"] < 0.2
    assert made.dataset == ("mine" if not sparse else "arrays")
    known = made.document["dataset"]
    assert known["path"].endswith(".npz")
    words = ["solver=smo", "dataset=file", "dataset.positive=right", "kernel.gamma=0.5", "problem.C=2"]
    words += [f"dataset.{key}={known[key]}" for key in ("name", "path", "test_path") if known[key]]
    again = api.run(*words, results=tmp_path, quiet=True)
    assert again.id == made.id and again.ended == made.ended


@pytest.mark.parametrize("name", ["2024", "true", "1e5", "données"])
def test_text_is_text_whatever_it_looks_like(tmp_path, name):
    X, y = points()
    made = api.run(
        "dataset.positive=right",
        solver="smo",
        dataset={"train": (X, y), "name": name},
        kernel={"gamma": 0.5},
        problem={"C": 2.0},
        results=tmp_path / name,
        quiet=True,
    )
    assert made.dataset == name and made.path.is_relative_to(tmp_path / name)


def test_bad_input_is_a_sentence(tmp_path):
    with pytest.raises(UserError, match="solver"):
        api.run(solver="smoo", results=tmp_path, quiet=True)
    with pytest.raises(UserError, match=r"X of shape \(80, 2\) and y of shape \(3,\)"):
        api.run(dataset=(points()[0], [1, 2, 3]), results=tmp_path, quiet=True)
    with pytest.raises(UserError, match=r"(?i)gaussian"):
        api.run("solver=cpsp", "kernel=linear", results=tmp_path, **SMALL)
    X, y = points()
    X[3, 1] = np.nan
    with pytest.raises(UserError, match="X, row 3, contains NaN"):
        api.run(
            "dataset.positive=right",
            dataset=(X, y),
            kernel={"gamma": 1.0},
            problem={"C": 1.0},
            results=tmp_path,
            quiet=True,
        )


def test_the_package_is_imported_at_once():
    program = "import svmbench, sys; print(sorted({'numpy', 'pandas', 'hydra'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_run_is_printed_in_three_lines_and_is_a_table_in_a_notebook(tmp_path):
    made = api.run(solver="smo", results=tmp_path, **SMALL)
    end, found, paid = str(made).splitlines()
    assert end == f"{made.id}: converged, {made.reason}"
    assert found.startswith(f"test error {100 * made.value('test_error'):.2f} %, objective ")
    assert "(relative gap " in found and f"{made.value('support_vectors')}" in found
    assert paid.startswith(f"{made.value('kev_ondemand'):,} kernel evaluations (on demand), ")
    assert paid.endswith(" s") and repr(made).startswith("StoredRun(")
    page = made._repr_html_()
    assert page.startswith("<table><caption>smo-") and "<th" in page and str(tmp_path) in page
    assert page.count("<tr>") == page.count("</tr>") >= 7


def test_a_run_that_ended_by_its_budget_is_done_as_on_the_command_line(tmp_path):
    made = stored_run(tmp_path, costs=[10], errors=[20], reason="budget.kev=10 reached")
    assert str(made).startswith(f"{made.id}: done, budget.kev=10 reached\n")
    assert ">done, budget.kev=10 reached<" in made._repr_html_()


def test_arrays_of_other_things_than_numbers_are_refused(tmp_path):
    with pytest.raises(UserError, match="X has entries of type object: give an array of numbers"):
        api.run(solver="smo", dataset={"train": ([[1.0, None], [2.0, 3.0]], [1, -1])}, results=tmp_path)


def test_what_a_run_says_of_itself_commands_no_notebook_and_no_terminal(tmp_path):
    made = stored_run(tmp_path, costs=[10], errors=[10])
    made.facts["reason"] = "<script>\x1b[2J"
    assert "<script>" not in made._repr_html_() and "\x1b" not in made._repr_html_() + str(made)
    empty = stored_run(tmp_path, seed=1, status="failed")
    assert str(empty).splitlines()[1:] == ["no checkpoint", "nothing paid"]


def test_dir_names_what_the_package_offers():
    code = "import svmbench; print(dir(svmbench) == ['__version__', 'load_runs', 'plot', 'run'])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "True\n"
