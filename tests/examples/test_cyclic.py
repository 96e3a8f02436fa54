"""The compiled example of docs/add-a-solver.md, built with the files of a wheel and held to the suite."""

import fnmatch
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from tests.examples.test_greedy import ROOT, installed_from, python

INSTALLED = "str(Path(svmbench.__file__).parent.parent)"
EXAMPLE = ROOT / "docs" / "examples" / "svmbench-cyclic"


def of_the_wheel(folder: Path) -> Path:
    """Copy the files with C-level declarations that a wheel has; return the folder to compile with."""
    excluded = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["wheel"][
        "exclude"
    ]
    for file in [*ROOT.glob("svmbench/**/*.pxd"), *ROOT.glob("svmbench/**/*.h")]:
        place = file.relative_to(ROOT)
        if not any(fnmatch.fnmatch(str(place), pattern) for pattern in excluded):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder / place)
    for package in {file.parent for file in folder.rglob("*.pxd")}:
        (package / "__init__.py").touch()
    (folder / "svmbench" / "__init__.py").touch()
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the package is installed, its solver compiled."""
    if shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]) is None:
        pytest.skip("there is no C compiler")
    place = tmp_path_factory.mktemp("cyclic")
    package = shutil.copytree(EXAMPLE, place / "package")
    include = of_the_wheel(place / "include")
    setup = (package / "setup.py").read_text()  # it would find the files of this checkout
    assert INSTALLED in setup
    (package / "setup.py").write_text(setup.replace(INSTALLED, repr(str(include))))
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=package, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return installed_from(package, place / "installed")


def test_it_is_built_with_the_files_of_a_wheel_and_runs(built, tmp_path):
    small = ("dataset.n_train=60", "dataset.n_test=40", f"results={tmp_path}", f"data.dir={tmp_path}")
    run = ("svmbench.cli.main", "run", "solver=cyclic", "solver.eps=1e-6", *small)
    done = python(built, *run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "done, the solver's stopping rule holds" in done.stdout


def test_the_conformance_suite_is_satisfied(built, tmp_path):
    done = python(built, "svmbench.cli.main", "check", "cyclic", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"\| cyclic +\| (\d+) of \1 ", done.stdout)[1]) > 20
