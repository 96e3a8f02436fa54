"""`svmbench new`: what it writes works as it is."""

import re
import shutil
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from svmbench.cli.main import main
from svmbench.solvers.plain import ExpansionRun, solver_of
from tests.examples.test_greedy import EXAMPLE, ROOT, conformance, installed_from, python
from tests.told import output, refusal


def files(folder: Path) -> dict[str, str]:
    made = ("build", "__pycache__", "svmbench_greedy.egg-info")  # by pip, which other tests call
    found = (file for file in folder.rglob("*") if file.is_file() and not set(made) & set(file.parts))
    return {str(file.relative_to(folder)): file.read_text() for file in found}


def test_the_example_of_the_documentation_is_what_it_writes(here):
    assert main(["new", "solver", "greedy"]) == 0
    assert files(Path("svmbench-greedy")) == files(EXAMPLE)


def test_a_new_solver_passes_its_own_test(here, tmp_path, capsys):
    told = output(capsys, ["new", "solver", "two_steps"])
    assert "svmbench-two_steps/svmbench_two_steps/solver.py\n" in told
    checked = "pip install pytest scikit-learn && svmbench check two_steps\n"
    assert f"next     pip install ./svmbench-two_steps && svmbench run solver=two_steps && {checked}" in told
    said = "'two_steps'; install it first: pip install ./svmbench-two_steps"
    assert all(said in refusal(capsys, [command, "two_steps"]) for command in ("check", "field"))
    installed = installed_from(Path("svmbench-two_steps").absolute(), tmp_path / "installed")
    own = ("pytest", "-q", "-p", "no:cacheprovider", "svmbench-two_steps/tests")
    done = python(installed, *own, cwd=here)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["none", "run", "params", "solver", "expansion_run"])
def test_a_name_that_means_something_else_in_python_is_a_solver(here, name, monkeypatch):
    assert main(["new", "solver", name]) == 0
    monkeypatch.syspath_prepend(here / f"svmbench-{name}")
    entries = tomllib.loads(Path(f"svmbench-{name}/pyproject.toml").read_text())["project"]["entry-points"]
    run = EntryPoint(name, entries["svmbench.solvers"][name], "svmbench.solvers").load()
    assert issubclass(run, ExpansionRun) and run is not ExpansionRun
    assert solver_of(run, name).Params().eps == 1e-3


def test_a_new_kernel_satisfies_the_conformance_suite_and_runs(here, tmp_path, capsys):
    """As docs/add-a-kernel.md says; solver, prediction and recomputation take it as any other."""
    assert "svmbench run kernel=cauchy" in output(capsys, ["new", "kernel", "cauchy"])
    page = (ROOT / "docs" / "add-a-kernel.md").read_text()
    shown = re.search("```python\n(.*?)```", page, re.DOTALL)
    assert Path("svmbench-cauchy/svmbench_cauchy/kernel.py").read_text().endswith(shown[1])
    installed = installed_from(Path("svmbench-cauchy").absolute(), tmp_path / "installed")
    done = conformance(installed, "test_kernels.py", "cauchy")
    assert done.returncode == 0 and done.stdout.count(".") > 5, done.stdout
    small = ("solver=smo", "dataset.n_train=60", "dataset.n_test=30", f"results={tmp_path}/results")
    done = python(installed, "svmbench.cli.main", "run", "kernel=cauchy", "kernel.gamma=2", *small)
    assert done.returncode == 0 and "stopping rule holds" in done.stdout, done.stdout + done.stderr
    done = python(installed, "svmbench.cli.main", "verify", "--recompute", "--results", f"{tmp_path}/results")
    assert done.returncode == 0, done.stdout + done.stderr
    done = python(installed, "svmbench.cli.main", "run", "kernel=cauchy", "kernel.gamma=-1", *small)
    assert done.returncode == 2 and "kernel.gamma=-1 is not allowed: give a number above 0" in done.stderr


def test_a_new_data_set_loads(here, capsys):
    Path("mine.csv").write_text("colour,size,kind\n" + "red,1,no\nblue,2,yes\nred,,no\nblue,3,yes\n" * 5)
    keys = ["path=mine.csv", "positive=yes", "encode=onehot", "missing=median"]
    new = ["new", "dataset", "coloured", "--config-dir", "conf", *(f"dataset.{key}" for key in keys)]
    assert output(capsys, new).startswith("conf/dataset/coloured.yaml\n")
    asked = ["--config-dir", "conf", "dataset=coloured", "kernel.gamma=1", "problem.C=1", "solver=smo"]
    out = output(capsys, ["run", *asked])
    assert out.startswith("smo on coloured, ") and "training error   0.00 %" in out
    assert "the data set 'coloured' has no suggested gamma" in refusal(capsys, ["run", *asked[:3]])
    said = "did you mean 'dataset.positive'? (keys of dataset=coloured: "
    assert said in refusal(capsys, ["run", *asked, "dataset.positve=no"])


def test_a_new_figure_is_run_and_drawn(here, one_format, capsys):
    for words in ("new figure", "paper run", "paper draw"):
        assert main([*words.split(), "my-board", "--config-dir", "conf"]) == 0
    pictures = list(Path("results/figures/my-board").glob("*.png"))
    assert len(pictures) == 1 and pictures[0].stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["solver"], "the following arguments are required: NAME (see svmbench new --help)"),
        (["solver", "smo"], "there is a solver 'smo' already: give another name"),
        (["kernel", "laplacian"], "there is a kernel 'laplacian' already: give another name"),
        (["kernel", "a-b"], "'a-b' cannot name a kernel"),
        (["solver", "Mine"], "'Mine' cannot name a solver: give at most 40 lower-case letters"),
        (["solver", "a-b"], "'a-b' cannot name a solver"),
        (["solver", "a_"], "'a_' cannot name a solver: give at most 40 lower-case letters, digits, '_' that"),
        (["solver", "mine", "--config-dir", "x"], "--config-dir does not apply to a solver"),
        (["solver", "mine", "dataset.path=x"], "dataset.path=x does not apply to a solver"),
        (["layout", "mine"], "invalid choice: 'layout'"),
        (["dataset", "adult", "--config-dir", "x"], "there is a dataset 'adult' already"),
        (["dataset", "mine"], "give --config-dir DIR, the folder of your own configuration"),
        (["dataset", "mine", "--config-dir", "x"], "dataset=file needs a file: give dataset.path=FILE"),
        (["dataset", "mine", "--config-dir", "x", "seed=1"], "seed=1 is not a key of a data set"),
        (["dataset", "mine", "--config-dir", "x", "dataset.path=no.csv"], "cannot read no.csv"),
        (["figure", "sbp-f2", "--config-dir", "x"], "there is a figure 'sbp-f2' already"),
        (["figure", "sbp_f2", "--config-dir", "x"], "there is a figure 'sbp_f2' already"),
        (["figure", "lambda", "--config-dir", "x"], "'lambda' cannot name a figure"),
    ],
)
def test_what_cannot_be_made_is_told_and_nothing_is_written(here, capsys, monkeypatch, arguments, sentence):
    monkeypatch.delenv("SVMBENCH_CONF", raising=False)
    assert sentence in refusal(capsys, ["new", *arguments])
    assert not list(here.iterdir())


def test_a_file_that_exists_is_never_replaced(here, capsys):
    assert main(["new", "solver", "mine"]) == 0
    Path("svmbench-mine/pyproject.toml").write_text("changed")
    shutil.rmtree("svmbench-mine/svmbench_mine")
    assert "svmbench-mine/pyproject.toml exists already" in refusal(capsys, ["new", "solver", "mine"])
    assert Path("svmbench-mine/pyproject.toml").read_text() == "changed"
    assert not Path("svmbench-mine/svmbench_mine").exists()
