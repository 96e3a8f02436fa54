"""`svmbench run`: single runs and sweeps, from the command line to the store."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from svmbench.cli import main
from svmbench.store import Store
from tests.cli.conftest import SMALL

#: Overrides of a run that ends only when it is made to.
ENDLESS = ("solver=pegasos", *SMALL, "budget.kev=1e15")


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own, as a shell does."""
    command = [sys.executable, "-m", "svmbench.cli", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition, seconds: float = 30.0):
    """Return the first true value of the condition."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def running(results: Path) -> list[Path]:
    return [path for path in results.glob("runs/*.running/trace.csv") if path.read_text().count("\n") > 1]


def test_a_run_ends_with_its_numbers_and_its_place(here, capsys):
    assert main(["run", "solver=smo", *SMALL]) == 0
    out, progress = capsys.readouterr()
    run = Store("results").runs()[0]
    assert out.startswith("smo on checkerboard, seed 0: done, ")
    summary = run.summary()
    for label, text in {
        "test error": f"{100 * summary['test_error']:.2f} %  ({summary['test_mistakes']} mistakes)",
        "kev_ondemand": f"{summary['kev_ondemand']:,d}",
        "kev_computed": f"{summary['kev_computed']:,d}",
        "iterations": f"{summary['iterations']:,d}",
        "support vectors": str(summary["support_vectors"]),
    }.items():
        assert f"  {label:<16} {text}\n" in out
    assert f"picture  {run.path / 'curve.png'}\n" in out
    assert out.endswith(f"run      {run.path}\n")
    assert f"picture  {run.path / 'regions.png'}\n" in out
    for name in ("curve", "regions"):
        for ending in ("png", "svg", "pdf"):
            assert (run.path / f"{name}.{ending}").stat().st_size > 1000
    assert "objective" in progress  # plain lines where there is no terminal
    assert [path.name for path in here.iterdir()] == ["results"]


def test_regions_are_drawn_in_the_plane_alone(here, capsys):
    overrides = [
        "solver=pegasos",
        "dataset=twonorm",
        "dataset.n_train=50",
        "dataset.n_test=20",
        "budget=debug",
    ]
    assert main(["run", *overrides, "budget.kev=1e4"]) == 0
    out = capsys.readouterr().out
    assert "curve.png" in out
    assert "regions" not in out


def test_an_identical_run_is_found_and_force_repeats_it(here, capsys):
    assert main(["run", "solver=smo", *SMALL]) == 0
    first = Store("results").runs()[0]
    assert main(["run", "kernel.gamma=10", *SMALL, "solver=smo"]) == 0
    assert "smo on checkerboard, seed 0: found, stored before" in capsys.readouterr().out
    assert Store("results").runs()[0].started == first.started
    assert main(["run", "solver=smo", *SMALL, "force=true"]) == 0
    assert Store("results").runs()[0].started > first.started


def test_threads_reach_the_libraries_before_they_are_loaded(here):
    program = (
        "import os, sys; from svmbench.cli import main\n"
        "main(['run', 'threads=2', 'seed=x'])\n"
        "print(os.environ['OMP_NUM_THREADS'], os.environ['OPENBLAS_NUM_THREADS'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "2 2\n"


def test_cfg_prints_the_configuration_and_runs_nothing(here, capsys):
    assert main(["run", "solver=pegasos", "--cfg", "job"]) == 0
    assert capsys.readouterr().out.startswith("solver:\n  name: pegasos\n  exact: true\n")
    assert not list(here.iterdir())


def test_info_explains_the_composition(here):
    process = start("run", "--info", "defaults")
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "solver/sbp" in out
    assert not list(here.iterdir())


def test_ctrl_c_stores_the_run(here):
    process = start("run", *ENDLESS)
    wait_for(lambda: running(here / "results"))
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "pegasos on checkerboard, seed 0: interrupted, interrupted by SIGINT after" in error
    assert "iterations" in out
    assert [run.status for run in Store("results").runs()] == ["interrupted"]


def test_a_sweep_does_what_is_missing(here, capfd):
    assert main(["run", "solver=smo", *SMALL]) == 0
    capfd.readouterr()
    assert main(["run", "-m", "solver=smo,pegasos", *SMALL]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith("[1/2] solver=smo: skipped, stored before")
    assert lines[1].startswith("[2/2] solver=pegasos: done, ")
    assert lines[-1] == "1 skipped, 1 done"
    assert {run.solver for run in Store("results").runs()} == {"smo", "pegasos"}
    assert {path.name for path in here.iterdir()} == {"results"}


def test_a_sweep_goes_on_past_failures(here, capfd, tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("1,2,1\n3,x,-1\n")
    data = ["dataset=checkerboard,file", f"+dataset.path={wrong}"]
    assert main(["run", "-m", "solver=smo", "problem.bias=unregularised,none", *SMALL]) == 1
    out = capfd.readouterr().out
    assert "[1/2] problem.bias=unregularised: refused, smo cannot solve" in out
    assert "[2/2] problem.bias=none: done" in out
    assert out.endswith("1 refused, 1 done\n")
    assert main(["run", "-m", *data]) == 2  # a key that one of the jobs does not have


def test_bad_data_fails_a_job_with_its_sentence(here, capfd, tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("1,2,1\n3,x,-1\n")
    arguments = ["dataset=file", f"dataset.path={wrong}", "problem.C=1", "kernel.gamma=1,2"]
    assert main(["run", "-m", "solver=smo", *arguments]) == 1
    out = capfd.readouterr().out
    assert out.count("wrong.csv") == 4  # a line and a row of the table for each job
    assert out.endswith("2 failed\n")


def test_a_killed_job_does_not_end_the_sweep(here):
    process = start("run", "-m", *ENDLESS, "budget.kev=10000000000000,20000")
    wait_for(lambda: running(here / "results"))
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "[1/2] budget.kev=10000000000000: failed, its process was killed by SIGKILL; see " in out
    assert "[2/2] budget.kev=20000: done" in out
    assert out.endswith("1 failed, 1 done\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_sweep_with_its_table(here, number):
    process = start("run", "-m", *ENDLESS, "seed=0,1,2")
    wait_for(lambda: running(here / "results"))
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "[1/3] seed=0: interrupted, interrupted by SIGINT after" in out
    assert out.endswith("1 interrupted, 2 not run\n")
    assert [run.status for run in Store("results").runs()] == ["interrupted"]


def test_the_record_of_a_sweep(here, capfd):
    assert main(["run", "-m", "solver=smo", "seed=0,0", *SMALL]) == 0
    (record,) = Path("results/sweeps").iterdir()
    assert json.loads((record / "plan.json").read_text()) == ["the only job", "the only job"]
    ends = [json.loads((record / str(number) / "job.json").read_text())["state"] for number in (0, 1)]
    assert ends == ["done", "found"]
    assert "objective" in (record / "0" / "log.txt").read_text()
