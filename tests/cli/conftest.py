"""Commands run in an empty folder, with their data beside it."""

import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from svmbench.cli.main import main


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def here(tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder; data are prepared elsewhere, once, and what a failed test left is ended."""
    monkeypatch.setenv("SVMBENCH_DATA", str(data_folder))
    monkeypatch.delenv("SVMBENCH_MIRROR", raising=False)
    monkeypatch.delenv("SVMBENCH_CONF", raising=False)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # so that what a command sets is taken back
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield folder
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory, data_folder: Path) -> Path:
    """A results folder with two small runs, to be read only."""
    results = tmp_path_factory.mktemp("stored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SVMBENCH_DATA", str(data_folder))
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            patch.setenv(name, "1")
        for solver in ("pegasos", "smo"):
            assert main(["run", f"solver={solver}", *SMALL, f"results={results}"]) == 0
    return results


@pytest.fixture(scope="session")
def _swept(tmp_path_factory: pytest.TempPathFactory, data_folder: Path) -> Path:
    folder = tmp_path_factory.mktemp("swept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SVMBENCH_DATA", str(data_folder))
        patch.chdir(folder)
        assert main(["run", "-m", "solver=smo,pegasos", *SMALL]) == 0
    return folder / "results"


@pytest.fixture
def swept(_swept: Path, here: Path) -> Path:
    """The folder of a sweep of two runs that has ended, in a results folder of its own."""
    (sweep,) = (shutil.copytree(_swept, here / "results") / "sweeps").iterdir()
    return sweep


#: Commands that tests have started in processes of their own.
STARTED: list[subprocess.Popen[str]] = []

#: Overrides of a run that takes a moment.
SMALL = ("dataset.n_train=60", "dataset.n_test=40", "budget=debug", "budget.kev=20000")
