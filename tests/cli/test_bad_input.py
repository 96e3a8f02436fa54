"""Each mistake gets one sentence on standard error, exit code 2, and nothing is written."""

from __future__ import annotations

import pytest

from svmbench.cli import main

SENTENCES = [
    (["rnu"], "unknown command 'rnu'; did you mean 'run'? (commands: run, list, "),
    (["run", "solver=spb"], "unknown solver 'spb'; did you mean 'sbp'? (solver=: "),
    (["run", "dataset=adlut"], "unknown dataset 'adlut'; did you mean 'adult'? (dataset=: adult, "),
    (["run", "kernel=gausian"], "unknown kernel 'gausian'; did you mean 'gaussian'?"),
    (["run", "budget=papre"], "unknown budget 'papre'; did you mean 'paper'? (budget=: debug, paper, quick)"),
    (["run", "solver=null"], "unknown solver 'null' (solver=: "),
    (["run", "+solver=spb"], "unknown solver 'spb'; did you mean 'sbp'?"),
    (["run", "+solver=sbp"], "+solver=sbp is not allowed: solver is set already; write solver=sbp"),
    (["run", "sollver=sbp"], "unknown key sollver; did you mean 'solver'?"),
    (
        ["run", "solver.neu=1"],
        "unknown key solver.neu; did you mean 'solver.nu'? (keys of solver=sbp: solver.nu)",
    ),
    (["run", "+solver.neu=1"], "unknown key solver.neu; did you mean 'solver.nu'?"),
    (["run", "++kernel.gama=1"], "unknown key kernel.gama; did you mean 'kernel.gamma'?"),
    (["run", "+seed=1"], "+seed=1 is not allowed: seed is set already; write seed=1"),
    (["run", "gamma=1"], "unknown key gamma; did you mean 'kernel.gamma'?"),
    (["run", "kernel=linear", "kernel.gamma=1"], "unknown key kernel.gamma (kernel=linear has no keys)"),
    (["run", "solver=sdca", "solver.nu=1"], "unknown key solver.nu (solver=sdca has no keys)"),
    (["run", "seed=x"], "seed=x is not allowed: give a whole number of at least 0"),
    (["run", "seed=-1"], "seed=-1 is not allowed: give a whole number of at least 0"),
    (["run", "threads=0"], "threads=0 is not allowed: give a whole number of at least 1"),
    (["run", "threads=1.5"], "threads=1.5 is not allowed: give a whole number of at least 1"),
    (["run", "force=1"], "force=1 is not allowed: give true or false"),
    (["run", "kernel.gamma=0"], "kernel.gamma=0 is not allowed: give a number above 0, or null"),
    (["run", "kernel.gamma=true"], "kernel.gamma=true is not allowed: give a number above 0, or null"),
    (
        ["run", "kernel=polynomial", "kernel.degree=0"],
        "kernel.degree=0 is not allowed: give a whole number of at",
    ),
    (["run", "problem.lam=-1"], "problem.lam=-1 is not allowed: give a number above 0, or null"),
    (["run", "problem.C=0"], "problem.C=0 is not allowed: give a number above 0, or null"),
    (
        ["run", "problem.lam=1", "problem.C=2"],
        "problem.lam=1.0 and problem.C=2.0 are two values of one parameter",
    ),
    (["run", "problem.bias=yes"], "problem.bias=yes is not allowed: give one of none, unregularised"),
    (["run", "solver.nu=-0.1"], "solver.nu=-0.1 is not allowed: give a number of at least 0, or auto"),
    (["run", "solver.nu=autom"], "solver.nu=autom is not allowed: give a number of at least 0, or auto"),
    (["run", "budget.kev=0"], "budget.kev=0 is not allowed: give a number above 0, or null"),
    (["run", "budget.kev=nan"], "budget.kev=nan is not allowed: give a number above 0, or null"),
    (
        ["run", "budget.test_error=15"],
        "budget.test_error=15 is not allowed: give a number from 0 to 1, or null",
    ),
    (
        ["run", "budget.counter=kev"],
        "budget.counter=kev is not allowed: give one of kev_ondemand, kev_rowupdate,",
    ),
    (["run", "observe.points=0"], "observe.points=0 is not allowed: give a whole number of at least 1"),
    (["run", "dataset.n_train=ten"], "dataset.n_train=ten is not allowed: give a whole number"),
    (["run", "results=3"], "results=3 is not allowed: give text, a number in quotes"),
    (
        ["run", "dataset=file", "kernel.gamma=1", "problem.C=1"],
        "dataset=file needs a file: give dataset.path=FILE",
    ),
    (["run", "dataset=file"], "dataset=file has no default width: give kernel.gamma=NUMBER"),
    (["run", "sbp"], "'sbp' is not of the form KEY=VALUE; did you mean 'solver=sbp'?"),
    (["run", "results=[a"], "'results=[a' cannot be read: write KEY=VALUE, and special characters in quotes"),
    (["run", "~solver"], "~solver is not allowed: nothing can be removed"),
    (["run", "solver@x=sbp"], "solver@x=sbp is not allowed: a group has one place; write solver=sbp"),
    (["run", "hydra.run.dir=x"], "hydra.run.dir=x is not allowed: of Hydra's keys only hydra/launcher and"),
    (["run", "kernel.gamma=${nothing}"], "'kernel.gamma=${nothing}' cannot be composed: Interpolation key"),
    (["run", "seed=0,1"], "seed=0,1 names several values: add -m to run them all"),
    (["run", "--mulitrun"], "svmbench run: unrecognized arguments: --mulitrun (see svmbench run --help)"),
    (["run", "--config-dir", "nowhere"], "--config-dir=nowhere is not a folder"),
    (["run", "-m", "--cfg", "job"], "--cfg and --info explain one run: leave out -m"),
    (["run", "-m", "seed=0,x"], "seed=x is not allowed"),
    (["run", "-m", "solver=sbp,pegosas"], "unknown solver 'pegosas'; did you mean 'pegasos'?"),
    (["run", "-m", "solver=sbp,sdca", "solver.nu=1"], "unknown key solver.nu (solver=sdca has no keys)"),
    (["run", "-m", "hydra/launcher=nothing"], "'hydra/launcher=nothing' cannot be composed: "),
    (["show"], "svmbench show: the following arguments are required: RUN (see svmbench show --help)"),
    (["show", "sbp"], "there is no run sbp: results holds no runs"),
    (["plot", "sbp-*"], "no run in results matches sbp-*; see: svmbench list"),
    (["plot", "x", "--counter", "kev"], "svmbench plot: argument --counter: invalid choice: 'kev'"),
    (["datasets", "fetch"], "svmbench datasets: fetch needs the name of a data set"),
    (["datasets", "fetch", "adlut"], "there is no data set 'adlut'; did you mean 'adult'?"),
    (["datasets", "verify", "adlut"], "there is no data set 'adlut'; did you mean 'adult'?"),
    (["datasets", "delete"], "svmbench datasets: argument action: invalid choice: 'delete'"),
    (["completion", "fish"], "svmbench completion: argument shell: invalid choice: 'fish'"),
]


@pytest.mark.parametrize(
    ("arguments", "sentence"), SENTENCES, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_one_sentence(arguments, sentence, here, capsys):
    assert main(arguments) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("svmbench: ")
    assert sentence in error
    assert error.count("\n") == 1
    assert not list(here.iterdir())


@pytest.mark.parametrize("flags", [[], ["-m"]])
def test_results_that_cannot_be_written(flags, here, capsys):
    (here / "taken").write_text("a file")
    assert main(["run", *flags, "results=taken"]) == 2
    error = capsys.readouterr().err
    assert "svmbench: results=taken cannot be used: " in error
    assert "give another results=DIR" in error
    assert [path.name for path in here.iterdir()] == ["taken"]


def test_a_cache_larger_than_the_machine(here, capsys):
    assert main(["run", "budget.memory=1e9"]) == 2
    assert "not enough memory for the requested cache: budget.memory=1e+09 MiB" in capsys.readouterr().err
    assert not list(here.iterdir())


def test_a_refused_combination_is_stored(here, capsys):
    assert main(["run", "solver=smo", "problem.bias=unregularised"]) == 2
    out, error = capsys.readouterr()
    assert "refused, smo cannot solve with problem.bias=unregularised" in error
    assert "Traceback" not in out + error
    assert len(list((here / "results" / "runs").iterdir())) == 1
