"""Each mistake gets one sentence on standard error, exit code 2, and nothing is written."""

import pytest

from tests.cli.conftest import SMALL
from tests.told import answer, refusal

SENTENCES = [
    (["rnu"], "unknown command 'rnu'; did you mean 'run'?"),
    (["run", "solver=spb"], "unknown solver 'spb'; did you mean 'sbp'?"),
    (["run", "kernel=rfb"], "unknown kernel 'rfb'; did you mean 'rbf'?"),
    (["run", "features.s=5"], "unknown key features.s"),
    (["run", "features=nystrom", "features.s=0"], "features.s=0 is not allowed: give a whole number of at"),
    (["run", "features=nystrom", "features.eps_d=0"], "features.eps_d=0 is not allowed: give a number"),
    (["run", "features=fourier", "features.form=sine"], "give one of phase, pairs"),
    (["run", "solver=null"], "unknown solver 'null' (solver=: "),
    (["run", "+solver=spb"], "unknown solver 'spb'; did you mean 'sbp'?"),
    (["run", "+solver=sbp"], "+solver=sbp is not allowed: solver is set"),
    (["run", "foo=1"], "unknown key foo (svmbench run --help lists"),
    (["run", "problem.foo=1"], "unknown key problem.foo (keys of problem"),
    (["run", "problem.c=1"], "unknown key problem.c; did you mean"),
    (["run", "problem.gamma=1"], "unknown key problem.gamma; did you mean"),
    (["run", "sollver=sbp"], "unknown key sollver; did you mean 'solver'?"),
    (["run", "solver.neu=1"], "unknown key solver.neu; did you mean"),
    (["run", "+solver.neu=1"], "unknown key solver.neu; did you mean"),
    (["run", "++kernel.gama=1"], "unknown key kernel.gama; did you mean"),
    (["run", "gamma=1"], "unknown key gamma; did you mean"),
    (["run", "kernel=linear", "kernel.gamma=1"], "unknown key kernel.gamma (kernel=linear has"),
    (["run", "solver=sdca", "solver.nu=1"], "unknown key solver.nu (keys of solver=sdca"),
    (["run", "seed=x"], "seed=x is not allowed: give a whole number"),
    (["run", "seed=-1"], "seed=-1 is not allowed: give a whole number"),
    (["run", "threads=0"], "threads=0 is not allowed: give a whole"),
    (["run", "threads=20000"], "threads=20000 exceeds the number of cores"),
    (["run", "threads=100000000000000000000"], "exceeds the number of cores of this"),
    (["run", "force=1"], "force=1 is not allowed: give true or false"),
    (["run", "kernel.gamma=0"], "kernel.gamma=0 is not allowed: give a"),
    (["run", "kernel=polynomial", "kernel.degree=0"], "kernel.degree=0 is not allowed: give a"),
    (["run", "problem.lam=-1"], "problem.lam=-1 is not allowed: give a"),
    (["run", "problem.C=1e308"], "problem.C=1e+308 is not allowed: give a"),
    (["run", "problem.lam=1e-320"], "is not allowed: give a number from 1e-100"),
    (["run", "solver=randsvm", "solver.k=9223372036854775808"], "solver.k=9223372036854775808 is not"),
    (["run", "solver=lasvm", "solver.epochs=4611686018427387904"], "solver.epochs=4611686018427387904 is"),
    (["run", "solver=sklearn_sgd", "solver.epochs=1e19"], "solver.epochs=10000000000000000000 is not"),
    (["run", "features=fourier", "features.frequencies=9223372036854775808"], "features.frequencies=9223372"),
    (["run", "dataset.n_train=1e30"], " is not allowed: give a whole number from 2 to 2e+09"),
    (["run", "-m", "seed=range(0,100000000)"], "a sweep has at most 100000 jobs"),
    (["run", "-m", "seed=range(3,0)"], "seed=range(3,0) has no values: range(A,B)"),
    (["plan", "solver=glob(zz*)"], "solver=glob(zz*) has no values: "),
    (["run", "-m", "seed=range(0,5,0)"], "has no end: give a step that is not 0"),
    (["run", "-m", "seed=range(0,1000)", "problem.C=range(1,1000)"], "at most 100000 jobs, these are 999000"),
    (["run", "problem.C=0"], "problem.C=0 is not allowed: give a number"),
    (["run", "problem.lam=1", "problem.C=2"], "problem.lam=1.0 and problem.C=2.0 are two"),
    (["run", "problem.bias=yes"], "problem.bias=yes is not allowed: give one"),
    (["run", "solver.nu=-0.1"], "solver.nu=-0.1 is not allowed: give a"),
    (["run", "solver.nu=autom"], "solver.nu=autom is not allowed; did you mean 'auto'? give a"),
    (["run", "budget.kev=0"], "budget.kev=0 is not allowed: give a number"),
    (["run", "budget.test_error=15"], "budget.test_error=15 is not allowed: give a"),
    (["run", "budget.counter=kev"], "budget.counter=kev is not allowed: give one"),
    (["run", "observe.points=0"], "observe.points=0 is not allowed: give a"),
    (["run", "observe.points=1e12"], "is not allowed: give a whole number from 1"),
    (["run", "dataset.n_train=ten"], "dataset.n_train=ten is not allowed: give a"),
    (["run", "results=3"], "results=3 is not allowed: give text, a"),
    (["run", "results="], "results= is empty: give a path"),
    (["run", "dataset=file", "dataset.path="], "dataset.path= is empty: give a path"),
    (["run", "dataset=file"], "dataset=file needs a file: give dataset.path=FILE"),
    (["run", "sbp"], "'sbp' is not of the form KEY=VALUE; did you"),
    (["run", "kernel.gamma=[a"], "'kernel.gamma=[a' cannot be read: write"),
    (["run", "~solver"], "~solver is not allowed: nothing can be"),
    (["run", "solver@x=sbp"], "solver@x=sbp is not allowed: a group has"),
    (["run", "hydra.run.dir=x"], "hydra.run.dir=x is not allowed: results=DIR"),
    (["run", "hydra/launcher=joblib"], "hydra/launcher=joblib is not allowed"),
    (["run", "-m", "hydra.sweep.dir=x"], "hydra.sweep.dir=x is not allowed"),
    (["run", "hydra.verbose=true"], "hydra.verbose=true is not allowed: svmbench"),
    (["run", "--info"], "--info is an option of Hydra that svmbench"),
    (["run", "-cn", "other"], "-cn is an option of Hydra that svmbench"),
    (["run", "jobs=2"], "jobs belongs to a sweep: add -m, or leave"),
    (["run", "-m", "jobs=1,2"], "jobs belongs to the whole sweep: give it"),
    (["run", "-m", "jobs=0"], "jobs=0 is not allowed: give a whole number"),
    (["run", "-m", "kernel.gamma=interval(1,2)"], "has no values to list: give KEY=A,B or"),
    (["run", "kernel.gamma=${nothing}"], "'kernel.gamma=${nothing}' cannot be"),
    (["run", "seed=0,1"], "seed=0,1 names several values: add -m to"),
    (["run", "--resolve"], "--resolve is about what --cfg prints: give"),
    (["plot", "x", "-o", "."], "-o . names no file: give a name, such as"),
    (["profile", "x", "-o", ""], "-o . names no file: give a name, such as"),
    (["report", "x", "-o", "."], "-o . is a folder: give the name of a file"),
    (["plot", "x", "-o", "/dev/null/x"], "-o /dev/null/x: /dev/null is no folder: give a path"),
    (["report", "-o", "/dev/null/x"], "-o /dev/null/x: /dev/null is no folder: give a path"),
    (["paper", "plan", "sbp-f2", "--results", "/dev/null"], "--results /dev/null is not a folder: give the"),
    (["export", "x", "--zip", "-o", "."], "-o . already exists: give the name of a new"),
    (["datasets", "list", "adult"], "list shows all data sets: leave out adult"),
    (["run", "--mulitrun"], "svmbench run: unrecognized arguments"),
    (["run", "--config-dir", "nowhere"], "--config-dir=nowhere is not a folder"),
    (["run", "-m", "--cfg", "job"], "--cfg works for a single run: leave out -m"),
    (["run", "-m", "seed=0,x"], "seed=x is not allowed"),
    (["run", "-m", "solver=sbp,pegosas"], "unknown solver 'pegosas'; did you mean"),
    (["run", "-m", "solver=sbp,sdca", "solver.nu=1"], "unknown key solver.nu (keys of solver=sdca"),
    (["show"], "svmbench show: the following arguments are"),
    (["show", "sbp"], "there is no run sbp: results holds no runs"),
    (["plot", "sbp-*"], "no run in results matches sbp-*; see"),
    (["plot", "x", "--size", "three"], "svmbench plot: argument --size: invalid"),
    (["plot", "x", "--xlim", "1e6"], "--xlim 1e6 is not allowed: give two numbers"),
    (["plot", "x", "--ylim", "a,b"], "--ylim a,b is not allowed: give two"),
    (["plot", "x", "--heat", "a,b,c"], "--heat a,b,c is not allowed: give two keys"),
    (["datasets", "fetch"], "svmbench datasets: fetch needs the name of"),
    (["datasets", "fetch", "adlut"], "there is no data set 'adlut'; did you mean"),
    (["datasets", "verify", "adlut"], "there is no data set 'adlut'; did you mean"),
    (["datasets", "delete"], "svmbench datasets: unknown action 'delete' (list, fetch, verify, describe)"),
    (["datasets", "adult"], "unknown action 'adult'; did you mean 'describe adult'? (list,"),
    (["list", "results=other runs"], "list takes no results=other runs: give --results 'other runs'"),
    (["datasets", "ftch"], "unknown action 'ftch'; did you mean 'fetch'? (list,"),
    (["completion", "fish"], "svmbench completion: argument shell"),
    (["new", "sovler"], "invalid choice: 'sovler'; did you mean 'solver'? (choose from"),
    (["repair"], "unknown command 'repair'; did you mean 'verify --repair'?"),
    (["run", "--cfg", "all"], "argument --cfg/-c: invalid choice: 'all' (choose from"),
    (["paper", "table", "pegasos-t1"], "there is no action 'table': draw draws, writes tables and judges"),
    (["paper", "redraw"], "there is no action 'redraw': draw draws, writes tables and judges"),
    (["paper"], "svmbench paper: the following arguments are required: action (see"),
    (["paper", "sbp-f2"], "svmbench paper: say what to do; did you mean 'draw sbp-f2'? (list,"),
]


@pytest.mark.parametrize(
    ("arguments", "sentence"), SENTENCES, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_one_sentence(arguments, sentence, here, capsys):
    out, error = answer(capsys, arguments, 2)
    assert out == ""
    assert error.startswith("svmbench: ")
    assert sentence in error
    assert error.count("\n") == 1
    assert not list(here.iterdir())


@pytest.mark.parametrize("flags", [[], ["-m"]])
def test_results_that_cannot_be_written(flags, here, capsys):
    (here / "taken").write_text("a file")
    error = refusal(capsys, ["run", *flags, "results=taken"])
    assert "svmbench: results=taken cannot be used: " in error
    assert "give another results=DIR" in error
    assert [path.name for path in here.iterdir()] == ["taken"]


@pytest.mark.parametrize(
    ("accident", "sentence"),
    [
        (PermissionError(13, "Permission denied", "a\x1b[31m.json"), r"a\x1b[31m.json: Permission"),
        (OSError(28, "No space left on device"), "svmbench: No space left on device"),
        (MemoryError(), "svmbench: out of memory; give "),
    ],
)
def test_what_the_system_refuses_is_one_sentence(accident, sentence, here, capsys, monkeypatch):
    monkeypatch.setattr("svmbench.store.Store.own", raising(accident))
    error = answer(capsys, ["list"], 1).err
    assert sentence in error and error.count("\n") == 1 and "\x1b" not in error


def raising(error):
    def refuse(*arguments):
        raise error

    return refuse


def test_data_that_do_not_fit_into_memory(here, capsys, monkeypatch):
    monkeypatch.setattr("svmbench.data.sets.checkerboard.prepare", raising(MemoryError))
    said = "svmbench: not enough memory to prepare dataset=checkerboard: give fewer examples\n"
    assert refusal(capsys, ["run", *SMALL]) == said


def test_a_name_too_long_for_the_file_system(here, capsys):
    error = refusal(capsys, ["run", *SMALL, f"results={'x' * 300}"])
    assert "File name too long" in error and error.startswith("svmbench: ") and "Traceback" not in error


def test_values_beyond_every_number_are_one_sentence(here, capsys):
    words = ["solver=smo", "kernel=polynomial", "kernel.gamma=100", "kernel.degree=1000", "problem.C=1"]
    error = refusal(capsys, ["run", "dataset=twonorm", "dataset.n_train=20", *words])
    assert error.startswith("svmbench: K(x, x) = inf") and error.count("\n") == 1
