"""`svmbench run`: single runs and sweeps, from the command line to the store."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from svmbench.store import Store
from tests.cli.conftest import SMALL, STARTED
from tests.told import output

#: Overrides of a run that ends only when it is made to.
ENDLESS = ("solver=pegasos", *SMALL, "budget.kev=1e15")


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own, as a shell does."""
    command = [sys.executable, "-m", "svmbench.cli.main", *arguments]
    STARTED.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    return STARTED[-1]


def wait_for(condition, seconds: float = 120.0):
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


@pytest.mark.pictures
def test_a_run_ends_with_its_numbers_and_its_place(here, capsys):
    out = output(capsys, ["run", "solver=smo", *SMALL])
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
        assert (run.path / f"{name}.png").stat().st_size > 1000
        assert not (run.path / f"{name}.pdf").exists()  # on request: svmbench plot --format
    assert [path.name for path in here.iterdir()] == ["results"]


@pytest.mark.pictures
def test_regions_are_drawn_in_the_plane_alone(here, capsys):
    overrides = [
        "solver=pegasos",
        "dataset=twonorm",
        "dataset.n_train=50",
        "dataset.n_test=20",
        "budget=debug",
    ]
    out = output(capsys, ["run", *overrides, "budget.kev=1e4"])
    assert "curve.png" in out
    assert "regions" not in out


def test_threads_reach_the_libraries_before_they_are_loaded_and_forced_kernels_do_not(here, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    program = (
        "import os, sys; from svmbench.cli.main import main\n"
        "main(['run', 'threads=2', 'seed=x'])\n"
        "print(os.environ['OMP_NUM_THREADS'], os.environ['OPENBLAS_NUM_THREADS'])\n"
        "print(os.environ.get('OPENBLAS_CORETYPE'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "2 2\nNone\n"


def test_ctrl_c_stores_the_run(here):
    process = start("run", *ENDLESS)
    wait_for(lambda: running(here / "results"))
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "pegasos on checkerboard, seed 0: interrupted by SIGINT after" in error
    assert "iterations" in out
    assert [run.status for run in Store("results").runs()] == ["interrupted"]


@pytest.mark.parametrize(("options", "gamma"), [([], "${problem.lam}"), (["--resolve"], "0.5")])
def test_interpolations_are_replaced_on_request(options, gamma, here, capsys):
    out = output(capsys, ["run", "kernel.gamma=${problem.lam}", "problem.lam=0.5", "--cfg", "job", *options])
    assert f"  gamma: {gamma}\n" in out and "hydra" not in out
    assert not list(here.iterdir())
