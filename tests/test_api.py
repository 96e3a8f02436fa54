"""From Python: the same checks, the same store, and tables of what is stored."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench import api
from svmbench.errors import UserError
from tests.figures.stored import stored_run
from tests.told import output

SMALL = {"dataset": {"name": "checkerboard", "n_train": 60, "n_test": 40}, "quiet": True}


def points(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] + 0.1 * rng.normal(size=n) > 0, "right", "left")


def test_words_and_keywords_are_the_same_run(tmp_path):
    tmp_path /= r"a\b's"
    first = api.run(solver="smo", kernel={"gamma": 0.7}, results=tmp_path, **SMALL)
    assert tmp_path in first.path.parents
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
    code = "import svmbench; print(dir(svmbench) == svmbench.__all__ and 'tune' in dir(svmbench))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "True\n"


def test_functions_return_what_the_commands_print(tmp_path, capsys):
    given = {"results": tmp_path, "budget": "debug", "kernel": {"gamma": 20.0}, **SMALL}
    made = api.multirun("seed=range(0,2)", solver=["sbp", "pegasos"], **given)
    assert list(made["state"]) == ["done"] * 4 and capsys.readouterr().err == ""
    assert list(made["test_error"]) == [api.run(f"seed={k}", solver=name, **given).summary()["test_error"]
                                        for name in ("sbp", "pegasos") for k in (0, 1)]  # fmt: skip
    again = api.multirun(seed=[0, 1], solver=["sbp", "pegasos"], **given)
    assert list(again["state"]) == ["found"] * 4 and list(again["run"]) == list(made["run"])

    def printed(*words):
        return json.loads(output(capsys, [*words, "--json", "--results", str(tmp_path)]))

    words = ("sbp-*", "pegasos-*")
    compared = api.compare(*words, cost="kev_iter", results=tmp_path)
    assert compared.to_dict("records") == printed("compare", *words, "--cost", "kev_iter")["rows"]
    cells = api.table(*words, metric=["test_error", "norm"], average="median", results=tmp_path)
    asked = ("--metric", "test_error,norm", "--average", "median")
    assert cells.to_dict("records") == printed("table", *words, *asked)["cells"]
    X, y = points(12)
    data = {"train": (X, y), "positive": "right"}
    ended = api.run(solver="smo", dataset=data, kernel={"gamma": 0.5}, problem={"C": 2.0},
                    results=tmp_path, quiet=True)  # fmt: skip
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(",".join(map(repr, row)) for row in X.tolist()))
    for rows in (X, X.tolist(), path):
        assert list(api.predict(ended, rows)) == printed("predict", ended.id, str(path))["labels"]
    scores = api.predict(ended.id, X, scores=True, results=tmp_path)
    assert list(scores) == printed("predict", ended.id, str(path), "--scores")["scores"]
    with pytest.raises(UserError, match="--to test_error=x is not of the form"):
        api.compare(*words, to="test_error=x", results=tmp_path)
    with pytest.raises(UserError, match="no run in "):
        api.table("absent-*", results=tmp_path)


def test_tuning_returns_the_settings_and_the_command_of_the_best(tmp_path, capsys):
    keys = {"problem": {"C": [1.0, 8.0]}, "kernel": {"gamma": [2.0, 32.0]}, "results": tmp_path, **SMALL}
    found = api.tune(solver="smo", rounds=0, **keys)
    assert len(found) == 4 and found["validation_error"].is_monotonic_increasing
    best = found.iloc[0]
    assert f"problem.C={best['problem.C']:g}" in found.attrs["command"].replace(".0", "")
    words = ["solver=smo", "dataset=checkerboard", "dataset.n_train=60", "dataset.n_test=40"]
    words += ["problem.C=1.0,8.0", "kernel.gamma=2.0,32.0", f"results={tmp_path}", "--rounds", "0", "--json"]
    assert json.loads(output(capsys, ["tune", *words]))["settings"] == found.to_dict("records")
    with pytest.raises(UserError, match="--rounds 99 is not allowed"):
        api.tune(solver="smo", rounds=99, **keys)
