"""`svmbench list`, `show`, `plot`, `datasets`, `solvers`: what they print."""

import json
import weakref

import numpy as np
import pytest

from svmbench.cli.main import main
from svmbench.solvers import registry
from svmbench.store.integrity import check_run
from tests.figures.stored import stored_run
from tests.told import output, refusal

KEYS = {
    *("test_error", "train_error", "primal_objective", "dual_objective", "duality_gap"),
    *("kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed", "inner_products", "iterations"),
    *("support_vectors", "wall_seconds", "cpu_seconds", "status", "reason"),
    *("run", "solver", "dataset", "seed"),
}


def test_list_for_programs(stored, here, capsys):
    runs = json.loads(output(capsys, ["list", "--json", "--results", str(stored)]))
    assert [run["solver"] for run in runs] == ["pegasos", "smo"]  # oldest first
    for run in runs:
        assert run.keys() >= KEYS
        assert run["status"] in ("budget", "converged")


def test_show_for_programs(stored, here, capsys):
    run = json.loads(output(capsys, ["show", "pegasos", "--json", "--results", str(stored)]))
    assert run.keys() >= KEYS | {"config", "path"}
    assert run["config"]["solver"] == {"name": "pegasos", "exact": True}
    assert run["dual_objective"] is None  # Pegasos has none, and no optimum was computed
    assert run.pop("load")["seconds"] > 0.0
    main(["list", "--json", "--results", str(stored)])
    assert run in json.loads(capsys.readouterr().out)


def test_an_empty_store(here, capsys):
    assert output(capsys, ["list"]) == "no runs in results; make one with: svmbench run\n"
    assert json.loads(output(capsys, ["list", "--json"])) == []
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["plot", "smo", "-o", "picture.jpeg"], ".jpeg is not written here: give .png, .svg, .pdf"),
        (["export", "smo*", "--model", "npz"], "leave out --zip and patterns"),
        (["compare", "smo", "pegasos", "--to", "test_error=15"], "did you mean 'test_error=0.15'?"),
    ],
)
def test_what_is_not_done_with_stored_runs(stored, here, capsys, words, sentence):
    assert sentence in refusal(capsys, [*words, "--results", str(stored)])


def test_a_list_of_no_run_says_what_no_run_has(stored, here, capsys):
    assert main(["list", "--where", "solver=spb", "--results", str(stored)]) == 0
    assert capsys.readouterr().out == f"none of 2 runs in {stored} has solver=spb\n"


@pytest.mark.parametrize("names", [["pegasos", "smo"], ["*checkerboard*"], ["*", "smo"]])
def test_plot(stored, here, capsys, names):
    formats = ["--format", "png", "svg", "pdf"]
    assert main(["plot", *names, *formats, "-o", "out/picture.png", "--results", str(stored)]) == 0
    printed = capsys.readouterr().out.split()
    assert printed[:3] == [f"out/picture.{ending}" for ending in ("png", "svg", "pdf")]
    for path in printed:
        assert (here / path).stat().st_size > 100
    assert "pegasos" in (here / "out" / "picture.svg").read_text().lower()


@pytest.mark.parametrize(
    ("counters", "given", "axis"),
    [
        (["inner_products"] * 2, [], "inner products"),
        (["inner_products", "kev_ondemand"], [], "kernel evaluations, counted on demand (A)"),
        (["inner_products"] * 2, ["--x", "iterations"], "iterations"),
    ],
)
def test_plot_counts_what_the_budgets_of_all_runs_count(here, counters, given, axis):
    for seed, counter in enumerate(counters):
        config = {"budget": {"name": "quick", "counter": counter, "kev": 1e9, "memory": 64}}
        stored_run(
            here / "results",
            seed=seed,
            costs=[100],
            errors=[20],
            config=config,
            inner_products=np.array([9.0]),
        )
    assert main(["plot", "sbp-*", *given, "--format", "svg", "-o", "picture"]) == 0
    assert not (here / "picture.png").exists()
    assert axis in (here / "picture.svg").read_text()


def test_datasets(here, capsys):
    assert "32,561 / 16,281" in output(capsys, ["datasets", "list"])
    sets = {entry["name"]: entry for entry in json.loads(output(capsys, ["datasets", "list", "--json"]))}
    assert sets["adult"]["rows"] == {"train": 32561, "test": 16281}
    assert sets["checkerboard"]["present"] is True
    assert output(capsys, ["datasets", "fetch", "checkerboard"]) == "checkerboard has no files to fetch\n"
    assert main(["datasets", "verify", "adult", "--dir", str(here)]) == 1
    assert "BAD  adult/a9a: not downloaded yet" in capsys.readouterr().out
    about = json.loads(output(capsys, ["datasets", "describe", "checkerboard", "--json"]))["checkerboard"]
    assert [part["part"] for part in about["parts"]] == ["train", "test", "all"] and about["files"] == []


@pytest.mark.parametrize("columns", [60, 300])
def test_solvers(here, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = output(capsys, ["solvers"]).splitlines()
    assert max(map(len, lines)) <= (columns if columns < 110 else 110)
    assert len(lines) <= 44  # a screen
    for name in registry.names():
        (line,) = (line for line in lines if line.split()[0] == name)
        assert columns < 110 or f"  {registry.get(name).title}  " in line
    told = {one["name"]: one for one in json.loads(output(capsys, ["solvers", "--json"]))}
    assert set(told) == set(registry.names())
    assert told["sbp"]["citation"] == registry.get("sbp").citation
    assert told["sbp"]["keys"]["solver.nu"]["default"] == "auto"


def test_one_solver_is_shown_with_its_keys(here, capsys):
    out = output(capsys, ["solvers", "smo_pair", "pegasos_linear"])
    assert "  solver.eps=0.001\n      Stop when no pair" in out
    assert "reads    features" in out and "kernels  linear" in out
    assert "random   no" in out and "sdca" not in out
    assert "solver 'smo_pear' is unknown" in refusal(capsys, ["solvers", "smo_pear"])


def test_verify_keeps_no_run_that_it_has_checked(tmp_path, monkeypatch, capsys):
    for seed in range(5):
        stored_run(tmp_path, seed=seed, costs=(10,), errors=(0.2,))
    found, alive = [], []

    def watched(path, store):
        alive.append(sum(one() is not None for one in found))
        finding = check_run(path, store)
        found.append(weakref.ref(finding))
        return finding

    monkeypatch.setattr("svmbench.store.integrity.check_run", watched)
    assert "5 ok" in output(capsys, ["verify", "--results", str(tmp_path)])
    assert max(alive) <= 2


def test_verify_prints_json_run_by_run(tmp_path, monkeypatch, capsys):
    assert json.loads(output(capsys, ["verify", "--json", "--results", str(tmp_path)])) == []
    for seed in range(3):
        stored_run(tmp_path, seed=seed, costs=(10,), errors=(0.2,))
    printed, counts = [], []

    def watched(path, store):
        printed.append(capsys.readouterr().out)
        counts.append("".join(printed).count('"run":'))
        return check_run(path, store)

    monkeypatch.setattr("svmbench.store.integrity.check_run", watched)
    printed.append(output(capsys, ["verify", "--json", "--results", str(tmp_path)]))
    found = json.loads("".join(printed))
    assert [one["state"] for one in found] == ["ok"] * 3 and counts == [0, 1, 2]


def test_the_suffix_of_a_path_is_the_format(stored, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command, names in (
        ("plot", ["x.pdf", "x.txt"]),
        ("profile", ["x.svg", "x.txt"]),
        ("table", ["x.tex"]),
    ):
        assert main([command, *(["*"] if command == "profile" else []), "-o", names[0],
                     "--results", str(stored)]) == 0  # fmt: skip
        assert set(names) <= {path.name for path in tmp_path.iterdir()}
        assert not list(tmp_path.glob("*.png")) and not list(tmp_path.glob("*.md"))
    capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["train"], "did you mean 'run'?"),
        (["sweep"], "did you mean 'run -m'?"),
        (["run", "--seed", "3"], "a key has no dashes: seed=VALUE"),
        (["run", "--solver=smo"], "a key has no dashes: solver=VALUE"),
        (["run", "--gamma", "0.1"], "a key has no dashes: kernel.gamma=VALUE"),
        (["run", "-C", "1"], "a key has no dashes: problem.C=VALUE"),
        (["run", "--random-state", "1"], "a key has no dashes: seed=VALUE"),
        (["predict", "smo", "mine.csv", "--proba"], "did you mean '--probability'?"),
        (["rm", "smo"], "did you mean 'delete'?"),
        (["view", "smo"], "did you mean 'show'?"),
        (["-V"], "did you mean '--version'?"),
        (["list", "solvers"], "did you mean 'svmbench solvers'?"),
        (["datasets", "download", "adult"], "did you mean 'fetch adult'?"),
        (["run", "seed=0..3"], "several are given by -m 'seed=range(0,4)'"),
        (["run", "-m", "seed=0-9"], "several are given by -m 'seed=range(0,10)'"),
        (["run", "seed=[0,1]"], "several are given by -m seed=0,1"),
        (["run", "problem.C=1e-3..1e3"], "several are given by -m problem.C=A,B,C"),
        (["run", "seed=1", "2", "3"], "several values are run -m KEY=A,B, without spaces"),
        (["run", "solver:smo"], "did you mean 'solver=smo'?"),
        (["run", "budget=1e6"], "did you mean 'budget.kev=1000000' or 'budget.iterations=1000000' or"),
        (["run", "budget.time=10"], "did you mean 'budget.seconds=10'?"),
        (["run", "lambda=.1"], "did you mean 'problem.lam=.1'?"),
        (["run", "sigma=2"], "did you mean 'kernel.gamma=1/(2 sigma²)'?"),
        (["run", "kernel.degree=3"], "kernel=polynomial has it"),
        (["run", "dataset=iris"], "your own file is dataset=file dataset.path=FILE"),
        (["run", "dataset=mine"], "did you mean 'dataset=file dataset.path=mine.csv'?"),
        (["run", "dataset.path=mine.csv"], "did you mean 'dataset=file dataset.path=mine.csv'?"),
        (["run", "path=mine.csv"], "did you mean 'dataset=file dataset.path=mine.csv'?"),
        (["run", "test_size=.2"], "did you mean 'dataset=file dataset.test_fraction=.2'?"),
        (["run", "mine.csv"], "'mine.csv' is a file; did you mean 'dataset=file dataset.path=mine.csv'?"),
        (["advise", "mine.csv"], "did you mean 'dataset=file dataset.path=mine.csv'?"),
        (["run", "mien.csv"], "neither a file here nor of the form KEY=VALUE; did you mean 'mine.csv'?"),
        (["run", "dataset=file", "dataset.path=mien.csv"], "did you mean 'mine.csv'?"),
    ],
)
def test_words_of_other_programs_are_understood(words, hint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").touch()
    assert hint in refusal(capsys, words)
