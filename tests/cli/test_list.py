"""`svmbench list`: columns, filters and order."""

import csv
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from datetime import UTC, datetime

import pytest

from svmbench.cli._overview import overview
from svmbench.cli.main import main
from svmbench.run_config import Choice, RunConfig
from svmbench.store import Store, packs
from tests.figures.stored import stored_run
from tests.told import output, refusal


@pytest.fixture
def results(here):
    for seed, (C, error) in enumerate([(1.0, 20), (10.0, 12), (100.0, 30)]):
        config = {
            "problem": {"lam": None, "C": C, "bias": "none"},
            "budget": {"name": "quick", "counter": "kev_ondemand", "kev": 1e9, "memory": 64},
        }
        stored_run(here / "results", seed=seed, costs=[100], errors=[error], config=config)
    return here / "results"


def cells(capsys, *arguments: str) -> list[list[str]]:
    return list(csv.reader(output(capsys, ["list", "--csv", *arguments]).splitlines()))


def test_by_default_what_differs_is_shown(results, capsys):
    header, *rows = cells(capsys)
    assert header[:4] == ["run", "status", "problem.C", "seed"]
    assert [row[2] for row in rows] == ["1.0", "10.0", "100.0"]
    first, *lines = output(capsys, ["list"]).splitlines()
    assert first.split() == ["run", "solver", "set", "differs", "error", "evals", "age"]
    assert [line.split()[3:6] for line in lines] == [
        ["C=1", "seed=0", "20.00"],
        ["C=10", "seed=1", "12.00"],
        ["C=100", "seed=2", "30.00"],
    ]


def test_columns_filter_order_and_number_are_chosen(results, capsys):
    chosen = ["--columns", "seed,problem.C"]
    order = [*chosen, "--sort", "test_error"]
    assert cells(capsys, *order, "--best", "2")[1:] == [["1", "10.0"], ["0", "1.0"]]
    assert cells(capsys, *order, "--reverse", "--best", "1")[1:] == [["2", "100.0"]]
    assert cells(capsys, *chosen, "--reverse")[1:] == cells(capsys, *chosen)[:0:-1]
    assert cells(capsys, *chosen, "--where", "problem.C=1e1")[1:] == [["1", "10.0"]]
    assert cells(capsys, *chosen, "--where", "solver=smo")[1:] == []
    assert [run["seed"] for run in json.loads(output(capsys, ["list", "--json", "--where", "seed=2"]))] == [2]


def test_a_column_of_numbers_and_text_is_sorted(results, capsys):
    for nu in ("auto", 10.0, 9.0):
        stored_run(results, config={"solver": {"name": "sbp", "nu": nu}})
    order = ["--columns", "solver.nu", "--where", "test_error=null", "--sort", "solver.nu"]
    values = [["9.0"], ["10.0"], ["auto"]]
    assert cells(capsys, *order)[1:] == values
    assert cells(capsys, *order, "--reverse")[1:] == values[::-1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--columns", "test_eror"], "no run has a column 'test_eror'; did you mean 'test_error'?"),
        (["--where", "seed"], "--where seed is not of the form KEY=VALUE"),
        (["--sort", "C"], "no run has a column 'C'"),
        (["--best", "0"], "--best 0 is not allowed: give a whole number of at least 1"),
        (["--al"], "unrecognized arguments: --al"),
    ],
)
def test_mistakes_are_told(results, arguments, sentence, capsys):
    assert sentence in refusal(capsys, ["list", *arguments])


@pytest.fixture
def many(here, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)  # test runners set it
    for seed in range(25):
        config = {"kernel": {"name": "gaussian", "gamma": 0.01 * (1 + seed % 3)}}
        stored_run(
            here / "results",
            ("sbp", "decomposition")[seed % 2],
            seed=seed,
            costs=[1e8],
            errors=[20 - seed / 2],
            config=config,
            primal_objective=[0.3],
            relative_gap=[1e-3],
        )
    return here / "results"


def lines(capsys, *arguments: str) -> list[str]:
    return output(capsys, ["list", *arguments]).splitlines()


def test_the_last_twenty_are_shown_and_all_are_asked_for(many, capsys):
    _, *shown, rest = lines(capsys)
    assert rest == "20 of 25 runs; --all lists all"
    assert [line.split()[4] for line in (shown[0], shown[-1])] == ["seed=5", "seed=24"] and len(shown) == 20
    assert len(lines(capsys, "--all")) == 26
    _, *shown, _ = lines(capsys, "--reverse")
    assert "seed=24 " in shown[0] and "seed=5 " in shown[-1]
    _, *shown, _ = lines(capsys, "--sort", "test_error")
    assert "seed=24 " in shown[0] and len(shown) == 20
    assert len(lines(capsys, "--best", "22")) == 23
    assert len(lines(capsys, "--columns", "run,seed")) == 2 + 20 + 1
    assert len(json.loads("".join(lines(capsys, "--json")))) == 25 and len(lines(capsys, "--csv")) == 26


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_a_line_is_never_wider_than_the_terminal(many, width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    first, *shown = lines(capsys)
    assert max(map(len, (first, *shown))) <= width
    assert {"run", "solver", "set", "error"} <= set(first.split())
    if width >= 80:
        assert {"gap", "evals", "differs"} <= set(first.split())
    if width >= 100:
        assert {"objective", "age"} <= set(first.split()) and all("seed=" in line for line in shown[:-1])


def test_a_run_is_found_by_the_beginning_of_its_hash_that_list_shows(many, capsys):
    name = lines(capsys)[1].split()[0]
    assert len(name) == 8 and main(["show", name]) == 0
    assert f"-{name}" in capsys.readouterr().out.splitlines()[0]
    assert main(["show", name[:3]]) == 2  # too short to name a run


def test_numbers_that_differ_have_the_digits_that_distinguish_them(tmp_path):
    def shown(*gammas):
        folder = tmp_path / str(len(gammas))
        runs = [stored_run(folder, config={"kernel": {"name": "gaussian", "gamma": g}}) for g in gammas]
        lines = overview(runs, ["kernel.gamma", "budget.kev"], [r.id for r in runs], None, datetime.now(UTC))
        return re.findall(r"γ=(\S+)", lines)

    assert shown(0.749895, 3.16228, 1000.0) == ["0.75", "3.16", "1000"]
    assert shown(0.749895, 0.7499) == ["0.749895", "0.7499"]


def test_hashes_that_begin_alike_are_shown_longer():
    runs = [Named(f"sbp-adult-{hash}") for hash in ("0123456789ab", "01234567ff00")] + [Named("renamed")]
    _, *shown = overview(runs, [], [run.id for run in runs], None, datetime.now(UTC)).splitlines()
    assert [line.split()[0] for line in shown] == ["012345678", "01234567f", "renamed"]


class Named:
    """What the overview asks of a run."""

    solver, dataset, status, complete, document = "sbp", "adult", "failed", False, {}
    flagged = False
    config = RunConfig(Choice("sbp"), Choice("adult"), Choice("linear"))
    ended, started = None, "2026-01-01T00:00:00+00:00"

    def __init__(self, id):
        self.id = id

    def value(self, key):
        return None


def test_a_run_without_a_result_says_how_it_ended(here, capsys):
    stored_run(here / "results", status="failed")
    stored_run(here / "results", seed=1, costs=[10], errors=[10])
    first, failed, good = lines(capsys)
    assert "end" in first.split() and "failed" in failed.split() and "budget" not in good


def test_a_run_that_converged_by_its_own_rule_alone_is_marked(here, capsys):
    reason = "cuts and points suffice after 9 iterations, by its own rule alone, at a relative gap of 1.7e-01"
    stored_run(here / "results", costs=[10], errors=[10], status="converged", reason=reason)
    stored_run(here / "results", seed=1, costs=[10], errors=[10], status="converged")
    first, marked, good = lines(capsys)
    assert "end" in first.split() and "own rule" in marked and "own rule" not in good
    *_, marked, good = lines(capsys, "--columns", "status")
    assert (marked.strip("| "), good.strip("| ")) == ("converged, own rule", "converged")
    assert cells(capsys, "--columns", "status")[1:] == [["converged"], ["converged"]]  # for programs
    assert "own rule" in " ".join(output(capsys, ["list", "--help"]).split())


def test_what_follows_from_solver_or_data_set_is_not_what_differs(here, capsys):
    for solver, extra in (("sbp", {"nu": 0.1}), ("smo", {"eps": 1e-3})):
        for dataset, gamma in (("adult", 0.05), ("mnist", 0.02)):
            kernel = {"name": "gaussian", "gamma": gamma}
            stored_run(here / "results", solver, dataset, costs=[10], errors=[10],
                       config={"solver": {"name": solver, **extra}, "kernel": kernel})  # fmt: skip
    assert lines(capsys)[0].split() == ["run", "solver", "set", "error", "evals", "age"]
    features = {"name": "nystrom", "s": 64}
    stored_run(here / "results", "sbp", costs=[10], errors=[10], config={"features": features})
    shown = lines(capsys)
    assert "features=nystrom" in shown[-1] and "s=64" not in shown[-1]


def test_reference_runs_are_read_on_request_alone(results, tmp_path, capsys):
    made = [stored_run(tmp_path / "made", "smo", seed=s, costs=[10], errors=[9]) for s in range(2)]
    packs.write(results / "reference" / "packs" / "x.jsonl.xz", [(run, [0]) for run in made])
    assert len(lines(capsys)) == 4 and not (results / "unpacked").exists()
    assert [line.split()[1] for line in lines(capsys, "--results", "results/reference")] == [
        "solver",
        "smo",
        "smo",
    ]
    assert not (results / "reference" / "index.sqlite").exists()
    assert main(["plot", "smo-*"]) == 2 and "matches smo-*" in capsys.readouterr().err
    assert "SMO" in output(capsys, ["compare", "sbp-*", "results/reference", "--to", "test_error=0.3"])
    assert main(["show", made[0].id]) == 0  # a name says which run is meant
    assert main(["show", "sm"]) == 2 and "is the beginning of 2 runs" in capsys.readouterr().err
    assert main(["delete", *(run.id for run in Store("results").own()[1:]), "--yes"]) == 0
    assert Store("results").find("s").solver == "sbp"  # mine before those of the papers


@pytest.mark.parametrize(("rows", "asked"), [(10, True), (60, False)])
def test_a_list_that_is_longer_than_the_terminal_goes_to_the_pager(many, rows, asked, tmp_path):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
    environment = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "MANPAGER")
    }
    environment |= {"PAGER": f"cat > {tmp_path}/paged", "TERM": "xterm"}
    command = [sys.executable, "-m", "svmbench.cli.main", "list", "--all"]
    ended = subprocess.run(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=environment)
    os.close(slave)
    os.close(master)
    assert ended.returncode == 0 and (tmp_path / "paged").exists() == asked
    if asked:
        assert len((tmp_path / "paged").read_text().splitlines()) == 26


def test_files_of_one_name_are_told_apart_by_their_folders(here, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    for folder, shift in (("a", 0), ("b", 1)):
        (here / folder / "set").mkdir(parents=True)
        lines = [f"{1 if row % 2 else -1} 1:{row + shift}" for row in range(20)]
        (here / folder / "set" / "train.svm").write_text("\n".join(lines) + "\n")
        words = ["dataset=file", f"dataset.path={folder}/set/train.svm", "problem.C=1", "kernel.gamma=1"]
        assert main(["run", "solver=smo", *words]) == 0
    listed = output(capsys, ["list"])
    assert "path=a/set/train.svm" in listed and "path=b/set/train.svm" in listed
